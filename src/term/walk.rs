//! Walks through terms. A term is a graph with shared parts, and much larger as a tree. Code that looks for something in a term
//! uses these walks, which meet each part once.

use rustc_hash::FxHashSet;

use super::terms::{Node, Symbol, Term, Terms};

/// The terms that a walk meets, in the order of their first occurrence.
pub struct Walk<'t, F> {
    terms: &'t Terms,
    open: Vec<Term>,
    seen: FxHashSet<Term>,
    enters: F,
}

impl<F: Fn(Term) -> bool> Iterator for Walk<'_, F> {
    type Item = Term;

    fn next(&mut self) -> Option<Term> {
        while let Some(term) = self.open.pop() {
            if self.seen.insert(term) {
                if (self.enters)(term) {
                    self.open.extend(self.terms.parts(term).into_iter().rev());
                }
                return Some(term);
            }
        }
        None
    }
}

impl Terms {
    /// Walks through a term, and through the parts of the terms that it enters.
    pub fn walk<F: Fn(Term) -> bool>(&self, term: Term, enters: F) -> Walk<'_, F> {
        Walk { terms: self, open: vec![term], seen: FxHashSet::default(), enters }
    }

    /// All terms in a term, itself included.
    pub fn within(&self, term: Term) -> impl Iterator<Item = Term> {
        self.walk(term, |_| true)
    }

    /// The conditions that a condition is made of by `not`, `and` and `or`.
    pub fn atoms(&self, condition: Term) -> impl Iterator<Item = Term> {
        let is_made = |term: Term| matches!(self.node(term), Node::Not(_) | Node::And(_) | Node::Or(_));
        self.walk(condition, is_made).filter(move |term| !is_made(*term))
    }

    /// Calls `f` with each symbol of a term once, in the order of their first occurrence.
    pub fn each_symbol(&self, term: Term, f: &mut dyn FnMut(Symbol)) {
        for term in self.walk(term, |term| self.symbols_between(term).is_some()) {
            if let Node::Symbol(symbol) = self.node(term) {
                f(*symbol);
            }
        }
    }

    /// Whether a symbol with this number is in a term.
    pub fn mentions_symbol(&self, term: Term, number: u32) -> bool {
        let may_mention = |term: Term| {
            self.symbols_between(term).is_some_and(|(least, greatest)| (least..=greatest).contains(&number))
        };
        let mentions = |term: Term| {
            self.symbols_between(term).is_some_and(|(least, greatest)| least == number || greatest == number)
        };
        self.walk(term, may_mention).any(mentions)
    }

    /// The symbols of a term.
    pub fn symbols(&self, term: Term) -> FxHashSet<Symbol> {
        let mut out = FxHashSet::default();
        self.each_symbol(term, &mut |symbol| {
            out.insert(symbol);
        });
        out
    }

    /// How many different terms are in a term, itself included; counted up to a number.
    pub fn count(&self, term: Term, most: usize) -> usize {
        self.within(term).take(most).count()
    }

    /// Whether a term has a quantifier in it.
    pub fn has_quantifier(&self, term: Term) -> bool {
        self.within(term).any(|term| matches!(self.node(term), Node::Exists(..)))
    }

    /// Whether a term is in another one.
    pub(super) fn mentions(&self, term: Term, part: Term) -> bool {
        self.within(term).any(|term| term == part)
    }
}

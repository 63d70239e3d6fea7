//! Quantifiers: that some value of a symbol satisfies a condition, said without the symbol where that has a simple form.
//!
//! Equations are solved and put into the rest; bounds on a whole or rational number are compared with each other; truth
//! values and what is only excepted from infinitely many values go by cases. All of this is exact. What is left keeps its
//! quantifier and is the solver's business. Tested against all values of small ranges.

use rustc_hash::FxHashMap;

use super::rational::Rational;
use super::terms::{Node, Sort, Sum, Symbol, Term, Terms};

/// Most cases that a condition is split into.
const MAX_CASES: usize = 64;
/// Most cases that are looked at for one quantifier: cases are split into cases. What is left beyond that keeps its quantifier.
pub(super) const MAX_ALL_CASES: usize = 500;

/// A bound on a number, or an exception, as one condition says it.
enum Edge {
    /// `factor * x >= end`; whether equality is enough.
    Low(Rational, Term, bool),
    /// `factor * x <= end`
    High(Rational, Term, bool),
    /// `x != end`
    Hole(Term),
}

impl Terms {
    /// Whether some values of the symbols satisfy a condition. Their ranges are part of the condition.
    pub fn exists(&mut self, symbols: &[Symbol], condition: Term) -> Term {
        let first = self.first_unbound(condition);
        let bound: Vec<Symbol> =
            symbols.iter().enumerate().map(|(n, s)| Symbol { number: first + n as u32, sort: s.sort }).collect();
        let stands: Vec<Term> = bound.iter().map(|b| self.intern(Node::Bound(*b), b.sort)).collect();
        let place = |symbol: Symbol| symbols.iter().position(|known| *known == symbol).map(|n| stands[n]);
        let body = self.substitute(condition, &place);
        self.without(&bound, body)
    }

    /// The least number that no bound symbol of a term has.
    fn first_unbound(&self, term: Term) -> u32 {
        let bound = self.within(term).filter_map(|term| match self.node(term) {
            Node::Bound(symbol) => Some(symbol.number + 1),
            _ => None,
        });
        bound.max().unwrap_or(0)
    }

    /// The term with one part of it replaced wherever it stands.
    fn replaced(&mut self, term: Term, part: Term, by: Term) -> Term {
        let mut done = FxHashMap::default();
        done.insert(part, by);
        self.substituted(term, &|_| None, &mut done)
    }

    /// As [`Self::exists`], where the symbols are bound already.
    pub(super) fn without(&mut self, bound: &[Symbol], body: Term) -> Term {
        // What is put into a quantifier within this one counts here.
        let is_outermost = self.cases_left.is_none();
        let left = self.cases_left.get_or_insert(MAX_ALL_CASES);
        *left = left.saturating_sub(1);
        let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.without_counted(bound, body));
        if is_outermost {
            self.cases_left = None;
        }
        result
    }

    fn without_counted(&mut self, bound: &[Symbol], body: Term) -> Term {
        let mut bound: Vec<(Symbol, Term)> =
            bound.iter().map(|symbol| (*symbol, self.intern(Node::Bound(*symbol), symbol.sort))).collect();
        bound.retain(|(_, term)| self.mentions(body, *term));
        if bound.is_empty() {
            return body;
        }
        if self.cases_left == Some(0) {
            let symbols = bound.iter().map(|(symbol, _)| *symbol).collect();
            return self.intern(Node::Exists(symbols, body), Sort::Bool);
        }
        if let Node::Or(parts) = self.node(body).clone() {
            let symbols: Vec<Symbol> = bound.iter().map(|(symbol, _)| *symbol).collect();
            let parts = parts.into_iter().map(|part| self.without(&symbols, part)).collect();
            return self.any(parts);
        }
        let conjuncts = match self.node(body).clone() {
            Node::And(parts) => parts,
            _ => vec![body],
        };
        let speaks = |terms: &Terms, part: Term| bound.iter().any(|(_, term)| terms.mentions(part, *term));
        let (inside, mut outside): (Vec<Term>, Vec<Term>) = conjuncts.into_iter().partition(|part| speaks(self, *part));
        let rest = self.conjunction_without(&bound, inside);
        outside.push(rest);
        self.all(outside)
    }

    fn conjunction_without(&mut self, bound: &[(Symbol, Term)], parts: Vec<Term>) -> Term {
        if !self.may_eliminate(parts.len()) {
            return self.quantified(bound, parts);
        }
        let others = |leave: usize| -> Vec<Symbol> {
            bound.iter().enumerate().filter(|(n, _)| *n != leave).map(|(_, (symbol, _))| *symbol).collect()
        };
        // An equation says what a symbol is.
        for (n, (symbol, term)) in bound.iter().enumerate() {
            if let Some((place, value)) = self.solution(*symbol, *term, &parts) {
                let rest = parts.iter().enumerate().filter(|(p, _)| *p != place).map(|(_, part)| *part);
                let rest: Vec<Term> = rest.collect();
                let rest = rest.into_iter().map(|part| self.replaced(part, *term, value)).collect();
                let rest = self.all(rest);
                return self.without(&others(n), rest);
            }
        }
        // Cases of a disjunction.
        let widest = parts.iter().position(|part| matches!(self.node(*part), Node::Or(_)));
        if let Some(place) = widest
            && let Node::Or(cases) = self.node(parts[place]).clone()
            && cases.len() <= MAX_CASES
        {
            let symbols: Vec<Symbol> = bound.iter().map(|(symbol, _)| *symbol).collect();
            let mut made = vec![];
            for case in cases {
                let mut with = parts.clone();
                with[place] = case;
                let with = self.all(with);
                made.push(self.without(&symbols, with));
            }
            return self.any(made);
        }
        for (n, (symbol, term)) in bound.iter().enumerate() {
            let (about, rest): (Vec<Term>, Vec<Term>) = parts.iter().partition(|part| self.mentions(**part, *term));
            let Some(projected) = self.eliminated(*symbol, *term, &about) else { continue };
            let mut rest = rest;
            rest.push(projected);
            let rest = self.all(rest);
            return self.without(&others(n), rest);
        }
        self.quantified(bound, parts)
    }

    /// What keeps its quantifier.
    fn quantified(&mut self, bound: &[(Symbol, Term)], parts: Vec<Term>) -> Term {
        let body = self.all(parts);
        if matches!(self.node(body), Node::Const(_)) {
            return body;
        }
        let symbols = bound.iter().map(|(symbol, _)| *symbol).collect();
        self.intern(Node::Exists(symbols, body), Sort::Bool)
    }

    /// A part that says what a bound symbol is equal to, and that.
    fn solution(&mut self, symbol: Symbol, term: Term, parts: &[Term]) -> Option<(usize, Term)> {
        for (place, part) in parts.iter().enumerate() {
            let value = match self.node(*part).clone() {
                Node::Bound(known) if known == symbol => Some(self.bool(true)),
                Node::Not(inner) if inner == term => Some(self.bool(false)),
                Node::Same(a, b) if a == term && !self.mentions(b, term) => Some(b),
                Node::Same(a, b) if b == term && !self.mentions(a, term) => Some(a),
                Node::IsZero(sum) => self.solved_for(symbol, term, sum),
                _ => None,
            };
            if let Some(value) = value {
                return Some((place, value));
            }
        }
        None
    }

    /// What a bound number is where a sum is zero.
    fn solved_for(&mut self, symbol: Symbol, term: Term, sum: Term) -> Option<Term> {
        let (factor, rest) = self.apart(term, sum)?;
        let is_exact = factor.abs().is_one() || symbol.sort == Sort::Real;
        if !is_exact || (symbol.sort == Sort::Int && self.sort(rest) != Sort::Int) {
            return None;
        }
        let zero = self.make_sum(Sum { sort: symbol.sort, parts: vec![], constant: Rational::ZERO });
        Some(self.add_scaled(zero, rest, &(-Rational::ONE / &factor)))
    }

    /// A sum as `factor * term + rest`; none if the rest speaks of the term as well.
    fn apart(&mut self, term: Term, sum: Term) -> Option<(Rational, Term)> {
        let Sum { sort, parts, constant } = self.as_sum(sum);
        let (own, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(part, _)| *part == term);
        let [(_, factor)] = own.as_slice() else { return None };
        let factor = factor.clone();
        if rest.iter().any(|(part, _)| self.mentions(*part, term)) {
            return None;
        }
        Some((factor, self.make_sum(Sum { sort, parts: rest, constant })))
    }

    /// That some value of one symbol satisfies all these conditions, none of which is an equation or a disjunction.
    fn eliminated(&mut self, symbol: Symbol, term: Term, about: &[Term]) -> Option<Term> {
        match symbol.sort {
            Sort::Bool => {
                let all = self.all(about.to_vec());
                let cases = [true, false].map(|value| {
                    let value = self.bool(value);
                    self.replaced(all, term, value)
                });
                Some(self.any(cases.to_vec()))
            }
            // Infinitely many values, of which finitely many are excepted.
            Sort::Text => {
                let is_exception = |part: &Term| match self.node(*part) {
                    Node::Not(inner) => match self.node(*inner) {
                        Node::Same(a, b) => {
                            (*a == term && !self.mentions(*b, term)) || (*b == term && !self.mentions(*a, term))
                        }
                        _ => false,
                    },
                    _ => false,
                };
                about.iter().all(is_exception).then(|| self.bool(true))
            }
            Sort::Int | Sort::Real => {
                let edges: Option<Vec<Edge>> = about.iter().map(|part| self.edge(symbol, term, *part)).collect();
                self.between(symbol.sort, edges?)
            }
            Sort::Enum(_) | Sort::Structure => None,
        }
    }

    /// What a condition says of a number.
    fn edge(&mut self, symbol: Symbol, term: Term, part: Term) -> Option<Edge> {
        let (sum, inside) = match *self.node(part) {
            Node::AtMostZero(sum) => (sum, true),
            Node::BelowZero(sum) => (sum, false),
            Node::Not(inner) => match *self.node(inner) {
                Node::IsZero(sum) => return self.solved_for(symbol, term, sum).map(Edge::Hole),
                _ => return None,
            },
            _ => return None,
        };
        let (factor, rest) = self.apart(term, sum)?;
        if symbol.sort == Sort::Int && self.sort(rest) != Sort::Int {
            return None;
        }
        // factor * x + rest <= 0
        Some(match factor.is_positive() {
            true => Edge::High(factor, self.negate(rest), inside),
            false => Edge::Low(-factor, rest, inside),
        })
    }

    /// That a number fits between edges; none if that has no simple form.
    fn between(&mut self, sort: Sort, edges: Vec<Edge>) -> Option<Term> {
        let (mut lows, mut highs, mut holes) = (vec![], vec![], vec![]);
        for edge in edges {
            match edge {
                Edge::Low(factor, end, inside) => lows.push((factor, end, inside)),
                Edge::High(factor, end, inside) => highs.push((factor, end, inside)),
                Edge::Hole(end) => holes.push(end),
            }
        }
        if lows.is_empty() || highs.is_empty() {
            return Some(self.bool(true));
        }
        // Each pair of edges makes a condition: one elimination after the other would square their number.
        if lows.len() * highs.len() > MAX_CASES {
            return None;
        }
        let has_units = |ends: &[(Rational, Term, bool)]| ends.iter().all(|(factor, ..)| factor.is_one());
        let is_exact = sort == Sort::Real || has_units(&lows) || has_units(&highs);
        if !is_exact || (sort == Sort::Int && !holes.is_empty() && !(has_units(&lows) && has_units(&highs))) {
            return None;
        }
        if !self.may_eliminate(lows.len() * highs.len()) {
            return None;
        }
        if holes.is_empty() {
            let mut parts = vec![];
            for (a, low, low_in) in &lows {
                for (b, high, high_in) in &highs {
                    // low / a <= high / b
                    let zero = self.make_sum(Sum { sort, parts: vec![], constant: Rational::ZERO });
                    let (left, right) = (self.add_scaled(zero, *low, b), self.add_scaled(zero, *high, a));
                    parts.push(if *low_in && *high_in { self.at_most(left, right) } else { self.less(left, right) });
                }
            }
            return Some(self.all(parts));
        }
        if sort == Sort::Real {
            return None;
        }
        // With some exceptions: one of the first numbers from the greatest lower end on is none of them.
        if lows.len() * (holes.len() + 1) > MAX_CASES {
            return None;
        }
        let mut cases = vec![];
        for (_, low, _) in &lows {
            for step in 0..=holes.len() {
                let step = self.int(step);
                let candidate = self.add(*low, step);
                let mut fits: Vec<Term> = lows.iter().map(|(_, low, _)| self.at_most(*low, candidate)).collect();
                fits.extend(highs.iter().map(|(_, high, _)| self.at_most(candidate, *high)).collect::<Vec<_>>());
                for hole in &holes {
                    let same = self.equal(candidate, *hole);
                    fits.push(self.not(same));
                }
                cases.push(self.all(fits));
            }
        }
        Some(self.any(cases))
    }
}

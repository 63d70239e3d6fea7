//! Z3: terms become its expressions, once each; assumptions become literals, so that what a check assumes costs little.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use num_bigint::BigInt;
use num_rational::BigRational;
use z3::ast::{Ast, Bool, Dynamic, Int, Real, String as Text, exists_const};
use z3::{Context, Params, SatResult, Solver as Z3Solver};

use rustc_hash::FxHashMap;

use super::horn::satisfy;
use super::regex::{Translated, translate};
use super::version::version;
use super::{Clause, GaveUp, Meaning, Model, Predicate, Solver, Stop, Verdict};
use crate::budget::tick;
use crate::term::{Node, Sort, Symbol, Term, Terms, Value};

/// Highest degree of a polynomial.
const MAX_DEGREE: u32 = 32;
/// Most work for one check, in Z3's own units: the same on every machine.
const WORK_PER_CHECK: u32 = 20_000_000;
/// Time between two looks at whether to stop.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// After so many literals a new solver is begun.
const MAX_LITERALS: usize = 20_000;

/// Z3 with a context of the thread it is first used in. Made at the first use: many questions need no solver, and a
/// context takes longer to make than most of them to answer.
pub struct Z3 {
    seed: u64,
    stop: Option<Stop>,
    /// Work allowed for one check.
    effort: u32,
    solver: OnceCell<Z3Solver>,
    /// Translations of terms.
    known: FxHashMap<Term, Expr>,
    /// Symbols that were met, with what stands for them.
    symbols: FxHashMap<Symbol, Expr>,
    literals: FxHashMap<Term, Bool>,
    /// How many literals were ever made: no name is used twice.
    named: usize,
    /// Literals made since each push.
    scopes: Vec<Vec<Term>>,
    /// What was asserted could not be translated; with the depth at which that happened.
    untranslated: Option<(usize, String)>,
    /// Whether something was ever asserted, so that models say more than what was assumed.
    has_assertions: bool,
    /// Whether every translation means exactly the same; otherwise nothing is refuted.
    is_exact: bool,
}

/// A term of Z3.
#[derive(Clone, Debug)]
enum Expr {
    Bool(Bool),
    Int(Int),
    Real(Real),
    Text(Text),
}

impl From<Expr> for Dynamic {
    fn from(expr: Expr) -> Dynamic {
        match expr {
            Expr::Bool(b) => b.into(),
            Expr::Int(n) => n.into(),
            Expr::Real(x) => x.into(),
            Expr::Text(text) => text.into(),
        }
    }
}

impl Default for Z3 {
    fn default() -> Self {
        Z3::new(0)
    }
}

impl Z3 {
    /// A solver whose choices depend on a seed.
    pub fn new(seed: u64) -> Z3 {
        Z3 {
            seed,
            stop: None,
            effort: WORK_PER_CHECK,
            solver: OnceCell::new(),
            known: FxHashMap::default(),
            symbols: FxHashMap::default(),
            literals: FxHashMap::default(),
            named: 0,
            scopes: vec![],
            untranslated: None,
            has_assertions: false,
            is_exact: true,
        }
    }

    fn solver(&self) -> &Z3Solver {
        self.solver.get_or_init(|| configured(self.seed, self.effort))
    }

    /// Runs a check that is interrupted when it is time to stop: limits on the solver's own work do not count all of it.
    pub(super) fn watched<T>(&self, check: impl FnOnce() -> T) -> T {
        let Some(stop) = &self.stop else { return check() };
        let context = Context::thread_local();
        let handle = context.handle();
        let (running, ended) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                while ended.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
                    if stop() {
                        handle.interrupt();
                    }
                }
            });
            let result = check();
            drop(running);
            result
        })
    }

    /// Why a check had no answer.
    pub(super) fn gave_up(&self, words: Option<String>) -> GaveUp {
        match &self.stop {
            Some(stop) if stop() => GaveUp::Stopped,
            _ => GaveUp::read(words.as_deref()),
        }
    }

    /// A condition in terms of Z3.
    pub(super) fn condition(&mut self, terms: &Terms, term: Term) -> Result<Bool, String> {
        self.bool(terms, term)
    }

    /// A simple value in terms of Z3.
    pub(super) fn dynamic(&mut self, terms: &Terms, term: Term) -> Result<Dynamic, String> {
        self.expr(terms, term).map(Dynamic::from)
    }

    /// A symbol that was met in a term.
    pub(super) fn symbol(&self, symbol: Symbol) -> Result<Dynamic, String> {
        self.symbols.get(&symbol).cloned().map(Dynamic::from).ok_or_else(|| "a symbol that is not known".to_owned())
    }

    /// Whether conditions contradict each other for certain, whatever else was asserted.
    pub(super) fn refutes(&self, conditions: &[Bool]) -> bool {
        let solver = configured(self.seed, WORK_PER_CHECK);
        conditions.iter().for_each(|condition| solver.assert(condition));
        self.watched(|| solver.check()) == SatResult::Unsat
    }

    fn literal(&mut self, terms: &Terms, condition: Term) -> Result<Bool, String> {
        if let Some(literal) = self.literals.get(&condition) {
            return Ok(literal.clone());
        }
        let meaning = self.bool(terms, condition)?;
        let literal = Bool::new_const(format!("a{}", self.named));
        self.named += 1;
        self.solver().assert(literal.implies(&meaning));
        self.literals.insert(condition, literal.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(condition);
        }
        Ok(literal)
    }

    fn bool(&mut self, terms: &Terms, term: Term) -> Result<Bool, String> {
        match self.expr(terms, term)? {
            Expr::Bool(b) => Ok(b),
            _ => Err("a condition that is none".to_owned()),
        }
    }

    fn expr(&mut self, terms: &Terms, term: Term) -> Result<Expr, String> {
        if let Some(known) = self.known.get(&term) {
            return Ok(known.clone());
        }
        let expr = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.translated(terms, term))?;
        self.known.insert(term, expr.clone());
        Ok(expr)
    }

    fn translated(&mut self, terms: &Terms, term: Term) -> Result<Expr, String> {
        tick();
        let structure = || Err("a structure where a simple value is needed".to_owned());
        Ok(match terms.node(term) {
            Node::Const(value) => match value {
                Value::Bool(b) => Expr::Bool(Bool::from_bool(*b)),
                Value::Int(n) => Expr::Int(whole(n)),
                Value::Real(x) => Expr::Real(rational(x)),
                Value::Text(text) => Expr::Text(Text::from(escaped(text))),
                Value::Data(_, constructor, args) if args.is_empty() => {
                    Expr::Int(Int::from_u64(u64::from(*constructor)))
                }
                _ => return structure(),
            },
            Node::Symbol(symbol) => {
                let expr = self.constant("s", *symbol)?;
                self.symbols.insert(*symbol, expr.clone());
                expr
            }
            Node::Sum(sum) => {
                if sum.sort == Sort::Int {
                    let mut parts = vec![whole(&sum.constant.to_integer())];
                    for (part, factor) in &sum.parts {
                        parts.push(Int::mul(&[whole(&factor.to_integer()), self.int(terms, *part)?]));
                    }
                    Expr::Int(Int::add(&parts))
                } else {
                    let mut parts = vec![rational(&sum.constant.to_big())];
                    for (part, factor) in &sum.parts {
                        parts.push(Real::mul(&[rational(&factor.to_big()), self.real(terms, *part)?]));
                    }
                    Expr::Real(Real::add(&parts))
                }
            }
            // The library does not look at its limits while it takes polynomials of a high degree apart.
            Node::Product(..) if terms.degree(term) > MAX_DEGREE => {
                return Err(format!("a product of more than {MAX_DEGREE} open numbers"));
            }
            Node::Product(a, b) => match terms.sort(term) {
                Sort::Int => Expr::Int(Int::mul(&[self.int(terms, *a)?, self.int(terms, *b)?])),
                _ => Expr::Real(Real::mul(&[self.real(terms, *a)?, self.real(terms, *b)?])),
            },
            Node::Quotient(a, b) => match terms.sort(term) {
                Sort::Int => Expr::Int(self.int(terms, *a)?.div(&self.int(terms, *b)?)),
                _ => Expr::Real(self.real(terms, *a)?.div(&self.real(terms, *b)?)),
            },
            Node::Remainder(a, b) => Expr::Int(self.int(terms, *a)?.modulo(&self.int(terms, *b)?)),
            Node::Floor(a) => Expr::Int(self.real(terms, *a)?.to_int()),
            Node::AtMostZero(sum) | Node::BelowZero(sum) | Node::IsZero(sum) => {
                let (zero, kind) = (BigRational::from_integer(0.into()), terms.node(term));
                Expr::Bool(match self.expr(terms, *sum)? {
                    Expr::Int(n) => match kind {
                        Node::AtMostZero(_) => n.le(Int::from_i64(0)),
                        Node::BelowZero(_) => n.lt(Int::from_i64(0)),
                        _ => n.eq(Int::from_i64(0)),
                    },
                    Expr::Real(x) => match kind {
                        Node::AtMostZero(_) => x.le(rational(&zero)),
                        Node::BelowZero(_) => x.lt(rational(&zero)),
                        _ => x.eq(rational(&zero)),
                    },
                    _ => return structure(),
                })
            }
            Node::Same(a, b) => Expr::Bool(match (self.expr(terms, *a)?, self.expr(terms, *b)?) {
                (Expr::Bool(a), Expr::Bool(b)) => a.eq(b),
                (Expr::Int(a), Expr::Int(b)) => a.eq(b),
                (Expr::Real(a), Expr::Real(b)) => a.eq(b),
                (Expr::Text(a), Expr::Text(b)) => a.eq(b),
                _ => return structure(),
            }),
            Node::Not(a) => Expr::Bool(self.bool(terms, *a)?.not()),
            Node::And(parts) => Expr::Bool(Bool::and(&self.bools(terms, parts)?)),
            Node::Or(parts) => Expr::Bool(Bool::or(&self.bools(terms, parts)?)),
            Node::If(c, a, b) => {
                let c = self.bool(terms, *c)?;
                match (self.expr(terms, *a)?, self.expr(terms, *b)?) {
                    (Expr::Bool(a), Expr::Bool(b)) => Expr::Bool(c.ite(&a, &b)),
                    (Expr::Int(a), Expr::Int(b)) => Expr::Int(c.ite(&a, &b)),
                    (Expr::Real(a), Expr::Real(b)) => Expr::Real(c.ite(&a, &b)),
                    (Expr::Text(a), Expr::Text(b)) => Expr::Text(c.ite(&a, &b)),
                    _ => return structure(),
                }
            }
            Node::Joined(parts) => {
                let mut texts = vec![];
                for part in parts {
                    texts.push(self.text(terms, *part)?);
                }
                Expr::Text(Text::concat(&texts))
            }
            Node::TextSize(text) => Expr::Int(self.text(terms, *text)?.length()),
            Node::Matches(text, pattern) => {
                let Translated { regex, is_exact } = translate(&pattern.source)?;
                self.is_exact &= is_exact;
                Expr::Bool(self.text(terms, *text)?.regex_matches(&regex))
            }
            Node::Bound(symbol) => self.constant("x", *symbol)?,
            Node::Exists(bound, body) => {
                let bound: Result<Vec<Expr>, String> = bound.iter().map(|s| self.constant("x", *s)).collect();
                let bound: Vec<Dynamic> = bound?.into_iter().map(Dynamic::from).collect();
                let bound: Vec<&dyn Ast> = bound.iter().map(|b| b as &dyn Ast).collect();
                Expr::Bool(exists_const(&bound, &[], &self.bool(terms, *body)?))
            }
            Node::Data(..) | Node::List(_) | Node::Set(_) | Node::Map(_) => return structure(),
        })
    }

    /// What stands for a symbol; free and bound ones begin with different letters.
    fn constant(&self, letter: &str, symbol: Symbol) -> Result<Expr, String> {
        let name = format!("{letter}{}", symbol.number);
        Ok(match symbol.sort {
            Sort::Bool => Expr::Bool(Bool::new_const(name + "b")),
            Sort::Int => Expr::Int(Int::new_const(name + "i")),
            Sort::Real => Expr::Real(Real::new_const(name + "r")),
            Sort::Text => Expr::Text(Text::new_const(name + "t")),
            Sort::Enum(ty) => Expr::Int(Int::new_const(format!("{name}e{ty}"))),
            Sort::Structure => return Err("a structure where a simple value is needed".to_owned()),
        })
    }

    fn bools(&mut self, terms: &Terms, parts: &[Term]) -> Result<Vec<Bool>, String> {
        parts.iter().map(|part| self.bool(terms, *part)).collect()
    }

    fn int(&mut self, terms: &Terms, term: Term) -> Result<Int, String> {
        match self.expr(terms, term)? {
            Expr::Int(n) => Ok(n),
            _ => Err("a whole number that is none".to_owned()),
        }
    }

    fn real(&mut self, terms: &Terms, term: Term) -> Result<Real, String> {
        match self.expr(terms, term)? {
            Expr::Real(x) => Ok(x),
            Expr::Int(n) => Ok(n.to_real()),
            _ => Err("a number that is none".to_owned()),
        }
    }

    fn text(&mut self, terms: &Terms, term: Term) -> Result<Text, String> {
        match self.expr(terms, term)? {
            Expr::Text(text) => Ok(text),
            _ => Err("a text that is none".to_owned()),
        }
    }

    /// Values of the symbols that stand in what was checked.
    fn model(&self, terms: &Terms, assumptions: &[Term]) -> Result<Model, String> {
        let model = self.solver().get_model().ok_or("a model that is not there")?;
        let wanted: BTreeSet<Symbol> = if !self.has_assertions {
            let mut wanted = BTreeSet::new();
            for term in assumptions {
                terms.each_symbol(*term, &mut |symbol| {
                    wanted.insert(symbol);
                });
            }
            wanted
        } else {
            self.symbols.keys().copied().collect()
        };
        let lost = || "a value that cannot be read".to_owned();
        let mut out = Model::new();
        for symbol in wanted {
            let Some(expr) = self.symbols.get(&symbol) else { continue };
            let value = match expr {
                Expr::Bool(b) => Value::Bool(model.eval(b, true).and_then(|b| b.as_bool()).ok_or_else(lost)?),
                Expr::Int(n) => {
                    let n = model.eval(n, true).and_then(|n| integer(&n)).ok_or_else(lost)?;
                    match symbol.sort {
                        Sort::Enum(ty) => Value::Data(ty, u32::try_from(n).map_err(|_| lost())?, [].into()),
                        _ => Value::Int(n),
                    }
                }
                Expr::Real(x) => {
                    let (numerator, denominator) =
                        model.eval(x, true).and_then(|x| x.as_rational()).ok_or_else(lost)?;
                    Value::real(BigRational::new(numerator.into(), denominator.into()))
                }
                Expr::Text(text) => {
                    let text = model.eval(text, true).and_then(|text| text.as_string()).ok_or_else(lost)?;
                    Value::text(&unescaped(&text))
                }
            };
            out.insert(symbol, value);
        }
        Ok(out)
    }
}

fn configured(seed: u64, effort: u32) -> Z3Solver {
    // What a proof needs is often a relation between several numbers; this generalises towards one.
    z3::set_global_param("fp.spacer.global", "true");
    // Its solver of Diophantine equations can get lost in ever larger numbers, and neither a limit nor an interrupt ends that.
    z3::set_global_param("lp.dio", "false");
    let solver = Z3Solver::new();
    solver.set_params(&params(seed, effort));
    solver
}

fn params(seed: u64, effort: u32) -> Params {
    let mut params = Params::new();
    params.set_u32("rlimit", effort);
    params.set_u32("random_seed", (seed % u64::from(u32::MAX)) as u32);
    params
}

impl Solver for Z3 {
    fn stop_when(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn spend(&mut self, effort: u32) {
        self.effort = effort.min(WORK_PER_CHECK);
        if let Some(solver) = self.solver.get() {
            solver.set_params(&params(self.seed, self.effort));
        }
    }

    fn push(&mut self) {
        self.solver().push();
        self.scopes.push(vec![]);
    }

    fn pop(&mut self) {
        self.solver().pop(1);
        for term in self.scopes.pop().expect("a push before each pop") {
            self.literals.remove(&term);
        }
        if self.untranslated.as_ref().is_some_and(|(depth, _)| *depth > self.scopes.len()) {
            self.untranslated = None;
        }
    }

    fn assert(&mut self, terms: &Terms, condition: Term) {
        self.has_assertions = true;
        match self.bool(terms, condition) {
            Ok(condition) => self.solver().assert(&condition),
            Err(reason) => {
                self.untranslated.get_or_insert((self.scopes.len(), reason));
            }
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Verdict {
        // Nothing that an unfit library says is believed.
        if let Err(unfit) = version() {
            return Verdict::Unknown(GaveUp::Unfit(unfit.to_string()));
        }
        if let Some((_, reason)) = &self.untranslated {
            return Verdict::Unknown(GaveUp::Unfit(reason.clone()));
        }
        if self.scopes.is_empty() && self.literals.len() > MAX_LITERALS {
            // Only assumptions were made so far, or they would be lost.
            self.literals.clear();
        }
        let mut literals = vec![];
        for condition in assumptions {
            match self.literal(terms, *condition) {
                Ok(literal) => literals.push(literal),
                Err(reason) => return Verdict::Unknown(GaveUp::Unfit(reason)),
            }
        }
        match self.watched(|| self.solver().check_assumptions(&literals)) {
            SatResult::Sat => match self.model(terms, assumptions) {
                Ok(model) => Verdict::Satisfiable(model),
                Err(reason) => Verdict::Unknown(GaveUp::Unfit(reason)),
            },
            SatResult::Unsat if !self.is_exact => {
                Verdict::Unknown("a regular expression with characters outside ASCII".into())
            }
            SatResult::Unsat => {
                let core = self.solver().get_unsat_core();
                let used = assumptions.iter().zip(&literals).filter(|(_, literal)| core.contains(literal));
                Verdict::Unsatisfiable(used.map(|(condition, _)| *condition).collect())
            }
            SatResult::Unknown => Verdict::Unknown(self.gave_up(self.solver().get_reason_unknown())),
        }
    }

    fn satisfy(&mut self, terms: &Terms, predicates: &[Predicate], clauses: &[Clause], effort: u32) -> Meaning {
        if let Err(unfit) = version() {
            return Meaning::Unknown(GaveUp::Unfit(unfit.to_string()));
        }
        match satisfy(self, terms, predicates, clauses, effort) {
            Ok(Meaning::None | Meaning::Found(_)) if !self.is_exact => {
                Meaning::Unknown("a regular expression with characters outside ASCII".into())
            }
            Ok(meaning) => meaning,
            Err(reason) => Meaning::Unknown(reason),
        }
    }
}

fn whole(n: &BigInt) -> Int {
    match i64::try_from(n) {
        Ok(n) => Int::from_i64(n),
        Err(_) => n.to_string().parse().expect("Z3 reads the digits of a whole number"),
    }
}

fn rational(x: &BigRational) -> Real {
    Real::from_rational_str(&x.numer().to_string(), &x.denom().to_string()).expect("Z3 reads the digits of a fraction")
}

/// A whole number as Z3 writes it: `5`, `(- 5)`.
fn integer(n: &Int) -> Option<BigInt> {
    if let Some(n) = n.as_i64() {
        return Some(n.into());
    }
    let text = n.to_string();
    match text.strip_prefix("(- ").and_then(|rest| rest.strip_suffix(')')) {
        Some(digits) => digits.parse::<BigInt>().ok().map(|n| -n),
        None => text.parse().ok(),
    }
}

/// A text as Z3 reads it: characters outside of printable ASCII, and the backslash, by their numbers.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' '..='~' if c != '\\' => out.push(c),
            _ => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        }
    }
    out
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u{") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 3..];
        let Some(end) = after.find('}') else { break };
        match u32::from_str_radix(&after[..end], 16).ok().and_then(char::from_u32) {
            Some(c) => out.push(c),
            None => out.push_str(&rest[at..at + 4 + end]),
        }
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    out
}

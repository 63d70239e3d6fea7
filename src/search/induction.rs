//! Proofs for every length at once: a property of all moments of all runs, which no end that is looked for has.
//!
//! The monitor becomes an automaton with registers: a *shape* is what is left to show with its open arguments taken out,
//! and there is one predicate for each shape, over the state of the model and the registers. Steps and looks become
//! clauses over these predicates; if they can be given a meaning in which no run ends well, there is none. Finds no runs:
//! it says only that there may be one. Knows the steps from `relation`, as the unrolled engine does.

use rustc_hash::FxHashMap;

use super::relation::{Frame, Made, Relation, StepTerms};
use super::symbolic::Question;
use super::watch::{Judge, Watcher};
use crate::history::{Length, Live};
use crate::solve::{Applied, Clause, GaveUp, Meaning, Predicate, Solver};
use crate::term::{Range, Sort, Symbol, Term, Terms, Unsupported};

/// Most shapes of what is left to show.
const MAX_SHAPES: usize = 256;
/// Most clauses.
const MAX_CLAUSES: usize = 4_000;
/// Most assumptions on the way to them: constraints that look at the same step split it again and again.
const MAX_ASSUMED: usize = 50_000;

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Induction {
    /// No run ends well; what holds in every moment, for each shape.
    Proved(Vec<String>),
    /// Some run ends well.
    Refuted,
    /// Nobody can tell.
    Unknown(GaveUp),
}

/// Tries to prove that no run of these lengths ends well. An error if the model, or the monitor, cannot be put into clauses.
pub fn prove(
    question: Question<'_>,
    length: Length,
    solver: &mut dyn Solver,
    effort: u32,
) -> Result<Induction, Unsupported> {
    // Numbers that rules carry along stay what they are while that makes few shapes.
    let clauses = match Clauses::new(question, length, Numbers::Known)? {
        Some(clauses) => Some(clauses),
        None => Clauses::new(question, length, Numbers::InRegisters)?,
    };
    let Some(clauses) = clauses else { return Err(Unsupported("a monitor with too many states".to_owned())) };
    Ok(match solver.satisfy(&clauses.relation.terms, &clauses.predicates, &clauses.clauses, effort) {
        Meaning::Found(invariant) => Induction::Proved(invariant),
        Meaning::None => Induction::Refuted,
        Meaning::Unknown(reason) => Induction::Unknown(reason),
    })
}

/// What becomes of numbers among the arguments of rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Known,
    InRegisters,
}

/// The clauses of a question.
struct Clauses<'a> {
    question: Question<'a>,
    relation: Relation<'a>,
    numbers: Numbers,
    /// What is left to show, with registers for arguments.
    shapes: Vec<Vec<Live<Term>>>,
    shape_numbers: FxHashMap<Vec<Live<Term>>, usize>,
    registers: Registers,
    /// Names of what every predicate is about, before its registers.
    names: Vec<(String, Sort)>,
    predicates: Vec<Predicate>,
    clauses: Vec<Clause>,
    judge: Assuming,
}

/// Symbols that stand for arguments, by place and sort.
type Registers = FxHashMap<(usize, Sort), Term>;

/// Remembers what was assumed, as long as that is not too much.
struct Assuming {
    left: usize,
}

impl Judge for Assuming {
    type Branch = Vec<Term>;

    fn known(&mut self, _: &mut Terms, _: &Vec<Term>, condition: Term) -> Term {
        condition
    }

    fn assume(&mut self, terms: &mut Terms, branch: &mut Vec<Term>, condition: Term) -> bool {
        branch.push(condition);
        self.left = self.left.saturating_sub(1);
        self.left > 0 && !terms.is(condition, false)
    }
}

impl<'a> Clauses<'a> {
    /// None if there are too many shapes or clauses.
    fn new(question: Question<'a>, length: Length, numbers: Numbers) -> Made<Option<Clauses<'a>>> {
        let mut clauses = Clauses {
            question,
            relation: Relation::new(question),
            numbers,
            shapes: vec![],
            shape_numbers: FxHashMap::default(),
            registers: Registers::default(),
            names: vec![],
            predicates: vec![],
            clauses: vec![],
            judge: Assuming { left: MAX_ASSUMED },
        };
        let is_whole = clauses.make(length)?;
        if !clauses.relation.gaps().is_empty() {
            return Err(Unsupported("open values of unlimited size".to_owned()));
        }
        Ok(is_whole.then_some(clauses))
    }

    /// False if it was given up.
    fn make(&mut self, length: Length) -> Made<bool> {
        let counts = self.question.looks_at_clock() || length != Length::ANY;
        let (before, named) = self.relation.any_moment()?;
        let mut of_before = self.terms_of(&named);
        self.names = named.into_iter().map(|(symbol, name)| (name, symbol.sort)).collect();
        let open = self.relation.open_values()?;
        let mut of_open = vec![];
        for value in &open {
            self.relation.terms.each_symbol(*value, &mut |symbol| of_open.push(symbol));
        }
        self.names.extend(of_open.iter().enumerate().map(|(n, symbol)| (format!("some{n}"), symbol.sort)));
        let of_open: Vec<Term> = of_open.into_iter().map(|symbol| self.relation.terms.symbol(symbol)).collect();
        let zero = self.relation.terms.int(0);
        let count = if counts { self.relation.symbol(number()) } else { zero };
        let always = self.relation.take_conditions();
        let initial = self.relation.initial()?;
        let (after, named) = self.relation.any_moment()?;
        let mut of_after = self.terms_of(&named);
        let start = self.same(&initial, &before);
        let one = self.relation.terms.int(1);
        let next_count = self.relation.terms.add(count, one);
        let (step, reached) = self.relation.step(&before, next_count)?;
        let mut happens = self.same(&reached, &after);
        happens.extend(self.relation.take_conditions());
        of_before.extend(of_open.iter().copied());
        of_after.extend(of_open);
        let mut of_start = of_before.clone();
        if counts {
            self.names.push(("steps".to_owned(), Sort::Int));
            of_before.push(count);
            of_start.push(zero);
            of_after.push(next_count);
        }
        let live = self.watcher().start(&open)?;
        let first = self.applied(&live, &of_start)?;
        let start = [&always[..], &start].concat();
        self.clauses.push(Clause { when: None, conditions: start, then: Some(first) });
        let (may_go_on, may_end) = self.within(length, count, next_count);
        happens.push(may_go_on);
        let mut at = 0;
        while at < self.shapes.len() {
            if self.shapes.len() > MAX_SHAPES || self.clauses.len() > MAX_CLAUSES || self.judge.left == 0 {
                return Ok(false);
            }
            self.clauses_of(at, &of_before, &of_after, &open, &step, [&always, &happens], may_end)?;
            at += 1;
        }
        Ok(self.judge.left > 0)
    }

    /// What follows from one shape.
    #[allow(clippy::too_many_arguments)]
    fn clauses_of(
        &mut self,
        at: usize,
        of_before: &[Term],
        of_after: &[Term],
        open: &[Term],
        step: &StepTerms,
        [always, happens]: [&[Term]; 2],
        may_end: Term,
    ) -> Made<()> {
        let live = self.shapes[at].clone();
        let here = self.applied(&live, of_before)?;
        let ends = self.watcher().at_stop(&live)?;
        if !self.relation.terms.is(ends, false) {
            let conditions = [always, &[ends, may_end]].concat();
            self.clauses.push(Clause { when: Some(here.clone()), conditions, then: None });
        }
        for (assumed, live) in self.watcher().advance(vec![], &live, open, &step.observed)? {
            let there = self.applied(&live, of_after)?;
            let conditions = [always, happens, &assumed].concat();
            self.clauses.push(Clause { when: Some(here.clone()), conditions, then: Some(there) });
        }
        Ok(())
    }

    fn terms_of(&mut self, symbols: &[(Symbol, String)]) -> Vec<Term> {
        symbols.iter().map(|(symbol, _)| self.relation.terms.symbol(*symbol)).collect()
    }

    /// That two moments are the same.
    fn same(&mut self, a: &Frame, b: &Frame) -> Vec<Term> {
        let pairs = a.control.iter().zip(&b.control).chain(a.values.iter().zip(&b.values));
        pairs.map(|(a, b)| self.relation.terms.equal(*a, *b)).collect()
    }

    /// Under which conditions on the count of steps one more may follow, and a run may end.
    fn within(&mut self, length: Length, count: Term, next_count: Term) -> (Term, Term) {
        let terms = &mut self.relation.terms;
        let mut at_most = |a: Term, b: Option<usize>| match b {
            Some(b) => {
                let b = terms.int(b);
                terms.at_most(a, b)
            }
            None => terms.bool(true),
        };
        let (may_go_on, is_short_enough) = (at_most(next_count, length.high), at_most(count, length.high));
        let low = terms.int(length.low);
        let is_long_enough = if length.low > 0 { terms.at_most(low, count) } else { terms.bool(true) };
        (may_go_on, terms.and(is_long_enough, is_short_enough))
    }

    fn watcher(&mut self) -> Watcher<'_, Assuming> {
        Watcher {
            monitor: self.question.monitor,
            definitions: &self.question.lists.names.definitions,
            terms: &mut self.relation.terms,
            judge: &mut self.judge,
            keeps_failed: false,
            most: super::symbolic::MAX_WAYS,
        }
    }

    /// The predicate of what is left to show, with the arguments that are in its registers.
    fn applied(&mut self, live: &[Live<Term>], state: &[Term]) -> Made<Applied> {
        let mut args: Vec<Term> = vec![];
        let mut unsupported = false;
        let shape: Vec<Live<Term>> = {
            let (relation, registers, numbers) = (&mut self.relation, &mut self.registers, self.numbers);
            let mut register = |arg: &Term| {
                let sort = relation.terms.sort(*arg);
                let is_number = matches!(sort, Sort::Int | Sort::Real);
                let stays = relation.terms.value(*arg).is_some() && !(is_number && numbers == Numbers::InRegisters);
                if stays {
                    return *arg;
                }
                unsupported |= sort == Sort::Structure;
                let place = args.iter().position(|known| known == arg).unwrap_or_else(|| {
                    args.push(*arg);
                    args.len() - 1
                });
                let definitions = relation.definitions();
                *registers.entry((place, sort)).or_insert_with(|| {
                    let range = if sort == Sort::Structure { Range::Bool } else { Range::all(sort, definitions) };
                    relation.symbol(range)
                })
            };
            live.iter().map(|one| one.map(&mut register)).collect()
        };
        if unsupported {
            return Err(Unsupported("a rule that carries a structure along".to_owned()));
        }
        let sorts: Vec<Sort> = args.iter().map(|arg| self.relation.terms.sort(*arg)).collect();
        let predicate = match self.shape_numbers.get(&shape) {
            Some(number) => *number,
            None => {
                let number = self.shapes.len();
                let registers = sorts.iter().enumerate().map(|(n, sort)| (format!("register{n}"), *sort));
                self.predicates.push(Predicate { args: self.names.iter().cloned().chain(registers).collect() });
                self.shape_numbers.insert(shape.clone(), number);
                self.shapes.push(shape);
                number
            }
        };
        Ok(Applied { predicate, args: state.iter().copied().chain(args).collect() })
    }
}

fn number() -> Range {
    let zero = Some((num_bigint::BigInt::from(0).into(), true));
    Range::Number { is_int: true, low: zero, high: None, holes: Default::default() }
}

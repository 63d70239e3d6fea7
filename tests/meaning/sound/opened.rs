//! Answers about lists and trees that are larger than open values, about empty types, gates without data and functions that
//! call themselves, against a walk over states of its own: it knows nothing of terms, and reads no text of the language.

use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;
use num_bigint::BigInt;
use tracewright::search::Limits;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Engine, Options, answer};
use tracewright::term::{Definitions, Range, Sort, Store, Term, Terms, Value, Written};

use crate::questions::asked;

const LAW: u64 = 12;

const DECLARATIONS: &str = "\
const NONE = 0
type T = Leaf | Node(l: T, n: Int)
type Odd = Wrong(x: 1..NONE) | Right(y: 0..2)
fun depth(t: T): Int = match t { Leaf => 0, Node(l, _) => 1 + depth(l) }
fun sum(l: List<Int>): Int = match l { [] => 0, [x, ..rest] => x + sum(rest) }
";

/// What a switch does, and when: numbers are limits.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// `?push(x)` with x from 0 to 1, up to so many elements.
    Push(usize),
    /// `?pop()` from so many elements on.
    Pop(usize),
    /// `?grow(n)`, up to a depth.
    Grow(usize),
    /// `?step()` when the sum of the list is at least the first number and the counter below the second.
    Step(i64, i64),
    /// `?sized(l)` of any list with at least so many elements that are all alike; the counter becomes the number.
    Sized(usize, i64),
    /// `?never(x)` of an empty type.
    Never,
    /// `?maybe(x)` of an option of an empty type.
    Maybe(i64),
    /// `?odd(d)` of data with a constructor that has no values; the counter becomes its number.
    Odd,
    /// A hidden step.
    Back,
}

#[derive(Clone, Debug)]
struct Switch {
    from: usize,
    to: usize,
    act: Act,
}

#[derive(Clone, Debug)]
struct Question {
    switches: Vec<Switch>,
    /// What is asked of the end: size of the list, depth of the tree, counter.
    goal: (Option<usize>, Option<usize>, Option<i64>),
    /// Whether the goal stands in one condition, or in several.
    is_one: bool,
}

const PLACES: usize = 2;

fn random(rng: &mut Rng) -> Question {
    let mut switches = vec![];
    for number in 0..rng.usize(2..6) {
        let act = match rng.usize(..if number == 0 { 3 } else { 10 }) {
            0 => Act::Push(rng.usize(4..8)),
            1 => Act::Grow(rng.usize(3..7)),
            2 => Act::Push(rng.usize(1..8)),
            3 => Act::Pop(rng.usize(1..6)),
            4 => Act::Step(rng.i64(0..7), rng.i64(1..7)),
            5 => Act::Sized(rng.usize(0..7), rng.i64(0..7)),
            6 => Act::Never,
            7 => Act::Maybe(rng.i64(0..7)),
            8 => Act::Odd,
            _ => Act::Back,
        };
        switches.push(Switch { from: rng.usize(..PLACES), to: rng.usize(..PLACES), act });
    }
    let mut goal = (None, None, None);
    match rng.usize(..5) {
        0 => goal.0 = Some(rng.usize(3..8)),
        1 => goal.1 = Some(rng.usize(2..7)),
        2 => goal.2 = Some(rng.i64(1..7)),
        3 => (goal.0, goal.2) = (Some(rng.usize(1..8)), Some(rng.i64(0..5))),
        _ => (goal.0, goal.1) = (Some(rng.usize(0..6)), Some(rng.usize(0..5))),
    }
    Question { switches, goal, is_one: rng.bool() }
}

impl Question {
    fn text(&self) -> String {
        let mut out = DECLARATIONS.to_owned();
        out.push_str(
            "sts M {\n  in push(x: 0..1), pop(), grow(n: Int), step(), sized(l: List<Int>), never(x: 1..NONE)\n",
        );
        out.push_str("  in maybe(x: Option<1..NONE>), odd(d: Odd)\n");
        out.push_str("  var q: List<Int> = [], t: T = Leaf, c: Int = 0\n  initial location L0\n  location L1\n");
        for (number, Switch { from, to, act }) in self.switches.iter().enumerate() {
            let act = match act {
                Act::Push(most) => format!("?push(x) when size(q) < {most} do q := append(q, x)"),
                Act::Pop(least) => format!("?pop() when size(q) >= {least} do q := tail(q)"),
                Act::Grow(most) => format!("?grow(n) when depth(t) < {most} do t := Node(t, n)"),
                Act::Step(sum, most) => format!("?step() when sum(q) >= {sum} && c < {most} do c := c + 1"),
                Act::Sized(least, value) => {
                    format!("?sized(l) when size(l) >= {least} && (forall y in l: y == 1) do c := {value}")
                }
                Act::Never => "?never(x) do c := 100".to_owned(),
                Act::Maybe(value) => format!("?maybe(x) when x == None do c := {value}"),
                Act::Odd => "?odd(d) do c := (match d { Wrong(_) => 50, Right(y) => y })".to_owned(),
                Act::Back => "tau do c := 0".to_owned(),
            };
            out.push_str(&format!("  L{from} -> L{to} : t{number} {act}\n"));
        }
        let goals = [
            self.goal.0.map(|size| format!("size(q) == {size}")),
            self.goal.1.map(|depth| format!("depth(t) == {depth}")),
            self.goal.2.map(|count| format!("c == {count}")),
        ];
        let goals: Vec<String> = goals.into_iter().flatten().collect();
        let goals = match self.is_one {
            true => format!("last({})", goals.join(" && ")),
            false => goals.iter().map(|goal| format!("last({goal})")).collect::<Vec<_>>().join("  "),
        };
        out.push_str(&format!("}}\npurpose p for M {{ {goals} }}\n"));
        out
    }

    /// The length of a shortest run; none if there is none.
    fn shortest(&self) -> Option<usize> {
        type State = (usize, Vec<i64>, usize, i64);
        let first: State = (0, vec![], 0, 0);
        // States after at least one step: `last` needs an element.
        let mut known: BTreeMap<State, usize> = BTreeMap::new();
        let mut open = VecDeque::from([(first, 0)]);
        while let Some((state, steps)) = open.pop_front() {
            let (place, list, depth, count) = state;
            let has = |goal: Option<bool>| goal.unwrap_or(true);
            if steps > 0
                && has(self.goal.0.map(|size| size == list.len()))
                && has(self.goal.1.map(|goal| goal == depth))
                && has(self.goal.2.map(|goal| goal == count))
            {
                return Some(steps);
            }
            for Switch { from, to, act } in &self.switches {
                if *from != place {
                    continue;
                }
                let mut next: Vec<(Vec<i64>, usize, i64)> = vec![];
                match *act {
                    Act::Push(most) if list.len() < most => {
                        next.extend([0, 1].map(|x| ([&list[..], &[x]].concat(), depth, count)));
                    }
                    Act::Pop(least) if list.len() >= least => next.push((list[1..].to_vec(), depth, count)),
                    Act::Grow(most) if depth < most => next.push((list.clone(), depth + 1, count)),
                    Act::Step(sum, most) if list.iter().sum::<i64>() >= sum && count < most => {
                        next.push((list.clone(), depth, count + 1));
                    }
                    Act::Sized(_, value) | Act::Maybe(value) => next.push((list.clone(), depth, value)),
                    Act::Odd => next.extend((0..3).map(|y| (list.clone(), depth, y))),
                    Act::Back => next.push((list.clone(), depth, 0)),
                    Act::Push(_) | Act::Pop(_) | Act::Grow(_) | Act::Step(..) | Act::Never => {}
                }
                for (list, depth, count) in next {
                    let state = (*to, list, depth, count);
                    if !known.contains_key(&state) {
                        known.insert(state.clone(), steps + 1);
                        open.push_back((state, steps + 1));
                    }
                }
            }
        }
        None
    }

    /// What is wrong with the answer of an engine, if something is; and whether it is more than `unknown`.
    fn judged(&self, engine: Engine) -> (Option<String>, bool) {
        let asked = asked(&self.text());
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let limits = Limits::default().within(Some(std::time::Duration::from_secs(20)));
        let options = Options { engine, rounds: 1, first_round: 300, limits, ..Options::new(&solver) };
        let answered = match answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()) {
            Ok(answered) => answered,
            Err(disagreement) => return (Some(format!("{disagreement:?}")), true),
        };
        let truth = self.shortest();
        let found = answered.cases.first().map(|case| case.run.steps.len());
        let wrong = match (answered.answer, truth) {
            (Answer::Unknown, _) => false,
            (Answer::Found, Some(steps)) => found.is_none_or(|found| {
                found < steps || answered.lower_bound > steps || answered.is_optimal == Some(true) && found != steps
            }),
            (Answer::Impossible, None) => false,
            _ => true,
        } || truth.is_some_and(|steps| answered.lower_bound > steps);
        let is_decided = answered.answer != Answer::Unknown;
        let said = format!("{:?} {found:?}, at least {}", answered.answer, answered.lower_bound);
        (wrong.then(|| format!("{engine:?} says {said}; the truth is {truth:?}")), is_decided)
    }

    fn smaller(&self) -> Vec<Question> {
        let fewer = (0..self.switches.len()).map(|number| {
            let mut fewer = self.clone();
            fewer.switches.remove(number);
            fewer
        });
        fewer.collect()
    }
}

#[test]
fn large_values_and_empty_types_are_answered_right() {
    let mut decided = 0;
    let few = super::questions(60);
    for number in 0..few {
        let seed = super::seed(LAW, number);
        let mut question = random(&mut Rng::with_seed(seed));
        let engines = [Engine::Auto, Engine::Symbolic, Engine::Unrolled, Engine::Induction];
        let engine = engines[number as usize % engines.len()];
        let (mut wrong, is_decided) = question.judged(engine);
        decided += u64::from(is_decided);
        while wrong.is_some() {
            let smaller = question.smaller().into_iter().find_map(|smaller| {
                let (wrong, _) = smaller.judged(engine);
                wrong.map(|wrong| (smaller, wrong))
            });
            match smaller {
                Some((smaller, still)) => (question, wrong) = (smaller, Some(still)),
                None => panic!("seed {seed}: {}\n{}", wrong.expect("something wrong"), question.text()),
            }
        }
    }
    assert!(decided * 4 >= few, "only {decided} of {few} were decided");
}

/// A term of so many steps, each of which stands twice in the next one: written out it would never end.
fn doubled(terms: &mut Terms, store: &mut Store, deep: usize, step: impl Fn(&mut Terms, Term, Term) -> Term) -> Term {
    let mut all = |terms: &mut Terms, sort: Sort| {
        let symbol = store.add(Range::all(sort, &Definitions::default()));
        terms.symbol(symbol)
    };
    let mut term = all(terms, Sort::Int);
    for _ in 0..deep {
        let choice = all(terms, Sort::Bool);
        term = step(terms, choice, term);
    }
    term
}

#[test]
fn walks_over_shared_terms_end() {
    let (mut terms, mut store) = (Terms::new(), Store::default());
    let term = doubled(&mut terms, &mut store, 60, |terms, choice, term| {
        let product = terms.multiply(term, term);
        let one = terms.int(1);
        let more = terms.add(term, one);
        let quotient = terms.modulo(product, more);
        terms.choose(choice, quotient, more)
    });
    let five = terms.int(5);
    let limit = terms.at_most(term, five);
    let equation = terms.equal(term, five);
    let list = terms.list(vec![term, limit]);
    let other = terms.list(vec![five, equation]);
    let same = terms.equal(list, other);
    for condition in [limit, equation, same] {
        let contrary = terms.not(condition);
        let both = terms.any(vec![contrary, limit]);
        store.decide(&terms, both);
        store.simplified(&mut terms, both);
        store.apply(&mut terms, both);
        let symbols: Vec<_> = {
            let mut symbols: Vec<_> = terms.symbols(condition).into_iter().collect();
            symbols.sort_unstable();
            symbols
        };
        let zero = terms.int(0);
        terms.substitute(both, &|symbol| (symbol.sort == Sort::Int).then_some(zero));
        terms.exists(&symbols[..1], condition);
        let values: Vec<Value> = store
            .ranges
            .iter()
            .map(|range| if *range == Range::Bool { Value::Bool(false) } else { Value::int(7) })
            .collect();
        assert!(terms.value_under(condition, &values).is_some());
        store.clone().assume(&mut terms, condition);
    }
    let lists = doubled(&mut terms, &mut store, 60, |terms, choice, term| {
        let (once, twice) = (terms.list(vec![term]), terms.list(vec![term, term]));
        terms.choose(choice, once, twice)
    });
    let conditions = doubled(&mut terms, &mut store, 60, |terms, choice, term| {
        let is_five = if terms.sort(term) == Sort::Bool { term } else { terms.equal(term, five) };
        let contrary = terms.not(is_five);
        let (yes, no) = (terms.and(choice, is_five), terms.and(contrary, choice));
        terms.or(yes, no)
    });
    assert!(terms.atoms(conditions).count() < 1_000);
    let sizes = terms.below_choices(lists, &mut |terms, leaf| {
        let size = terms.as_list(leaf).map_or(0, |list| list.len());
        terms.int(BigInt::from(size))
    });
    assert!(terms.count(sizes, 1_000) < 1_000);
    let definitions = Definitions::default();
    let written =
        Written { terms: &terms, definitions: &definitions, names: Default::default(), met: Default::default() };
    assert!(written.term(same).len() < 1_000);
}

//! What is said of runs, as text and as what it means.

use std::collections::BTreeSet;

use super::runs::{GATES, Step};
use crate::sound::random::{Random, number};

/// The values of the variables of `some` or `for all`, as far as there are any.
type Bound = [Option<i64>; 2];

/// No variables.
pub const UNBOUND: Bound = [None, None];

/// The names of variables.
const NAMES: [&str; 2] = ["x", "y"];

/// A number in a step; none if it is absent or undefined there.
#[derive(Clone, Debug)]
pub enum Term {
    V,
    PreV,
    /// The parameter of a gate.
    Of(char),
    Clock,
    /// Twelve divided by it.
    Ratio(Box<Term>),
    Plus(Box<Term>, i64),
    /// The variable that has one value for the whole run.
    X,
    Number(i64),
}

impl Term {
    /// One that begins with a name.
    fn random(random: &mut Random) -> Term {
        match random.rng.usize(..10) {
            0..=2 => Term::V,
            3 => Term::PreV,
            4 | 5 => Term::Of(*random.one(&['a', 'b'])),
            6 => Term::Clock,
            7 | 8 => Term::Ratio(Box::new(Term::random(random))),
            _ => Term::Plus(Box::new(Term::random(random)), random.rng.i64(-1..3)),
        }
    }

    fn text(&self) -> String {
        match self {
            Term::V => "v".to_owned(),
            Term::PreV => "pre(v)".to_owned(),
            Term::Of(gate) => format!("{gate}.x"),
            Term::Clock => "clock".to_owned(),
            Term::Ratio(of) => format!("ratio({})", of.text()),
            Term::Plus(to, n) => format!("plus({}, {})", to.text(), number(*n)),
            Term::X => "x".to_owned(),
            Term::Number(n) => number(*n),
        }
    }

    fn value(&self, step: &Step, x: Bound) -> Option<i64> {
        match self {
            Term::V => Some(step.after.1),
            Term::PreV => Some(step.before.1),
            Term::Of(gate) => step.data.filter(|_| step.gate == *gate),
            Term::Clock => Some(step.clock),
            Term::Ratio(of) => {
                let by = of.value(step, x)?;
                (by != 0).then(|| 12i64.div_euclid(by))
            }
            Term::Plus(to, n) => Some(to.value(step, x)? + n),
            Term::X => x[0],
            Term::Number(n) => Some(*n),
        }
    }
}

/// A condition on a step.
#[derive(Clone, Debug)]
pub enum Condition {
    Compared(Term, &'static str, Term),
    Gate(char),
    Location(usize),
    Present(char, bool),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    If(Box<Condition>, Box<Condition>, Box<Condition>),
    /// The same, said in a way that adds nothing.
    Wrapped(usize, Box<Condition>),
    /// For one of some numbers, or for all of them.
    Each(bool, Vec<i64>, Term),
}

fn compared(a: i64, op: &str, b: i64) -> bool {
    match op {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    }
}

const RELATIONS: [&str; 6] = ["==", "==", "!=", "<", "<=", ">"];

impl Condition {
    fn leaf(random: &mut Random) -> Condition {
        match random.rng.usize(..8) {
            0 => Condition::Gate(random.one(&GATES).0),
            1 => Condition::Location(random.rng.usize(..2)),
            _ => {
                let other = if random.rarely(3) { Term::random(random) } else { Term::Number(random.rng.i64(-1..5)) };
                Condition::Compared(Term::random(random), random.word(&RELATIONS), other)
            }
        }
    }

    fn random(random: &mut Random, depth: usize) -> Condition {
        if depth == 0 || random.rarely(3) {
            return match random.rng.usize(..10) {
                0 => Condition::Present(*random.one(&['a', 'b']), random.rng.bool()),
                1 => {
                    let count = 1 + random.rng.usize(..2);
                    let over = (0..count).map(|_| random.rng.i64(-1..3)).collect();
                    Condition::Each(random.rng.bool(), over, Term::random(random))
                }
                _ => Condition::leaf(random),
            };
        }
        let sub = |random: &mut Random| Box::new(Condition::random(random, depth - 1));
        match random.rng.usize(..9) {
            0..=2 => Condition::Not(sub(random)),
            3 | 4 => Condition::And(sub(random), sub(random)),
            5 | 6 => Condition::Or(sub(random), sub(random)),
            7 => Condition::If(sub(random), sub(random), sub(random)),
            _ => Condition::Wrapped(random.rng.usize(..5), sub(random)),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Condition::Compared(a, op, b) => format!("{} {op} {}", a.text(), b.text()),
            Condition::Gate(gate) => format!("gate == {gate}"),
            Condition::Location(n) => format!("state == L{n}"),
            Condition::Present(gate, is_there) => format!("{gate}.x?{}", if *is_there { "_" } else { "absent" }),
            Condition::Not(c) => format!("!({})", c.text()),
            Condition::And(a, b) => format!("({}) && ({})", a.text(), b.text()),
            Condition::Or(a, b) => format!("({}) || ({})", a.text(), b.text()),
            Condition::If(c, a, b) => format!("(if {} then {} else {})", c.text(), a.text(), b.text()),
            Condition::Wrapped(way, c) => match way {
                0 => format!("(let z = 0; {})", c.text()),
                1 => format!("(match 0 {{ _ => {} }})", c.text()),
                2 => format!("(exists z in [0]: {})", c.text()),
                3 => format!("[{} for z in [0]][0]", c.text()),
                _ => format!("({}) == true", c.text()),
            },
            Condition::Each(is_all, over, term) => {
                let over: Vec<String> = over.iter().map(|n| number(*n)).collect();
                let word = if *is_all { "forall" } else { "exists" };
                format!("({word} z in [{}]: {} == ratio(z))", over.join(", "), term.text())
            }
        }
    }

    pub fn is_true(&self, step: &Step, x: Bound) -> bool {
        match self {
            Condition::Compared(a, op, b) => match (a.value(step, x), b.value(step, x)) {
                (Some(a), Some(b)) => compared(a, op, b),
                _ => false,
            },
            Condition::Gate(gate) => step.gate == *gate,
            Condition::Location(n) => step.after.0 == *n,
            Condition::Present(gate, is_there) => (step.gate == *gate) == *is_there,
            Condition::Not(c) => !c.is_true(step, x),
            Condition::And(a, b) => a.is_true(step, x) && b.is_true(step, x),
            Condition::Or(a, b) => a.is_true(step, x) || b.is_true(step, x),
            Condition::If(c, a, b) => if c.is_true(step, x) { a } else { b }.is_true(step, x),
            Condition::Wrapped(_, c) => c.is_true(step, x),
            Condition::Each(is_all, over, term) => {
                let is = |z: &i64| *z != 0 && term.value(step, x) == Some(12i64.div_euclid(*z));
                if *is_all { over.iter().all(is) } else { over.iter().any(is) }
            }
        }
    }

    fn smaller(&self) -> Vec<Condition> {
        match self {
            Condition::Not(c) | Condition::Wrapped(_, c) => vec![(**c).clone()],
            Condition::And(a, b) | Condition::Or(a, b) => vec![(**a).clone(), (**b).clone()],
            Condition::If(_, a, b) => vec![(**a).clone(), (**b).clone()],
            _ => vec![],
        }
    }
}

/// A temporal formula.
#[derive(Clone, Debug)]
pub enum Formula {
    Is(Condition),
    /// An event with a value, or with that of a variable.
    Event(char, Carried),
    Gate(char),
    /// What a variable is compared with, and whether it is equal.
    Value(Term, bool, usize),
    Not(Box<Formula>),
    One(&'static str, Box<Formula>),
    Two(&'static str, Box<Formula>, Box<Formula>),
}

impl Formula {
    fn random(random: &mut Random, depth: usize, variables: usize) -> Formula {
        if depth == 0 || random.rarely(5) {
            return match random.rng.usize(..8) {
                0..=2 if variables > 0 => {
                    Formula::Event(*random.one(&['a', 'b']), Carried::Variable(random.rng.usize(..variables)))
                }
                3 | 4 if variables > 0 => {
                    let term = match random.rng.usize(..5) {
                        0 => Term::PreV,
                        1 => Term::Of('a'),
                        2 => Term::Ratio(Box::new(Term::V)),
                        _ => Term::V,
                    };
                    Formula::Value(term, random.rng.bool(), random.rng.usize(..variables))
                }
                0 | 1 => Formula::Event(*random.one(&['a', 'b']), Carried::Number(random.rng.i64(0..2))),
                2 => Formula::Gate(random.one(&GATES).0),
                _ => Formula::Is(Condition::leaf(random)),
            };
        }
        let sub = |random: &mut Random| Box::new(Formula::random(random, depth - 1, variables));
        match random.rng.usize(..10) {
            0 | 1 => Formula::Not(sub(random)),
            2..=5 => {
                let op =
                    *random.one(&["X", "WX", "eventually", "always", "never", "Y", "Z", "once", "H", "eventually"]);
                Formula::One(op, sub(random))
            }
            _ => {
                let op = *random.one(&["&&", "||", "->", "until", "W", "R", "since"]);
                Formula::Two(op, sub(random), sub(random))
            }
        }
    }

    /// Both variables, each in a condition of its own, of one step or of two.
    fn of_two(random: &mut Random) -> Formula {
        let about = |random: &mut Random, variable: usize| match random.rng.usize(..4) {
            0 => Formula::Value(Term::V, true, variable),
            1 => Formula::Value(Term::Of('a'), true, variable),
            _ => Formula::Event(*random.one(&['a', 'b']), Carried::Variable(variable)),
        };
        let (one, mut other) = (about(random, 0), about(random, 1));
        if random.rarely(3) {
            other = Formula::One(random.word(&["once", "Y", "X"]), Box::new(other));
        }
        let together = match random.rng.usize(..3) {
            0 => Formula::Two("->", Box::new(one), Box::new(Formula::Not(Box::new(other)))),
            1 => Formula::Not(Box::new(Formula::Two("&&", Box::new(one), Box::new(other)))),
            _ => Formula::Two("&&", Box::new(one), Box::new(other)),
        };
        match random.rng.usize(..3) {
            0 => together,
            1 => Formula::One(random.word(&["always", "eventually", "never"]), Box::new(together)),
            _ => Formula::Not(Box::new(Formula::One("eventually", Box::new(together)))),
        }
    }

    fn text(&self) -> String {
        match self {
            Formula::Is(condition) => condition.text(),
            Formula::Event(gate, Carried::Anything) => format!("{gate}(_)"),
            Formula::Event(gate, Carried::Number(n)) => format!("{gate}({n})"),
            Formula::Event(gate, Carried::Variable(n)) => format!("{gate}({})", NAMES[*n]),
            Formula::Gate(gate) => gate.to_string(),
            Formula::Value(term, is_equal, n) => {
                format!("{} {} {}", term.text(), if *is_equal { "==" } else { "!=" }, NAMES[*n])
            }
            Formula::Not(f) => format!("!({})", f.text()),
            Formula::One(op, f) => format!("{op} ({})", f.text()),
            Formula::Two(op, f, g) => format!("({}) {op} ({})", f.text(), g.text()),
        }
    }

    /// Whether it holds at a position; there is none in a run without steps.
    fn holds(&self, run: &[Step], at: usize, x: Bound) -> bool {
        let n = run.len();
        let is = |f: &Formula, at: usize| f.holds(run, at, x);
        match self {
            Formula::Not(f) => !is(f, at),
            Formula::Two("&&", f, g) => is(f, at) && is(g, at),
            Formula::Two("||", f, g) => is(f, at) || is(g, at),
            Formula::Two("->", f, g) => !is(f, at) || is(g, at),
            Formula::One(op, _) if n == 0 => ["WX", "always", "never", "Z", "H"].contains(op),
            Formula::Two(op, ..) if n == 0 => ["W", "R"].contains(op),
            _ if n == 0 => false,
            Formula::Is(condition) => condition.is_true(&run[at], x),
            Formula::Gate(gate) => run[at].gate == *gate,
            Formula::Event(gate, carried) => {
                run[at].gate == *gate
                    && match carried {
                        Carried::Anything => true,
                        Carried::Number(n) => run[at].data == Some(*n),
                        Carried::Variable(n) => run[at].data == x[*n],
                    }
            }
            Formula::Value(term, is_equal, n) => {
                term.value(&run[at], x).is_some_and(|value| (Some(value) == x[*n]) == *is_equal)
            }
            Formula::One(op, f) => match *op {
                "X" => at + 1 < n && is(f, at + 1),
                "WX" => at + 1 >= n || is(f, at + 1),
                "eventually" => (at..n).any(|i| is(f, i)),
                "always" => (at..n).all(|i| is(f, i)),
                "never" => (at..n).all(|i| !is(f, i)),
                "Y" => at > 0 && is(f, at - 1),
                "Z" => at == 0 || is(f, at - 1),
                "once" => (0..=at).any(|i| is(f, i)),
                "H" => (0..=at).all(|i| is(f, i)),
                other => panic!("{other}"),
            },
            Formula::Two(op, f, g) => match *op {
                "until" => (at..n).any(|i| is(g, i) && (at..i).all(|j| is(f, j))),
                "W" => (at..n).all(|i| is(f, i)) || (at..n).any(|i| is(g, i) && (at..i).all(|j| is(f, j))),
                "R" => (at..n).all(|i| is(g, i) || (at..i).any(|j| is(f, j))),
                "since" => (0..=at).any(|i| is(g, i) && (i + 1..=at).all(|j| is(f, j))),
                other => panic!("{other}"),
            },
        }
    }

    /// Whether it says the same of a run whose last step comes once more.
    fn is_steady(&self) -> bool {
        match self {
            Formula::One("X" | "WX" | "Y" | "Z", _) => false,
            // The number of a step is another one each time.
            Formula::Is(condition) => !condition.text().contains("clock") && !condition.text().contains("pre"),
            Formula::Value(term, ..) => !term.text().contains("pre"),
            Formula::Not(f) | Formula::One(_, f) => f.is_steady(),
            Formula::Two(_, f, g) => f.is_steady() && g.is_steady(),
            _ => true,
        }
    }

    fn smaller(&self) -> Vec<Formula> {
        match self {
            Formula::Not(f) => vec![(**f).clone()],
            Formula::One(op, f) => {
                let inner = f.smaller().into_iter().map(|f| Formula::One(op, Box::new(f)));
                [(**f).clone()].into_iter().chain(inner).collect()
            }
            Formula::Two(op, f, g) => {
                let one = f.smaller().into_iter().map(|f| Formula::Two(op, Box::new(f), g.clone()));
                let other = g.smaller().into_iter().map(|g| Formula::Two(op, f.clone(), Box::new(g)));
                [(**f).clone(), (**g).clone()].into_iter().chain(one).chain(other).collect()
            }
            _ => vec![],
        }
    }
}

/// A regular expression over events: a gate, and what it carries, if that matters.
#[derive(Clone, Debug)]
enum Pattern {
    Symbol(char, Carried),
    Sequence(Box<Pattern>, Box<Pattern>),
    Choice(Box<Pattern>, Box<Pattern>),
    /// Once at least, or any number of times.
    Rounds(Box<Pattern>, bool),
}

#[derive(Clone, Copy, Debug)]
pub enum Carried {
    Anything,
    Number(i64),
    Variable(usize),
}

impl Pattern {
    fn random(random: &mut Random, depth: usize, variables: usize) -> Pattern {
        if depth == 0 || random.rarely(4) {
            let gate = random.one(&GATES).0;
            let carried = match random.rng.usize(..4) {
                _ if gate == 'c' => Carried::Anything,
                0 => Carried::Number(random.rng.i64(0..2)),
                1 | 2 if variables > 0 => Carried::Variable(random.rng.usize(..variables)),
                _ => Carried::Anything,
            };
            return Pattern::Symbol(gate, carried);
        }
        let sub = |random: &mut Random| Box::new(Pattern::random(random, depth - 1, variables));
        match random.rng.usize(..5) {
            0..=2 => Pattern::Sequence(sub(random), sub(random)),
            3 => Pattern::Choice(sub(random), sub(random)),
            _ => Pattern::Rounds(sub(random), random.rng.bool()),
        }
    }

    fn text(&self) -> String {
        match self {
            Pattern::Symbol(gate, _) if *gate == 'c' => "c".to_owned(),
            Pattern::Symbol(gate, Carried::Anything) => format!("{gate}(_)"),
            Pattern::Symbol(gate, Carried::Number(n)) => format!("{gate}({n})"),
            Pattern::Symbol(gate, Carried::Variable(n)) => format!("{gate}({})", NAMES[*n]),
            Pattern::Sequence(a, b) => format!("({}; {})", a.text(), b.text()),
            Pattern::Choice(a, b) => format!("({} | {})", a.text(), b.text()),
            Pattern::Rounds(p, is_plus) => format!("({}){}", p.text(), if *is_plus { "+" } else { "*" }),
        }
    }

    fn symbols(&self, out: &mut Vec<(char, Carried)>) {
        match self {
            Pattern::Symbol(gate, carried) => out.push((*gate, *carried)),
            Pattern::Sequence(a, b) | Pattern::Choice(a, b) => [a, b].into_iter().for_each(|p| p.symbols(out)),
            Pattern::Rounds(p, _) => p.symbols(out),
        }
    }

    fn variables(&self) -> usize {
        let mut symbols = vec![];
        self.symbols(&mut symbols);
        let variable = |(_, carried): &(char, Carried)| match carried {
            Carried::Variable(n) => n + 1,
            _ => 0,
        };
        symbols.iter().map(variable).max().unwrap_or(0)
    }

    /// Where a part of some events that begins there may end.
    fn ends(&self, events: &[Step], from: usize, values: [i64; 2]) -> Vec<usize> {
        match self {
            Pattern::Symbol(gate, carried) => {
                let fits = events.get(from).is_some_and(|step| fits(step, *gate, *carried, values));
                if fits { vec![from + 1] } else { vec![] }
            }
            Pattern::Sequence(a, b) => {
                a.ends(events, from, values).into_iter().flat_map(|at| b.ends(events, at, values)).collect()
            }
            Pattern::Choice(a, b) => [a.ends(events, from, values), b.ends(events, from, values)].concat(),
            Pattern::Rounds(p, is_plus) => {
                let mut found = if *is_plus { p.ends(events, from, values) } else { vec![from] };
                let mut done = 0;
                while done < found.len() {
                    for end in p.ends(events, found[done], values) {
                        if !found.contains(&end) {
                            found.push(end);
                        }
                    }
                    done += 1;
                }
                found
            }
        }
    }
}

fn fits(step: &Step, gate: char, carried: Carried, values: [i64; 2]) -> bool {
    step.gate == gate
        && match carried {
            Carried::Anything => true,
            Carried::Number(n) => step.data == Some(n),
            Carried::Variable(n) => step.data == Some(values[n]),
        }
}

/// A part of a chart.
#[derive(Clone, Debug)]
enum Part {
    Event(char, Option<i64>),
    Tick,
    When(Condition),
    Not(char),
    Any,
}

/// Charts and patterns that are declared beside.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    patterns: Vec<Pattern>,
    charts: Vec<Vec<Part>>,
}

impl Declared {
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (number, pattern) in self.patterns.iter().enumerate() {
            let free = match pattern.variables() {
                0 => "",
                1 => "free x: 0..2 ",
                _ => "free x: 0..2, y: 0..2 ",
            };
            out.push_str(&format!("pattern P{number} for M {{ {free} {} }}\n", pattern.text()));
        }
        for (number, parts) in self.charts.iter().enumerate() {
            let part = |part: &Part| match part {
                Part::Event(gate, None) => format!("env -> M : {gate}"),
                Part::Event(gate, Some(n)) => format!("env -> M : {gate}({n})"),
                Part::Tick => "tick".to_owned(),
                Part::When(condition) => format!("when {}", condition.text()),
                Part::Not(gate) => format!("not {{ env -> M : {gate} }}"),
                Part::Any => "any".to_owned(),
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            out.push_str(&format!("msc C{number} for M {{\n  lifeline env, M\n  {}\n}}\n", parts.join("\n  ")));
        }
        out
    }

    fn chart(&mut self, random: &mut Random) -> usize {
        let count = 1 + random.rng.usize(..4);
        let part = |random: &mut Random| match random.rng.usize(..9) {
            0..=3 => {
                let gate = random.one(&GATES).0;
                let data = if gate == 'c' || random.rng.bool() { None } else { Some(random.rng.i64(0..2)) };
                Part::Event(gate, data)
            }
            4 => Part::Tick,
            5 => {
                let term = match random.rng.usize(..3) {
                    0 => Term::Ratio(Box::new(Term::V)),
                    _ => Term::V,
                };
                let compared = Condition::Compared(term, random.word(&RELATIONS), Term::Number(random.rng.i64(0..4)));
                Part::When(if random.rng.bool() { Condition::Not(Box::new(compared)) } else { compared })
            }
            6 | 7 => Part::Not(random.one(&GATES).0),
            _ => Part::Any,
        };
        let mut parts: Vec<Part> = (0..count).map(|_| part(random)).collect();
        parts.push(Part::Event(random.one(&GATES).0, None));
        self.charts.push(parts);
        self.charts.len() - 1
    }
}

/// Where a part of a chart is: in a step, in a moment after so many steps, or open from one moment to another.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Step(usize),
    Moment(usize),
    Open(usize, usize),
    Nowhere,
}

fn contains(parts: &[Part], run: &[Step], places: &mut Vec<Place>) -> bool {
    let n = run.len();
    let number = places.len();
    // Since when the next part may come: as a step, or as a moment; and whether a tick is there already.
    let mut after = 0;
    let mut ticked = None;
    for (part, place) in parts.iter().zip(places.iter()) {
        match place {
            Place::Step(at) | Place::Open(_, at) => after = *at,
            Place::Moment(at) => after = *at,
            Place::Nowhere => {}
        }
        if let (Part::Tick, Place::Moment(at)) = (part, place) {
            ticked = Some(*at);
        }
    }
    let Some(part) = parts.get(number) else {
        return (0..parts.len()).all(|number| {
            let Part::Not(gate) = &parts[number] else { return true };
            let from = places[..number].iter().rev().find_map(|place| match place {
                Place::Step(at) | Place::Moment(at) | Place::Open(_, at) => Some(*at),
                Place::Nowhere => None,
            });
            let to = places[number..].iter().find_map(|place| match place {
                Place::Step(at) => Some(at - 1),
                Place::Open(at, _) => Some(*at),
                _ => None,
            });
            let (from, to) = (from.unwrap_or(0), to.unwrap_or(n));
            from >= to || run[from..to].iter().all(|step| step.gate != *gate)
        });
    };
    let is_after = |condition: &Condition, at: usize| {
        match at {
            0 => run.first().map(|step| step.before.1),
            _ => Some(run[at - 1].after.1),
        }
        .is_some_and(|v| {
            let there = Step { gate: 'c', data: None, before: (0, v), after: (0, v), clock: 0 };
            condition.is_true(&there, UNBOUND)
        })
    };
    let candidates: Vec<Place> = match part {
        Part::Event(gate, data) => (after + 1..=n)
            .filter(|at| run[at - 1].gate == *gate && (data.is_none() || run[at - 1].data == *data))
            .map(Place::Step)
            .collect(),
        Part::Tick => (after..=n).filter(|at| Some(*at) != ticked).map(Place::Moment).collect(),
        Part::When(condition) => (after..=n).filter(|at| is_after(condition, *at)).map(Place::Moment).collect(),
        Part::Not(_) => vec![Place::Nowhere],
        Part::Any => (after..=n)
            .flat_map(|from| (from..=n).map(move |to| Place::Open(from, to)))
            .chain([Place::Nowhere])
            .collect(),
    };
    candidates.into_iter().any(|place| {
        places.push(place);
        let found = contains(parts, run, places);
        places.pop();
        found
    })
}

/// What a purpose says.
#[derive(Clone, Debug)]
pub enum Claim {
    Length(&'static str, usize),
    /// `first`, `last` or `initial` of a list, compared with a number or the variable.
    Moment(&'static str, Term, &'static str, Term),
    Rule(&'static str, Vec<Condition>, usize),
    /// That a list has a value, or never has it.
    Member(&'static str, Term, Term),
    Formula(Option<Quantifier>, Formula),
    /// The variable has one of these values.
    Some(i64, i64, Box<Claim>),
    And(Box<Claim>, Box<Claim>),
    Or(Box<Claim>, Box<Claim>),
    Not(Box<Claim>),
    Matched(usize),
    Scenario(usize),
    Chart(usize),
}

/// Numbers that the terms compared with variables can be in a run.
fn shown(run: &[Step]) -> BTreeSet<i64> {
    let numbers = run.iter().flat_map(|step| [Some(step.before.1), Some(step.after.1), step.data]).flatten();
    numbers.flat_map(|n| [Some(n), (n != 0).then(|| 12i64.div_euclid(n))]).flatten().collect()
}

/// How the variables of a formula are bound: for all values, or for some; and between which, if that is said.
#[derive(Clone, Debug)]
pub struct Quantifier {
    is_all: bool,
    ranges: Vec<Option<(i64, i64)>>,
}

impl Claim {
    pub fn random(random: &mut Random, declared: &mut Declared) -> Claim {
        match random.rng.usize(..12) {
            0 => Claim::Length(random.word(&["<=", ">=", "==", ">", "<"]), random.rng.usize(..4)),
            1..=5 => Claim::plain(random, declared, 1, false, true),
            6 | 7 => Claim::formula(random),
            8 => {
                let low = random.rng.i64(-1..2);
                let high = low + random.rng.i64(0..4);
                Claim::Some(low, high, Box::new(Claim::plain(random, declared, 1, true, true)))
            }
            _ => Claim::drawn(random, declared, true),
        }
    }

    fn formula(random: &mut Random) -> Claim {
        let range = |random: &mut Random| {
            let low = random.rng.i64(-1..3);
            Some((low, low + random.rng.i64(0..3)))
        };
        let ranges = match random.rng.usize(..8) {
            0 | 1 => vec![],
            2 => vec![None],
            3 | 4 => vec![range(random)],
            _ => (0..2).map(|_| if random.rarely(4) { range(random) } else { None }).collect(),
        };
        if ranges.len() > 1 && !random.rarely(3) {
            let quantifier = Some(Quantifier { is_all: random.rng.bool(), ranges });
            return Claim::Formula(quantifier, Formula::of_two(random));
        }
        let mut formula = Formula::random(random, 3, ranges.len());
        // The type of a variable is that of what it is compared with.
        for variable in 0..ranges.len() {
            let value = Formula::Value(Term::V, random.rng.bool(), variable);
            formula = Formula::Two(random.word(&["&&", "||", "->", "until"]), Box::new(formula), Box::new(value));
        }
        let quantifier = (!ranges.is_empty()).then(|| Quantifier { is_all: random.rng.bool(), ranges });
        Claim::Formula(quantifier, formula)
    }

    fn drawn(random: &mut Random, declared: &mut Declared, positive: bool) -> Claim {
        let pattern = |random: &mut Random, declared: &mut Declared, variables: usize| {
            let pattern = loop {
                let pattern = Pattern::random(random, 2, variables);
                let may_be_empty = !pattern.ends(&[], 0, [0, 0]).is_empty();
                if !may_be_empty && (variables < 2 || pattern.variables() != 1 || positive) {
                    break pattern;
                }
            };
            declared.patterns.push(pattern);
            declared.patterns.len() - 1
        };
        let claim = match random.rng.usize(..4) {
            0 => {
                let variables = random.rng.usize(..3);
                Claim::Matched(pattern(random, declared, variables))
            }
            1 => Claim::Scenario(pattern(random, declared, 0)),
            _ => Claim::Chart(declared.chart(random)),
        };
        // For all values of several variables nothing is remembered.
        let has_many = matches!(claim, Claim::Matched(number) if declared.patterns[number].variables() > 1);
        if positive && !has_many && random.rarely(3) { Claim::Not(Box::new(claim)) } else { claim }
    }

    /// One without variables of its own; `x` is one that it may use.
    fn plain(random: &mut Random, declared: &mut Declared, depth: usize, has_x: bool, positive: bool) -> Claim {
        if depth > 0 && random.rarely(3) {
            let sub = |random: &mut Random, declared: &mut Declared, positive: bool| {
                Box::new(Claim::plain(random, declared, depth - 1, has_x, positive))
            };
            return match random.rng.usize(..3) {
                0 => Claim::And(sub(random, declared, positive), sub(random, declared, positive)),
                1 => Claim::Or(sub(random, declared, positive), sub(random, declared, positive)),
                _ => Claim::Not(sub(random, declared, false)),
            };
        }
        let other = |random: &mut Random| match has_x && random.rng.bool() {
            true => Term::X,
            false => Term::Number(random.rng.i64(-1..4)),
        };
        match random.rng.usize(..10) {
            0..=2 => {
                let moment = *random.one(&["first", "last", "initial"]);
                let term = match (moment, random.rng.usize(..4)) {
                    ("initial", _) => Term::V,
                    (_, 0) => Term::Of('a'),
                    (_, 1) => Term::PreV,
                    _ => Term::V,
                };
                Claim::Moment(moment, term, random.word(&RELATIONS), other(random))
            }
            3 | 4 => Claim::Member(random.word(&["member", "never"]), Term::random(random), other(random)),
            5 if !has_x => Claim::formula_without_variables(random),
            _ => {
                let (rule, lists) = *random.one(&[
                    ("member", 1),
                    ("member", 1),
                    ("never", 1),
                    ("always", 1),
                    ("first", 1),
                    ("last", 1),
                    ("count", 1),
                    ("at_least", 1),
                    ("at_most", 1),
                    ("lasts", 1),
                    ("until", 2),
                    ("follows", 2),
                    ("precedes", 2),
                    ("responds", 2),
                    ("before", 2),
                ]);
                let conditions = (0..lists).map(|_| Condition::random(random, 2)).collect();
                Claim::Rule(rule, conditions, random.rng.usize(..3))
            }
        }
    }

    fn formula_without_variables(random: &mut Random) -> Claim {
        Claim::Formula(None, Formula::random(random, 2, 0))
    }

    pub fn text(&self) -> String {
        match self {
            Claim::Length(op, n) => format!("length {op} {n}"),
            Claim::Moment(moment, term, op, other) => format!("{moment}({}) {op} {}", term.text(), other.text()),
            Claim::Rule(rule, conditions, n) => {
                let mut args: Vec<String> = conditions.iter().map(Condition::text).collect();
                if ["count", "at_least", "at_most", "lasts"].contains(rule) {
                    args.push(n.to_string());
                }
                format!("{rule}({})", args.join(", "))
            }
            Claim::Member(rule, list, value) => format!("{rule}({}, {})", list.text(), value.text()),
            Claim::Formula(quantifier, formula) => {
                let bound = match quantifier {
                    None => String::new(),
                    Some(Quantifier { is_all, ranges }) => {
                        let word = if *is_all { "for all" } else { "some" };
                        let bound = ranges.iter().zip(NAMES).map(|(range, name)| match range {
                            Some((low, high)) => format!("{name} in {low}..{high}"),
                            None => name.to_owned(),
                        });
                        format!("{word} {}: ", bound.collect::<Vec<_>>().join(", "))
                    }
                };
                format!("formula {{ {bound}{} }}", formula.text())
            }
            Claim::Some(low, high, claim) => format!("some x in {low}..{high}: ({})", claim.text()),
            // A name comes first, and brackets after an operator.
            Claim::And(a, b) => format!("holds and ({}) and ({})", a.text(), b.text()),
            Claim::Or(a, b) => format!("fails or ({}) or ({})", a.text(), b.text()),
            Claim::Not(a) => format!("not ({})", a.text()),
            Claim::Matched(number) => format!("match P{number}"),
            Claim::Scenario(number) => format!("scenario P{number}"),
            Claim::Chart(number) => format!("chart C{number}"),
        }
    }

    pub fn holds(&self, run: &[Step], declared: &Declared, x: Bound) -> bool {
        let n = run.len();
        match self {
            Claim::Length(op, bound) => compared(n as i64, op, *bound as i64),
            Claim::Moment(moment, term, op, other) => {
                let term = if *moment == "initial" { &Term::PreV } else { term };
                let step = if *moment == "last" { run.last() } else { run.first() };
                step.is_some_and(|step| {
                    let (a, b) = (term.value(step, x), other.value(step, x));
                    a.zip(b).is_some_and(|(a, b)| compared(a, op, b))
                })
            }
            Claim::Rule(rule, conditions, count) => {
                let is: Vec<Vec<bool>> =
                    conditions.iter().map(|c| run.iter().map(|step| c.is_true(step, x)).collect()).collect();
                let (p, q) = (&is[0], is.last().expect("a list"));
                let times = p.iter().filter(|is| **is).count();
                match *rule {
                    "member" => times > 0,
                    "never" => times == 0,
                    "always" => times == n,
                    "first" => p.first() == Some(&true),
                    "last" => p.last() == Some(&true),
                    "count" => times == *count,
                    "at_least" => times >= *count,
                    "at_most" => times <= *count,
                    "lasts" => *count == 0 || p.windows(*count).any(|part| part.iter().all(|is| *is)),
                    "until" => (0..n).any(|j| q[j] && (0..j).all(|i| p[i])),
                    "follows" => (0..n).any(|i| p[i] && (i + 1..n).any(|j| q[j])),
                    "precedes" => (0..n).all(|j| !q[j] || (0..=j).any(|i| p[i])),
                    "responds" => (0..n).all(|i| !p[i] || (i..n).any(|j| q[j])),
                    "before" => (0..n).any(|i| p[i] && (0..i).all(|k| !q[k] && !p[k]) && (i + 1..n).any(|j| q[j])),
                    other => panic!("{other}"),
                }
            }
            Claim::Member(rule, list, value) => {
                let is = |step: &Step| {
                    let (a, b) = (list.value(step, x), value.value(step, x));
                    a.is_some() && a == b
                };
                run.iter().any(is) == (*rule == "member")
            }
            Claim::Formula(quantifier, formula) => match quantifier {
                None => formula.holds(run, 0, UNBOUND),
                Some(Quantifier { is_all, ranges }) => {
                    // Without a range 98 and 99 stand for what no step shows.
                    let values = |range: &Option<(i64, i64)>| match range {
                        Some((low, high)) => (*low..=*high).collect::<Vec<i64>>(),
                        None if ranges.len() == 1 => (-20..=20).chain([99]).collect(),
                        None => shown(run).into_iter().chain([98, 99]).collect(),
                    };
                    let second =
                        ranges.get(1).map_or(vec![None], |range| values(range).into_iter().map(Some).collect());
                    let mut all =
                        values(&ranges[0]).into_iter().flat_map(|x| second.iter().map(move |y| [Some(x), *y]));
                    let is = |bound: Bound| formula.holds(run, 0, bound);
                    if *is_all { all.all(is) } else { all.any(is) }
                }
            },
            Claim::Some(low, high, claim) => (*low..=*high).any(|x| claim.holds(run, declared, [Some(x), None])),
            Claim::And(a, b) => a.holds(run, declared, x) && b.holds(run, declared, x),
            Claim::Or(a, b) => a.holds(run, declared, x) || b.holds(run, declared, x),
            Claim::Not(a) => !a.holds(run, declared, x),
            Claim::Matched(number) => {
                let pattern = &declared.patterns[*number];
                let mut symbols = vec![];
                pattern.symbols(&mut symbols);
                (0..3).flat_map(|x| (0..3).map(move |y| [x, y])).any(|values| {
                    let is_seen = |step: &&Step| symbols.iter().any(|(gate, of)| fits(step, *gate, *of, values));
                    let seen: Vec<Step> = run.iter().filter(is_seen).copied().collect();
                    (0..seen.len()).any(|from| !pattern.ends(&seen, from, values).is_empty())
                })
            }
            Claim::Scenario(number) => {
                let pattern = &declared.patterns[*number];
                let mut symbols = vec![];
                pattern.symbols(&mut symbols);
                let is_known = |step: &&Step| symbols.iter().any(|(gate, _)| step.gate == *gate);
                let events: Vec<Step> = run.iter().filter(is_known).copied().collect();
                pattern.ends(&events, 0, [0, 0]).contains(&events.len())
            }
            Claim::Chart(number) => contains(&declared.charts[*number], run, &mut vec![]),
        }
    }

    /// Whether it says the same of a run whose last step comes once more. Only of formulas it matters: what else decides has
    /// looked at every end.
    pub fn is_steady(&self) -> bool {
        match self {
            Claim::Formula(_, formula) => formula.is_steady(),
            Claim::Some(_, _, a) | Claim::Not(a) => a.is_steady(),
            Claim::And(a, b) | Claim::Or(a, b) => a.is_steady() && b.is_steady(),
            _ => true,
        }
    }

    /// Whether the program may refuse it: for all values of variables not everything is remembered, and never too much.
    pub fn may_be_refused(&self) -> bool {
        matches!(self, Claim::Formula(Some(_), _))
    }

    pub fn smaller(&self) -> Vec<Claim> {
        match self {
            Claim::And(a, b) | Claim::Or(a, b) => vec![(**a).clone(), (**b).clone()],
            Claim::Not(a) => vec![(**a).clone()],
            Claim::Rule(rule, conditions, n) => {
                let mut out = vec![];
                for (number, condition) in conditions.iter().enumerate() {
                    for smaller in condition.smaller() {
                        let mut conditions = conditions.clone();
                        conditions[number] = smaller;
                        out.push(Claim::Rule(rule, conditions, *n));
                    }
                }
                out
            }
            // With a variable the last part says its type.
            Claim::Formula(None, formula) => {
                formula.smaller().into_iter().map(|smaller| Claim::Formula(None, smaller)).collect()
            }
            Claim::Formula(Some(quantifier), Formula::Two(op, f, g)) => {
                let inner: Vec<Formula> = match &**f {
                    // The same of the last part but one.
                    Formula::Two(first, f, h) if quantifier.ranges.len() > 1 => {
                        f.smaller().into_iter().map(|f| Formula::Two(first, Box::new(f), h.clone())).collect()
                    }
                    f => f.smaller(),
                };
                let outer = |f| Formula::Two(op, Box::new(f), g.clone());
                inner.into_iter().map(|f| Claim::Formula(Some(quantifier.clone()), outer(f))).collect()
            }
            _ => vec![],
        }
    }
}

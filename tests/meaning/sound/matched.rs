//! Patterns, charts and formulas whose variables stand inside of constructors, records, lists and options, against what they
//! mean.
//!
//! The matcher here tries all values of all variables, and shares nothing with the program: neither its patterns nor its
//! automata, rules or values. Runs are made up; the rules of the program judge them as if a model had taken them.

use std::collections::BTreeSet;
use std::sync::Arc;

use fastrand::Rng;
use tracewright::diagnostic::Rejected;
use tracewright::history::Known;
use tracewright::model::AskedBy;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Asked, NotAsked, Options, answer};
use tracewright::term::{Bound, Definitions, Type, Value};
use tracewright::{model, syntax};

const MODEL: &str = "
type Rec = { x: Int, y: Int }
type Box = Leaf | Full(o: Option<Int>, l: List<Int>)
sts M {
  in opt(o: Option<Int>), pair(p: Rec, n: Int), put(l: List<Int>), keep(b: Box), go()
  initial location L
  L -> L : opt ?opt(o)
  L -> L : pair ?pair(p, n)
  L -> L : put ?put(l)
  L -> L : keep ?keep(b)
  L -> L : go ?go
}
";

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Val {
    Int(i64),
    Made(&'static str, Vec<Val>),
    List(Vec<Val>),
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ty {
    Int,
    Option,
    Rec,
    Box,
    List,
}

/// The gates with their data.
const GATES: [(&str, &[Ty]); 5] =
    [("opt", &[Ty::Option]), ("pair", &[Ty::Rec, Ty::Int]), ("put", &[Ty::List]), ("keep", &[Ty::Box]), ("go", &[])];

/// An event: its gate and what it carries.
type Event = (usize, Vec<Val>);

/// What is asked of a value. Variables 0 and 1 are numbers, variable 2 is a list.
#[derive(Clone, Debug, PartialEq)]
enum Pat {
    Any,
    Var(usize),
    Num(i64),
    Made(&'static str, Vec<Pat>),
    /// The first elements, and whether more may follow, which a variable stands for.
    List(Vec<Pat>, Option<Option<usize>>),
}

/// An event of a pattern.
type Asks = (usize, Vec<Pat>);

const NAMES: [&str; 3] = ["a", "b", "r"];

/// A pattern over events.
#[derive(Clone, Debug)]
enum Re {
    Event(Asks),
    Seq(Vec<Re>),
    Alt(Vec<Re>),
    /// From so many rounds on, up to one, or any number.
    Rounds(usize, bool, Box<Re>),
    Some(usize, Box<Re>),
}

/// A formula over events.
#[derive(Clone, Debug)]
enum F {
    Event(Asks),
    Not(Box<F>),
    And(Box<F>, Box<F>),
    One(&'static str, Box<F>),
}

/// What is said of runs.
#[derive(Clone, Debug)]
enum Said {
    /// A match somewhere, with symbols beside those of the pattern; or none.
    Match(bool, Vec<Asks>, Re),
    Scenario(Re),
    Chart(Vec<(bool, Asks)>),
    /// For some values, or for all.
    Formula(bool, F),
}

#[derive(Clone, Debug)]
struct Question {
    said: Said,
    /// Types that are written for the variables.
    types: [Option<&'static str>; 3],
}

fn int(rng: &mut Rng) -> Val {
    Val::Int(rng.i64(0..2))
}

fn list(rng: &mut Rng) -> Val {
    Val::List((0..rng.usize(..3)).map(|_| int(rng)).collect())
}

fn option(rng: &mut Rng) -> Val {
    if rng.usize(..3) == 0 { Val::Made("None", vec![]) } else { Val::Made("Some", vec![int(rng)]) }
}

fn value(rng: &mut Rng, ty: Ty) -> Val {
    match ty {
        Ty::Int => int(rng),
        Ty::Option => option(rng),
        Ty::Rec => Val::Made("Rec", vec![int(rng), int(rng)]),
        Ty::List => list(rng),
        Ty::Box if rng.usize(..4) == 0 => Val::Made("Leaf", vec![]),
        Ty::Box => Val::Made("Full", vec![option(rng), list(rng)]),
    }
}

fn event(rng: &mut Rng) -> Event {
    let gate = rng.usize(..GATES.len());
    (gate, GATES[gate].1.iter().map(|ty| value(rng, *ty)).collect())
}

fn pattern(rng: &mut Rng, ty: Ty, vars: usize) -> Pat {
    if rng.usize(..6) == 0 {
        return Pat::Any;
    }
    match ty {
        Ty::Int => match rng.usize(..3) {
            0 => Pat::Num(rng.i64(0..2)),
            _ => Pat::Var(rng.usize(..vars.min(2))),
        },
        Ty::Option if rng.usize(..5) == 0 => Pat::Made("None", vec![]),
        Ty::Option => Pat::Made("Some", vec![pattern(rng, Ty::Int, vars)]),
        Ty::Rec => Pat::Made("Rec", vec![pattern(rng, Ty::Int, vars), pattern(rng, Ty::Int, vars)]),
        Ty::Box if rng.usize(..6) == 0 => Pat::Made("Leaf", vec![]),
        Ty::Box => Pat::Made("Full", vec![pattern(rng, Ty::Option, vars), pattern(rng, Ty::List, vars)]),
        Ty::List if vars == 3 && rng.usize(..4) == 0 => Pat::Var(2),
        Ty::List => {
            let elements = (0..rng.usize(..3)).map(|_| pattern(rng, Ty::Int, vars)).collect();
            let rest = match rng.usize(..4) {
                0 => Some(None),
                1 if vars == 3 => Some(Some(2)),
                _ => None,
            };
            Pat::List(elements, rest)
        }
    }
}

fn asks(rng: &mut Rng, vars: usize) -> Asks {
    let gate = rng.usize(..GATES.len());
    (gate, GATES[gate].1.iter().map(|ty| pattern(rng, *ty, vars)).collect())
}

fn re(rng: &mut Rng, vars: usize, depth: usize, may_bind: bool) -> Re {
    let parts = |rng: &mut Rng| (0..rng.usize(1..4)).map(|_| re(rng, vars, depth - 1, may_bind)).collect();
    match if depth == 0 { 0 } else { rng.usize(..8) } {
        0 | 1 => Re::Event(asks(rng, vars)),
        2..=4 => Re::Seq(parts(rng)),
        5 => Re::Alt(parts(rng)),
        6 if may_bind => Re::Some(rng.usize(..vars), Box::new(re(rng, vars, depth - 1, may_bind))),
        _ => Re::Rounds(rng.usize(..2), rng.bool(), Box::new(re(rng, vars, depth - 1, may_bind))),
    }
}

fn formula(rng: &mut Rng, vars: usize, depth: usize) -> F {
    match if depth == 0 { 0 } else { rng.usize(..7) } {
        0 | 1 => F::Event(asks(rng, vars)),
        2 => F::Not(Box::new(formula(rng, vars, depth - 1))),
        3 | 4 => F::And(Box::new(formula(rng, vars, depth - 1)), Box::new(formula(rng, vars, depth - 1))),
        _ => {
            let op = ["eventually", "always", "next"][rng.usize(..3)];
            F::One(op, Box::new(formula(rng, vars, depth - 1)))
        }
    }
}

impl Pat {
    fn text(&self) -> String {
        let all = |pats: &[Pat]| pats.iter().map(Pat::text).collect::<Vec<_>>();
        match self {
            Pat::Any => "_".to_owned(),
            Pat::Var(v) => NAMES[*v].to_owned(),
            Pat::Num(n) => n.to_string(),
            Pat::Made("Rec", of) => format!("Rec(x: {}, y: {})", of[0].text(), of[1].text()),
            Pat::Made(name, of) if of.is_empty() => (*name).to_owned(),
            Pat::Made(name, of) => format!("{name}({})", all(of).join(", ")),
            Pat::List(elements, rest) => {
                let mut parts = all(elements);
                parts.extend(rest.map(|rest| format!("..{}", rest.map_or("", |v| NAMES[v]))));
                format!("[{}]", parts.join(", "))
            }
        }
    }

    fn fits(&self, value: &Val, env: &[Val]) -> bool {
        match (self, value) {
            (Pat::Any, _) => true,
            (Pat::Var(v), value) => env[*v] == *value,
            (Pat::Num(n), Val::Int(m)) => n == m,
            (Pat::Made(name, of), Val::Made(made, with)) => {
                name == made && of.iter().zip(with).all(|(pat, value)| pat.fits(value, env))
            }
            (Pat::List(elements, rest), Val::List(list)) => {
                let (n, m) = (elements.len(), list.len());
                let is_long_enough = if rest.is_some() { n <= m } else { n == m };
                is_long_enough
                    && elements.iter().zip(list).all(|(pat, value)| pat.fits(value, env))
                    && rest.flatten().is_none_or(|v| env[v] == Val::List(list[n..].to_vec()))
            }
            _ => unreachable!("types fit"),
        }
    }

    fn variables(&self, out: &mut BTreeSet<usize>) {
        match self {
            Pat::Var(v) => drop(out.insert(*v)),
            Pat::Made(_, of) => of.iter().for_each(|pat| pat.variables(out)),
            Pat::List(of, rest) => {
                of.iter().for_each(|pat| pat.variables(out));
                out.extend(rest.iter().flatten());
            }
            Pat::Any | Pat::Num(_) => {}
        }
    }
}

fn event_text((gate, pats): &Asks) -> String {
    let pats: Vec<String> = pats.iter().map(Pat::text).collect();
    if pats.is_empty() { GATES[*gate].0.to_owned() } else { format!("{}({})", GATES[*gate].0, pats.join(", ")) }
}

fn fits((gate, pats): &Asks, (of, values): &Event, env: &[Val]) -> bool {
    gate == of && pats.iter().zip(values).all(|(pat, value)| pat.fits(value, env))
}

impl Re {
    fn text(&self, types: &[Option<&'static str>; 3]) -> String {
        let all = |parts: &[Re], between: &str| {
            let parts: Vec<String> = parts.iter().map(|part| part.text(types)).collect();
            format!("({})", parts.join(between))
        };
        match self {
            Re::Event(asks) => event_text(asks),
            Re::Seq(parts) => all(parts, "; "),
            Re::Alt(parts) => all(parts, " | "),
            Re::Rounds(least, is_one, inner) => {
                let times = match (least, is_one) {
                    (0, true) => "?",
                    (0, false) => "*",
                    (_, true) => "[1]",
                    (_, false) => "+",
                };
                format!("({}){times}", inner.text(types))
            }
            Re::Some(v, inner) => {
                let ty = types[*v].map(|ty| format!(" in {ty}")).unwrap_or_default();
                format!("(some {}{ty}: {})", NAMES[*v], inner.text(types))
            }
        }
    }

    fn events<'r>(&'r self, out: &mut Vec<&'r Asks>) {
        match self {
            Re::Event(asks) => out.push(asks),
            Re::Seq(parts) | Re::Alt(parts) => parts.iter().for_each(|part| part.events(out)),
            Re::Rounds(_, _, inner) | Re::Some(_, inner) => inner.events(out),
        }
    }

    /// Where it may end if it begins somewhere.
    fn ends(&self, run: &[Event], from: usize, env: &[Val], domains: &[Vec<Val>]) -> BTreeSet<usize> {
        match self {
            Re::Event(asks) => {
                run.get(from).filter(|event| fits(asks, event, env)).map(|_| from + 1).into_iter().collect()
            }
            Re::Seq(parts) => parts.iter().fold(BTreeSet::from([from]), |at, part| {
                at.into_iter().flat_map(|at| part.ends(run, at, env, domains)).collect()
            }),
            Re::Alt(parts) => parts.iter().flat_map(|part| part.ends(run, from, env, domains)).collect(),
            Re::Rounds(least, is_one, inner) => {
                let mut out: BTreeSet<usize> = BTreeSet::new();
                let mut at = BTreeSet::from([from]);
                if *least == 0 {
                    out.insert(from);
                }
                loop {
                    let next: BTreeSet<usize> = at.iter().flat_map(|at| inner.ends(run, *at, env, domains)).collect();
                    let new: BTreeSet<usize> = next.difference(&out).copied().collect();
                    out.extend(&next);
                    if *is_one || new.is_empty() {
                        return out;
                    }
                    at = new;
                }
            }
            Re::Some(v, inner) => domains[*v]
                .iter()
                .flat_map(|value| {
                    let mut env = env.to_vec();
                    env[*v] = value.clone();
                    inner.ends(run, from, &env, domains)
                })
                .collect(),
        }
    }
}

impl F {
    fn text(&self) -> String {
        match self {
            F::Event(asks) => event_text(asks),
            F::Not(f) => format!("!({})", f.text()),
            F::And(f, g) => format!("({}) && ({})", f.text(), g.text()),
            F::One(op, f) => format!("{op} ({})", f.text()),
        }
    }

    fn holds(&self, run: &[Event], at: usize, env: &[Val]) -> bool {
        match self {
            F::Event(asks) => run.get(at).is_some_and(|event| fits(asks, event, env)),
            F::Not(f) => !f.holds(run, at, env),
            F::And(f, g) => f.holds(run, at, env) && g.holds(run, at, env),
            F::One("eventually", f) => (at..run.len()).any(|at| f.holds(run, at, env)),
            F::One("always", f) => (at..run.len()).all(|at| f.holds(run, at, env)),
            F::One(_, f) => at + 1 < run.len() && f.holds(run, at + 1, env),
        }
    }

    fn events<'r>(&'r self, out: &mut Vec<&'r Asks>) {
        match self {
            F::Event(asks) => out.push(asks),
            F::Not(f) | F::One(_, f) => f.events(out),
            F::And(f, g) => {
                f.events(out);
                g.events(out);
            }
        }
    }
}

impl Question {
    fn random(rng: &mut Rng) -> Question {
        let vars = rng.usize(1..4);
        let said = match rng.usize(..4) {
            0 => {
                let alphabet = (0..rng.usize(..3)).map(|_| asks(rng, vars)).collect();
                Said::Match(rng.usize(..3) > 0, alphabet, re(rng, vars, 2, false))
            }
            1 => Said::Scenario(re(rng, vars, 3, true)),
            2 => Said::Chart((0..rng.usize(1..4)).map(|_| (rng.usize(..4) == 0, asks(rng, vars))).collect()),
            _ => {
                let is_all = rng.bool();
                Said::Formula(is_all, formula(rng, if is_all { 1 } else { vars }, 3))
            }
        };
        let number = |rng: &mut Rng| [None, Some("Int"), Some("0..0"), Some("0..1")][rng.usize(..4)];
        let types = [number(rng), number(rng), [None, Some("List<Int>")][rng.usize(..2)]];
        Question { said, types }
    }

    /// Variables that are declared outside of everything.
    fn declared(&self) -> BTreeSet<usize> {
        let mut events = vec![];
        match &self.said {
            Said::Match(_, alphabet, re) => {
                re.events(&mut events);
                events.extend(alphabet);
            }
            Said::Scenario(re) => re.events(&mut events),
            Said::Chart(parts) => events.extend(parts.iter().map(|(_, asks)| asks)),
            Said::Formula(_, f) => f.events(&mut events),
        }
        let mut out = BTreeSet::new();
        events.into_iter().flat_map(|(_, pats)| pats).for_each(|pat| pat.variables(&mut out));
        out
    }

    fn text(&self) -> String {
        let declared = self.declared();
        let typed = |between: &str| {
            let one = |v: &usize| {
                format!("{}{}", NAMES[*v], self.types[*v].map(|ty| format!("{between}{ty}")).unwrap_or_default())
            };
            declared.iter().map(one).collect::<Vec<_>>()
        };
        let (listed, free) = (typed(" in ").join(", "), typed(": ").join(", "));
        let body = match &self.said {
            Said::Match(is_met, alphabet, re) => {
                let free = if declared.is_empty() { String::new() } else { format!("free {free}") };
                let alphabet: Vec<String> = alphabet.iter().map(event_text).collect();
                let mut symbols: Vec<&Asks> = vec![];
                re.events(&mut symbols);
                let all =
                    alphabet.into_iter().chain(symbols.into_iter().map(event_text)).collect::<Vec<_>>().join(", ");
                let not = if *is_met { "" } else { "not " };
                format!(
                    "pattern P for M {{ {free} alphabet {{ {all} }} {} }}\npurpose asked for M {{ {not}match P }}",
                    re.text(&self.types)
                )
            }
            Said::Scenario(re) => {
                let free = if declared.is_empty() { String::new() } else { format!("free {free}") };
                format!("pattern P for M {{ {free} {} }}\npurpose asked for M {{ scenario P }}", re.text(&self.types))
            }
            Said::Chart(parts) => {
                let some: Vec<String> = typed(": ").into_iter().map(|v| format!("some {v}")).collect();
                let part = |(is_optional, asks): &(bool, Asks)| {
                    let message = format!("env -> M : {}", event_text(asks));
                    if *is_optional { format!("opt {{ {message} }}") } else { message }
                };
                let parts: Vec<String> = parts.iter().map(part).collect();
                format!("msc P for M {{ {} {} }}\npurpose asked for M {{ chart P }}", some.join(" "), parts.join("  "))
            }
            Said::Formula(is_all, f) => {
                let bound = match (declared.is_empty(), is_all) {
                    (true, _) => String::new(),
                    (_, true) => format!("for all {listed}: "),
                    _ => format!("some {listed}: "),
                };
                format!("purpose asked for M {{ formula {{ {bound}{} }} }}", f.text())
            }
        };
        format!("{MODEL}{body}\n")
    }

    /// Values of each variable. One more is there than any run has.
    fn domains(&self) -> Vec<Vec<Val>> {
        let ints = |ty: Option<&str>| match ty {
            Some("0..0") => vec![Val::Int(0)],
            Some("0..1") => vec![Val::Int(0), Val::Int(1)],
            _ => (0..3).map(Val::Int).collect(),
        };
        vec![ints(self.types[0]), ints(self.types[1]), lists()]
    }

    /// Whether a run is as it says, by the definition.
    fn holds(&self, run: &[Event]) -> bool {
        let domains = self.domains();
        let declared = self.declared();
        let mut envs = vec![domains.iter().map(|values| values[0].clone()).collect::<Vec<Val>>()];
        for v in declared {
            let with = |env: &Vec<Val>, value: &Val| {
                let mut env = env.clone();
                env[v] = value.clone();
                env
            };
            envs = envs.iter().flat_map(|env| domains[v].iter().map(move |value| with(env, value))).collect();
        }
        match &self.said {
            Said::Match(is_met, alphabet, re) => {
                let mut symbols: Vec<&Asks> = alphabet.iter().collect();
                re.events(&mut symbols);
                *is_met
                    == envs.iter().any(|env| {
                        let is_seen = |event: &&Event| symbols.iter().any(|symbol| fits(symbol, event, env));
                        let seen: Vec<Event> = run.iter().filter(is_seen).cloned().collect();
                        (0..seen.len()).any(|from| {
                            // With one event at least.
                            (from + 1..=seen.len()).any(|to| re.ends(&seen[..to], from, env, &domains).contains(&to))
                        })
                    })
            }
            Said::Scenario(re) => {
                let mut symbols = vec![];
                re.events(&mut symbols);
                let is_seen = |event: &&Event| symbols.iter().any(|(gate, _)| *gate == event.0);
                let seen: Vec<Event> = run.iter().filter(is_seen).cloned().collect();
                envs.iter().any(|env| re.ends(&seen, 0, env, &domains).contains(&seen.len()))
            }
            Said::Chart(parts) => envs.iter().any(|env| {
                let mut at = 0;
                parts.iter().filter(|(is_optional, _)| !is_optional).all(|(_, asks)| {
                    match run[at..].iter().position(|event| fits(asks, event, env)) {
                        Some(place) => {
                            at += place + 1;
                            true
                        }
                        None => false,
                    }
                })
            }),
            Said::Formula(true, f) => envs.iter().all(|env| f.holds(run, 0, env)),
            Said::Formula(false, f) => envs.iter().any(|env| f.holds(run, 0, env)),
        }
    }

    fn smaller(&self) -> Vec<Question> {
        let said = match &self.said {
            Said::Match(is_met, alphabet, re) => {
                let mut out: Vec<Said> =
                    re.smaller().into_iter().map(|re| Said::Match(*is_met, alphabet.clone(), re)).collect();
                for place in 0..alphabet.len() {
                    let mut fewer = alphabet.clone();
                    fewer.remove(place);
                    out.push(Said::Match(*is_met, fewer, re.clone()));
                }
                out
            }
            Said::Scenario(re) => re.smaller().into_iter().map(Said::Scenario).collect(),
            Said::Chart(parts) => (0..parts.len())
                .filter(|_| parts.len() > 1)
                .map(|place| {
                    let mut fewer = parts.clone();
                    fewer.remove(place);
                    Said::Chart(fewer)
                })
                .collect(),
            Said::Formula(is_all, f) => {
                let parts: Vec<F> = match f {
                    F::Event(_) => vec![],
                    F::Not(f) | F::One(_, f) => vec![(**f).clone()],
                    F::And(f, g) => vec![(**f).clone(), (**g).clone()],
                };
                parts.into_iter().map(|f| Said::Formula(*is_all, f)).collect()
            }
        };
        said.into_iter().map(|said| Question { said, types: self.types }).collect()
    }
}

impl Re {
    fn smaller(&self) -> Vec<Re> {
        let fewer = |parts: &[Re], again: &dyn Fn(Vec<Re>) -> Re| {
            let mut out: Vec<Re> = parts.to_vec();
            for (place, part) in parts.iter().enumerate() {
                let with = |other: Option<Re>| {
                    let mut parts = parts.to_vec();
                    match other {
                        Some(other) => parts[place] = other,
                        None => drop(parts.remove(place)),
                    }
                    again(parts)
                };
                if parts.len() > 1 {
                    out.push(with(None));
                }
                out.extend(part.smaller().into_iter().map(|other| with(Some(other))));
            }
            out
        };
        match self {
            Re::Event(_) => vec![],
            Re::Seq(parts) => fewer(parts, &Re::Seq),
            Re::Alt(parts) => fewer(parts, &Re::Alt),
            Re::Rounds(least, is_one, inner) => {
                let again = |inner: Re| Re::Rounds(*least, *is_one, Box::new(inner));
                std::iter::once((**inner).clone()).chain(inner.smaller().into_iter().map(again)).collect()
            }
            Re::Some(v, inner) => {
                let again = |inner: Re| Re::Some(*v, Box::new(inner));
                std::iter::once((**inner).clone()).chain(inner.smaller().into_iter().map(again)).collect()
            }
        }
    }
}

/// All lists that runs have, and one more.
fn lists() -> Vec<Val> {
    let mut out = vec![vec![]];
    for n in 0..2 {
        out.push(vec![Val::Int(n)]);
        out.extend((0..2).map(|m| vec![Val::Int(n), Val::Int(m)]));
    }
    out.push(vec![Val::Int(2)]);
    out.into_iter().map(Val::List).collect()
}

// ---- the program

/// The question as the program reads it; none if it is refused.
fn asked(text: &str, by: AskedBy) -> Option<Asked> {
    let (sources, errors) = syntax::Sources::from_text("model.tw", text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (checked, problems) = model::check(&sources);
    assert!(problems.iter().all(|p| p.code.starts_with('W')), "{problems:?}\n{text}");
    let declared = checked.purposes.iter().find(|p| p.tree.name.name == "asked").expect("the purpose");
    match Asked::by(by, &checked, declared, (&[], declared.tree.span), None) {
        Ok(asked) => Some(asked),
        Err(NotAsked::Rejected(Rejected(problems))) => {
            // What is too large, or has several variables for all values, is refused; a variable without a type as well.
            let refused = ["E0202", "E0735", "E0736", "E1010"];
            assert!(problems.iter().any(|p| refused.contains(&p.code)), "{problems:?}\n{text}");
            None
        }
        Err(other) => panic!("{other:?}\n{text}"),
    }
}

fn of_program(value: &Val, definitions: &Definitions) -> Value {
    let all = |of: &[Val]| of.iter().map(|value| of_program(value, definitions)).collect::<Vec<_>>();
    match value {
        Val::Int(n) => Value::int(*n),
        Val::List(of) => Value::List(Arc::new(all(of))),
        Val::Made("None", _) => Value::Data(Definitions::OPTION, 0, [].into()),
        Val::Made("Some", of) => Value::Data(Definitions::OPTION, 1, all(of).into()),
        Val::Made(name, of) => {
            let named = |(ty, data): (usize, &tracewright::term::DataType)| {
                Some((ty, data.constructors.iter().position(|c| c.name == *name)?))
            };
            let (ty, constructor) = definitions.types.iter().enumerate().find_map(named).expect("a constructor");
            Value::Data(ty, constructor as u32, all(of).into())
        }
    }
}

/// What can be observed of a run.
fn observed(run: &[Event], asked: &Asked) -> Vec<Vec<Value>> {
    let names = &asked.lists.names;
    let steps = run.iter().enumerate().map(|(number, (gate, values))| {
        let (called, _) = GATES[*gate];
        let lists = names.entries.iter().enumerate().map(|(list, entry)| match entry.name.as_str() {
            "state" | "pre(state)" => names.member(list, 0),
            "fired" | "gate" => {
                let member = names.members(list).iter().position(|name| *name == called);
                names.member(list, member.expect("a gate"))
            }
            "clock" => Value::int(number + 1),
            name => {
                let params = ["o", "p", "n", "l", "b"];
                let own = entry.name.split_once('.').filter(|(gate, _)| *gate == called);
                let Some((_, param)) = own else { return Value::Absent };
                assert!(params.contains(&param), "{name}");
                of_program(&values[usize::from(param == "n")], &names.definitions)
            }
        });
        lists.collect()
    });
    steps.collect()
}

/// Whether the rules say that a run is as it is asked.
fn meets(asked: &Asked, run: &[Vec<Value>]) -> bool {
    let all: Vec<usize> = (0..asked.purpose.constraints.len()).collect();
    let monitor = asked.purpose.monitor(&all, None);
    let definitions = &asked.lists.names.definitions;
    let mut choices: Vec<Vec<Value>> = vec![vec![]];
    for ty in &monitor.open {
        let values: Vec<Value> = match ty {
            Type::Int { low: Some(Bound::Known(low)), high: Some(Bound::Known(high)) } => {
                (0..3i64).filter(|n| *low <= (*n).into() && *high >= (*n).into()).map(Value::int).collect()
            }
            Type::Int { .. } => (0..3i64).map(Value::int).collect(),
            Type::List(_) => lists().iter().map(|list| of_program(list, definitions)).collect(),
            other => panic!("{other:?}"),
        };
        choices = choices
            .iter()
            .flat_map(|known| values.iter().map(move |v| [&known[..], std::slice::from_ref(v)].concat()))
            .collect();
    }
    choices.iter().any(|open| {
        let known = Known { monitor: &monitor, definitions, open };
        let mut live = known.start().expect("no limit");
        for step in run {
            live = known.advance(&live, step).expect("no limit");
        }
        known.hold_at_stop(&live).expect("no limit")
    })
}

/// A run of which the program says something else than the definition.
fn disagreement(question: &Question, runs: &[Vec<Event>]) -> Option<(Vec<Event>, AskedBy)> {
    for by in [AskedBy::Search, AskedBy::Log] {
        let asked = asked(&question.text(), by)?;
        if let Some(run) = runs.iter().find(|run| meets(&asked, &observed(run, &asked)) != question.holds(run)) {
            return Some((run.clone(), by));
        }
    }
    None
}

#[test]
fn variables_inside_of_values_mean_what_they_say() {
    let (mut judged, mut mixed, mut searched) = (0, 0, 0);
    let questions = super::questions(60);
    for number in 0..questions {
        let seed = super::seed(4, number);
        let rng = &mut Rng::with_seed(seed);
        let mut question = Question::random(rng);
        let runs: Vec<Vec<Event>> = (0..24).map(|_| (0..rng.usize(1..5)).map(|_| event(rng)).collect()).collect();
        if let Some(mut found) = disagreement(&question, &runs) {
            let smaller =
                |q: &Question| q.smaller().into_iter().find_map(|q| disagreement(&q, &runs).map(|found| (q, found)));
            while let Some((smallest, run)) = smaller(&question) {
                (question, found) = (smallest, run);
            }
            let (run, by) = found;
            panic!(
                "seed {seed}: the definition says {} of {run:?} ({by:?})\n{}",
                question.holds(&run),
                question.text()
            );
        }
        let Some(asked) = asked(&question.text(), AskedBy::Search) else { continue };
        judged += 1;
        let met: Vec<&Vec<Event>> = runs.iter().filter(|run| question.holds(run)).collect();
        mixed += usize::from(!met.is_empty() && met.len() < runs.len());
        // A search finds what is known to be there, and nothing longer.
        if number % 24 == 0
            && let Some(shortest) = met.iter().map(|run| run.len()).min()
        {
            let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
            let mut options = Options::new(&solver);
            options.limits = options.limits.within(Some(std::time::Duration::from_secs(5)));
            let answered =
                answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
            match answered.answer {
                Answer::Found => {
                    let found = answered.cases[0].run.steps.len();
                    assert!(
                        found <= shortest || answered.is_optimal != Some(true),
                        "seed {seed}: {found} steps, {shortest} are enough\n{}",
                        question.text()
                    );
                }
                Answer::Impossible => panic!("seed {seed}: impossible, but {:?}\n{}", met[0], question.text()),
                _ => {}
            }
            searched += 1;
        }
    }
    println!("{questions} questions, {judged} judged, {mixed} that tell runs apart, {searched} searched");
    assert!(judged as u64 * 2 > questions, "{judged} of {questions}");
}

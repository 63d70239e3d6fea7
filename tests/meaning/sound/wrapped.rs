//! Renaming what is bound, so that it hides something or nothing, and putting something around a condition that changes
//! nothing, leaves every answer as it is.
//!
//! A condition is written several times; every text must say the same of runs of a random machine, and engines must answer the
//! same for all of them. What is compared is the program with itself, so that nothing here says what a condition means.

use tracewright::history::Known;
use tracewright::kernel::{Given, State};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Asked, Engine, Options, answer};
use tracewright::term::Value;
use tracewright::{model, syntax};

use super::machines::{Data, Machine, Switch};
use super::random::{Random, Scope, Ty};

/// Steps of the runs that are looked at.
const STEPS: usize = 3;
/// Runs for one question.
const RUNS: usize = 8;

/// A place for a condition.
struct Place {
    text: fn(&str, &str) -> String,
    /// Whether it is about states and variables alone.
    is_between_steps: bool,
}

const PLACES: [Place; 13] = [
    Place { text: |p, name| format!("purpose {name} for M {{ length <= 3  last({p}) }}"), is_between_steps: false },
    Place { text: |p, name| format!("purpose {name} for M {{ length <= 3  first({p}) }}"), is_between_steps: false },
    Place { text: |p, name| format!("purpose {name} for M {{ length <= 3  member({p}) }}"), is_between_steps: false },
    Place {
        text: |p, name| format!("purpose {name} for M {{ length <= 3  always({p})  clock == first(clock) }}"),
        is_between_steps: false,
    },
    Place {
        text: |p, name| format!("purpose {name} for M {{ length <= 3  follows({p}, gate == g0) }}"),
        is_between_steps: false,
    },
    Place {
        text: |p, name| format!("purpose {name}(par: Int = 1) for M {{ length <= 3  not member({p}) }}"),
        is_between_steps: false,
    },
    Place {
        text: |p, name| {
            format!(
                "purpose {name} for M {{ length <= 3  formula {{ eventually (NONE in (if {p} then [0] else [1])) }} }}"
            )
        },
        is_between_steps: false,
    },
    Place {
        text: |p, name| {
            format!(
                "purpose {name} for M {{ length <= 3  formula {{ some x in 0..1: always (NONE in (if {p} then [0] else [1]) || clock == x) }} }}"
            )
        },
        is_between_steps: false,
    },
    Place {
        text: |p, name| {
            format!(
                "rule r{name}(par: Int) {{ stop => holds  NONE in (if {p} then [0] else [1]) => r{name}(par + 1)  else => fails }} purpose {name} for M {{ length <= 3  r{name}(0) on v0 }}"
            )
        },
        is_between_steps: true,
    },
    Place { text: |p, name| format!("msc {name} for M {{ tick  when {p} }}"), is_between_steps: true },
    Place { text: |p, name| format!("pattern {name} for M {{ any*; when {p}; g0; any* }}"), is_between_steps: true },
    Place { text: |p, name| format!("property {name} for M {{ always {p} }}"), is_between_steps: false },
    Place {
        text: |p, name| format!("property {name} for M {{ after g0 called with {p} always {p} }}"),
        is_between_steps: true,
    },
];

/// Names that conditions of a place may use.
fn scope(place: usize, machine: &Machine) -> Scope {
    if place == RULE {
        return vec![("h".to_owned(), machine.vars[0].1.clone()), ("par".to_owned(), Ty::Int)];
    }
    let mut scope = machine.scope();
    if !PLACES[place].is_between_steps {
        let before: Vec<_> = scope.iter().map(|(name, ty)| (format!("pre({name})"), ty.clone())).collect();
        scope.extend(before);
        scope.push(("clock".to_owned(), Ty::Int));
        for gate in &machine.gates {
            scope.extend(gate.params.iter().map(|(param, ty)| (format!("{}.{param}", gate.name), ty.clone())));
        }
    }
    scope
}

/// The place in a rule.
const RULE: usize = 8;

/// The parts of a text: words and single characters.
fn parts(text: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    let mut is_word = false;
    for c in text.chars() {
        let belongs = c.is_ascii_alphanumeric() || c == '_';
        match out.last_mut() {
            Some(last) if belongs && is_word => last.push(c),
            _ => out.push(c.to_string()),
        }
        is_word = belongs;
    }
    out
}

/// The same condition, in which bound names are called as something else is called that is not meant there.
fn hiding(random: &mut Random, text: &str, machine: &Machine, place: usize) -> String {
    let mut parts = parts(text);
    let mut bound: Vec<String> = parts.iter().filter(|part| is_bound_name(part)).cloned().collect();
    bound.sort();
    bound.dedup();
    let lists: Vec<String> = ["clock", "fired", "gate", "g0", "L0", "t0", "count", "late"]
        .into_iter()
        .map(str::to_owned)
        .chain(machine.vars.iter().map(|(name, ..)| name.clone()))
        .collect();
    for name in bound {
        let places: Vec<usize> = (0..parts.len()).filter(|place| parts[*place] == name).collect();
        let before = |place: &usize| parts[..*place].iter().rev().find(|part| *part != " ").map(String::as_str);
        let may_hide_all =
            places.iter().any(|place| matches!(before(place), Some("let" | "exists" | "forall" | "for")));
        let mut candidates = lists.clone();
        if may_hide_all {
            candidates.extend(["par", "NONE", "p0", "h", "x"].map(str::to_owned));
        }
        let (first, last) = (places[0], places[places.len() - 1]);
        // Names of a match must be new wherever other names are bound.
        let (from, to) = if may_hide_all { around(&parts, first, last) } else { (0, parts.len()) };
        candidates.retain(|candidate| !parts[from..to].contains(candidate));
        if place == RULE && !may_hide_all {
            candidates.retain(|candidate| candidate != "h" && candidate != "par");
        }
        if candidates.is_empty() || random.rarely(5) {
            continue;
        }
        let new = random.one(&candidates).clone();
        places.iter().for_each(|place| parts[*place].clone_from(&new));
    }
    parts.concat()
}

fn is_bound_name(part: &str) -> bool {
    part.strip_prefix('b').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// The third pair of brackets around some parts.
fn around(parts: &[String], first: usize, last: usize) -> (usize, usize) {
    let mut open = vec![];
    let mut pairs = vec![];
    for (place, part) in parts.iter().enumerate() {
        match part.as_str() {
            "(" | "[" | "{" => open.push(place),
            ")" | "]" | "}" => pairs.push((open.pop().expect("an open bracket"), place)),
            _ => {}
        }
    }
    // Closed from the inside to the outside.
    let mut around = pairs.into_iter().filter(|(from, to)| *from < first && last < *to);
    around.nth(2).map_or((0, parts.len()), |(from, to)| (from, to + 1))
}

/// Something around a condition that changes nothing.
fn wrapped(random: &mut Random, p: &str, q: &str, names: [&str; 2]) -> String {
    let z = random.one(&names).to_string();
    match random.rng.usize(..9) {
        0 => format!("(match 0 {{ _ => {p} }})"),
        1 => format!("(let {z} = 0; {p})"),
        2 => format!("(if true then {p} else {q})"),
        3 => format!("(true in {{{p} for {z} in {{0}}}})"),
        4 => format!("(match 0 {{ {z} => {p} }})"),
        5 => format!("(exists {z} in {{0}}: {p})"),
        6 => format!("([{p} for {z} in [0]] == [true])"),
        7 => format!("(match Some(1) {{ Some({z}) if {z} == 2 => {q}, _ => {p} }})"),
        _ => format!("(!(forall {z} in 0..0: !{p}))"),
    }
}

/// A purpose of a text; none if the text is refused.
fn asked(text: &str, name: &str) -> Result<Asked, String> {
    let (sources, errors) = syntax::Sources::from_text("model.tw", text);
    if !errors.is_empty() {
        return Err(format!("{errors:?}"));
    }
    let (checked, problems) = model::check(&sources);
    let errors: Vec<_> = problems.iter().filter(|p| p.code.starts_with('E')).collect();
    if !errors.is_empty() {
        return Err(format!("{errors:?}"));
    }
    let declared = checked.purposes.iter().find(|p| p.tree.name.name == name).expect("the purpose");
    Asked::new(&checked, declared, &[], declared.tree.span, None).map_err(|error| format!("{error:?}"))
}

/// Random runs, as what can be observed of them.
fn runs(random: &mut Random, asked: &Asked) -> Vec<Vec<Vec<Value>>> {
    let system = &asked.system;
    let mut runs = vec![];
    for _ in 0..RUNS {
        let mut state: State = system.initial(&[]);
        let mut run = vec![];
        for clock in 1..=random.rng.usize(1..=STEPS) {
            let Ok(steps) = system.all_steps(&state, &Given::default(), None) else { break };
            if steps.is_empty() {
                break;
            }
            let step = random.one(&steps);
            run.push(asked.lists.observe(system, &state, step, clock));
            state = step.next.clone();
        }
        runs.push(run);
    }
    runs
}

/// Whether a run meets a purpose; none where a limit was hit.
fn meets(asked: &Asked, run: &[Vec<Value>]) -> Option<bool> {
    let all: Vec<usize> = (0..asked.purpose.constraints.len()).collect();
    let monitor = asked.purpose.monitor(&all, None);
    let mut met = false;
    for value in 0..2 {
        let open: Vec<Value> = monitor.open.iter().map(|_| Value::int(value)).collect();
        let known = Known { monitor: &monitor, definitions: &asked.lists.names.definitions, open: &open };
        let mut live = known.start().ok()?;
        for observed in run {
            live = known.advance(&live, observed).ok()?;
        }
        met |= known.hold_at_stop(&live).ok()?;
    }
    Some(met)
}

/// What an engine says, where it decides.
fn answered(asked: &Asked, engine: Engine) -> Option<Option<usize>> {
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let options = Options { engine, ..Options::new(&solver) };
    let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
    match answered.answer {
        Answer::Found => Some(Some(answered.cases[0].run.steps.len())),
        Answer::Impossible => Some(None),
        _ => None,
    }
}

/// The condition, and texts that mean the same.
fn texts(random: &mut Random, machine: &Machine, place: usize) -> Vec<String> {
    let scope = scope(place, machine);
    let depth = random.rng.usize(1..4);
    let expr = |random: &mut Random| format!("({})", random.expr(&Ty::Bool, &scope, depth));
    let p = expr(random);
    let q = expr(random);
    let hidden = hiding(random, &p, machine, place);
    let mut all = vec![p.clone(), hidden.clone()];
    for _ in 0..2 {
        all.push(wrapped(random, &p, &q, ["z", "lasts"]));
    }
    let once = wrapped(random, &p, &q, ["z", "lasts"]);
    all.push(wrapped(random, &once, "true", ["zz", "member"]));
    all.push(wrapped(random, &hidden, "false", ["zz", "before_all"]));
    all
}

#[test]
fn names_and_what_stands_around_a_condition_change_no_answer() {
    let (mut judged, mut mixed, mut searched) = (0, 0, 0);
    let questions = super::questions(60);
    for question in 0..questions {
        let seed = super::seed(3, question);
        let mut random = Random::new(seed);
        let mut machine = Machine::random(&mut random, Data::Small);
        // Something can always happen, so that runs differ.
        for (gate, source) in (0..machine.gates.len()).flat_map(|gate| (0..machine.locations).map(move |at| (gate, at)))
        {
            let target = random.rng.usize(..machine.locations);
            machine.switches.push(Switch { source, target, gate: Some(gate), guard: vec![], updates: vec![] });
        }
        let place = random.rng.usize(..PLACES.len());
        let texts = texts(&mut random, &machine, place);
        machine.declarations = random.declarations();
        let text = |condition: &String| format!("{}{}\n", machine.text(), (PLACES[place].text)(condition, "asked"));
        let first = text(&texts[0]);
        let Ok(plain) = asked(&first, "asked") else { continue };
        let runs = runs(&mut random, &plain);
        let meant: Vec<Option<bool>> = runs.iter().map(|run| meets(&plain, run)).collect();
        mixed += usize::from(meant.contains(&Some(true)) && meant.contains(&Some(false)));
        let engine = if question % 16 == 0 {
            Some(Engine::Explicit)
        } else if question % 64 == 1 {
            Some(Engine::Symbolic)
        } else {
            None
        };
        let engine = engine.filter(|_| !first.contains("property asked"));
        let expected = engine.map(|engine| answered(&plain, engine));
        for condition in &texts[1..] {
            let other = text(condition);
            let again = asked(&other, "asked")
                .unwrap_or_else(|error| panic!("seed {seed}: refused: {error}\n{first}\n{other}"));
            for (run, meant) in runs.iter().zip(&meant) {
                let now = meets(&again, run);
                let is_same = now.is_none() || meant.is_none() || now == *meant;
                assert!(is_same, "seed {seed}: {meant:?}, then {now:?}, of {run:?}\n{first}\n{other}");
            }
            if let (Some(engine), Some(Some(expected))) = (engine, expected)
                && let Some(now) = answered(&again, engine)
            {
                assert_eq!(expected, now, "seed {seed}, {engine:?}\n{first}\n{other}");
                searched += 1;
            }
            judged += 1;
        }
    }
    println!("{questions} questions, {judged} texts, {mixed} that tell runs apart, {searched} searched");
    assert!(judged as u64 > questions * 3, "{judged} of {questions}");
}

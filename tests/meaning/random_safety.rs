//! Properties of small random models, against brute force: whether the model has the property, which transitions can fire where it
//! speaks, and that what must fail is refused there, each by an interpretation that shares no code with the program.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::kernel::Run;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Engine, Options, Verdict, Wish, safety};
use tracewright::term::Value;

use crate::questions::asked;

/// A location and the value of the variable.
type At = (usize, i64);

#[derive(Clone, Debug)]
struct Switch {
    source: usize,
    target: usize,
    gate: usize,
    argument: Option<i64>,
    least: Option<i64>,
    /// A new value, or one more, which may be too much.
    update: Option<i64>,
    increases: bool,
    is_exceptional: bool,
}

/// A step: the switch, its argument, where it comes from and where it leads.
#[derive(Clone, Copy, Debug)]
struct Step {
    switch: usize,
    argument: i64,
    before: At,
    after: At,
}

#[derive(Clone, Copy, Debug)]
enum With {
    Anything,
    Argument(i64),
    Value(i64),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    gate: usize,
    kind: usize,
    with: With,
}

#[derive(Clone, Copy, Debug)]
enum Held {
    AtMost(i64),
    Enabled(usize, bool, With),
}

#[derive(Clone, Debug)]
struct Property {
    after: Option<Event>,
    before: Option<Event>,
    unless: Option<Event>,
    held: Held,
}

const GATES: [&str; 2] = ["a", "b"];
const KINDS: [&str; 4] = ["called", "normal", "exceptional", "terminates"];
const TOP: i64 = 2;

impl Switch {
    fn text(&self, number: usize) -> String {
        let mut guard: Vec<String> = self.argument.iter().map(|x| format!("x == {x}")).collect();
        guard.extend(self.least.map(|n| format!("v >= {n}")));
        let guard = if guard.is_empty() { String::new() } else { format!(" when {}", guard.join(" && ")) };
        let update = match (self.increases, self.update) {
            (true, _) => " do v := v + 1".to_owned(),
            (false, Some(n)) => format!(" do v := {n}"),
            (false, None) => String::new(),
        };
        let tag = if self.is_exceptional { " @exceptional" } else { "" };
        let (source, target, gate) = (self.source, self.target, GATES[self.gate]);
        format!("  L{source} -> L{target} : t{number} ?{gate}(x){guard}{update}{tag}\n")
    }

    fn takes(&self, at: At, x: i64) -> Option<At> {
        let v = if self.increases { at.1 + 1 } else { self.update.unwrap_or(at.1) };
        let fits = at.0 == self.source
            && self.argument.is_none_or(|argument| argument == x)
            && self.least.is_none_or(|least| at.1 >= least)
            && v <= TOP;
        fits.then_some((self.target, v))
    }
}

impl With {
    fn text(self) -> String {
        match self {
            With::Anything => String::new(),
            With::Argument(x) => format!(" with x == {x}"),
            With::Value(v) => format!(" with v == {v}"),
        }
    }

    fn holds(self, x: i64, v: i64) -> bool {
        match self {
            With::Anything => true,
            With::Argument(n) => n == x,
            With::Value(n) => n == v,
        }
    }
}

impl Event {
    fn text(self) -> String {
        format!("{} {}{}", GATES[self.gate], KINDS[self.kind], self.with.text())
    }

    fn happens(self, model: &[Switch], step: &Step) -> bool {
        let switch = &model[step.switch];
        let v = if self.kind == 0 { step.before.1 } else { step.after.1 };
        let ends = match self.kind {
            1 => !switch.is_exceptional,
            2 => switch.is_exceptional,
            _ => true,
        };
        switch.gate == self.gate && ends && self.with.holds(step.argument, v)
    }
}

impl Held {
    fn text(self) -> String {
        match self {
            Held::AtMost(n) => format!("always v <= {n}"),
            Held::Enabled(gate, is_enabled, with) => {
                let not = if is_enabled { "" } else { "not " };
                format!("always {} {not}enabled{}", GATES[gate], with.text())
            }
        }
    }

    /// Whether a step breaks it.
    fn is_broken(self, model: &[Switch], step: &Step) -> bool {
        match self {
            Held::AtMost(n) => step.after.1 > n,
            Held::Enabled(gate, is_enabled, with) => {
                let switch = &model[step.switch];
                let is_meant = switch.gate == gate && with.holds(step.argument, step.before.1);
                is_meant && switch.is_exceptional == is_enabled
            }
        }
    }
}

impl Property {
    fn text(&self) -> String {
        let after = self.after.map(|event| format!("after {} ", event.text())).unwrap_or_default();
        let before = self.before.map(|event| format!("before {} ", event.text())).unwrap_or_default();
        let unless = self.unless.map(|event| format!(" unless {}", event.text())).unwrap_or_default();
        format!("property p for M {{ {after}{before}{}{unless} }}\n", self.held.text())
    }
}

/// All steps from a place.
fn steps(model: &[Switch], before: At) -> Vec<Step> {
    let mut out = vec![];
    for (switch, described) in model.iter().enumerate() {
        for argument in 0..2 {
            if let Some(after) = described.takes(before, argument) {
                out.push(Step { switch, argument, before, after });
            }
        }
    }
    out
}

/// The fewest steps to each place together with how far the property is: before it speaks, while it does, after it was broken.
/// The second map has the fewest steps from where it speaks to each switch.
fn walked(model: &[Switch], property: &Property) -> (Option<usize>, BTreeMap<usize, usize>) {
    let start: (At, usize) = ((0, 0), usize::from(property.after.is_none()));
    let mut known: BTreeMap<(At, usize), usize> = BTreeMap::from([(start, 0)]);
    let mut queue = VecDeque::from([start]);
    let mut broken: Option<usize> = None;
    let happens = |event: &Option<Event>, step: &Step| event.is_some_and(|event| event.happens(model, step));
    while let Some((at, phase)) = queue.pop_front() {
        let depth = known[&(at, phase)] + 1;
        for step in steps(model, at) {
            // The state after the event that ends the part no longer belongs to it.
            let is_state = matches!(property.held, Held::AtMost(_));
            let ends = phase == 1 && is_state && happens(&property.unless, &step);
            let breaks = property.held.is_broken(model, &step) && !ends;
            let mut next = vec![];
            match phase {
                0 => {
                    next.push(0);
                    if happens(&property.after, &step) {
                        next.push(1);
                        // What is said of states is said of the one after the event, too.
                        if breaks && matches!(property.held, Held::AtMost(_)) {
                            next.push(2);
                        }
                    }
                }
                1 if breaks => next.push(2),
                1 if happens(&property.unless, &step) => {}
                1 => next.push(1),
                _ => {
                    next.push(2);
                    if happens(&property.before, &step) {
                        next.push(3);
                    }
                }
            }
            // A step that breaks it may also be passed by.
            if phase == 1 && breaks && !happens(&property.unless, &step) {
                next.push(1);
            }
            for phase in next {
                let is_end = if property.before.is_some() { phase == 3 } else { phase == 2 };
                if is_end {
                    broken = Some(broken.map_or(depth, |known| known.min(depth)));
                }
                known.entry((step.after, phase)).or_insert_with(|| {
                    queue.push_back((step.after, phase));
                    depth
                });
            }
        }
    }
    (broken, covered(model, property, &known))
}

/// The fewest steps to each switch that is no exception, from where the property speaks.
fn covered(model: &[Switch], property: &Property, known: &BTreeMap<(At, usize), usize>) -> BTreeMap<usize, usize> {
    let happens = |event: &Option<Event>, step: &Step| event.is_some_and(|event| event.happens(model, step));
    let opened: BTreeSet<At> = match &property.after {
        None => BTreeSet::from([(0, 0)]),
        Some(event) => {
            let before = known.keys().filter(|(_, phase)| *phase == 0).flat_map(|(at, _)| steps(model, *at));
            before.filter(|step| event.happens(model, step)).map(|step| step.after).collect()
        }
    };
    let mut depth: BTreeMap<At, usize> = opened.iter().map(|at| (*at, 0)).collect();
    let mut queue: VecDeque<At> = opened.into_iter().collect();
    let mut out: BTreeMap<usize, usize> = BTreeMap::new();
    while let Some(at) = queue.pop_front() {
        for step in steps(model, at) {
            let steps = depth[&at] + 1;
            if !model[step.switch].is_exceptional {
                out.entry(step.switch).and_modify(|known| *known = (*known).min(steps)).or_insert(steps);
            }
            if !happens(&property.unless, &step) {
                depth.entry(step.after).or_insert_with(|| {
                    queue.push_back(step.after);
                    steps
                });
            }
        }
    }
    out
}

/// The steps of a run, taken by this interpretation.
fn taken(model: &[Switch], run: &Run) -> Vec<Step> {
    let mut at: At = (0, 0);
    let mut out = vec![];
    for step in &run.steps {
        let Value::Int(argument) = &step.data[0] else { panic!("a number") };
        let argument = i64::try_from(argument).expect("small");
        let switch = step.fired[0].1.expect("a switch");
        let after = model[switch].takes(at, argument).expect("a step of the model");
        out.push(Step { switch, argument, before: at, after });
        at = after;
    }
    out
}

fn switches() -> impl Strategy<Value = Vec<Switch>> {
    let small = || prop::option::weighted(0.3, 0..2i64);
    let switch = (
        0..3usize,
        0..3usize,
        0..2usize,
        small(),
        small(),
        small(),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.25),
    )
        .prop_map(|(source, target, gate, argument, least, update, increases, is_exceptional)| Switch {
            source,
            target,
            gate,
            argument,
            least,
            update,
            increases,
            is_exceptional,
        });
    prop::collection::vec(switch, 2..7)
}

fn with() -> impl Strategy<Value = With> {
    prop_oneof![2 => Just(With::Anything), 1 => (0..2i64).prop_map(With::Argument), 1 => (0..=TOP).prop_map(With::Value)]
}

fn event() -> impl Strategy<Value = Event> {
    (0..2usize, 0..4usize, with()).prop_map(|(gate, kind, with)| Event { gate, kind, with })
}

fn property() -> impl Strategy<Value = Property> {
    let held = prop_oneof![
        1 => (0..TOP).prop_map(Held::AtMost),
        3 => (0..2usize, prop::bool::weighted(0.2), with()).prop_map(|(gate, is, with)| Held::Enabled(gate, is, with)),
    ];
    let scope = prop_oneof![
        3 => (prop::option::of(event()), prop::option::of(event())).prop_map(|(after, unless)| (after, None, unless)),
        1 => event().prop_map(|before| (None, Some(before), None)),
    ];
    (held, scope).prop_map(|(held, (after, before, unless))| Property { after, before, unless, held })
}

#[derive(Default, Debug)]
struct Mix {
    holds: usize,
    broken: usize,
    attempts: usize,
    impossible: usize,
}

#[test]
fn properties_and_brute_force_agree() {
    let cases = std::env::var("SAFETY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let mix = RefCell::new(Mix::default());
    let result = runner.run(&(switches(), property(), any::<bool>()), |(model, property, is_searched)| {
        let mut text =
            "sts M {\n  in a(x: 0..1), b(x: 0..1)\n  var v: 0..2 = 0\n  initial location L0\n  location L1, L2\n"
                .to_owned();
        model.iter().enumerate().for_each(|(number, switch)| text.push_str(&switch.text(number)));
        text.push_str("}\n");
        text.push_str(&property.text());
        let asked = asked(&text);
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        // With one engine no proof is looked for first.
        let engine = if is_searched { Engine::Symbolic } else { Engine::Auto };
        let options = Options { engine, ..Options::new(&solver) };
        let of_property = asked.purpose.property.clone().expect("a property");
        let (_, answered) = safety(&asked, &of_property, Wish::ONE, &options, &mut ()).expect("no disagreement");
        let found = answered.safety.as_ref().expect("about a property");
        let (broken, covered) = walked(&model, &property);
        let mut mix = mix.borrow_mut();
        match &found.verdict {
            Verdict::Holds(_) => {
                prop_assert_eq!(broken, None, "{}", text);
                mix.holds += 1;
            }
            Verdict::Broken => {
                let length = answered.cases[0].run.steps.len();
                prop_assert_eq!(broken, Some(length), "{}", text);
                let steps = taken(&model, &answered.cases[0].run);
                prop_assert!(steps.iter().any(|step| property.held.is_broken(&model, step)), "{}", text);
                mix.broken += 1;
                return Ok(());
            }
            Verdict::Unknown(reason) => prop_assert!(false, "{reason}\n{text}"),
        }
        for behaviour in &found.behaviours {
            let number: usize = behaviour.name.trim_start_matches('t').parse().expect("a number");
            match behaviour.answer {
                Answer::Found => {
                    let least = covered.get(&number).copied();
                    prop_assert!(least.is_some() && least <= behaviour.depth, "{} {:?}\n{}", number, least, text);
                }
                Answer::Impossible => {
                    prop_assert_eq!(covered.get(&number), None, "{} {}", number, text);
                    mix.impossible += 1;
                }
                other => prop_assert!(false, "{other:?}\n{text}"),
            }
        }
        for case in &answered.cases {
            let steps = taken(&model, &case.run);
            let Some(attempt) = &case.attempt else { continue };
            mix.attempts += 1;
            let at = attempt.after.checked_sub(1).map_or((0, 0), |last| steps[last].after);
            let Held::Enabled(gate, false, with) = property.held else { panic!("nothing is forbidden: {text}") };
            let Value::Int(argument) = &attempt.data[0] else { panic!("a number") };
            let argument = i64::try_from(argument).expect("small");
            prop_assert!(with.holds(argument, at.1), "{}", text);
            let mut takers = model.iter().filter(|switch| switch.gate == gate && switch.takes(at, argument).is_some());
            prop_assert!(!attempt.is_taken && takers.all(|switch| switch.is_exceptional), "{}", text);
            // The part that the property speaks of is open: it began, and has not ended.
            let before = &steps[..attempt.after];
            let opened = match &property.after {
                None => Some(0),
                Some(event) => before.iter().rposition(|step| event.happens(&model, step)).map(|place| place + 1),
            };
            let ends = |event: Event| {
                let first = match &property.after {
                    None => Some(0),
                    Some(after) => before.iter().position(|step| after.happens(&model, step)).map(|place| place + 1),
                };
                let last = opened.or(first).expect("it began");
                before[last..].iter().any(|step| event.happens(&model, step))
            };
            prop_assert!(opened.is_some() && !property.unless.is_some_and(ends), "{}\n{:?}", text, before);
        }
        Ok(())
    });
    let mix = mix.into_inner();
    eprintln!("{mix:?}");
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(mix.holds * 6 >= mix.broken && mix.attempts > 0 && mix.impossible > 0, "{mix:?}");
}

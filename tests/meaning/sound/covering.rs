//! L4. Suites of random models against brute force.
//!
//! Models are single machines, compositions at gates and lock-step systems, all small. A walk over the interpreter's steps says what
//! runs there are, or at least the shorter ones, each with what it covers by a reading of the items that is this file's own (the program's rules are asked
//! only for criteria of messages and inputs). From that follows what can be covered at all and how good a suite can be.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use fastrand::Rng;
use tracewright::confirm::Recheck;
use tracewright::history::{Known, Live};
use tracewright::kernel::{Given, State, Step, StepSystem, Style};
use tracewright::search::Limits;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Asked, CoverOptions, Engine, Minimise, Status, Suite, cover};
use tracewright::term::Value;

use crate::questions::asked;

/// Number of this law among the others.
const LAW: u64 = 23;
/// Most items that are compared with brute force.
const MOST_ITEMS: usize = 10;
/// Most states of a model with what is left to show.
const MOST_NODES: usize = 6_000;

// ---- questions

#[derive(Clone, Debug)]
struct Machine {
    name: String,
    is_component: bool,
    locations: usize,
    has_var: bool,
    /// Whether the variable counts without end.
    grows: bool,
    /// Whether it declares the gate that others share, also if it never takes part.
    has_shared: bool,
    /// Source, target, event with guard and effects, tag.
    transitions: Vec<(usize, usize, String, Option<usize>)>,
}

#[derive(Clone, Debug)]
struct Question {
    machines: Vec<Machine>,
    /// Instances: name and machine.
    instances: Vec<(String, usize)>,
    /// How they are put together; empty for a single machine.
    system: String,
    /// The gate of each instance that is hidden.
    hidden: Vec<Option<String>>,
    items: Vec<Asking>,
    criteria: Vec<String>,
    depth: Option<usize>,
    /// The time there is, in microseconds, if there is little.
    time: Option<u64>,
}

/// What a step shows.
#[derive(Clone, Debug)]
enum Atom {
    State(usize, usize),
    Before(usize, usize),
    Fired(usize, usize),
    Var(usize, usize),
}

/// An item that is written down: its reading is `Watch`.
#[derive(Clone, Debug)]
enum Asking {
    AtLeast(Vec<Atom>, u32),
    Lasts(Vec<Atom>, u32),
    Member(Vec<Atom>),
    Never(Vec<Atom>),
    Always(Vec<Atom>),
    First(Atom),
    Last(Atom),
    Before(Vec<Atom>, Vec<Atom>),
    Until(Vec<Atom>, Vec<Atom>),
}

fn one<'a, T>(rng: &mut Rng, of: &'a [T]) -> &'a T {
    &of[rng.usize(..of.len())]
}

impl Question {
    fn random(rng: &mut Rng) -> Question {
        let is_lockstep = rng.usize(..4) == 0;
        let count = if rng.usize(..6) == 0 { 1 } else { rng.usize(2..=3) };
        let machines: Vec<Machine> = (0..count)
            .map(|number| {
                let is_component = is_lockstep || count > 1 && rng.usize(..5) == 0;
                machine(rng, number, is_component)
            })
            .collect();
        let mut instances: Vec<(String, usize)> =
            machines.iter().enumerate().map(|(number, machine)| (machine.name.clone(), number)).collect();
        if count > 1 && rng.usize(..4) == 0 {
            let of = rng.usize(..count);
            let last = instances.len() - 1;
            instances[last] = ("D".to_owned(), of);
        }
        let (system, hidden) = match (count, is_lockstep) {
            (1, _) => (String::new(), vec![None]),
            (_, true) => (connected(rng, &instances), vec![None; count]),
            (_, false) => composed(rng, &instances, &machines),
        };
        let mut question =
            Question { machines, instances, system, hidden, items: vec![], criteria: vec![], depth: None, time: None };
        for _ in 0..rng.usize(..4) {
            let item = question.item(rng);
            question.items.push(item);
        }
        let mut names =
            vec!["states", "transitions", "pairs", "tags", "messages", "branches", "mcdc", "inputs", "event_flow"];
        let has_shared = |(_, machine): &(String, usize)| question.machines[*machine].has_shared;
        if question.instances.iter().any(has_shared) && !question.system.contains("hide { s }") {
            names.push("event_flow(s)");
        }
        let most = if question.items.is_empty() { 1 } else { 0 };
        for _ in 0..rng.usize(most..=2) {
            let name = one(rng, &names).to_string();
            let named = ["states", "transitions", "pairs", "branches", "mcdc"].contains(&name.as_str());
            let machine = one(rng, &question.instances).0.clone();
            let of_one = named && count > 1 && rng.bool();
            let name = if of_one { format!("{name}({machine})") } else { name };
            if !question.criteria.contains(&name) {
                question.criteria.push(name);
            }
        }
        question.depth = (rng.usize(..8) == 0).then(|| rng.usize(1..5));
        let grows = question.machines.iter().any(|machine| machine.grows);
        question.time = match () {
            () if grows => Some(rng.u64(1_000..200_000)),
            () => (rng.usize(..8) == 0).then(|| rng.u64(100..20_000)),
        };
        question
    }

    fn atom(&self, rng: &mut Rng) -> Atom {
        let at = rng.usize(..self.instances.len());
        let machine = &self.machines[self.instances[at].1];
        match rng.usize(..8) {
            0..=2 => Atom::State(at, rng.usize(..machine.locations)),
            3 => Atom::Before(at, rng.usize(..machine.locations)),
            4 | 5 if machine.has_var => Atom::Var(at, rng.usize(..if machine.grows { 4 } else { 2 })),
            _ if !machine.transitions.is_empty() => Atom::Fired(at, rng.usize(..machine.transitions.len())),
            _ => Atom::State(at, 0),
        }
    }

    fn atoms(&self, rng: &mut Rng) -> Vec<Atom> {
        let count = if rng.usize(..3) == 0 { 2 } else { 1 };
        (0..count).map(|_| self.atom(rng)).collect()
    }

    fn item(&self, rng: &mut Rng) -> Asking {
        match rng.usize(..9) {
            0 => Asking::AtLeast(self.atoms(rng), rng.u32(1..4)),
            1 => Asking::Lasts(self.atoms(rng), rng.u32(1..4)),
            2 => Asking::Never(self.atoms(rng)),
            3 => Asking::Always(self.atoms(rng)),
            4 => Asking::First(self.atom(rng)),
            5 => Asking::Last(self.atom(rng)),
            6 => Asking::Before(self.atoms(rng), self.atoms(rng)),
            7 => Asking::Until(self.atoms(rng), self.atoms(rng)),
            _ => Asking::Member(self.atoms(rng)),
        }
    }

    fn list(&self, atom: &Atom) -> (String, String) {
        let (at, what) = match atom {
            Atom::State(at, _) => (*at, "state"),
            Atom::Before(at, _) => (*at, "state"),
            Atom::Fired(at, _) => (*at, "fired"),
            Atom::Var(at, _) => (*at, "v"),
        };
        let (instance, machine) = &self.instances[at];
        let of = &self.machines[*machine].name;
        let list = if self.instances.len() == 1 { what.to_owned() } else { format!("{instance}.{what}") };
        match atom {
            Atom::State(_, state) => (list, format!("{of}{state}")),
            Atom::Before(_, state) => (format!("pre({list})"), format!("{of}{state}")),
            Atom::Fired(_, t) => (list, format!("t{t}")),
            Atom::Var(_, value) => (list, value.to_string()),
        }
    }

    fn condition(&self, atoms: &[Atom]) -> String {
        let text = |atom: &Atom| {
            let (list, value) = self.list(atom);
            format!("{list} == {value}")
        };
        atoms.iter().map(text).collect::<Vec<_>>().join(" && ")
    }

    fn line(&self, item: &Asking) -> String {
        let on = |atoms: &[Atom]| self.condition(atoms);
        let at = |word: &str, atom: &Atom| {
            let (list, value) = self.list(atom);
            format!("{word}({list}) == {value}")
        };
        match item {
            Asking::AtLeast(atoms, n) => format!("at_least({}, {n})", on(atoms)),
            Asking::Lasts(atoms, n) => format!("lasts({}, {n})", on(atoms)),
            Asking::Member(atoms) => format!("member({})", on(atoms)),
            Asking::Never(atoms) => format!("never({})", on(atoms)),
            Asking::Always(atoms) => format!("always({})", on(atoms)),
            Asking::First(atom) => at("first", atom),
            Asking::Last(atom) => at("last", atom),
            Asking::Before(x, y) => format!("before({}, {})", on(x), on(y)),
            Asking::Until(x, y) => format!("until({}, {})", on(x), on(y)),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for machine in &self.machines {
            machine.write(&mut out);
        }
        let model = if self.system.is_empty() { &self.machines[0].name } else { "S" };
        out.push_str(&self.system);
        out.push_str(&format!("\nitems k for {model} {{\n"));
        for (number, item) in self.items.iter().enumerate() {
            out.push_str(&format!("  i{number}: {}\n", self.line(item)));
        }
        for criterion in &self.criteria {
            out.push_str(&format!("  cover {criterion}\n"));
        }
        out.push_str("}\n");
        out
    }

    /// Questions that are a little smaller.
    fn smaller(&self) -> Vec<Question> {
        let mut out = vec![];
        let mut change = |f: &dyn Fn(&mut Question)| {
            let mut changed = self.clone();
            f(&mut changed);
            out.push(changed);
        };
        (0..self.items.len()).for_each(|place| change(&|question| drop(question.items.remove(place))));
        (0..self.criteria.len()).for_each(|place| change(&|question| drop(question.criteria.remove(place))));
        for number in 0..self.machines.len() {
            // Transitions are known by their numbers: only the last one can go.
            let count = self.machines[number].transitions.len();
            let is_used =
                |atom: &Atom| matches!(atom, Atom::Fired(at, t) if self.instances[*at].1 == number && *t + 1 == count);
            if count > 0 && !self.items.iter().flat_map(Asking::atoms).any(is_used) {
                change(&|question| drop(question.machines[number].transitions.pop()));
            }
        }
        if self.depth.is_some() {
            change(&|question| question.depth = None);
        }
        if self.time.is_some() && !self.machines.iter().any(|machine| machine.grows) {
            change(&|question| question.time = None);
        }
        out.retain(|question| !(question.items.is_empty() && question.criteria.is_empty()));
        out
    }
}

impl Asking {
    fn atoms(&self) -> Vec<&Atom> {
        match self {
            Asking::AtLeast(atoms, _) | Asking::Lasts(atoms, _) => atoms.iter().collect(),
            Asking::Member(atoms) | Asking::Never(atoms) | Asking::Always(atoms) => atoms.iter().collect(),
            Asking::First(atom) | Asking::Last(atom) => vec![atom],
            Asking::Before(x, y) | Asking::Until(x, y) => x.iter().chain(y).collect(),
        }
    }
}

fn machine(rng: &mut Rng, number: usize, is_component: bool) -> Machine {
    let name = ["A", "B", "C"][number].to_owned();
    let locations = rng.usize(1..=3);
    let has_var = rng.bool();
    let grows = has_var && rng.usize(..8) == 0;
    let own = name.to_lowercase();
    let mut transitions = vec![];
    let least = usize::from(rng.usize(..8) > 0);
    for _ in 0..rng.usize(least..=4) {
        let (source, target) = (rng.usize(..locations), rng.usize(..locations));
        let (mut guard, mut effects): (Vec<String>, Vec<String>) = (vec![], vec![]);
        let event = if is_component {
            match rng.usize(..6) {
                0 => guard.push("i?0".to_owned()),
                1 => guard.push("i?1".to_owned()),
                2 => guard.push("i?absent".to_owned()),
                3 => guard.push("i?_".to_owned()),
                _ => {}
            }
            if rng.usize(..3) == 0 {
                effects.push(format!("o!{}", rng.usize(..2)));
            }
            String::new()
        } else {
            match rng.usize(..10) {
                0..=3 => format!("?{own}0"),
                4 | 5 => {
                    if rng.bool() {
                        guard.push(format!("x == {}", rng.usize(..2)));
                    }
                    if has_var && rng.bool() {
                        effects.push("v := x".to_owned());
                    }
                    format!("?{own}1(x)")
                }
                6..=8 => "?s".to_owned(),
                _ => "tau".to_owned(),
            }
        };
        if has_var && rng.usize(..3) == 0 {
            guard.push(format!("v == {}", rng.usize(..2)));
        }
        if has_var && effects.iter().all(|effect| !effect.starts_with('v')) && rng.bool() {
            effects.push(if grows { "v := v + 1" } else { "v := 1 - v" }.to_owned());
        }
        let mut text = event;
        if !guard.is_empty() {
            text.push_str(&format!(" when {}", guard.join(" && ")));
        }
        if !effects.is_empty() {
            text.push_str(&format!(" do {}", effects.join(", ")));
        }
        let tag = (rng.usize(..3) == 0).then(|| rng.usize(..3));
        transitions.push((source, target, text, tag));
    }
    // A gate that is declared blocks others, so who does not use it seldom has it.
    let uses_shared = transitions.iter().any(|(_, _, text, _)| text.starts_with("?s"));
    let has_shared = !is_component && (uses_shared || rng.usize(..6) == 0);
    Machine { name, is_component, locations, has_var, grows, has_shared, transitions }
}

impl Machine {
    /// The conditions of a guard, as they are written.
    fn guard(&self, transition: usize) -> Vec<&str> {
        let guard = self.transitions[transition].2.split(" when ").nth(1);
        let guard = guard.and_then(|guard| guard.split(" do ").next());
        guard.map_or(vec![], |guard| guard.split(" && ").collect())
    }

    /// Its gate with data; for a component, its steps.
    fn data_gate(&self) -> String {
        if self.is_component { "tick".to_owned() } else { format!("{}1", self.name.to_lowercase()) }
    }

    fn write(&self, out: &mut String) {
        let (name, own) = (&self.name, self.name.to_lowercase());
        let word = if self.is_component { "state" } else { "location" };
        match self.is_component {
            true => out.push_str(&format!("component {name} {{\n  in i: 0..1\n  out o: 0..1\n")),
            false => {
                out.push_str(&format!("sts {name} {{\n  in {own}0(), {own}1(x: 0..1)"));
                out.push_str(if self.has_shared { ", s()\n" } else { "\n" });
            }
        }
        if self.has_var {
            out.push_str(if self.grows { "  var v: Int = 0\n" } else { "  var v: 0..1 = 0\n" });
        }
        out.push_str(&format!("  initial {word} {name}0\n"));
        (1..self.locations).for_each(|number| out.push_str(&format!("  {word} {name}{number}\n")));
        for (number, (source, target, text, tag)) in self.transitions.iter().enumerate() {
            let tag = tag.map_or(String::new(), |tag| format!(" @r{tag}"));
            out.push_str(&format!("  {name}{source} -> {name}{target} : t{number} {text}{tag}\n"));
        }
        out.push_str("}\n");
    }
}

/// A composition at gates, and the gate of each instance that is hidden.
fn composed(rng: &mut Rng, instances: &[(String, usize)], machines: &[Machine]) -> (String, Vec<Option<String>>) {
    let mut text = String::new();
    let mut hidden = vec![];
    let mut has_tick = false;
    for (number, (name, machine)) in instances.iter().enumerate() {
        let machine = &machines[*machine];
        let mut process = if *name == machine.name { name.clone() } else { format!("{name}: {}", machine.name) };
        let hides = match machine.is_component {
            true => rng.bool().then(|| machine.data_gate()),
            false => (rng.usize(..6) == 0).then(|| format!("{}{}", machine.name.to_lowercase(), rng.usize(..2))),
        };
        if let Some(gate) = &hides {
            process = format!("({process} hide {{ {gate} }})");
        }
        // Two that tick cannot meet in a handshake.
        let ticks = machine.is_component && hides.is_none();
        text = match (number, rng.usize(..3)) {
            (0, _) => process,
            (_, 0) => format!("({text} ||| {process})"),
            _ if ticks && has_tick => format!("({text} ||| {process})"),
            _ => format!("({text} || {process})"),
        };
        has_tick |= ticks;
        hidden.push(hides);
    }
    if instances.iter().any(|(_, machine)| machines[*machine].has_shared) && rng.usize(..6) == 0 {
        text = format!("{text} hide {{ s }}");
    }
    (format!("system S = {text}\n"), hidden)
}

/// A lock-step system.
fn connected(rng: &mut Rng, instances: &[(String, usize)]) -> String {
    let mut text = "system S {\n".to_owned();
    for (name, machine) in instances {
        text.push_str(&format!("  {name}: {}\n", ["A", "B", "C"][*machine]));
    }
    let mut free: Vec<usize> = (0..instances.len()).collect();
    for (number, (name, _)) in instances.iter().enumerate() {
        match rng.usize(..3) {
            // From another one, as long as that one is read by nobody else.
            0 if free.iter().any(|of| *of != number) => {
                let of = *free.iter().find(|of| **of != number).expect("one is free");
                free.retain(|other| *other != of);
                text.push_str(&format!("  {}.o -> {name}.i\n", instances[of].0));
            }
            _ => text.push_str(&format!("  in j{number} -> {name}.i\n")),
        }
    }
    for of in free {
        text.push_str(&format!("  {}.o -> out o{of}\n", instances[of].0));
    }
    text.push_str("}\n");
    text
}

// ---- what a run covers

/// A step as it is read: what each machine fired, states before and after, variables after.
struct Read<'a> {
    before: &'a State,
    step: &'a Step,
}

/// How an item is read along a run: a number says how far it is.
enum Watch {
    /// One of these fires.
    Fires(Vec<(usize, usize)>),
    /// A machine is in a state, also before the first step, and in a run without steps.
    Visit(usize, u32),
    /// A machine fires these, one after the other.
    Turn(usize, Vec<usize>),
    Asked(Asking, Vec<(usize, Option<usize>)>),
    /// A guard, or a condition of it that decides it.
    Guard(Guarded),
    /// By the rules of the program.
    Library(usize),
}

/// An item of a guard.
struct Guarded {
    machine: usize,
    source: u32,
    conditions: Vec<Condition>,
    /// The condition that decides it, if it is about one.
    of: Option<usize>,
    truth: bool,
}

/// A condition of a guard.
enum Condition {
    /// A variable has a value.
    Var(usize, usize),
    /// A value came at the gate with data: one of these transitions took it.
    Data(Vec<usize>, usize),
    /// What came to a component, and the pattern it is to fit.
    Message(Port, String),
}

/// Where the messages to a component are.
#[derive(Clone, Copy)]
enum Port {
    Input(usize),
    Channel(usize),
}

impl Guarded {
    fn is_covered(&self, read: &Read<'_>) -> bool {
        let values: Option<Vec<bool>> = self.conditions.iter().map(|one| self.value(one, read)).collect();
        let (true, Some(values)) = (read.before.control[self.machine] == self.source, values) else { return false };
        match self.of {
            None => values.iter().all(|value| *value) == self.truth,
            // It is evaluated if all before it hold, and decides if all after it do, too.
            Some(of) => {
                let decides = !self.truth || values[of + 1..].iter().all(|value| *value);
                values[..of].iter().all(|value| *value) && values[of] == self.truth && decides
            }
        }
    }

    /// Whether a condition holds; nothing if what it looks at is not there for the machine.
    fn value(&self, condition: &Condition, read: &Read<'_>) -> Option<bool> {
        let Read { before, step } = read;
        match condition {
            Condition::Var(slot, value) => Some(before.values[*slot] == Value::int(*value)),
            Condition::Data(transitions, value) => {
                let taken = fired(step, self.machine).filter(|t| transitions.contains(t));
                taken.map(|_| step.data[0] == Value::int(*value))
            }
            Condition::Message(port, pattern) => {
                step.fired.iter().find(|(machine, _)| *machine == self.machine)?;
                let message = match port {
                    Port::Input(place) => &step.data[*place],
                    Port::Channel(slot) => &before.values[*slot],
                };
                Some(match pattern.as_str() {
                    "absent" => *message == Value::Absent,
                    "_" => *message != Value::Absent,
                    value => *message == Value::int(value.parse::<usize>().expect("a number")),
                })
            }
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum At {
    Number(u32),
    Live(Live<Value>),
}

const DONE: u32 = u32::MAX;
const FAILED: u32 = u32::MAX - 1;

struct Reading<'a> {
    asked: &'a Asked,
    watches: Vec<Watch>,
    known: Known<'a>,
}

fn fired(step: &Step, machine: usize) -> Option<usize> {
    step.fired.iter().find(|(m, _)| *m == machine).and_then(|(_, t)| *t)
}

impl Reading<'_> {
    fn start(&self) -> Vec<At> {
        let at = |watch: &Watch| match watch {
            Watch::Library(item) => {
                At::Live(self.known.start_of(&self.known.monitor.start[*item]).expect("a small rule"))
            }
            // A run that has not begun yet is in the initial state.
            Watch::Visit(m, state) if self.asked.system.machines[*m].initial == *state => At::Number(DONE),
            _ => At::Number(0),
        };
        self.watches.iter().map(at).collect()
    }

    fn next(&self, at: &[At], read: &Read<'_>) -> Vec<At> {
        let observed = || self.asked.lists.observe(&self.asked.system, read.before, read.step, 1);
        let mut elements: Option<Vec<Value>> = None;
        let mut next = vec![];
        for (watch, at) in self.watches.iter().zip(at) {
            next.push(match at {
                At::Number(at) => At::Number(watch.next(*at, read)),
                At::Live(live) => {
                    let elements = elements.get_or_insert_with(observed);
                    let live = self.known.advance(std::slice::from_ref(live), elements).expect("a small rule");
                    At::Live(live.into_iter().next().expect("one for one"))
                }
            });
        }
        next
    }

    /// The items that a run covers that ends here.
    fn covered(&self, at: &[At]) -> u32 {
        let mut all = 0;
        for (number, (watch, at)) in self.watches.iter().zip(at).enumerate() {
            let holds = match at {
                At::Number(at) => watch.holds(*at),
                At::Live(live) => self.known.hold_at_stop(std::slice::from_ref(live)).expect("a small rule"),
            };
            all |= u32::from(holds) << number;
        }
        all
    }
}

impl Watch {
    fn next(&self, at: u32, read: &Read<'_>) -> u32 {
        if at == DONE || at == FAILED {
            // What is decided stays so, but for what looks at the last step.
            if !matches!(self, Watch::Asked(Asking::Last(_), _)) {
                return at;
            }
        }
        let done = |is_done: bool, at: u32| if is_done { DONE } else { at };
        match self {
            Watch::Fires(any) => done(any.iter().any(|(m, t)| fired(read.step, *m) == Some(*t)), 0),
            Watch::Visit(m, state) => done(read.step.next.control[*m] == *state, 0),
            Watch::Turn(m, wanted) => {
                let Some(t) = fired(read.step, *m) else { return at };
                // The last ones that fired, as digits.
                let digit = |place: usize| 16u32.pow(place as u32);
                let last = (at * 16 + t as u32 + 1) % digit(wanted.len());
                let all = wanted.iter().fold(0, |all, t| all * 16 + *t as u32 + 1);
                done(last == all, last % digit(wanted.len()))
            }
            Watch::Guard(guarded) => done(guarded.is_covered(read), 0),
            Watch::Asked(asking, slots) => asking.next(at, &|atoms: &[Atom]| {
                atoms.iter().all(|atom| match atom {
                    Atom::State(at, state) => read.step.next.control[slots[*at].0] as usize == *state,
                    Atom::Before(at, state) => read.before.control[slots[*at].0] as usize == *state,
                    Atom::Fired(at, t) => fired(read.step, slots[*at].0) == Some(*t),
                    Atom::Var(at, value) => {
                        let slot = slots[*at].1.expect("a variable");
                        read.step.next.values[slot] == Value::int(*value)
                    }
                })
            }),
            Watch::Library(_) => unreachable!("rules have their own state"),
        }
    }

    fn holds(&self, at: u32) -> bool {
        match self {
            // What nothing has broken holds at the end.
            Watch::Asked(Asking::Never(_) | Asking::Always(_), _) => at != FAILED,
            _ => at == DONE,
        }
    }
}

impl Asking {
    fn next(&self, at: u32, is: &dyn Fn(&[Atom]) -> bool) -> u32 {
        match self {
            Asking::Member(atoms) => {
                if is(atoms) {
                    DONE
                } else {
                    0
                }
            }
            Asking::AtLeast(atoms, n) => match at + u32::from(is(atoms)) {
                count if count >= *n => DONE,
                count => count,
            },
            Asking::Lasts(atoms, n) => match if is(atoms) { at + 1 } else { 0 } {
                count if count >= *n => DONE,
                count => count,
            },
            Asking::Never(atoms) => {
                if is(atoms) {
                    FAILED
                } else {
                    0
                }
            }
            Asking::Always(atoms) => {
                if is(atoms) {
                    0
                } else {
                    FAILED
                }
            }
            Asking::First(atom) => {
                if is(std::slice::from_ref(atom)) {
                    DONE
                } else {
                    FAILED
                }
            }
            Asking::Last(atom) => {
                if is(std::slice::from_ref(atom)) {
                    DONE
                } else {
                    0
                }
            }
            // `x` has occurred: 1.
            Asking::Before(x, y) => match at {
                0 if is(x) => 1,
                0 if is(y) => FAILED,
                1 if is(y) => DONE,
                at => at,
            },
            Asking::Until(x, y) => match () {
                () if is(y) => DONE,
                () if is(x) => 0,
                () => FAILED,
            },
        }
    }
}

/// How every item is read.
fn watches(question: &Question, asked: &Asked) -> Vec<Watch> {
    let system = &asked.system;
    let place = |name: &str| system.machines.iter().position(|machine| machine.name == name).expect("a machine");
    let slots: Vec<(usize, Option<usize>)> = (question.instances.iter())
        .map(|(name, _)| {
            let alone = question.instances.len() == 1;
            let var = if alone { "v".to_owned() } else { format!("{name}.v") };
            (if alone { 0 } else { place(name) }, system.slots.iter().position(|slot| slot.name == var))
        })
        .collect();
    let read = |(number, constraint): (usize, &tracewright::history::Constraint)| {
        if let Some(label) = &constraint.label {
            let place: usize = label[1..].parse().expect("labels have numbers");
            return Watch::Asked(question.items[place].clone(), slots.clone());
        }
        let name = constraint.item.as_ref().expect("an item of a criterion");
        guard_item(question, system, &slots, name)
            .or_else(|| criterion_item(system, name))
            .unwrap_or(Watch::Library(number))
    };
    asked.purpose.constraints.iter().enumerate().map(read).collect()
}

/// Where the messages of a component of the question are.
fn port(question: &Question, system: &StepSystem, instance: usize) -> Port {
    let end = format!(" -> {}.i", question.instances[instance].0);
    let Some(from) = question.system.lines().find_map(|line| line.strip_suffix(end.as_str())) else {
        return Port::Input(0);
    };
    match from.trim().strip_prefix("in ") {
        Some(input) => {
            let place = system.ticks[0].inputs.iter().position(|(name, _, _)| name == input);
            Port::Input(place.expect("an input"))
        }
        None => Port::Channel(system.slots.iter().position(|slot| slot.name == from.trim()).expect("a channel")),
    }
}

/// Guards and their conditions by their names: `A.t0 true`, `A.t0: v == 1 false`.
fn guard_item(question: &Question, system: &StepSystem, slots: &[(usize, Option<usize>)], name: &str) -> Option<Watch> {
    let (about, truth) = [(" true", true), (" false", false)]
        .into_iter()
        .find_map(|(end, truth)| Some((name.strip_suffix(end)?, truth)))?;
    for (instance, (of, machine)) in question.instances.iter().enumerate() {
        let machine = &question.machines[*machine];
        let prefix = if question.instances.len() == 1 { String::new() } else { format!("{of}.") };
        let Some(rest) = about.strip_prefix(prefix.as_str()) else { continue };
        let (transition, text) = rest.split_once(": ").map_or((rest, None), |(t, text)| (t, Some(text)));
        let Some(t) = transition.strip_prefix('t').and_then(|t| t.parse::<usize>().ok()) else { continue };
        let guard = machine.guard(t);
        let takes_data = format!("?{}(", machine.data_gate());
        let with_data = || -> Vec<usize> {
            let taking = |t: &usize| machine.transitions[*t].2.starts_with(&takes_data);
            (0..machine.transitions.len()).filter(taking).collect()
        };
        let read = |text: &&str| match (text.split_once(" == "), text.strip_prefix("i?")) {
            (Some(("v", value)), _) => {
                Condition::Var(slots[instance].1.expect("a variable"), value.parse().expect("a number"))
            }
            (Some((_, value)), _) => Condition::Data(with_data(), value.parse().expect("a number")),
            (None, pattern) => {
                Condition::Message(port(question, system, instance), pattern.expect("a pattern").to_owned())
            }
        };
        return Some(Watch::Guard(Guarded {
            machine: slots[instance].0,
            source: machine.transitions[t].0 as u32,
            conditions: guard.iter().map(read).collect(),
            of: text.map(|text| guard.iter().position(|one| *one == text).expect("a condition")),
            truth,
        }));
    }
    None
}

/// An item of a guard that is missing, or that looks at what is hidden.
fn wrong_guard(question: &Question, asked: &Asked) -> Option<String> {
    let names: Vec<&String> = asked.purpose.constraints.iter().filter_map(|one| one.item.as_ref()).collect();
    for (instance, (of, machine)) in question.instances.iter().enumerate() {
        let machine = &question.machines[*machine];
        let prefix = if question.instances.len() == 1 { String::new() } else { format!("{of}.") };
        let asks = |what: &str| question.criteria.iter().any(|c| *c == what || *c == format!("{what}({of})"));
        for t in 0..machine.transitions.len() {
            let guard = machine.guard(t);
            let looks = |text: &&str| text.starts_with("i?") || text.starts_with("x ==");
            let is_hidden = question.hidden[instance] == Some(machine.data_gate()) && guard.iter().any(looks);
            let whole = (asks("branches") && !guard.is_empty()).then(|| format!("{prefix}t{t}"));
            let parts = guard.iter().filter(|_| asks("mcdc")).map(|text| format!("{prefix}t{t}: {text}"));
            for name in whole.into_iter().chain(parts) {
                for name in [format!("{name} true"), format!("{name} false")] {
                    if names.contains(&&name) == is_hidden {
                        return Some(name);
                    }
                }
            }
        }
    }
    None
}

/// States, transitions, pairs and tags by their names.
fn criterion_item(system: &StepSystem, name: &str) -> Option<Watch> {
    for (m, machine) in system.machines.iter().enumerate() {
        let prefix = if system.machines.len() == 1 { String::new() } else { format!("{}.", machine.name) };
        let Some(rest) = name.strip_prefix(prefix.as_str()) else { continue };
        let named = |name: &str| machine.transitions.iter().position(|t| t.name == name);
        if let Some(t) = named(rest) {
            return Some(Watch::Fires(vec![(m, t)]));
        }
        if let Some(state) = machine.states.iter().position(|state| state == rest) {
            return Some(Watch::Visit(m, state as u32));
        }
        if let Some(pair) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            let wanted: Option<Vec<usize>> = pair.split(',').map(named).collect();
            return Some(Watch::Turn(m, wanted?));
        }
    }
    let mut with = vec![];
    for (m, machine) in system.machines.iter().enumerate() {
        let tagged = machine.transitions.iter().enumerate().filter(|(_, t)| t.tags.iter().any(|tag| tag == name));
        with.extend(tagged.map(|(t, _)| (m, t)));
    }
    (!with.is_empty()).then_some(Watch::Fires(with))
}

// ---- all runs

/// What runs cover.
struct Runs {
    /// All that runs of any length cover, as far as they were looked at.
    all: u32,
    /// The least steps of a run that covers just these items, for sets of items that runs of the lengths asked for cover.
    least: BTreeMap<u32, usize>,
    /// Whether these are all runs; otherwise only the shorter ones.
    is_all: bool,
}

fn walked(reading: &Reading<'_>, depth: Option<usize>) -> Runs {
    let system = &reading.asked.system;
    let first = (system.initial(&[]), reading.start());
    let mut far = HashMap::from([(first.clone(), 0usize)]);
    let mut queue = VecDeque::from([first]);
    let (mut all, mut least) = (0, BTreeMap::new());
    while let Some(node) = queue.pop_front() {
        let steps = far[&node];
        let covered = reading.covered(&node.1);
        all |= covered;
        if depth.is_none_or(|depth| steps <= depth) {
            least.entry(covered).or_insert(steps);
        }
        for step in system.all_steps(&node.0, &Given::default(), None).expect("few values") {
            let after = reading.next(&node.1, &Read { before: &node.0, step: &step });
            let next = (step.next.clone(), after);
            if !far.contains_key(&next) {
                far.insert(next.clone(), steps + 1);
                queue.push_back(next);
            }
        }
        if far.len() > MOST_NODES {
            return Runs { all, least, is_all: false };
        }
    }
    Runs { all, least, is_all: true }
}

/// The least steps of suites that cover some items, by the most sequences they may have.
fn best(runs: &BTreeMap<u32, usize>, wanted: u32, most: usize) -> Vec<Option<usize>> {
    let mut least: BTreeMap<u32, usize> = BTreeMap::new();
    for (covered, steps) in runs {
        let known = least.entry(covered & wanted).or_insert(*steps);
        *known = (*known).min(*steps);
    }
    let mut by_set: BTreeMap<u32, usize> = BTreeMap::from([(0, 0)]);
    let mut out = vec![by_set.get(&wanted).copied()];
    for _ in 0..most {
        let mut next = by_set.clone();
        for (covered, steps) in &by_set {
            for (more, length) in &least {
                let known = next.entry(covered | more).or_insert(usize::MAX);
                *known = (*known).min(steps + length);
            }
        }
        by_set = next;
        out.push(by_set.get(&wanted).copied());
    }
    out
}

// ---- the law

#[derive(Default)]
struct Mix {
    asked: usize,
    suites: usize,
    optimal: usize,
    several: usize,
    impossible: usize,
    unknown: usize,
    composed: usize,
}

fn suite(asked: &Asked, engine: Engine, minimise: Minimise, question: &Question) -> Result<Suite, String> {
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let limits = Limits { depth: question.depth, ..Limits::default() };
    let limits = limits.within(question.time.map(Duration::from_micros));
    let options =
        CoverOptions { minimise, seed: 0, engine, limits, solver: &solver, threads: 1, recheck: Recheck::Never };
    cover(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).map_err(|error| error.to_string())
}

/// What is wrong with the answers to a question; nothing if they are right, or there is too much to look at.
fn judged(question: &Question, mix: &mut Mix) -> Result<(), String> {
    let asked = asked(&question.text());
    if let Some(name) = wrong_guard(question, &asked) {
        return Err(format!("the item {name}"));
    }
    let count = asked.purpose.constraints.len();
    if count == 0 || count > MOST_ITEMS {
        return Ok(());
    }
    let monitor = asked.purpose.monitor(&(0..count).collect::<Vec<_>>(), None);
    let known = Known { monitor: &monitor, definitions: &asked.lists.names.definitions, open: &[] };
    let reading = Reading { asked: &asked, watches: watches(question, &asked), known };
    let Runs { all, least: runs, is_all } = walked(&reading, question.depth);
    let within = runs.keys().fold(0, |all, covered| all | covered);
    mix.asked += 1;
    mix.composed += usize::from(asked.system.style == Style::Gates && asked.system.machines.len() > 1);
    for (engine, minimise) in [
        (Engine::Auto, Minimise::Sequences),
        (Engine::Auto, Minimise::Steps),
        (Engine::Symbolic, Minimise::Sequences),
        (Engine::Symbolic, Minimise::Steps),
    ] {
        let wrong = |what: String| Err(format!("{engine:?}, {minimise:?}: {what}"));
        let suite = match suite(&asked, engine, minimise, question) {
            Ok(suite) => suite,
            Err(error) => return wrong(error),
        };
        mix.suites += 1;
        let mut together = 0;
        // Where the walk was too short, the suite may know better.
        let mut runs = runs.clone();
        for sequence in &suite.sequences {
            let mut state = asked.system.initial(&[]);
            let mut at = reading.start();
            for step in &sequence.run.steps {
                at = reading.next(&at, &Read { before: &state, step });
                state = step.next.clone();
            }
            let covered = reading.covered(&at);
            let claimed = sequence.covers.iter().fold(0, |all, (item, _)| all | 1u32 << item);
            if claimed != covered {
                return wrong(format!("a sequence is said to cover {claimed:b}, and covers {covered:b}"));
            }
            if question.depth.is_some_and(|depth| sequence.run.steps.len() > depth) {
                return wrong("a sequence is too long".to_owned());
            }
            together |= covered;
            let length = sequence.run.steps.len();
            let known = runs.entry(covered).or_insert(length);
            if is_all && *known > length {
                return wrong("a sequence is shorter than any run".to_owned());
            }
            *known = length.min(*known);
        }
        for (item, status) in suite.items.iter().enumerate() {
            let is = |set: u32| set >> item & 1 == 1;
            let fits = match status {
                Status::Covered => is(together),
                Status::Impossible(_) => !is(all),
                Status::NotFound(_) => !is(within) && question.depth.is_some(),
                Status::Unknown(_) => true,
            };
            if !fits || is(together) != (*status == Status::Covered) {
                return wrong(format!("item {item}: {status:?}"));
            }
            mix.unknown += usize::from(matches!(status, Status::Unknown(_)));
            mix.impossible += usize::from(matches!(status, Status::Impossible(_)));
        }
        let (steps, sequences) = (suite.steps(), suite.sequences.len());
        let best = best(&runs, together, count.max(sequences));
        let fewest = best.iter().position(Option::is_some).expect("the suite itself");
        let truth = match minimise {
            Minimise::Steps => *best.last().expect("some number"),
            Minimise::Sequences => best[sequences],
        };
        let truth = truth.expect("the suite itself");
        let said = (sequences, steps, suite.lower_bound, suite.is_optimal);
        if suite.lower_bound > truth {
            return wrong(format!("{said:?}: {truth} steps do, {best:?}"));
        }
        // What takes the fewest steps takes few sequences, too, where there is time to look for them.
        let fewest_of_best = best.iter().position(|least| *least == Some(truth)).expect("the suite itself");
        let is_best = match minimise {
            Minimise::Steps => steps == truth && (sequences == fewest_of_best || question.time.is_some()),
            Minimise::Sequences => sequences == fewest && steps == truth,
        };
        if suite.is_optimal && !is_best {
            return wrong(format!("{said:?} is said to be the best: {best:?}"));
        }
        mix.optimal += usize::from(suite.is_optimal);
        mix.several += usize::from(sequences > 1);
    }
    Ok(())
}

#[test]
fn suites_are_what_they_are_said_to_be() {
    let mut mix = Mix::default();
    for number in 0..super::questions(150) {
        let seed = super::seed(LAW, number);
        let mut question = Question::random(&mut Rng::with_seed(seed));
        let Err(mut error) = judged(&question, &mut mix) else { continue };
        loop {
            let smaller = question.smaller().into_iter();
            let broken = smaller.filter_map(|q| judged(&q, &mut Mix::default()).err().map(|error| (q, error)));
            match { broken }.next() {
                Some((smaller, its_error)) => (question, error) = (smaller, its_error),
                None => break,
            }
        }
        panic!("seed {seed}, depth {:?}, time {:?}: {error}\n{}", question.depth, question.time, question.text());
    }
    let Mix { asked, suites, optimal, several, impossible, unknown, composed } = mix;
    println!(
        "{asked} questions, {composed} about compositions; {suites} suites, {optimal} optimal, {several} of several \
         sequences; items: {impossible} impossible, {unknown} unknown"
    );
    assert!(composed * 4 >= asked && optimal * 2 >= suites && impossible * 2 >= asked, "too little was asked");
}

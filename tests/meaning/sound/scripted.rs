//! L4. Generated tests of random models, run against the model itself and against mutants.
//!
//! The model and its mutants become graphs of concrete states, made by the interpreter step by step. Whether a verdict is right is
//! judged over these graphs beside the tests (`scripted.py`): a test fails only if something was seen that the model forbids,
//! and passes only if nothing was.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use tracewright::kernel::{Given, State, StepSystem};
use tracewright::syntax::tree::Direction;
use tracewright::term::{Definitions, Value};

use super::machines::{Data, Gate, Machine, Switch};
use super::random::{Random, Scope, Ty};
use crate::binary::tracewright;

/// Most states of a graph.
const MAX_STATES: usize = 150;
/// Most steps of a graph.
const MAX_STEPS: usize = 3_000;

/// A value as an adapter in Python says it.
fn python(value: &Value, definitions: &Definitions) -> String {
    let each =
        |values: &mut dyn Iterator<Item = &Value>| values.map(|one| python(one, definitions)).collect::<Vec<_>>();
    match value {
        Value::Absent => "None".to_owned(),
        Value::Bool(truth) => if *truth { "True" } else { "False" }.to_owned(),
        Value::Int(n) => n.to_string(),
        Value::Real(x) => format!("Fraction({}, {})", x.numer(), x.denom()),
        Value::Text(text) => format!("{text:?}"),
        Value::Data(ty, constructor, args) => {
            let name = definitions.constructor_name(*ty, *constructor);
            let args = each(&mut args.iter());
            match definitions.types.get(*ty).filter(|_| *ty != Definitions::OPTION) {
                Some(data) if data.is_record => {
                    let fields = data.constructors[0].fields.iter().zip(args);
                    let fields: Vec<String> = fields.map(|((field, _), arg)| format!("{field:?}: {arg}")).collect();
                    format!("{{{}}}", fields.join(", "))
                }
                Some(data) if data.is_enum() => format!("{name:?}"),
                _ => format!("({name:?}, {})", args.join(", ")).replace(", )", ",)"),
            }
        }
        Value::List(list) => format!("[{}]", each(&mut list.iter()).join(", ")),
        Value::Set(set) if set.is_empty() => "set()".to_owned(),
        Value::Set(set) => format!("{{{}}}", each(&mut set.iter()).join(", ")),
        Value::Map(map) => {
            let pairs = map.iter().map(|(k, v)| format!("{}: {}", python(k, definitions), python(v, definitions)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// All concrete states of a model with their steps; nothing if they are too many.
pub fn graph(system: &StepSystem) -> Option<Json> {
    let first = system.initial_states(&Given::default(), None).ok()?;
    let mut numbers: BTreeMap<State, usize> = BTreeMap::new();
    let mut states: Vec<State> = vec![];
    let mut number = |state: &State, states: &mut Vec<State>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state.clone());
            states.len() - 1
        })
    };
    let initial: Vec<usize> = first.iter().map(|state| number(state, &mut states)).collect();
    let (mut steps, mut hidden, mut count) = (vec![], vec![], 0);
    while let Some(state) = states.get(steps.len()).cloned() {
        let (mut own_steps, mut own_hidden) = (vec![], vec![]);
        for step in system.all_steps(&state, &Given::default(), None).ok()? {
            let target = number(&step.next, &mut states);
            count += 1;
            let joint = &system.joints[step.joint];
            let Some(gate) = joint.gate.map(|gate| &system.gates[gate]) else {
                own_hidden.push(target);
                continue;
            };
            let data = joint.params.iter().zip(&step.data);
            let data: Vec<String> =
                data.map(|((name, _), value)| format!("{name:?}: {}", python(value, &system.definitions))).collect();
            let is_input = gate.direction == Direction::In;
            own_steps.push(json!([is_input, gate.name, format!("{{{}}}", data.join(", ")), target]));
        }
        steps.push(own_steps);
        hidden.push(own_hidden);
        if states.len() > MAX_STATES || count > MAX_STEPS {
            return None;
        }
    }
    Some(json!({ "initial": initial, "steps": steps, "hidden": hidden }))
}

/// A random machine that says something, also lists and maps that follow from its variables.
pub fn machine(random: &mut Random) -> Machine {
    let mut machine = Machine::random(random, Data::Small);
    // Many conditions together are mostly false.
    for switch in &mut machine.switches {
        while switch.guard.len() > 1 || !switch.guard.is_empty() && random.rarely(3) {
            switch.guard.remove(0);
        }
    }
    let scope: Scope = machine.scope();
    for number in 0..random.rng.usize(..3) {
        let numbers = Box::new(Ty::Int);
        let ty = match random.rng.usize(..5) {
            0 => Ty::List(numbers),
            1 => Ty::Map(numbers, Box::new(Ty::Bool)),
            2 => Ty::Set(numbers),
            3 => Ty::Option(numbers),
            _ => Ty::Point,
        };
        let value = random.expr(&ty, &scope, 2);
        let name = format!("made{number}");
        let gate = machine.gates.len();
        machine.gates.push(Gate { name, is_input: false, params: vec![("p0".to_owned(), ty)] });
        let (source, target) = (random.rng.usize(..machine.locations), random.rng.usize(..machine.locations));
        let guard = vec![format!("(p0 == {value})")];
        machine.switches.push(Switch { source, target, gate: Some(gate), guard, updates: vec![] });
    }
    machine.declarations = random.declarations();
    machine
}

/// A machine that differs a little.
fn mutant(machine: &Machine, random: &mut Random) -> Machine {
    let mut mutant = machine.clone();
    let number = random.rng.usize(..mutant.switches.len());
    let (locations, count) = (mutant.locations, mutant.switches.len());
    let switch = &mut mutant.switches[number];
    match random.rng.usize(..5) {
        0 => switch.target = random.rng.usize(..locations),
        1 => switch.source = random.rng.usize(..locations),
        2 if !switch.guard.is_empty() && !switch.guard[0].starts_with("(p0 ==") => drop(switch.guard.remove(0)),
        3 if !switch.updates.is_empty() => drop(switch.updates.remove(0)),
        _ if count > 1 => drop(mutant.switches.remove(number)),
        _ => switch.target = random.rng.usize(..locations),
    }
    mutant
}

/// Modules of tests in some language, of purposes or of a suite. None where nothing was found.
pub fn tests(path: &str, text: &str, format: &str, machine: &Machine, random: &mut Random) -> Option<String> {
    let transition = random.rng.usize(..machine.switches.len());
    let purpose = match random.rng.usize(..4) {
        0 => format!("length <= 6  last(fired) == t{transition}"),
        1 => format!("length {}", random.rng.usize(2..6)),
        2 => format!("length <= 6  member(t{transition}) on fired  last(state) == L0"),
        _ => format!("length 4  member(t{transition}) on fired"),
    };
    std::fs::write(path, format!("{text}purpose q for M {{ {purpose} }}\n")).expect("a file");
    let made = match random.rng.usize(..5) {
        0 => tracewright(&["cover", path, "--of", "transitions", "--format", format, "--time", "5"]),
        1 => tracewright(&["gen", path, "--format", format, "--all", "--max", "3", "--time", "5"]),
        2 => tracewright(&["gen", path, "--format", format, "--negative", "--time", "5"]),
        3 => tracewright(&["gen", path, "--format", format, "--data", "random=3", "--time", "5"]),
        _ => tracewright(&["gen", path, "--format", format, "--time", "5"]),
    };
    assert!([0, 1, 3].contains(&made.code), "exit {}\n{}\n{text}", made.code, made.stderr);
    (!made.stdout.is_empty() && made.stdout.contains("test_")).then_some(made.stdout)
}

#[test]
fn tests_in_python_fail_only_for_what_is_forbidden() {
    let most = super::questions(4);
    let folder = format!("{}/scripted_{}", env!("CARGO_TARGET_TMPDIR"), super::seed(0, 0));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = format!("{folder}/m.tw");
    let mut lines = String::new();
    let mut texts: BTreeMap<u64, String> = BTreeMap::new();
    let mut question = 0;
    while texts.len() < most as usize {
        question += 1;
        let seed = super::seed(51, question);
        let mut random = Random::new(seed);
        let machine = machine(&mut random);
        if machine.switches.is_empty() {
            continue;
        }
        let text = machine.text();
        let Some(model) = graph(&crate::loaded::system(&text, "M")) else { continue };
        let Some(made) = tests(&path, &text, "pytest", &machine, &mut random) else { continue };
        let mutants = (0..4).map(|_| mutant(&machine, &mut random).text());
        let systems: Vec<Json> = mutants.filter_map(|text| graph(&crate::loaded::system(&text, "M"))).collect();
        let asked = json!({ "question": question, "model": model, "systems": systems, "tests": [made], "seeds": 6 });
        lines.push_str(&format!("{asked}\n"));
        let read = std::fs::read_to_string(&path).expect("what was written");
        texts.insert(question, format!("seed {seed}\n{read}\n{made}"));
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/meaning/sound/scripted.py");
    let python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut python = python.expect("python3");
    let mut stdin = python.stdin.take().expect("a pipe");
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).expect("a reader"));
    let output = python.wait_with_output().expect("an end");
    writing.join().expect("no panic");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mut wrong: Vec<String> = vec![];
    let mut answered = 0;
    for line in said.lines() {
        let answer: Json = serde_json::from_str(line).expect("JSON");
        if let Some(counts) = answer.get("counts") {
            println!("{most} models: {counts}");
            continue;
        }
        answered += 1;
        if let Some(why) = answer.get("wrong") {
            let number = answer["question"].as_u64().expect("a number");
            let of_tests = texts[&number].find("\n\n\ndef test_").map_or("", |at| &texts[&number][at..]);
            let model = texts[&number].split("\"\"\"").next().unwrap_or_default();
            wrong.push(format!("{why}\n{model}{of_tests}"));
        }
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} of {most} are wrong, the shortest is\n{}", wrong.len(), wrong[0]);
    assert_eq!(answered, most, "python3 ended early");
}

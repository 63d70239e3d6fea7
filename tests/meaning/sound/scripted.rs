//! L4. Generated tests of random models, run against the model itself and against mutants.
//!
//! The model and its mutants become graphs of concrete states, made by the interpreter step by step. Whether a verdict is right is
//! judged over these graphs beside the tests (`scripted/judge.rs`): a test fails only if something was seen that the model forbids,
//! and passes only if nothing was.

mod judge;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tracewright::confirm::Recheck;
use tracewright::conform::{Alphabet, Engine, Options, conform};
use tracewright::kernel::{Completion, Given, State, StepSystem};
use tracewright::search::Limits;
use tracewright::solve::{Solver, Z3};
use tracewright::syntax::tree::Direction;
use tracewright::term::{Definitions, Value};

use super::machines::{Data, Gate, Machine, Switch};
use super::random::{Random, Scope, Ty};
use crate::binary::tracewright;
use judge::{Graph, Judged, Run, Step, Verdict};

/// Most states of a graph.
const MAX_STATES: usize = 150;
/// Most steps of a graph.
const MAX_STEPS: usize = 3_000;
/// Systems beside the model itself.
const MUTANTS: usize = 4;
/// Runs of each test against each system.
const RUNS: u64 = 6;
/// Longest time to see whether a mutant conforms.
const LONGEST_COMPARISON: Duration = Duration::from_millis(200);

/// A gate with its data.
type Label = (String, Vec<(String, Value)>);

/// Whose tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    Rust,
}

/// Tests of a model, and the systems that they are run against: the model itself, then mutants.
struct Question {
    number: u64,
    tests: String,
    labels: Vec<Label>,
    systems: Vec<Graph>,
    definitions: Definitions,
    /// The seed and the model.
    shown: String,
}

impl Language {
    fn format(self) -> &'static str {
        match self {
            Language::Python => "pytest",
            Language::Rust => "rust",
        }
    }

    /// What a line of code begins with if a function begins there.
    fn function(self) -> &'static str {
        match self {
            Language::Python => "def ",
            Language::Rust => "fn ",
        }
    }

    /// The tests of some code: of each its name, and for each input that it sends whether it must be refused.
    fn tests(self, code: &str) -> BTreeMap<String, Vec<bool>> {
        let mut tests: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        let mut inside: Option<String> = None;
        let mut before = "";
        for line in code.lines() {
            if let Some(rest) = line.strip_prefix(self.function()) {
                let name = rest.split('(').next().unwrap_or_default();
                let is_test = match self {
                    Language::Python => name.starts_with("test_"),
                    Language::Rust => before == "#[test]",
                };
                inside = is_test.then(|| name.to_owned());
                tests.extend(inside.iter().map(|name| (name.clone(), vec![])));
            } else if let Some(name) = &inside
                && let Some(is_attempt) = sends(line)
            {
                tests.get_mut(name).expect("a test that began").push(is_attempt);
            }
            before = line;
        }
        tests
    }

    /// A value as an adapter says it.
    fn value(self, value: &Value, definitions: &Definitions) -> String {
        match self {
            Language::Python => python(value, definitions),
            Language::Rust => rust(value, definitions),
        }
    }

    /// What is sent and heard when all tests run.
    fn run(self, questions: &[Question]) -> String {
        let folder = format!("{}/scripted_{}_{self:?}", env!("CARGO_TARGET_TMPDIR"), super::seed(0, 0));
        match self {
            Language::Python => run_python(questions),
            Language::Rust => run_rust(questions, Path::new(&folder)),
        }
    }
}

/// Whether a line of a test sends an input, and if so whether it must be refused.
fn sends(line: &str) -> Option<bool> {
    let is_attempt = line.contains("refuse(sut,");
    (is_attempt || line.contains("send(sut,")).then_some(is_attempt)
}

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

fn rust(value: &Value, definitions: &Definitions) -> String {
    let all = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(|one| rust(one, definitions)).collect::<Vec<_>>().join(", ")
    };
    match value {
        Value::Absent => "Value::Absent".to_owned(),
        Value::Bool(truth) => format!("Value::Bool({truth})"),
        Value::Int(n) => format!("Value::Int({n})"),
        Value::Real(x) => format!("Value::Real({}, {})", x.numer(), x.denom()),
        Value::Text(text) => format!("word({text:?})"),
        Value::Data(ty, constructor, args) => {
            let name = definitions.constructor_name(*ty, *constructor);
            match definitions.types.get(*ty).filter(|_| *ty != Definitions::OPTION) {
                Some(data) if data.is_record => {
                    let fields = data.constructors[0].fields.iter().zip(args.iter());
                    let fields: Vec<String> =
                        fields.map(|((field, _), arg)| format!("({field:?}, {})", rust(arg, definitions))).collect();
                    format!("Value::Record(data(&[{}]))", fields.join(", "))
                }
                Some(data) if data.is_enum() => format!("word({name:?})"),
                _ => format!("Value::Made({name:?}.to_owned(), vec![{}])", all(&mut args.iter())),
            }
        }
        Value::List(list) => format!("Value::List(vec![{}])", all(&mut list.iter())),
        Value::Set(set) => format!("Value::Set(vec![{}])", all(&mut set.iter())),
        Value::Map(map) => {
            let pairs = map.iter().map(|(k, v)| format!("({}, {})", rust(k, definitions), rust(v, definitions)));
            format!("Value::Map(vec![{}])", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

fn run_python(questions: &[Question]) -> String {
    let mut lines = String::new();
    for question in questions {
        let label = |(gate, data): &Label| {
            let data = data
                .iter()
                .map(|(name, value)| format!("{name:?}: {}", Language::Python.value(value, &question.definitions)));
            json!([gate, format!("{{{}}}", data.collect::<Vec<_>>().join(", "))])
        };
        let asked = json!({
            "question": question.number,
            "labels": question.labels.iter().map(label).collect::<Vec<_>>(),
            "tests": question.tests,
            "systems": question.systems.iter().map(Graph::json).collect::<Vec<_>>(),
            "seeds": RUNS,
        });
        lines.push_str(&format!("{asked}\n"));
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/meaning/sound/scripted/driver.py");
    let python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut python = python.expect("python3");
    let mut stdin = python.stdin.take().expect("a pipe");
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).expect("a reader"));
    let output = python.wait_with_output().expect("an end");
    writing.join().expect("no panic");
    assert!(output.status.success(), "python3 ended early");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// All tests become one crate: building is most of what they cost.
fn run_rust(questions: &[Question], folder: &Path) -> String {
    let _ = fs::remove_dir_all(folder.join("src"));
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a writable folder");
    write("Cargo.toml", "[package]\nname = \"scripted\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n");
    write("src/driver.rs", include_str!("scripted/driver.rs"));
    let (mut modules, mut calls) = (String::new(), String::new());
    for question in questions {
        let name = format!("q{}", question.number);
        fs::create_dir_all(folder.join("src").join(&name)).expect("a folder");
        write(&format!("src/{name}.rs"), &format!("{}\npub use m_adapter::TESTS;\n", question.tests));
        let tests = Language::Rust.tests(&question.tests);
        let tests: Vec<String> = tests.keys().map(|test| format!("({test:?}, super::{test})")).collect();
        let labels = question.labels.iter().map(|(gate, data)| {
            let data = data
                .iter()
                .map(|(name, value)| format!("({name:?}, {})", Language::Rust.value(value, &question.definitions)));
            format!("        ({gate:?}, data(&[{}])),\n", data.collect::<Vec<_>>().join(", "))
        });
        let adapter = format!(
            "{}\nfn labels() -> Vec<(&'static str, Data)> {{\n    vec![\n{}    ]\n}}\n\npub const TESTS: &[(&str, fn())] = &[{}];\n",
            include_str!("scripted/adapter.rs"),
            labels.collect::<String>(),
            tests.join(", "),
        );
        write(&format!("src/{name}/m_adapter.rs"), &adapter);
        let systems = question.systems.iter().enumerate().map(|(number, graph)| {
            write(&format!("src/{name}/system{number}.txt"), &graph.text());
            format!("include_str!(\"{name}/system{number}.txt\")")
        });
        let systems = systems.collect::<Vec<_>>().join(", ");
        modules.push_str(&format!("mod {name};\n"));
        calls.push_str(&format!("    driver::run({}, {name}::TESTS, &[{systems}], {RUNS});\n", question.number));
    }
    write("src/lib.rs", &format!("mod driver;\n{modules}\n#[test]\nfn scripted() {{\n{calls}}}\n"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--offline", "--quiet", "--lib", "--", "--nocapture", "--exact", "scripted"]);
    cargo.current_dir(folder).env("CARGO_TARGET_DIR", folder.join("target"));
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0").env("RUST_BACKTRACE", "0");
    let output = cargo.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// All concrete states of a model with their steps; nothing if they are too many.
fn graph(system: &StepSystem, labels: &mut Vec<Label>) -> Option<Graph> {
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
    let mut known: BTreeMap<Label, usize> = labels.iter().cloned().zip(0..).collect();
    let mut graph = Graph { initial, ..Graph::default() };
    let mut count = 0;
    while let Some(state) = states.get(graph.steps.len()).cloned() {
        let (mut own_steps, mut own_hidden) = (vec![], vec![]);
        for step in system.all_steps(&state, &Given::default(), None).ok()? {
            let target = number(&step.next, &mut states);
            count += 1;
            let joint = &system.joints[step.joint];
            let Some(gate) = joint.gate.map(|gate| &system.gates[gate]) else {
                own_hidden.push(target);
                continue;
            };
            let names = joint.params.iter().map(|(name, _)| name.clone());
            let label: Label = (gate.name.clone(), names.zip(step.data.iter().cloned()).collect());
            let label = *known.entry(label).or_insert_with_key(|label| {
                labels.push(label.clone());
                labels.len() - 1
            });
            own_steps.push(Step { is_input: gate.direction == Direction::In, label, target });
        }
        graph.steps.push(own_steps);
        graph.hidden.push(own_hidden);
        if states.len() > MAX_STATES || count > MAX_STEPS {
            return None;
        }
    }
    Some(graph)
}

/// A random machine that says something, also lists and maps that follow from its variables.
fn machine(random: &mut Random) -> Machine {
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

/// Whether a mutant shows something that the model does not allow.
fn is_rejected(mutant: &StepSystem, model: &StepSystem) -> bool {
    let alphabet = Alphabet::new(mutant, model).expect("the gates are the same");
    let options = Options {
        engine: Engine::Auto,
        depth: None,
        completion: Some(Completion::Ignore),
        is_universal: false,
        limits: Limits::default().within(Some(LONGEST_COMPARISON)),
        recheck: Recheck::Never,
        new_solver: &|| -> Box<dyn Solver> { Box::new(Z3::new(0)) },
    };
    conform(mutant, model, &alphabet, &options, &mut ()).is_ok_and(|answer| answer.conforms == Some(false))
}

/// Code with tests of purposes or of a suite. None where nothing was found.
fn tests(path: &str, text: &str, language: Language, machine: &Machine, random: &mut Random) -> Option<String> {
    let transition = random.rng.usize(..machine.switches.len());
    let purpose = match random.rng.usize(..4) {
        0 => format!("length <= 6  last(fired) == t{transition}"),
        1 => format!("length {}", random.rng.usize(2..6)),
        2 => format!("length <= 6  member(t{transition}) on fired  last(state) == L0"),
        _ => format!("length 4  member(t{transition}) on fired"),
    };
    fs::write(path, format!("{text}purpose q for M {{ {purpose} }}\n")).expect("a file");
    let (command, more): (&str, &[&str]) = match random.rng.usize(..5) {
        0 => ("cover", &["--of", "transitions"]),
        1 => ("gen", &["--all", "--max", "3"]),
        2 => ("gen", &["--negative"]),
        3 => ("gen", &["--data", "random=3"]),
        _ => ("gen", &[]),
    };
    let made = tracewright(&[&[command, path, "--format", language.format(), "--time", "5"], more].concat());
    assert!([0, 1, 3].contains(&made.code), "exit {}\n{}\n{text}", made.code, made.stderr);
    (!language.tests(&made.stdout).is_empty()).then_some(made.stdout)
}

/// A random question; none if its graphs are too large, or nothing was found.
fn question(number: u64, seed: u64, language: Language, path: &str) -> Option<Question> {
    let mut random = Random::new(seed);
    let machine = machine(&mut random);
    if machine.switches.is_empty() {
        return None;
    }
    let text = machine.text();
    let model = crate::loaded::system(&text, "M");
    let mut labels = vec![];
    let of_model = graph(&model, &mut labels)?;
    let tests = tests(path, &text, language, &machine, &mut random)?;
    let mutants = (0..2 * MUTANTS).map(|_| crate::loaded::system(&mutant(&machine, &mut random).text(), "M"));
    let (rejected, others): (Vec<StepSystem>, Vec<StepSystem>) =
        mutants.partition(|mutant| is_rejected(mutant, &model));
    let graphs = rejected.iter().chain(&others).filter_map(|mutant| graph(mutant, &mut labels)).take(MUTANTS);
    let systems = std::iter::once(of_model).chain(graphs.collect::<Vec<_>>()).collect();
    let asked = fs::read_to_string(path).expect("what was written");
    let shown = format!("seed {seed}\n{asked}");
    Some(Question { number, tests, labels, systems, definitions: (*model.definitions).clone(), shown })
}

/// Asks so many questions; fails with the shortest of them on which a test and the model differ.
fn ask(law: u64, most: usize, language: Language) {
    let folder = format!("{}/scripted_{}_{language:?}", env!("CARGO_TARGET_TMPDIR"), super::seed(0, 0));
    fs::create_dir_all(&folder).expect("a folder");
    let path = format!("{folder}/m.tw");
    let asked = (1..).filter_map(|number| question(number, super::seed(law, number), language, &path)).take(most);
    let asked: Vec<Question> = asked.collect();
    let said = judge::read(&language.run(&asked));
    assert_eq!(said.len(), most, "not all tests were run");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong: Vec<String> = vec![];
    for (question, (number, runs)) in asked.iter().zip(said) {
        assert_eq!(question.number, number);
        let tests = language.tests(&question.tests);
        assert_eq!(runs.len(), tests.len() * question.systems.len() * RUNS as usize, "not all tests were run");
        let differ = runs.iter().find_map(|run| differs(question, run, &tests[&run.test], language, &mut counts));
        wrong.extend(differ.map(|why| format!("{why}\n{}\n{}", question.shown, question.tests)));
    }
    println!("{most} models in {language:?}: {counts:?}");
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} of {most} are wrong, the shortest is\n{}", wrong.len(), wrong[0]);
    // A few questions say nothing about the mix.
    let noticed = counts.get("Fail of what is forbidden").copied().unwrap_or(0);
    assert!(most < 20 || noticed > 0, "some mutant is noticed: {counts:?}");
}

/// How a verdict and the meaning of the run differ.
fn differs(
    question: &Question,
    run: &Run,
    attempts: &[bool],
    language: Language,
    counts: &mut BTreeMap<String, usize>,
) -> Option<String> {
    let named = |label: usize| {
        let (gate, data) = &question.labels[label];
        let data: Vec<String> = data
            .iter()
            .map(|(name, value)| format!("{name}={}", language.value(value, &question.definitions)))
            .collect();
        format!("{gate}({})", data.join(", "))
    };
    let Run { test, system, events, verdict, why } = run;
    let judged = match question.systems[0].judge(events, attempts, &named) {
        Ok(judged) => judged,
        Err(wrong) => return Some(format!("{test}: {wrong}")),
    };
    let kind = match &judged {
        Judged::Doubtful => "doubtful".to_owned(),
        Judged::Allowed => format!("{verdict:?}"),
        Judged::Forbidden(_) => format!("{verdict:?} of what is forbidden"),
    };
    *counts.entry(kind).or_default() += 1;
    match (judged, verdict) {
        (Judged::Allowed, Verdict::Fail) => Some(format!("{test} fails, and nothing is forbidden: {why}")),
        (Judged::Forbidden(what), Verdict::Pass) => Some(format!("{test} passes, and {what}, which is forbidden")),
        // Then the judge or the system that walks along the graph is wrong.
        (Judged::Forbidden(what), _) if *system == 0 => Some(format!("{test}: the model itself shows {what}")),
        _ => None,
    }
}

#[test]
fn tests_in_python_fail_only_for_what_is_forbidden() {
    ask(51, super::questions(4) as usize, Language::Python);
}

#[test]
fn tests_in_rust_fail_only_for_what_is_forbidden() {
    ask(53, super::questions(1) as usize, Language::Rust);
}

//! Logs and what is said of them.
//!
//! Acceptors with variables are compared with the plain meaning: the automaton run once for every choice of values. Rules are
//! compared with the rules themselves, asked anew for every beginning of a log.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tracewright::history::{
    Acceptor, Atom, Automaton, Known, Live, Looks, Node, Observed, Running, State, Stuck, Variable,
};
use tracewright::kernel::{Entry, Given, LogEvent, LogNames, LogReader, Replay, Trace, replay};
use tracewright::monitor::{Monitored, Monitoring, Options, Verdict};
use tracewright::synth::Asked;
use tracewright::term::{BinaryOp, Bound, Definitions, Expr, Type, Value};
use tracewright::{model, syntax};

use crate::binary::{Output, tracewright};

// Acceptors

/// Most values of a variable in a history; more exist, and are never seen.
const SEEN: i64 = 3;

fn equal(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Equal, Box::new(a), Box::new(b))
}

fn number(n: i64) -> Value {
    Value::int(n)
}

/// A tree of tests over some atoms; says which node it is.
fn tree(random: &mut fastrand::Rng, atoms: usize, states: usize, depth: usize, nodes: &mut Vec<Node>) -> usize {
    let node = if depth == 0 || atoms == 0 || random.u8(0..4) == 0 {
        Node::Leaf(random.usize(0..states))
    } else {
        let yes = tree(random, atoms, states, depth - 1, nodes);
        let no = tree(random, atoms, states, depth - 1, nodes);
        Node::Test(random.usize(0..atoms), yes, no)
    };
    nodes.push(node);
    nodes.len() - 1
}

fn random_automaton(random: &mut fastrand::Rng, atoms: usize) -> Automaton {
    let states = random.usize(1..5);
    let mut nodes = vec![];
    let next: Vec<usize> = (0..states).map(|_| tree(random, atoms, states, 3, &mut nodes)).collect();
    let state = |next: usize, random: &mut fastrand::Rng| {
        let verdict = random.choice([None, None, Some(true), Some(false)]).flatten();
        State { next, accepts: verdict.unwrap_or_else(|| random.bool()), verdict }
    };
    let states: Vec<State> = next.into_iter().map(|next| state(next, random)).collect();
    Automaton { nodes, start: random.usize(0..states.len()), states }
}

/// Lists 0, 1 and 2 have values for variables, list 3 something else.
fn random_acceptor(random: &mut fastrand::Rng) -> Acceptor {
    let variables = random.usize(0..4);
    let variable = |name: usize, random: &mut fastrand::Rng| {
        let bound = |n: i64| Some(Bound::Known(n.into()));
        let (ty, values) = match random.u8(0..3) {
            0 => (Type::Int { low: bound(0), high: bound(SEEN - 1) }, Some((0..SEEN).map(number).collect())),
            _ => (Type::INT, None),
        };
        Variable { name: format!("v{name}"), ty, values }
    };
    let atoms: Vec<Atom> = (0..random.usize(1..5))
        .map(|_| {
            let mut condition = match random.bool() {
                true => Expr::TRUE,
                false => equal(Expr::Slot(3), Expr::Const(number(random.i64(0..2)))),
            };
            let mut fixes = vec![];
            for variable in 0..variables {
                if random.u8(0..5) < 2 {
                    let value = Expr::Slot(random.usize(0..3));
                    fixes.push((variable, value.clone()));
                    let fits = equal(Expr::Local(variable), value);
                    condition = Expr::Binary(BinaryOp::And, Box::new(fits), Box::new(condition));
                }
            }
            Atom { condition, fixes }
        })
        .collect();
    Acceptor {
        variables: (0..variables).map(|number| variable(number, random)).collect(),
        for_all: random.bool(),
        automaton: random_automaton(random, atoms.len()),
        informative: random.bool().then(|| random_automaton(random, atoms.len())),
        atoms,
        is_safety: false,
        is_match: random.bool(),
    }
}

/// All choices of values, one of which was never seen where there are more than can be seen.
fn assignments(acceptor: &Acceptor) -> Vec<Vec<i64>> {
    acceptor.variables.iter().fold(vec![vec![]], |rows: Vec<Vec<i64>>, variable| {
        let values = if variable.ty == Type::INT { SEEN + 1 } else { SEEN };
        let longer = |row: &Vec<i64>| (0..values).map(|value| [&row[..], &[value]].concat()).collect::<Vec<_>>();
        rows.iter().flat_map(longer).collect()
    })
}

fn is_true(atom: &Atom, elements: &[Option<i64>], values: &[i64]) -> bool {
    let fits = |expr: &Expr| match expr {
        Expr::Const(value) => value.is_true(),
        Expr::Binary(BinaryOp::Equal, a, b) => match (&**a, &**b) {
            (Expr::Local(v), Expr::Slot(list)) => elements[*list] == Some(values[*v]),
            (Expr::Slot(list), Expr::Const(value)) => elements[*list].map(number).as_ref() == Some(value),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    let mut rest = &atom.condition;
    loop {
        match rest {
            Expr::Binary(BinaryOp::And, a, b) => {
                if !fits(a) {
                    return false;
                }
                rest = b;
            }
            other => return fits(other),
        }
    }
}

#[test]
fn acceptors_say_what_their_automaton_says_for_all_values() {
    let mut random = fastrand::Rng::with_seed(1);
    let definitions = Definitions::default();
    let mut most_open = 0;
    for round in 0..6_000 {
        let acceptor = Arc::new(random_acceptor(&mut random));
        let is_informative = random.bool();
        let automaton = match &acceptor.informative {
            Some(informative) if is_informative => informative,
            _ => &acceptor.automaton,
        };
        let mut looks = Looks::default();
        let running = Running::new(&acceptor, is_informative, 1_000, &mut looks).expect("few variables");
        let mut bindings = running.start();
        let all = assignments(&acceptor);
        let mut states = vec![automaton.start; all.len()];
        let mut is_final = None;
        for step in 0..random.usize(1..25) {
            let element = |random: &mut fastrand::Rng| (random.u8(0..5) < 3).then(|| random.i64(0..SEEN));
            let elements: Vec<Option<i64>> = (0..4).map(|_| element(&mut random)).collect();
            let observed: Vec<Value> = elements.iter().map(|e| e.map_or(Value::Absent, number)).collect();
            looks.begin();
            let observed = Observed { elements: &observed, definitions: &definitions };
            running.step(&mut bindings, &mut looks, observed).expect("no limits");
            most_open = most_open.max(bindings.open());
            for (state, values) in states.iter_mut().zip(&all) {
                *state = automaton.next(*state, |atom| is_true(&acceptor.atoms[atom], &elements, values));
            }
            let case = || format!("round {round}, step {step}: {acceptor:?}");
            let together = |of: &dyn Fn(usize) -> Option<bool>| {
                let alone = !acceptor.for_all;
                if states.iter().any(|state| of(*state) == Some(alone)) {
                    Some(alone)
                } else {
                    states.iter().all(|state| of(*state) == Some(!alone)).then_some(!alone)
                }
            };
            let verdict = together(&|state| automaton.states[state].verdict);
            assert_eq!(running.verdict(&bindings), verdict, "{}", case());
            let at_stop = together(&|state| Some(automaton.states[state].accepts));
            assert_eq!(Some(running.at_stop(&bindings)), at_stop, "{}", case());
            // What is said to be final stays.
            if let Some(known) = is_final {
                assert_eq!((verdict, at_stop), (Some(known), Some(known)), "{}", case());
            }
            if running.is_final(&bindings) {
                is_final = verdict;
                assert!(verdict.is_some(), "{}", case());
            }
            let within = |binding: &[(usize, Value)], values: &[i64]| {
                binding.iter().all(|(variable, value)| number(values[*variable]) == *value)
            };
            if verdict == Some(!acceptor.for_all) {
                let binding = running.decider(&bindings, false).expect("one decides alone");
                let decides = all
                    .iter()
                    .zip(&states)
                    .any(|(values, state)| within(&binding, values) && automaton.states[*state].verdict == verdict);
                assert!(decides, "{binding:?} {}", case());
            }
            let mut found = vec![];
            running.matches(&bindings, &mut |binding| found.push(binding));
            let accepted = || all.iter().zip(&states).filter(|(_, state)| automaton.states[**state].accepts);
            for binding in &found {
                assert!(accepted().any(|(values, _)| within(binding, values)), "{binding:?} {}", case());
            }
            for (values, _) in accepted() {
                assert!(found.iter().any(|binding| within(binding, values)), "{values:?} {}", case());
            }
        }
    }
    assert!(most_open > 20, "something was open");
}

/// Every `open(v)` is followed by a `close(v)`: list 0 has what is opened, list 1 what is closed.
fn answered() -> Acceptor {
    let on =
        |list: usize| Atom { condition: equal(Expr::Local(0), Expr::Slot(list)), fixes: vec![(0, Expr::Slot(list))] };
    let nodes = vec![Node::Leaf(0), Node::Leaf(1), Node::Test(0, 1, 0), Node::Test(1, 0, 1)];
    let states =
        vec![State { next: 2, accepts: true, verdict: None }, State { next: 3, accepts: false, verdict: None }];
    Acceptor {
        variables: vec![Variable { name: "v".to_owned(), ty: Type::INT, values: None }],
        for_all: true,
        atoms: vec![on(0), on(1)],
        automaton: Automaton { nodes, states, start: 0 },
        informative: None,
        is_safety: false,
        is_match: false,
    }
}

#[test]
fn only_what_is_open_is_stored() {
    let definitions = Definitions::default();
    let mut looks = Looks::default();
    let running = Running::new(&Arc::new(answered()), false, 100, &mut looks).expect("one variable");
    let mut bindings = running.start();
    let mut step = |bindings: &mut _, opened: Option<i64>, closed: Option<i64>| {
        looks.begin();
        let elements = [opened, closed].map(|e| e.map_or(Value::Absent, number));
        running.step(bindings, &mut looks, Observed { elements: &elements, definitions: &definitions })
    };
    for n in 0..20_000 {
        step(&mut bindings, Some(n), None).expect("few are open");
        if n >= 50 {
            step(&mut bindings, None, Some(n - 50)).expect("few are open");
        }
        assert!(bindings.open() <= 51);
    }
    assert!(!running.at_stop(&bindings));
    assert_eq!(running.decider(&bindings, true), Some(vec![(0, number(19_950))]), "the first one that is open");
    let stuck = (20_000..30_000).find_map(|n| step(&mut bindings, Some(n), None).err());
    assert_eq!(stuck, Some(Stuck::TooManyBindings(100)));
}

// Rules

const SHOP: &str = r#"
sts Shop {
  in order(ref: Nat), pay(ref: Nat)
  out ship(ref: Nat)
  var r: Nat = 0
  initial location Idle
  location Ordered, Paid
  Idle    -> Ordered : take ?order(ref) do r := ref
  Ordered -> Paid    : cash ?pay(ref)   when ref == r
  Paid    -> Idle    : send !ship(ref)  when ref == r
}

rule rising(least: Int) {
  h > least => rising(h)
  h?absent  => rising(least)
  stop      => holds
  else      => fails
}

rule comes_back(x) {
  h == x => holds
  stop   => fails
  else   => comes_back(x)
}

rule twice {
  h?absent => twice
  stop     => fails
  else     => comes_back(h) or twice
}

purpose shipped    for Shop { member(ship) on gate }
purpose paid_first for Shop { precedes(pay, ship) on gate }
purpose answered   for Shop { responds(order, ship) on gate }
purpose two_orders for Shop { length <= 6   count(2, order) on gate }
purpose longer     for Shop { length >= 3   never(order.ref == 3) }
purpose seventeen  for Shop { before(order.ref == 2, ship.ref == 2) }
purpose no_three   for Shop { never(3) on order.ref }
purpose up         for Shop { rising(0) on order.ref }
purpose again      for Shop { twice on order.ref }
purpose same       for Shop { some x in 0..3: follows(order.ref == x, ship.ref == x) }
purpose not_same   for Shop { not (member(1) on order.ref and member(2) on ship.ref) }
purpose late       for Shop { always(clock < 9) }
purpose parts      for Shop { contains(gate, [order, pay, ship]) or starts(gate, [pay]) }
purpose wrong      for Shop { member(ship) on gate   expect impossible }
"#;

fn asked(text: &str, purposes: &[&str]) -> Vec<Asked> {
    let (mut sources, errors) = syntax::Sources::from_text("model.tw", text);
    assert!(errors.is_empty(), "{errors:?}");
    let (checked, problems) = model::check(&sources);
    assert!(problems.iter().all(|p| p.code.starts_with('W')), "{problems:?}");
    let one = |name: &&str, sources: &mut syntax::Sources| {
        let id = sources.add_fragment("name", name);
        let wanted = syntax::parse_model_reference(id, name).expect("a purpose");
        let declared = model::purpose_named(&checked, &wanted.name).expect("the purpose");
        Asked::new(&checked, declared, &wanted.args, wanted.span, None).expect("a sound purpose")
    };
    purposes.iter().map(|name| one(name, &mut sources)).collect()
}

/// Judges a log in memory.
fn monitored(asked: &[Asked], log: &str, follows_model: bool) -> Monitored {
    let Asked { system, lists, .. } = &asked[0];
    let names = LogNames::new(system);
    let mut reader = LogReader::json(&names, log.as_bytes());
    let options = Options { is_informative: false, max_open: 1_000_000, model: follows_model.then(Given::default) };
    let mut monitoring = Monitoring::new(system, lists, asked, &options);
    let mut event = LogEvent::default();
    loop {
        match reader.next(&mut event).unwrap_or_else(|bad| panic!("{bad:?}\n{log}")) {
            None => return monitoring.finish(),
            Some(Entry::Event) => monitoring.event(&event, reader.line()),
            Some(Entry::Initial(initial)) => monitoring.begin(&initial),
            Some(Entry::Stop) => monitoring.stop(reader.line()),
        }
    }
}

fn names_of(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("purpose ")?.split_whitespace().next()).collect()
}

/// What rules say of known elements: what is certain after each step, and at the end after each.
fn plainly(asked: &Asked, open: &[Value], history: &[Vec<Value>]) -> (Vec<Option<bool>>, Vec<bool>) {
    let all: Vec<usize> = (0..asked.purpose.constraints.len()).collect();
    let monitor = asked.purpose.monitor(&all, None);
    let known = Known { monitor: &monitor, definitions: &asked.lists.names.definitions, open };
    let mut live = known.start().expect("no limits");
    let (mut certain, mut ends) = (vec![], vec![]);
    let length = asked.purpose.lengths();
    for steps in 0..=history.len() {
        if steps > 0 {
            live = known.advance(&live, &history[steps - 1]).expect("no limits");
        }
        let too_long = length.high.is_some_and(|high| steps > high);
        let is_long_enough = length.high.is_none() && steps >= length.low;
        certain.push(if too_long || live.contains(&Live::Decided(false)) {
            Some(false)
        } else {
            (is_long_enough && live.iter().all(|one| *one == Live::Decided(true))).then_some(true)
        });
        ends.push(length.contains(steps) && known.hold_at_stop(&live).expect("no limits"));
    }
    (certain, ends)
}

#[test]
fn rules_say_of_every_beginning_what_they_say_when_asked_anew() {
    let names = names_of(SHOP);
    let asked = asked(SHOP, &names);
    let lists = &asked[0].lists.names;
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..150 {
        let (mut log, mut history) = (String::new(), vec![]);
        for step in 0..random.usize(0..12) {
            let gate = random.usize(0..4);
            let name = ["order", "pay", "ship", "tau"][gate];
            let reference = random.i64(0..5);
            let data = if gate == 3 { json!({}) } else { json!({ "ref": reference }) };
            writeln!(log, "{}", json!({ "gate": name, "data": data })).expect("text");
            let mut elements = vec![Value::Absent; lists.entries.len()];
            elements[lists.numbers["clock"]] = number(step as i64 + 1);
            elements[lists.numbers["gate"]] = lists.member(lists.numbers["gate"], gate);
            if gate < 3 {
                elements[lists.numbers[&format!("{name}.ref")]] = number(reference);
            }
            history.push(elements);
        }
        let results = asked.iter().map(|one| {
            let opens: Vec<Vec<Value>> = match one.purpose.open.len() {
                0 => vec![vec![]],
                _ => (0..4).map(|x| vec![number(x)]).collect(),
            };
            let each = opens.iter().map(|open| plainly(one, open, &history));
            each.reduce(|(a, a_ends), (b, b_ends)| {
                let some = |(a, b): (&Option<bool>, &Option<bool>)| match (a, b) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
                (a.iter().zip(&b).map(some).collect(), a_ends.iter().zip(&b_ends).map(|(a, b)| *a || *b).collect())
            })
            .expect("one choice")
        });
        let results: Vec<(Vec<Option<bool>>, Vec<bool>)> = results.collect();
        for steps in 0..=history.len() {
            let beginning: String = log.lines().take(steps).map(|line| format!("{line}\n")).collect();
            let running = monitored(&asked, &beginning, false);
            let ended = monitored(&asked, &format!("{beginning}{{\"stop\": true}}\n"), false);
            assert_eq!(running.events, steps);
            for (number, (certain, ends)) in results.iter().enumerate() {
                let case = || format!("{} after {steps} of\n{log}", names[number]);
                let expected = match certain[steps] {
                    None => Verdict::Open,
                    Some(true) => Verdict::Holds,
                    Some(false) => Verdict::Fails,
                };
                assert_eq!(running.purposes[number].verdict, expected, "{}", case());
                if let Some(decided) = &running.purposes[number].decided {
                    let first = certain.iter().position(Option::is_some);
                    assert_eq!((Some(decided.event), decided.line), (first, decided.event), "{}", case());
                }
                let expected = if ends[steps] { Verdict::Holds } else { Verdict::Fails };
                assert_eq!(ended.purposes[number].verdict, expected, "at the end, {}", case());
            }
        }
    }
}

#[test]
fn what_is_remembered_is_bounded_and_found_again() {
    // Every order is larger than the one before, so that no state of the rule repeats itself.
    let asked = asked(SHOP, &["up", "again", "no_three"]);
    let mut log = String::new();
    for n in 10..40_000 {
        writeln!(log, "{{\"gate\":\"order\",\"data\":{{\"ref\":{n}}}}}").expect("text");
    }
    let result = monitored(&asked[..1], &log, false);
    assert_eq!(result.purposes[0].verdict, Verdict::Open);
    // Ten times as many events take hardly more memory.
    let model = write("bounded.tw", SHOP);
    let memory = |events: i64| {
        let lines = (10..10 + events).map(|n| format!("{{\"gate\":\"order\",\"data\":{{\"ref\":{n}}}}}\n"));
        let log = write("bounded.jsonl", lines.collect::<String>());
        memory_kb(&["monitor", &model, &log, "--no-model", "-p", "up"])
    };
    let (short, long) = (memory(40_000), memory(400_000));
    assert!(long < short + 20_000, "{short} KB for the short log, {long} KB for the long one");
    let fails = monitored(&asked[..1], &format!("{log}{{\"gate\":\"order\",\"data\":{{\"ref\":39999}}}}\n"), false);
    let decided = fails.purposes[0].decided.as_ref().expect("it fails");
    assert_eq!((fails.purposes[0].verdict, decided.event), (Verdict::Fails, 39_991));
    assert_eq!(monitored(&asked[2..], &log, false).purposes[0].verdict, Verdict::Open);
    // What is left to show grows with every order until one of them comes back.
    let log: String = (10..310).map(|n| event("order", n)).collect();
    assert_eq!(monitored(&asked[1..2], &log, false).purposes[0].verdict, Verdict::Open);
    let holds = monitored(&asked[1..2], &(log + &event("order", 17)), false);
    let decided = holds.purposes[0].decided.as_ref().expect("one came back");
    assert_eq!((holds.purposes[0].verdict, decided.event), (Verdict::Holds, 301));
}

/// The most memory that the program has used, where the system says so.
fn memory_kb(args: &[&str]) -> u64 {
    let program = env!("CARGO_BIN_EXE_tracewright");
    let mut child = Command::new(program).args(args).stdout(Stdio::null()).spawn().expect("the program starts");
    let mut most = 0;
    while child.try_wait().expect("it can be waited for").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = most.max(line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    most
}

// Acceptors in purposes

/// A purpose of the shop with an acceptor in the place of its rules.
fn with_acceptor(acceptor: Acceptor) -> Vec<Asked> {
    let mut asked = asked(SHOP, &["shipped"]);
    asked[0].purpose.constraints[0].acceptor = Some(Arc::new(acceptor));
    asked
}

/// Every order is shipped; or, with a verdict, no ship before its order.
fn shop_acceptor(asked: &Asked) -> Acceptor {
    let list = |name: &str| asked.lists.names.numbers[name];
    let on =
        |list: usize| Atom { condition: equal(Expr::Local(0), Expr::Slot(list)), fixes: vec![(0, Expr::Slot(list))] };
    Acceptor { atoms: vec![on(list("order.ref")), on(list("ship.ref"))], ..answered() }
}

fn event(gate: &str, reference: i64) -> String {
    format!("{{\"gate\": \"{gate}\", \"data\": {{\"ref\": {reference}}}}}\n")
}

#[test]
fn acceptors_are_judged_with_their_bindings() {
    let plain = asked(SHOP, &["shipped"]);
    let purposes = with_acceptor(shop_acceptor(&plain[0]));
    let log = event("order", 1) + &event("order", 2) + &event("ship", 1);
    let running = monitored(&purposes, &log, false);
    assert_eq!(running.purposes[0].verdict, Verdict::Open);
    let ended = monitored(&purposes, &(log.clone() + "{\"stop\": true}"), false);
    let decided = ended.purposes[0].decided.as_ref().expect("an end");
    assert_eq!(ended.purposes[0].verdict, Verdict::Fails);
    assert_eq!((decided.event, decided.line, decided.at_stop), (3, 4, true));
    assert_eq!(decided.binding, Some(vec![("v".to_owned(), number(2))]));
    let all = monitored(&purposes, &(log + &event("ship", 2) + "{\"stop\": true}"), false);
    assert_eq!(all.purposes[0].verdict, Verdict::Holds);
}

#[test]
fn a_verdict_is_revised_by_the_end_of_the_run() {
    // Strong next: in the state after the order something must follow, which it does unless the run ends.
    let plain = asked(SHOP, &["shipped"]);
    let mut acceptor = shop_acceptor(&plain[0]);
    acceptor.variables.clear();
    let gate = plain[0].lists.names.numbers["gate"];
    let order = plain[0].lists.names.member(gate, 0);
    acceptor.atoms = vec![Atom { condition: equal(Expr::Slot(gate), Expr::Const(order)), fixes: vec![] }];
    acceptor.automaton = Automaton {
        nodes: vec![Node::Leaf(0), Node::Leaf(1), Node::Leaf(2), Node::Test(0, 1, 0)],
        states: vec![
            State { next: 3, accepts: false, verdict: None },
            State { next: 2, accepts: false, verdict: Some(true) },
            State { next: 2, accepts: true, verdict: Some(true) },
        ],
        start: 0,
    };
    let purposes = with_acceptor(acceptor);
    let log = event("pay", 1) + &event("order", 1);
    let running = monitored(&purposes, &log, false);
    assert_eq!(running.purposes[0].verdict, Verdict::Holds);
    assert_eq!(running.purposes[0].decided.as_ref().map(|d| d.event), Some(2));
    let ended = monitored(&purposes, &(log.clone() + "{\"stop\": true}"), false);
    assert_eq!(ended.purposes[0].verdict, Verdict::Fails);
    assert!(ended.purposes[0].decided.as_ref().is_some_and(|d| d.at_stop));
    let later = monitored(&purposes, &(log + &event("pay", 1) + "{\"stop\": true}"), false);
    assert_eq!(later.purposes[0].verdict, Verdict::Holds);
    assert_eq!(later.purposes[0].decided.as_ref().map(|d| (d.event, d.at_stop)), Some((2, false)));
}

#[test]
fn matches_are_counted_and_the_first_are_told() {
    let plain = asked(SHOP, &["shipped"]);
    let mut acceptor = shop_acceptor(&plain[0]);
    // A ship of what was ordered and not shipped since: after it, the state in which a match ends.
    acceptor.automaton = Automaton {
        nodes: vec![Node::Leaf(0), Node::Leaf(1), Node::Leaf(2), Node::Test(0, 1, 0), Node::Test(1, 2, 1)],
        states: vec![
            State { next: 3, accepts: false, verdict: None },
            State { next: 4, accepts: false, verdict: None },
            State { next: 3, accepts: true, verdict: None },
        ],
        start: 0,
    };
    acceptor.is_match = true;
    acceptor.for_all = false;
    let purposes = with_acceptor(acceptor);
    let mut log = String::new();
    for n in 0..300 {
        log += &(event("order", n) + &event("ship", n) + &event("ship", n));
    }
    let result = monitored(&purposes, &log, false);
    let judged = &result.purposes[0];
    assert_eq!((judged.matched, judged.matches.len()), (300, 100));
    assert_eq!((judged.matches[1].event, judged.matches[1].line), (5, 5));
    assert_eq!(judged.matches[1].binding, Some(vec![("v".to_owned(), number(1))]));
}

// The command

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("monitoring");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn write(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder().join(name);
    fs::write(&path, content).expect("a file");
    path.to_str().expect("a plain path").to_owned()
}

/// Runs the command with a log on standard input.
fn piped(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // It may end before it has read everything.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    Output {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

fn json_of(output: &Output) -> Json {
    serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn answers(json: &Json) -> Vec<(String, String)> {
    let purposes = json["purposes"].as_array().expect("purposes").iter();
    let text = |json: &Json| json.as_str().expect("a text").to_owned();
    purposes.map(|one| (text(&one["name"]), text(&one["answer"]))).collect()
}

#[test]
fn a_log_is_judged_by_the_model_as_well() {
    let model = write("shop.tw", SHOP);
    let log = event("order", 1) + &event("pay", 1) + &event("ship", 1);
    let good = piped(&["monitor", &model, "-", "-p", "shipped", "--json"], log.as_bytes());
    good.succeeds();
    let json = json_of(&good);
    assert_eq!((&json["model"], &json["events"], &json["accepted"]), (&json!("Shop"), &json!(3), &json!(true)));
    assert_eq!(json["purposes"][0]["decided"], json!({ "event": 3, "line": 3, "stop": false }));
    let log = format!("\n{}{}{}", event("order", 1), event("pay", 2), event("ship", 2));
    let bad = piped(&["monitor", &model, "-", "-p", "shipped", "--json"], log.as_bytes());
    assert_eq!(bad.code, 1);
    let json = json_of(&bad);
    assert_eq!(json["accepted"], json!(false));
    assert_eq!((&json["rejected"]["event"], &json["rejected"]["line"]), (&json!(2), &json!(3)));
    assert_eq!(json["rejected"]["refused"][0]["part"], json!("ref == r"));
    assert_eq!(json["purposes"][0]["answer"], json!("holds"), "purposes are judged further on");
    let silent = piped(&["monitor", &model, "-", "-p", "shipped", "--json", "--no-model"], log.as_bytes());
    assert_eq!((silent.code, &json_of(&silent)["accepted"]), (0, &Json::Null));
}

#[test]
fn exit_codes_follow_the_wishes() {
    let model = write("wishes.tw", SHOP);
    let log = event("order", 1) + &event("pay", 1) + &event("ship", 1);
    let code = |purpose: &str, more: &[&str]| {
        piped(&[&["monitor", &model, "-", "-p", purpose], more].concat(), log.as_bytes()).code
    };
    assert_eq!(code("shipped", &[]), 0);
    assert_eq!(code("wrong", &[]), 1, "it holds, and that is not the wish");
    assert_eq!(code("again", &[]), 0, "open is no failure");
    assert_eq!(code("again", &["--stop"]), 1);
    assert_eq!(code("nothing", &[]), 2);
}

#[test]
fn what_is_not_recorded_is_followed_in_the_model() {
    let model = write(
        "followed.tw",
        format!(
            "{SHOP}\npurpose paid for Shop {{ member(Paid) on state }}\n\
             purpose took for Shop {{ follows(take, send) on fired }}\n\
             purpose kept for Shop {{ always(pre(r) <= r) }}"
        ),
    );
    let purposes = ["-p", "paid", "-p", "took", "-p", "kept"];
    let log = event("order", 5) + &event("pay", 5) + &event("ship", 5) + &event("order", 3);
    let followed = piped(&[&["monitor", &model, "-", "--json"], &purposes[..]].concat(), log.as_bytes());
    let expected = [("paid", "holds"), ("took", "holds"), ("kept", "fails")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(answers(&json_of(&followed)), expected);
    assert_eq!(json_of(&followed)["purposes"][2]["decided"]["event"], json!(4));
    let alone = piped(&[&["monitor", &model, "-", "--json", "--no-model"], &purposes[..]].concat(), log.as_bytes());
    assert_eq!(alone.code, 3, "nobody guesses");
    assert!(answers(&json_of(&alone)).iter().all(|(_, answer)| answer == "unknown"));
    // The same, recorded.
    let recorded = [
        ("order", 5, "Ordered", "take"),
        ("pay", 5, "Paid", "cash"),
        ("ship", 5, "Idle", "send"),
        ("order", 3, "Ordered", "take"),
    ];
    let recorded: String = (recorded.iter())
        .map(|(gate, r, state, fired)| {
            let line = json!({
                "gate": gate, "data": {"ref": r}, "state": {"Shop": state}, "vars": {"r": r}, "fired": {"Shop": fired},
            });
            format!("{line}\n")
        })
        .collect();
    let told = piped(&[&["monitor", &model, "-", "--json", "--no-model"], &purposes[..]].concat(), recorded.as_bytes());
    assert_eq!(answers(&json_of(&told)), expected);
}

#[test]
fn where_the_model_has_a_choice_only_what_is_so_in_all_cases_is_said() {
    let text = "sts Choice {
        in go()
        out left(), right()
        initial location Start
        location Left, Right, End
        Start -> Left  : a ?go
        Start -> Right : b ?go
        Left  -> End : !left
        Right -> End : !right
      }
      purpose went_left  for Choice { member(Left) on state }
      purpose went_there for Choice { member(state == Left || state == Right) }";
    let purposes = asked(text, &["went_left", "went_there"]);
    let verdicts = |log: &str| -> Vec<Verdict> {
        monitored(&purposes, log, true).purposes.iter().map(|judged| judged.verdict).collect()
    };
    let go = "{\"gate\": \"go\"}\n";
    assert_eq!(verdicts(go), [Verdict::Open, Verdict::Holds]);
    assert_eq!(verdicts(&format!("{go}{{\"stop\": true}}")), [Verdict::Unknown, Verdict::Holds]);
    assert_eq!(verdicts(&format!("{go}{{\"gate\": \"left\"}}\n")), [Verdict::Holds, Verdict::Holds]);
    let stopped = format!("{go}{{\"gate\": \"right\"}}\n{{\"stop\": true}}\n");
    assert_eq!(verdicts(&stopped), [Verdict::Fails, Verdict::Holds]);
}

#[test]
fn silence_is_for_the_model_only() {
    let text = "sts Door {
        in knock()
        out answer()
        initial location Quiet
        location Heard
        Quiet -> Heard : ?knock
        Heard -> Quiet : !answer
      }
      purpose two for Door { length 2 }";
    let purposes = asked(text, &["two"]);
    let log =
        "{\"gate\":\"delta\"}\n{\"gate\":\"knock\"}\n{\"gate\":\"answer\"}\n{\"gate\":\"delta\"}\n{\"stop\":true}\n";
    let result = monitored(&purposes, log, true);
    assert_eq!((result.events, result.accepted, result.purposes[0].verdict), (4, Some(true), Verdict::Holds));
    let wrong = monitored(&purposes, "{\"gate\":\"knock\"}\n{\"gate\":\"delta\"}\n", true);
    assert_eq!(
        (wrong.accepted, wrong.rejected.map(|(explanation, line)| (explanation.step, line))),
        (Some(false), Some((2, 2)))
    );
}

const LAMP: &str = "
type Colour = Red | Green
component Lamp {
  in press: Bool
  in level: 0..9
  out light: Colour
  var n: Nat = 0
  initial state Off
  state On
  Off -> On  : on  when press?true  do light!Green, n := n + 1
  On  -> Off : off when press?false do light!Red
}
purpose lit    for Lamp { member(Green) on light }
purpose twice  for Lamp { at_least(2, On) on state }
purpose silent for Lamp { never(press?absent && light?Green) }
";

#[test]
fn messages_that_are_not_mentioned_are_absent() {
    let model = write("lamp.tw", LAMP);
    let log = "{\"inputs\":{\"press\":true},\"outputs\":{\"light\":\"Green\"}}\n{}\n{\"inputs\":{\"press\":false},\"outputs\":{\"light\":\"Red\"}}\n";
    let output = piped(&["monitor", &model, "-", "--stop", "--json"], log.as_bytes());
    output.succeeds();
    let expected = [("lit", "holds"), ("twice", "holds"), ("silent", "holds")];
    assert_eq!(answers(&json_of(&output)), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    // An output that is not mentioned did not come.
    let log = "{\"inputs\":{\"press\":true}}\n";
    assert_eq!(piped(&["monitor", &model, "-", "-p", "lit"], log.as_bytes()).code, 1);
}

#[test]
fn tables_are_logs_too() {
    let model = write("table.tw", LAMP);
    let map = write(
        "lamp_map.json",
        r#"{"inputs": {"press": "Knopf"}, "outputs": {"light": "Farbe"}, "state": {"Lamp": "Zustand"}, "delimiter": ";",
            "values": {"press": {"an": true, "aus": false}}}"#,
    );
    let table = "Zeit;Knopf;Farbe;Zustand\n10:00;an;Green;On\n10:01;;;On\n\"10:02\nspaeter\";aus;\"Red\";Off\n";
    let log = write("lamp.csv", table);
    let output = tracewright(&["monitor", &model, &log, "--map", &map, "--stop", "--json"]);
    output.succeeds();
    assert_eq!(json_of(&output)["events"], json!(3));
    let expected = [("lit", "holds"), ("twice", "holds"), ("silent", "holds")];
    assert_eq!(answers(&json_of(&output)), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    let error = |table: &str, map: &str| {
        let log = write("bad.csv", table);
        let map = write("bad_map.json", map);
        let output = tracewright(&["monitor", &model, &log, "--map", &map, "--json"]);
        assert_eq!(output.code, 2, "{output:?}");
        let error = &json_of(&output)["errors"][0];
        let at = |key: &str| error[key].as_u64().expect("a number");
        (at("line"), at("column"), error["message"].as_str().expect("text").to_owned())
    };
    let plain = r#"{"inputs": {"press": "p", "level": "l"}}"#;
    assert_eq!(
        error("p,l\ntrue,3\ntrue,12\n", plain),
        (3, 6, "column `l`: `level`: 12 is not a value of `0..9`".to_owned())
    );
    let (line, column, message) = error("p,l\n\"true,3\ntrue,4\n", plain);
    assert_eq!((line, column), (2, 1), "{message}");
    let (line, column, message) = error("p,l\ntrue,3,4\n", plain);
    assert_eq!((line, column), (2, 8), "{message}");
    let (line, column, message) = error("p,l,p\ntrue,3,true\n", plain);
    assert_eq!((line, column), (1, 5), "{message}");
    let (line, _, message) = error("p,leve\n", r#"{"inputs": {"press": "p", "level": "level"}}"#);
    assert_eq!((line, message.as_str()), (1, "there is no column `level`; did you mean `leve`?"));
    let (_, _, message) = error("p\n", r#"{"inputs": {"pres": "p"}}"#);
    assert_eq!(message, "inputs: there is no input `pres`; did you mean `press`?");
    let (_, _, message) = error("p\n", r#"{"gate": "p"}"#);
    assert!(message.starts_with("a mapping for this model has no key `gate`"), "{message}");
}

#[test]
fn lines_of_a_table_are_counted_as_they_stand_in_the_file() {
    let model = write("table_lines.tw", LAMP);
    let map = write("table_lines.json", r#"{"inputs": {"press": "p", "level": "l"}, "outputs": {"light": "c"}}"#);
    for (end, name) in [("\n", "lf"), ("\r\n", "crlf"), ("\r", "cr")] {
        // Lines 1, 3 and 6 are records; the second one has a line end in a cell.
        let table = ["", "p,l,c,x", "", "false,3,,\"a", "b\"", "", "", "true,4,Green,"].join(end);
        let log = write(&format!("table_lines_{name}.csv"), &table);
        let output = tracewright(&["monitor", &model, &log, "--map", &map, "--json", "--no-model", "-p", "lit"]);
        output.succeeds();
        let decided = &json_of(&output)["purposes"][0]["decided"];
        assert_eq!(*decided, json!({ "event": 2, "line": 8, "stop": false }), "{name}");
        let log = write(&format!("table_lines_{name}_bad.csv"), format!("{table}{end}{end}true,12,,{end}"));
        let output = tracewright(&["monitor", &model, &log, "--map", &map, "--json"]);
        let error = &json_of(&output)["errors"][0];
        assert_eq!((&error["line"], &error["column"]), (&json!(10), &json!(6)), "{name}: {error}");
    }
    let log = write("table_lines_bytes.csv", b"p,l,c\r\n\r\ntrue,3,\r\n\xff,4,\r\n");
    let output = tracewright(&["monitor", &model, &log, "--map", &map, "--json"]);
    assert_eq!(json_of(&output)["errors"][0]["line"], json!(4), "{}", output.stdout);
}

#[test]
fn cells_mean_what_they_mean_in_json() {
    let text = "sts Two {
        in say(what: String), go(n: 0..9)
        initial location A
        location B
        A -> A : heard ?say(what)
        A -> B : left ?go(n)
      }
      sts Other {
        in stay()
        initial location C
        C -> C : stayed ?stay
      }
      system Both = t: Two ||| o: Other
      purpose blank for Both { member(\" a\") on say.what }
      purpose there for Both { member(B) on t.state }
      purpose alone for Both { always(o.fired?absent) }
      purpose took  for Both { member(heard) on t.fired }";
    let model = write("cells.tw", text);
    let run = |map: Json, table: &str, purpose: &str| {
        let (map, log) = (write("cells.json", map.to_string()), write("cells.csv", table));
        tracewright(&["monitor", &model, &log, "--map", &map, "--json", "--no-model", "-p", purpose])
    };
    let answer = |map: Json, table: &str, purpose: &str| {
        let output = run(map, table, purpose);
        json_of(&output)["purposes"][0]["answer"].as_str().unwrap_or_else(|| panic!("{output:?}")).to_owned()
    };
    let error = |map: Json, table: &str| {
        let output = run(map, table, "blank");
        assert_eq!(output.code, 2, "{output:?}");
        json_of(&output)["errors"][0]["message"].as_str().expect("text").to_owned()
    };
    // White space counts in texts, and nowhere else.
    let data = json!({ "gate": "e", "data": { "say.what": "w", "go.n": "n" } });
    assert_eq!(answer(data.clone(), "e,w,n\n say ,\" a\",\n", "blank"), "holds");
    assert_eq!(answer(data.clone(), "e,w,n\nsay,a,\ngo, , 3\n", "blank"), "open");
    // Other names for states and transitions.
    let states = json!({ "gate": "e", "state": { "t": "s" }, "values": { "t": { "b": "B", "a": "A" } } });
    assert_eq!(answer(states.clone(), "e,s\nsay,a\ngo,b\n", "there"), "holds");
    assert_eq!(answer(states.clone(), "e,s\nsay,A\n", "there"), "open");
    assert!(error(states, "e,s\nsay,c\n").starts_with("column `s`: there is no state `c`"));
    let odd = json!({ "gate": "e", "state": { "t": "s" }, "values": { "t": { "b": null } } });
    assert_eq!(error(odd, "e,s\n"), "values: expected a name for `b` of `t`");
    // Nothing is no number.
    let nothing = json!({ "gate": "e", "data": { "go.n": "n" }, "values": { "go.n": { "-": null } } });
    assert!(error(nothing, "e,n\ngo,-\n").starts_with("column `n`: `go.n`: "), "as in JSON");
    // Who fired nothing took no part, if there is a column for everybody, and somebody fired.
    let fired = json!({ "gate": "e", "fired": { "t": "t", "o": "o" }, "values": { "t": { "h": "heard" } } });
    assert_eq!(answer(fired.clone(), "e,t,o\nsay,h,\n", "alone"), "open");
    assert_eq!(answer(fired.clone(), "e,t,o\nsay,h,\n", "took"), "holds");
    assert_eq!(answer(fired.clone(), "e,t,o\nsay,,\n", "alone"), "unknown");
    assert_eq!(error(fired, "e,t,o\ndelta,h,\n"), "column `t`: in `delta` nothing fires");
    let one = json!({ "gate": "e", "fired": { "t": "t" } });
    assert_eq!(answer(one, "e,t\nsay,heard\n", "alone"), "unknown");
}

#[test]
fn who_is_not_mentioned_took_no_part_at_gates_and_is_unknown_in_lock_step() {
    let shop = format!("{SHOP}\nsystem Two = a: Shop ||| b: Shop\npurpose alone for Two {{ always(b.fired?absent) }}");
    let told = "{\"gate\": \"order\", \"fired\": {\"a\": \"take\"}}\n";
    assert_eq!(monitored(&asked(&shop, &["alone"]), told, false).purposes[0].verdict, Verdict::Open);
    let lamps = "component Lamp { initial state S  S -> S : on }
        system Two { a: Lamp  b: Lamp }
        purpose rests for Two { always(b.fired == idle) }";
    let purposes = asked(lamps, &["rests"]);
    let verdict = |fired: &str| monitored(&purposes, &format!("{{\"fired\": {fired}}}\n"), false).purposes[0].verdict;
    assert_eq!(verdict("{\"a\": \"on\"}"), Verdict::Unknown);
    assert_eq!(verdict("{\"a\": \"on\", \"b\": \"idle\"}"), Verdict::Open);
}

/// What a log says of who fired is all that fired, for the model as for purposes; components may also have idled.
#[test]
fn a_handshake_is_not_taken_by_one_side_alone() {
    let text = "
sts A { in s(), a()  initial location A0  A0 -> A0 : as ?s  A0 -> A0 : aa ?a }
sts B { in s()  initial location B0  B0 -> B0 : bs ?s }
component C { in i: Bool  initial state S  S -> S : ct when i?_ }
component D { in i: Bool  initial state S  S -> S : dt when i?true }
system E { c: C  d: D  in i -> c.i, d.i }
system T = (A || B) ||| e: E
purpose alone for T { always(B.fired?absent) }
purpose rests for T { always(e.c.fired?absent) }
";
    let purposes = asked(text, &["alone", "rests"]);
    let said = |log: &str| {
        let Monitored { accepted, purposes, .. } = monitored(&purposes, &format!("{log}\n"), true);
        (accepted.expect("the model was followed"), purposes[0].verdict, purposes[1].verdict)
    };
    let (open, fails) = (Verdict::Open, Verdict::Fails);
    assert_eq!(said(r#"{"gate": "s", "fired": {"A": "as", "B": "bs"}}"#), (true, fails, open));
    assert_eq!(said(r#"{"gate": "s", "fired": {"A": "as"}}"#), (false, open, open));
    assert_eq!(said(r#"{"gate": "s", "fired": {}}"#), (false, open, open));
    assert_eq!(said(r#"{"gate": "s"}"#), (true, fails, open));
    assert_eq!(said(r#"{"gate": "a", "fired": {"A": "aa"}}"#), (true, open, open));
    // What a component did that is not mentioned is what the model says.
    let tick = |fired: &str| format!(r#"{{"gate": "tick", "data": {{"i": false}}, "fired": {fired}}}"#);
    assert_eq!(said(&tick(r#"{"e.c": "ct"}"#)), (true, open, fails));
    assert_eq!(said(&tick(r#"{"e.d": "idle"}"#)), (true, open, fails));
}

#[test]
fn tables_of_gates_name_the_gate_in_a_column() {
    let model = write("gates.tw", SHOP);
    let map = write(
        "gates_map.json",
        r#"{"gate": "event", "data": {"order.ref": "ref", "pay.ref": "ref", "ship.ref": "ref"},
            "names": {"ORD": "order", "PAY": "pay", "SHP": "ship", "LOG": null}}"#,
    );
    let log = write("gates.csv", "event,ref\nORD,7\nLOG,\nPAY,7\nSHP,7\n");
    let output = tracewright(&["monitor", &model, &log, "--map", &map, "--json", "-p", "shipped"]);
    output.succeeds();
    let json = json_of(&output);
    assert_eq!((&json["events"], &json["accepted"]), (&json!(3), &json!(true)));
    assert_eq!(json["purposes"][0]["decided"], json!({ "event": 3, "line": 5, "stop": false }));
    let log = write("gates_bad.csv", "event,ref\nORDER,7\n");
    let output = tracewright(&["monitor", &model, &log, "--map", &map]);
    assert_eq!(output.code, 2);
    assert!(
        output.stderr.contains("column `event`: there is no gate `ORDER`; did you mean `order`?"),
        "{}",
        output.stderr
    );
}

#[test]
fn errors_have_their_place_in_the_log() {
    let model = write("places.tw", SHOP);
    let error = |line: &str| {
        let log = format!("{}{line}\n", event("order", 1));
        let output = piped(&["monitor", &model, "-", "--json"], log.as_bytes());
        assert_eq!(output.code, 2, "{line}: {output:?}");
        let error = &json_of(&output)["errors"][0];
        assert_eq!((&error["code"], &error["line"]), (&json!("E0608"), &json!(2)), "{line}");
        (error["column"].as_u64().expect("a number"), error["message"].as_str().expect("text").to_owned())
    };
    let cases = [
        (r#"{"gate": "ordr"}"#, 10, "there is no gate `ordr`; did you mean `order`?"),
        (r#"{"gate": "order", "data": {"rev": 1}}"#, 28, "`order` has no parameter `rev`; did you mean `ref`?"),
        (r#"{"gate": "order", "data": {"ref": -1}}"#, 35, "`order.ref`: -1 is not a value of `Nat`"),
        (r#"{"data": {"ref": -1}, "gate": "order"}"#, 18, "`order.ref`: -1 is not a value of `Nat`"),
        (r#"{"gate": "order", "dir": "out"}"#, 26, "the direction of `order` is `in`"),
        (r#"{"gate": "order", "gate": "pay"}"#, 19, "`gate` stands here twice"),
        (r#"{"gate": "order", "data": {"ref": 1, "ref": 1}}"#, 38, "`ref` stands here twice"),
        (r#"{"data": {"ref": 1, "ref": 1}, "gate": "order"}"#, 21, "`ref` stands here twice"),
        (r#"{"gate": "pay", "state": {"Shop": "Paid", "Shop": "Idle"}}"#, 43, "`Shop` stands here twice"),
        (r#"{"gate": "pay", "fired": {"Shop": "cash", "Shop": "cash"}}"#, 43, "`Shop` stands here twice"),
        (r#"{"gate": "pay", "vars": {"r": 1, "r": 1}}"#, 34, "`r` stands here twice"),
        (r#"{"gate": "tau", "data": {"ref": 1}}"#, 26, "`tau` carries no data"),
        (r#"{"gates": "order"}"#, 2, "unknown key `gates`; did you mean `gate`?"),
        (r#"{"gate": "order"} x"#, 19, "this is no JSON: expected the end of the line, found `x`"),
        (r#"{"gate": "order", "state": {"Shop": "Idel"}}"#, 37, "there is no state `Idel`; did you mean `Idle`?"),
        (r#"{"gate": "order", "vars": {"q": 1}}"#, 28, "there is no variable `q`"),
        (r#"{"at": 1}"#, 1, "an event has a `gate`"),
        (r#"{"stop": false}"#, 10, "`stop` is `true`, or is not there"),
        (r#"{"initial": {}}"#, 1, "`initial` stands before the first event"),
        (r#"{"stop": true, "gate": "order"}"#, 16, "`stop` stands on a line of its own"),
        ("{\"note\": \"ä\", \"gate\": 3}", 23, "this is no JSON: expected the name of a gate, found `3`"),
    ];
    for (line, column, message) in cases {
        assert_eq!(error(line), (column, message.to_owned()), "{line}");
    }
    let after = format!("{{\"stop\": true}}\n{}", event("order", 1));
    let output = piped(&["monitor", &model, "-"], after.as_bytes());
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("the run has ended on line 1; nothing follows that"), "{}", output.stderr);
    let again = format!("{{\"initial\": {{}}}}\n\n{{\"initial\": {{}}}}\n{}", event("order", 1));
    let output = piped(&["monitor", &model, "-", "--json"], again.as_bytes());
    let error = &json_of(&output)["errors"][0];
    assert_eq!((&error["line"], &error["message"]), (&json!(3), &json!("`initial` stands here twice")));
    let lamp = write("places_lamp.tw", LAMP);
    let output = piped(&["monitor", &lamp, "-", "--json"], b"{\"inputs\": {\"press\": null, \"press\": true}}\n");
    assert_eq!(json_of(&output)["errors"][0]["message"], json!("`press` stands here twice"));
}

#[test]
fn a_row_has_as_many_cells_as_there_are_columns() {
    let model = write("cells.tw", SHOP);
    let map = write("cells.json", r#"{"gate": "event", "data": {"order.ref": "ref"}}"#);
    let error = |rows: &str| {
        let log = write("cells.csv", format!("time,event,ref\n9,order,1\n{rows}\n"));
        let output = piped(&["monitor", &model, &log, "--map", &map, "--json"], b"");
        assert_eq!(output.code, 2, "{rows}: {output:?}");
        let error = &json_of(&output)["errors"][0];
        (error["line"].as_u64(), error["message"].as_str().expect("text").to_owned())
    };
    let (line, message) = error("9,order");
    assert_eq!(line, Some(3));
    assert!(message.starts_with("cells are missing"), "{message}");
    assert_eq!(error("9,order,1,2").0, Some(3));
}

#[test]
fn no_bytes_break_it() {
    let model = write("hostile.tw", SHOP);
    let deep = format!("{{\"note\": {}1{}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    let nested = format!("{{\"gate\": \"order\", \"note\": {}1{}}}\n", "[".repeat(4_000), "]".repeat(4_000));
    let open = format!("{{\"gate\": \"order\", \"data\": {}", "{\"a\":".repeat(10_000));
    let long = format!("{{\"gate\": \"order\", \"note\": \"{}\"}}\n", "x".repeat(2_000_000));
    let digits = format!("{{\"gate\": \"order\", \"data\": {{\"ref\": {}}}}}\n", "9".repeat(100_000));
    let written = format!("{{\"gate\": \"order\", \"data\": {{\"ref\": \"{}\"}}}}\n", "9".repeat(500));
    let cases: Vec<(&[u8], i32)> = vec![
        (b"", 0),
        (b"\n\n \r\n", 0),
        (b"\xff\xfe{}\n", 2),
        (b"{\"gate\": \"order\", \"note\": \"\xff\"}\n", 2),
        (b"{\"gate\": \"order\\u00", 2),
        (b"{\"gate\": \"\\u006frder\"}\n", 0),
        (b"{\"gate\": \"order\", \"note\": \"\\ud800\"}\n", 0),
        (b"\0\0\0", 2),
        (b"{", 2),
        (b"}", 2),
        (b"{\"gate\"", 2),
        (b"{\"gate\":", 2),
        (b"{\"gate\": \"order\",}", 2),
        (b"nul", 2),
        (b"\"", 2),
        (b"{\"gate\": \"order\", \"data\": {\"ref\": 1e400}}", 2),
        (b"{\"gate\": \"order\", \"data\": {\"ref\": -0}}", 0),
        (b"{\"gate\": \"order\", \"data\": {\"ref\": 01}}", 2),
        (b"{\"gate\": \"order\", \"data\": {\"ref\": 1.5}}", 2),
        (b"{\"gate\": \"order\", \"data\": {\"ref\": null}}", 2),
        (b"\xef\xbb\xbf{\"gate\": \"order\"}\n", 0),
        (b"{\"steps\": 3}", 2),
        (b"{\"steps\": []}", 1),
        (b"{\n  \"steps\": [\n    {\"gate\": \"order\", \"data\": {\"ref\": 1}}\n  ]\n}\n", 1),
        (b"{\"steps\": [{\"gate\": \"ordr\"}]}", 2),
        (deep.as_bytes(), 2),
        (nested.as_bytes(), 0),
        (open.as_bytes(), 2),
        (long.as_bytes(), 0),
        (digits.as_bytes(), 2),
        (written.as_bytes(), 0),
    ];
    for (log, code) in cases {
        let output = piped(&["monitor", &model, "-", "-p", "shipped", "-p", "answered", "--no-model"], log);
        let shown = String::from_utf8_lossy(&log[..log.len().min(80)]);
        assert_eq!(output.code, code, "{shown}: {}{}", output.stdout, output.stderr);
    }
    // Cut and changed at every place.
    let line = "{\"gate\":\"order\",\"dir\":\"in\",\"data\":{\"ref\":17},\"vars\":{\"r\":17},\"note\":[1,\"a\\n\"]}";
    let purposes = asked(SHOP, &["up"]);
    let names = LogNames::new(&purposes[0].system);
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20_000 {
        let mut bytes = line.as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..bytes.len());
            match random.u8(0..3) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = *random.choice(b"{}[]\",:\\0-9aetn \xc3").expect("one"),
                _ => bytes.insert(at, random.u8(..)),
            }
        }
        let mut event = LogEvent::default();
        let read = LogReader::json(&names, &bytes[..]).next(&mut event);
        // What is read as an event is JSON, and what the library takes for no JSON is no event.
        let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.iter().all(u8::is_ascii_whitespace));
        if let (Ok(Some(Entry::Event)), Some(first)) = (read, first) {
            assert!(serde_json::from_slice::<Json>(first).is_ok(), "{}", String::from_utf8_lossy(first));
        }
    }
}

#[test]
fn initial_values_are_believed_by_purposes_and_checked_by_the_model() {
    let text = "component Delay {
        in go: Bool
        var left: 0..3 = any
        initial state S
        S -> S : wait when go?true && left > 0 do left := left - 1
      }
      purpose falls for Delay { always(left <= pre(left)) }
      purpose from  for Delay { first(pre(left)) == 2 }";
    let purposes = asked(text, &["falls", "from"]);
    let step = "{\"inputs\": {\"go\": true}, \"vars\": {\"left\": 1}}\n";
    let told = monitored(&purposes, &format!("{{\"initial\": {{\"vars\": {{\"left\": 2}}}}}}\n{step}"), true);
    assert_eq!((told.accepted, told.purposes[1].verdict), (Some(true), Verdict::Holds));
    // Not told, it follows from the model.
    assert_eq!(monitored(&purposes, step, true).purposes[1].verdict, Verdict::Holds);
    let wrong = monitored(&purposes, &format!("{{\"initial\": {{\"vars\": {{\"left\": 3}}}}}}\n{step}"), true);
    assert_eq!((wrong.accepted, wrong.purposes[1].verdict), (Some(false), Verdict::Fails));
}

#[test]
fn generated_sequences_meet_what_they_were_generated_for() {
    let mut sequences = 0;
    // The search takes longest for those that are left out.
    let left_out = ["stopwatch.tw", "token_ring.tw"];
    let examples = fs::read_dir("examples").expect("examples").map(|entry| entry.expect("a file").path());
    let is_model = |path: &PathBuf| {
        path.extension().is_some_and(|e| e == "tw") && !left_out.iter().any(|name| path.ends_with(name))
    };
    for file in examples.filter(is_model) {
        let file = file.to_str().expect("a plain path").to_owned();
        let output = tracewright(&["gen", &file, "--json"]);
        let generated = json_of(&output);
        if output.code == 2 {
            assert_eq!(generated["errors"][0]["code"], json!("E0714"), "{file} has purposes: {output:?}");
            continue;
        }
        for purpose in generated["purposes"].as_array().expect("purposes") {
            let name = purpose["name"].as_str().expect("a name");
            for case in purpose["cases"].as_array().expect("cases") {
                let class = case["class"].as_str();
                let log = case["sequence"].to_string();
                let output = piped(&["monitor", &file, "-", "-p", name, "--json"], log.as_bytes());
                let json = json_of(&output);
                assert_eq!((&json["accepted"], &json["finished"]), (&json!(true), &json!(true)), "{name}: {output:?}");
                assert_eq!(json["purposes"][0]["answer"], json!("holds"), "{name} {class:?}: {output:?}");
                sequences += 1;
            }
        }
    }
    assert!(sequences >= 40, "{sequences} sequences");
}

#[test]
fn a_property_fails_where_it_is_broken() {
    let text = "sts Locker {
        in lock(code: 1000..9999), open(code: Nat), reset(master: Nat)
        var code: Nat = 0, wrong: 0..3 = 0
        initial location Free
        location Taken
        Free  -> Taken : lock ?lock(c) do code := c, wrong := 0
        Taken -> Free  : open ?open(c) when c == code && wrong < 3
        Taken -> Taken : miss ?open(c) when c != code && wrong < 3 do wrong := wrong + 1 @exceptional
        Taken -> Free  : reset ?reset(m) when m == 4711
      }
      property polite for Locker { always wrong <= 1 }
      property blocked for Locker { after open exceptional with wrong == 2 always open not enabled unless reset normal }";
    let purposes = asked(text, &["polite", "blocked"]);
    let call = |gate: &str, name: &str, value: i64| json!({ "gate": gate, "data": { name: value } }).to_string() + "\n";
    let verdicts = |log: &str| -> Vec<(Verdict, Option<usize>)> {
        let judged = monitored(&purposes, log, true).purposes;
        judged.iter().map(|one| (one.verdict, one.decided.as_ref().map(|decided| decided.event))).collect()
    };
    let mut log = call("lock", "code", 1234) + &call("open", "code", 1);
    assert_eq!(verdicts(&log), [(Verdict::Open, None), (Verdict::Open, None)]);
    log += &call("open", "code", 2);
    assert_eq!(verdicts(&log), [(Verdict::Fails, Some(3)), (Verdict::Open, None)]);
    assert_eq!(verdicts(&(log.clone() + "{\"stop\": true}"))[1].0, Verdict::Holds);
    log += &call("open", "code", 1234);
    assert_eq!(verdicts(&log), [(Verdict::Fails, Some(3)), (Verdict::Fails, Some(4))]);
}

#[test]
fn a_value_for_the_whole_run_is_found_among_those_seen() {
    let text = format!(
        "{SHOP}\npurpose any_same for Shop {{ some x in Nat: follows(order.ref == x, ship.ref == x) }}\n\
         purpose short for Shop {{ length <= 1   some x in Nat: follows(order.ref == x, ship.ref == x) }}"
    );
    let purposes = asked(&text, &["any_same", "short"]);
    let verdicts = |log: &str| -> Vec<(Verdict, Option<usize>)> {
        let judged = monitored(&purposes, log, false).purposes;
        judged.iter().map(|one| (one.verdict, one.decided.as_ref().map(|decided| decided.line))).collect()
    };
    let log = format!("\n{}{}{}", event("order", 812), event("pay", 812), event("ship", 812));
    assert_eq!(verdicts(&log), [(Verdict::Holds, Some(4)), (Verdict::Fails, Some(3))]);
    // The value that fits first decides, but not before what else is asked for, of which some is a formula.
    let text = format!(
        "{SHOP}\npurpose first for Shop {{ some x in Nat: (member(x) on order.ref) }}\n\
         purpose both for Shop {{ some x in Nat: (member(x) on order.ref)   formula {{ eventually ship(7) }} }}\n\
         purpose before for Shop {{ some x in Nat: (member(x) on ship.ref)   formula {{ eventually order(5) }} }}"
    );
    let both = asked(&text, &["first", "both", "before"]);
    let log = event("order", 5) + &event("order", 2) + &event("ship", 7) + &event("ship", 7);
    let judged = monitored(&both, &log, false).purposes;
    let decided: Vec<_> = judged.iter().map(|one| one.decided.as_ref().map(|decided| decided.event)).collect();
    assert_eq!(decided, [Some(1), Some(3), Some(3)]);
    assert!(judged.iter().all(|one| one.verdict == Verdict::Holds));
    // Nothing that was seen fits, which is no proof that nothing does.
    let log = event("order", 812) + &event("ship", 813) + "{\"stop\": true}";
    assert_eq!(verdicts(&log), [(Verdict::Unknown, None), (Verdict::Fails, Some(2))]);
}

#[test]
fn a_log_belongs_to_the_model_where_its_trace_does() {
    let text = format!("{SHOP}\npurpose was_paid for Shop {{ member(Paid) on state }}");
    let plain = asked(&text, &["shipped"]);
    let looking = asked(&text, &["was_paid"]);
    let system = &plain[0].system;
    let mut random = fastrand::Rng::with_seed(4);
    let mut left = 0;
    for _ in 0..300 {
        let mut steps = vec![];
        for number in 0..random.usize(0..14) {
            // Mostly as the model does it, so that many logs go far.
            let gate = if random.u8(0..15) == 0 { random.usize(0..3) } else { number % 3 };
            let reference = if random.u8(0..20) == 0 { 9 } else { number / 3 % 2 };
            let silent = random.u8(0..40) == 0;
            let name = ["order", "pay", "ship"][gate];
            steps.push(match silent {
                true => json!({ "gate": "delta" }),
                false => json!({ "gate": name, "data": { "ref": reference } }),
            });
        }
        let log: String = steps.iter().map(|step| format!("{step}\n")).collect();
        let trace = Trace::from_json(&json!({ "steps": steps }), system).expect("a sound trace");
        let expected = match replay(system, &trace, &Given::default()).expect("no limits") {
            Replay::Accepted => None,
            Replay::Rejected(explanation) => Some(explanation),
        };
        left += usize::from(expected.is_some());
        for asked in [&plain, &looking] {
            let result = monitored(asked, &log, true);
            assert_eq!(result.accepted, Some(expected.is_none()), "{log}");
            assert_eq!(result.rejected.map(|(explanation, _)| explanation), expected, "{log}");
        }
        // A trace as a whole says the same.
        let whole = monitored(&plain, &json!({ "steps": steps }).to_string(), true);
        assert_eq!((whole.accepted, whole.is_finished), (Some(expected.is_none()), true), "{log}");
    }
    assert!((50..250).contains(&left), "{left} logs left the model");
}

/// A match is a match, whatever comes after it.
#[test]
fn the_first_match_decides() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (model, log) = (folder.join("first_match.tw"), folder.join("first_match.jsonl"));
    let text = "
sts W {
  in a(), b(), c(x: 1..2)
  initial location S
  S -> S : ?a
  S -> S : ?b
  S -> S : ?c(x)
}
pattern R for W { free n alphabet { c(n), a } c(n); a }
purpose matched for W { match R }
purpose unmatched for W { not match R }
property never for W { never match R }
";
    std::fs::write(&model, text).expect("writable");
    std::fs::write(&log, "{\"gate\":\"c\",\"data\":{\"x\":1}}\n{\"gate\":\"a\"}\n{\"gate\":\"b\"}\n")
        .expect("writable");
    for stop in [&["--no-model"][..], &["--no-model", "--stop"]] {
        let arguments = ["monitor", model.to_str().expect("plain"), log.to_str().expect("plain"), "--json"];
        let output = tracewright(&[&arguments[..], stop].concat());
        let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        for (name, answer) in [("matched", "holds"), ("unmatched", "fails"), ("never", "fails")] {
            let all = json["purposes"].as_array().expect("purposes");
            let one = all.iter().find(|one| one["name"] == name).expect("the purpose");
            assert_eq!((&one["answer"], &one["decided"]["event"]), (&answer.into(), &2.into()), "{json}");
        }
    }
}

//! Patterns: matches and scenarios against their declarative definition, scenarios of a cash machine.

use std::collections::BTreeSet;

use tracewright::history::{Acceptor, Automaton, Known};
use tracewright::synth::Asked;
use tracewright::term::{Definitions, Env, Fuel, Value, eval};
use tracewright::{model, syntax};

use crate::binary::tracewright as run;
use crate::worded;

/// Calls as a program makes them: vectors and enumerations, and an editor that saves.
const CALLS: &str = "
sts Calls {
  in create(v: Int, e: Int), next(e: Int), update(v: Int), other(), save(), act()
  initial location On
  On -> On : ?create(v, e)
  On -> On : ?next(e)
  On -> On : ?update(v)
  On -> On : ?other
  On -> On : ?save
  On -> On : ?act
}
pattern Unsafe for Calls {
  free v, e
  alphabet { create(v, e), next(e), update(v) }
  create(v, e); next(e)*; update(v)+; next(e)
}
pattern Hasty for Calls {
  free v, e
  alphabet { create(v, e), next(e), update(v) }
  create(v, e); update(v)+; next(e)
}
pattern Autosave for Calls {
  alphabet { save, act }
  act[5]
}
";

/// An event: the gate and what it carries.
type Event = (&'static str, Vec<i64>);

/// Where a match ends, and the values of its variables.
type Match = (usize, Vec<i64>);

fn asked(name: &str) -> Asked {
    purpose_in(&format!("{CALLS}purpose asked for Calls {{ match {name} }}"), "asked")
}

fn purpose_in(text: &str, name: &str) -> Asked {
    small_enough(text, name).unwrap_or_else(|| panic!("too large\n{text}"))
}

/// A purpose, unless it is refused for its size.
fn small_enough(text: &str, name: &str) -> Option<Asked> {
    let (sources, errors) = syntax::Sources::from_text("patterns.tw", text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (checked, problems) = model::check(&sources);
    let errors: Vec<_> = problems.iter().filter(|p| p.severity == tracewright::diagnostic::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let purpose = checked.purposes.iter().find(|p| p.tree.name.name == name).expect("the purpose");
    match Asked::new(&checked, purpose, &[], Default::default(), None) {
        Ok(asked) => Some(asked),
        Err(e) if format!("{e:?}").contains("can be watched") => None,
        Err(e) => panic!("{e:?}\n{text}"),
    }
}

/// What is observed of an event: one element of every list.
fn observed(asked: &Asked, event: &Event) -> Vec<Value> {
    let names = &asked.lists.names;
    let params =
        [("create", vec!["v", "e"]), ("next", vec!["e"]), ("update", vec!["v"]), ("a", vec!["x"]), ("b", vec!["x"])];
    (names.entries.iter().enumerate())
        .map(|(list, entry)| {
            if entry.name == "gate" {
                let member = names.members(list).iter().position(|name| *name == event.0).expect("a gate");
                return names.member(list, member);
            }
            let of = params.iter().find(|(gate, _)| *gate == event.0).map_or(&[][..], |(_, params)| &params[..]);
            let place = of.iter().position(|param| entry.name == format!("{}.{param}", event.0));
            place.map_or(Value::Absent, |place| Value::int(event.1[place]))
        })
        .collect()
}

/// A run of the automaton for each binding to values that were seen: steps and bindings of the matches.
fn matches(asked: &Asked, history: &[Event]) -> Vec<Match> {
    let acceptor: &Acceptor = asked.purpose.constraints[0].acceptor.as_ref().expect("an automaton");
    assert!(acceptor.is_match && !acceptor.for_all);
    let definitions = &asked.lists.names.definitions;
    let seen: BTreeSet<i64> = history.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    let mut bindings: Vec<Vec<i64>> = vec![vec![]];
    for _ in &acceptor.variables {
        bindings = bindings.iter().flat_map(|b| seen.iter().map(move |v| [&b[..], &[*v]].concat())).collect();
    }
    let mut out = vec![];
    for binding in bindings {
        let mut state = acceptor.automaton.start;
        for (number, event) in history.iter().enumerate() {
            let elements = observed(asked, event);
            state = advance(&acceptor.automaton, acceptor, state, &elements, &binding, definitions);
            if acceptor.automaton.states[state].accepts {
                out.push((number + 1, binding.clone()));
            }
        }
    }
    out.sort();
    out
}

fn advance(
    automaton: &Automaton,
    acceptor: &Acceptor,
    state: usize,
    elements: &[Value],
    binding: &[i64],
    definitions: &Definitions,
) -> usize {
    automaton.next(state, |atom| {
        let fuel = Fuel::new();
        let env = Env { definitions, slots: elements, fuel: &fuel };
        let mut frame = binding.iter().map(|value| Value::int(*value)).collect();
        eval(&acceptor.atoms[atom].condition, env, &mut frame).is_ok_and(|value| value.is_true())
    })
}

/// The definition: under a binding an event is a letter or is dropped; a match ends with an event that is not dropped, where
/// some suffix of the letters is in the language.
fn defined(
    history: &[Event],
    letter: &dyn Fn(&Event, &[i64]) -> Option<char>,
    language: &dyn Fn(&str) -> bool,
    variables: usize,
) -> Vec<Match> {
    let seen: BTreeSet<i64> = history.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    let mut bindings: Vec<Vec<i64>> = vec![vec![]];
    for _ in 0..variables {
        bindings = bindings.iter().flat_map(|b| seen.iter().map(move |v| [&b[..], &[*v]].concat())).collect();
    }
    let mut out = vec![];
    for binding in bindings {
        for end in 1..=history.len() {
            if letter(&history[end - 1], &binding).is_none() {
                continue;
            }
            let letters: String = history[..end].iter().filter_map(|event| letter(event, &binding)).collect();
            if (0..letters.len()).any(|from| language(&letters[from..])) {
                out.push((end, binding.clone()));
            }
        }
    }
    out.sort();
    out
}

fn vector_letter(event: &Event, binding: &[i64]) -> Option<char> {
    match (event.0, &event.1[..]) {
        ("create", [v, e]) => (*v == binding[0] && *e == binding[1]).then_some('c'),
        ("next", [e]) => (*e == binding[1]).then_some('n'),
        ("update", [v]) => (*v == binding[0]).then_some('u'),
        _ => None,
    }
}

/// `c n* u+ n`, by hand.
fn is_unsafe(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('c').and_then(|rest| rest.strip_suffix('n')) else { return false };
    let updates = rest.trim_start_matches('n');
    !updates.is_empty() && updates.chars().all(|letter| letter == 'u')
}

fn create(v: i64, e: i64) -> Event {
    ("create", vec![v, e])
}

fn next(e: i64) -> Event {
    ("next", vec![e])
}

fn update(v: i64) -> Event {
    ("update", vec![v])
}

fn other() -> Event {
    ("other", vec![])
}

#[test]
fn printed_histories_match_where_they_should() {
    let asked = asked("Unsafe");
    let cases: Vec<(Vec<Event>, Vec<Match>)> = vec![
        (vec![create(1, 11), next(11), update(1), next(11)], vec![(4, vec![1, 11])]),
        (vec![create(1, 11), update(1), next(11)], vec![(3, vec![1, 11])]),
        (vec![create(1, 11), create(2, 12), update(1), next(12), next(11)], vec![(5, vec![1, 11])]),
        (vec![create(1, 11), create(1, 12), update(1), next(11), next(12)], vec![(4, vec![1, 11]), (5, vec![1, 12])]),
        (vec![create(1, 11), update(1), next(11), next(11)], vec![(3, vec![1, 11])]),
        (vec![create(1, 11), update(1), next(11), update(1), next(11)], vec![(3, vec![1, 11])]),
        (
            vec![create(1, 11), other(), update(2), next(11), update(1), other(), next(11), other()],
            vec![(7, vec![1, 11])],
        ),
    ];
    for (history, expected) in &cases {
        assert_eq!(matches(&asked, history), *expected, "{history:?}");
    }
    // Without `next*` the first history does not match.
    assert_eq!(matches(&self::asked("Hasty"), &cases[0].0), vec![]);
}

#[test]
fn random_histories_match_as_defined() {
    let asked = asked("Unsafe");
    let mut seed: u64 = 0x51f15eed;
    let mut below = |n: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % n
    };
    let mut found = 0;
    for _ in 0..4_000 {
        let history: Vec<Event> = (0..1 + below(9))
            .map(|_| match below(5) {
                0 => create(1 + below(2) as i64, 11 + below(2) as i64),
                1 | 2 => next(11 + below(2) as i64),
                3 => update(1 + below(2) as i64),
                _ => other(),
            })
            .collect();
        let expected = defined(&history, &vector_letter, &is_unsafe, 2);
        found += expected.len();
        assert_eq!(matches(&asked, &history), expected, "{history:?}");
    }
    assert!(found > 150, "too few matches: {found}");
}

#[test]
fn five_actions_without_a_save() {
    let asked = asked("Autosave");
    let history =
        |text: &str| -> Vec<Event> { text.chars().map(|c| (if c == 's' { "save" } else { "act" }, vec![])).collect() };
    let at = |text: &str| -> Vec<usize> { matches(&asked, &history(text)).into_iter().map(|(step, _)| step).collect() };
    assert_eq!(at("aaaaaaa"), [5, 6, 7]);
    assert!(at("aasaaa").is_empty());
    // With a save after each match.
    assert_eq!(at("aaaaasaa"), [5]);
    assert_eq!(at("aaaaasaaaaasaa"), [5, 11]);
}

/// An event of a random pattern as one of a history.
fn given(event: &worded::Event) -> Event {
    match event {
        ('a', value) => ("a", vec![*value]),
        ('b', value) => ("b", vec![*value]),
        ('c', _) => ("c", vec![]),
        _ => ("d", vec![]),
    }
}

/// Whether the rules say that a run meets a purpose, for one of these values of whatever is open.
fn meets(asked: &Asked, run: &[worded::Event]) -> bool {
    let monitor = asked.purpose.monitor(&[0], None);
    let definitions = &asked.lists.names.definitions;
    let mut choices: Vec<Vec<Value>> = vec![vec![]];
    for _ in &monitor.open {
        choices =
            choices.iter().flat_map(|known| (1..4).map(move |n| [&known[..], &[Value::int(n)]].concat())).collect();
    }
    choices.iter().any(|open| {
        let known = Known { monitor: &monitor, definitions, open };
        let mut live = known.start().expect("no limit");
        for event in run {
            live = known.advance(&live, &observed(asked, &given(event))).expect("no limit");
        }
        known.hold_at_stop(&live).expect("no limit")
    })
}

#[test]
fn random_patterns_match_as_defined() {
    let mut dice = worded::Dice(0x9e3779b97f4a7c15);
    let (mut found, mut contrary_found, mut refused) = (0, 0, 0);
    for number in 0..1_500 {
        let patterns = dice.patterns(false);
        let text = format!(
            "{}{}purpose asked for M {{ match Outer }}\npurpose contrary for M {{ not match Outer }}\n",
            worded::MODEL,
            patterns.text()
        );
        // Where all values are followed there are more rules.
        let (Some(asked), contrary) = (small_enough(&text, "asked"), small_enough(&text, "contrary")) else {
            refused += 1;
            continue;
        };
        refused += usize::from(contrary.is_none());
        for _ in 0..6 {
            let run = dice.run();
            // One value that no event has stands for all others.
            let values = if patterns.has_variable() { 1..4 } else { 1..2 };
            let expected: Vec<(i64, usize)> =
                values.flat_map(|v| patterns.matches(&run, v).into_iter().map(move |end| (v, end))).collect();
            let is_matched = !expected.is_empty();
            (found, contrary_found) = (found + usize::from(is_matched), contrary_found + usize::from(!is_matched));
            let told = (meets(&asked, &run), contrary.as_ref().is_none_or(|c| meets(c, &run) != is_matched));
            assert_eq!(told, (is_matched, true), "pattern {number}: {run:?}\n{text}");
            let history: Vec<Event> = run.iter().map(given).collect();
            let mut ends: Vec<(i64, usize)> =
                matches(&asked, &history).iter().map(|(end, v)| (v.first().copied().unwrap_or(1), *end)).collect();
            ends.sort_unstable();
            let mut seen = expected;
            seen.retain(|(v, _)| !patterns.has_variable() || run.iter().any(|(_, value)| value == v));
            assert_eq!(ends, seen, "pattern {number}: {run:?}\n{text}");
        }
    }
    assert!(found > 1_000 && contrary_found > 1_000, "{found} matches, {contrary_found} without");
    assert!(refused < 20, "{refused} refused");
}

#[test]
fn random_scenarios_are_met_as_defined() {
    let mut dice = worded::Dice(0x2545f4914f6cdd1d);
    let (mut met, mut unmet) = (0, 0);
    for number in 0..1_500 {
        let patterns = dice.patterns(true);
        let text = format!(
            "{}{}purpose asked for M {{ scenario Outer }}\npurpose contrary for M {{ not scenario Outer }}\n",
            worded::MODEL,
            patterns.text()
        );
        let (asked, contrary) = (purpose_in(&text, "asked"), purpose_in(&text, "contrary"));
        for _ in 0..8 {
            let run = dice.run();
            let expected = patterns.is_scenario(&run);
            (met, unmet) = (met + usize::from(expected), unmet + usize::from(!expected));
            let told = (meets(&asked, &run), !meets(&contrary, &run));
            assert_eq!(told, (expected, expected), "pattern {number}: {run:?}\n{text}");
        }
    }
    assert!(met > 500 && unmet > 500, "{met} met, {unmet} not");
}

#[test]
fn any_event_is_one_of_patterns_that_are_used_later() {
    let text = "sts M { in a(), b() initial location L L -> L : ?a L -> L : ?b }
        pattern Sub for M { b }
        pattern Before for M { any; Sub }
        pattern After for M { Sub; any }
        purpose before for M { match Before }
        purpose after for M { match After }
        property none for M { never match Before }";
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("any_before_sub.tw");
    std::fs::write(&file, text).expect("writable");
    let file = file.to_str().expect("text");
    for purpose in ["before", "after"] {
        let output = run(&["gen", file, "-p", purpose]);
        assert!(output.stdout.contains("found in 2 steps"), "{}{}", output.stdout, output.stderr);
    }
    let output = run(&["check", file, "--property", "none"]);
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
}

/// The answer to a purpose of the cash machine.
fn machine(purpose: &str) -> (i32, String) {
    let output = run(&["gen", "examples/atm_session.tw", "-p", purpose, "--engine", "symbolic", "--json"]);
    let json: serde_json::Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", output.stdout, output.stderr));
    (output.code, json["purposes"][0]["answer"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn the_menu_is_shown_with_ten_and_with_nothing() {
    assert_eq!(machine("menu_with(10)"), (0, "found".to_owned()));
    assert_eq!(machine("menu_with(0)"), (0, "found".to_owned()));
    assert_eq!(machine("other_menu"), (0, "impossible".to_owned()));
}

#[test]
fn an_empty_account_pays_nothing() {
    assert_eq!(machine("empty_account(true)"), (1, "impossible".to_owned()));
    assert_eq!(machine("empty_account(false)"), (0, "found".to_owned()));
}

#[test]
fn the_same_money_is_not_paid_twice() {
    assert_eq!(machine("twice(10)"), (1, "impossible".to_owned()));
    assert_eq!(machine("twice(20)"), (0, "found".to_owned()));
}

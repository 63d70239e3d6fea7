//! Laws of the interpreter on random models. The independent interpretation of `models` shares no code with the program.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tracewright::emit::run_json;
use tracewright::kernel::{self, Replay, Run, StepSystem, Style, Trace, replay};
use tracewright::search::{Limits, explore, simulate};

use crate::loaded::system;
use crate::models::{Component, Size, Sts, component, sts};

fn size(system: &StepSystem) -> Size {
    let graph = explore(system, &Default::default(), &Limits::default(), &mut ()).expect("finite");
    assert_eq!(graph.cut, None);
    Size { states: graph.states.len(), transitions: graph.edges.len() }
}

fn size_of(models: &[&Sts], composition: &str) -> Size {
    let text: String = models.iter().map(|m| m.text()).collect();
    size(&system(&format!("{text}system S = {composition}\n"), "S"))
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

const AB: &[&str] = &["a", "b"];
const BC: &[&str] = &["b", "c"];
const CD: &[&str] = &["c", "d"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn an_sts_means_its_automaton(m in sts("M", AB, true)) {
        prop_assert_eq!(size(&system(&m.text(), "M")), m.automaton().size());
    }

    #[test]
    fn handshake_is_the_product_on_shared_gates(l in sts("L", AB, true), r in sts("R", BC, true)) {
        let expected = l.automaton().product(&r.automaton(), &set(&["b"])).size();
        prop_assert_eq!(size_of(&[&l, &r], "L || R"), expected);
    }

    #[test]
    fn interleaving_shares_nothing(l in sts("L", AB, true), r in sts("R", BC, true)) {
        let expected = l.automaton().product(&r.automaton(), &set(&[])).size();
        prop_assert_eq!(size_of(&[&l, &r], "L ||| R"), expected);
    }

    #[test]
    fn without_shared_gates_handshake_is_interleaving(l in sts("L", AB, true), r in sts("R", CD, true)) {
        prop_assert_eq!(size_of(&[&l, &r], "L || R"), size_of(&[&l, &r], "L ||| R"));
        let renamed = size_of(&[&l, &r], "L ||| R rename { c -> a, d -> b }");
        let expected = size_of(&[&l, &r], "L rename { a -> c, b -> d } ||| R");
        prop_assert_eq!(renamed, expected);
    }

    #[test]
    fn handshake_commutes_and_associates(
        l in sts("L", AB, true), m in sts("M", BC, true), r in sts("R", CD, true)
    ) {
        let all = [&l, &m, &r];
        let first = size_of(&all, "L || M || R");
        prop_assert_eq!(&size_of(&all, "L || (M || R)"), &first);
        prop_assert_eq!(&size_of(&all, "R || L || M"), &first);
    }

    #[test]
    fn hiding_keeps_states_and_forgets_labels(l in sts("L", AB, true), r in sts("R", BC, true)) {
        let product = l.automaton().product(&r.automaton(), &set(&["b"]));
        prop_assert_eq!(size_of(&[&l, &r], "(L || R) hide { b }"), product.hide("b").size());
        prop_assert_eq!(size_of(&[&l, &r], "(L || R) hide { b }").states, product.size().states);
    }

    #[test]
    fn renaming_changes_names_only(m in sts("M", AB, true)) {
        prop_assert_eq!(size_of(&[&m], "M rename { a -> b, b -> a }"), m.automaton().size());
    }

    #[test]
    fn a_partner_that_always_agrees_changes_nothing(m in sts("M", AB, true)) {
        let text = format!("{}sts Any {{ action a(x: 0..1) action b(x: 0..1) }}\nsystem S = M || Any\n", m.text());
        prop_assert_eq!(size(&system(&text, "S")), m.automaton().size());
    }

    #[test]
    fn n_copies_interleaved_are_a_power(m in sts("M", AB, false)) {
        let one = m.automaton();
        let three = one.product(&one, &set(&[])).product(&one, &set(&[])).size();
        prop_assert_eq!(size_of(&[&m], "(||| i in 1..3: m: M)"), three);
    }

    #[test]
    fn components_in_a_chain_step_together(a in component("A"), b in component("B")) {
        let text = format!(
            "{}{}system S {{ a: A b: B in x -> a.i a.o -> b.i b.o -> out y }}\n", a.text(), b.text()
        );
        prop_assert_eq!(size(&system(&text, "S")), chain(&a, &b));
    }

    #[test]
    fn borders_of_nested_systems_add_no_delay(a in component("A"), b in component("B")) {
        let text = format!(
            "{}{}
            system Inner {{ b: B in p -> b.i b.o -> out q }}
            system Outer {{ a: A n: Inner in x -> a.i a.o -> n.p n.q -> out y }}\n", a.text(), b.text()
        );
        prop_assert_eq!(size(&system(&text, "Outer")), chain(&a, &b));
    }

    #[test]
    fn runs_replay_and_changed_runs_do_not(
        l in sts("L", AB, false), r in sts("R", BC, false), seed in any::<u64>(), at in any::<prop::sample::Index>()
    ) {
        let text = format!("{}{}system S = L || R\n", l.text(), r.text());
        runs_replay(&system(&text, "S"), seed, at)?;
    }

    #[test]
    fn runs_with_internal_steps_replay(l in sts("L", AB, true), r in sts("R", BC, true), seed in any::<u64>()) {
        let text = format!("{}{}system S = (L || R) hide {{ b }}\n", l.text(), r.text());
        let system = system(&text, "S");
        let run = random_run(&system, seed);
        let trace = Trace::from_json(&run_json(&run, &system), &system).expect("what is written can be read");
        prop_assert_eq!(replay(&system, &trace, &Default::default()), Ok(Replay::Accepted));
        // What an observer sees of it belongs to the model too, and can be simulated again whatever the seed.
        let mut seen = trace;
        seen.steps.retain(|step| step.event != Some(kernel::Event::Tau));
        for step in &mut seen.steps {
            *step = kernel::TraceStep { event: step.event.clone(), ..Default::default() };
        }
        prop_assert_eq!(replay(&system, &seen, &Default::default()), Ok(Replay::Accepted));
        let again = simulate(&system, &seen, seen.steps.len(), &Default::default(), seed ^ 1).expect("small types");
        prop_assert_eq!(again.2, None);
    }

    #[test]
    fn lock_step_runs_replay_and_changed_runs_do_not(
        a in component("A"), b in component("B"), seed in any::<u64>(), at in any::<prop::sample::Index>()
    ) {
        let text = format!(
            "{}{}system S {{ a: A b: B in x -> a.i a.o -> b.i b.o -> out y }}\n", a.text(), b.text()
        );
        runs_replay(&system(&text, "S"), seed, at)?;
    }
}

/// Reachable states and labelled steps of `x -> a -> b -> y`: a message on the inner channel waits for one step.
fn chain(a: &Component, b: &Component) -> Size {
    type Whole = (i64, i64, i64, i64, Option<i64>);
    let start: Whole = (0, 0, 0, 0, None);
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    let mut transitions = 0;
    while let Some(state) = open.pop() {
        let (s, v, t, w, channel) = state;
        let mut steps = BTreeSet::new();
        for x in [None, Some(0), Some(1)] {
            for (s2, v2, sent) in a.steps(s, v, x) {
                for (t2, w2, y) in b.steps(t, w, channel) {
                    steps.insert((x, y, (s2, v2, t2, w2, sent)));
                }
            }
        }
        transitions += steps.len();
        for (_, _, next) in steps {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    Size { states: seen.len(), transitions }
}

fn random_run(system: &StepSystem, seed: u64) -> Run {
    let (initial, steps, _) = simulate(system, &Trace::default(), 8, &Default::default(), seed).expect("small types");
    Run { initial, steps }
}

/// A run at random belongs to the model; with one variable changed in one step it does not, because everything else of
/// the step is known and decides it.
fn runs_replay(system: &StepSystem, seed: u64, at: prop::sample::Index) -> Result<(), TestCaseError> {
    let (initial, steps, _) = simulate(system, &Trace::default(), 8, &Default::default(), seed).expect("small types");
    let again = simulate(system, &Trace::default(), 8, &Default::default(), seed).expect("small types");
    prop_assert_eq!(&steps, &again.1);
    let run = Run { initial, steps };
    let mut json = run_json(&run, system);
    let trace = Trace::from_json(&json, system).expect("what is written can be read");
    prop_assert_eq!(trace.steps.len(), run.steps.len());
    prop_assert_eq!(replay(system, &trace, &Default::default()), Ok(Replay::Accepted));
    if run.steps.is_empty() {
        return Ok(());
    }
    let number = at.index(run.steps.len());
    let vars = json["steps"][number]["vars"].as_object_mut().expect("an object");
    let (_, value) = vars.iter_mut().next().expect("a variable");
    *value = serde_json::json!((value.as_i64().expect("a number") + 1) % 3);
    let trace = Trace::from_json(&json, system).expect("still well formed");
    match replay(system, &trace, &Default::default()) {
        Ok(Replay::Rejected(explanation)) => prop_assert_eq!(explanation.step, number + 1),
        other => prop_assert!(false, "{:?}", other),
    }
    Ok(())
}

/// Every step that the interpreter offers starts where the transitions it fires start.
#[test]
fn steps_leave_the_states_their_transitions_leave() {
    let text = std::fs::read_to_string("examples/atm.tw").expect("the example");
    let system = system(&text, "ATM");
    assert_eq!(system.style, Style::Gates);
    let graph = explore(&system, &kernel::Given::default(), &Limits::default(), &mut ()).expect("finite");
    for state in &graph.states {
        for step in system.all_steps(state, &Default::default(), None).expect("finite") {
            for (machine, transition) in &step.fired {
                let transition = &system.machines[*machine].transitions[transition.expect("a switch")];
                assert_eq!(transition.source, state.control[*machine]);
                assert_eq!(transition.target, step.next.control[*machine]);
            }
        }
    }
}

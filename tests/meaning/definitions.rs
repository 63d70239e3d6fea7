//! The symbolic framework by its definitions: the printed examples of the Supplier, on the terms themselves, and the laws that
//! relate symbolic runs to concrete ones.

use tracewright::conform::definitions::{
    Definitions, Event, Explored, SymbolicState, explore, sioco, suspension_traces,
};
use tracewright::conform::{Alphabet, Happened, coverage};
use tracewright::kernel::StepSystem;
use tracewright::solve::Z3;
use tracewright::term::{Term, Value};

use crate::loaded::system;

const SUPPLIER: &str = include_str!("../../examples/supplier.tw");

struct Supplier {
    system: StepSystem,
    alphabet: Alphabet,
}

impl Supplier {
    fn new() -> Supplier {
        let system = system(SUPPLIER, "Supplier");
        let alphabet = Alphabet::of(&system);
        Supplier { system, alphabet }
    }

    fn definitions(&self) -> Definitions<'_> {
        Definitions::new(&self.system, &self.alphabet, Box::new(Z3::new(0))).expect("simple variables")
    }

    fn event(&self, text: &str) -> Event {
        if text == "delta" {
            return Event::Delta;
        }
        Event::Label(self.alphabet.labels.iter().position(|l| l.to_string() == text).expect("a gate of the Supplier"))
    }

    fn events(&self, text: &str) -> Vec<Event> {
        text.split('.').filter(|part| !part.is_empty()).map(|part| self.event(part)).collect()
    }

    fn location(&self, name: &str) -> Vec<u32> {
        vec![self.system.machines[0].states.iter().position(|s| s == name).expect("a location") as u32]
    }

    /// The copy of a parameter: `ref_2` is `copy("!gq", "ref", 2)`.
    fn copy(&self, definitions: &mut Definitions, gate: &str, param: &str, position: usize) -> Term {
        let Event::Label(label) = self.event(gate) else { panic!("a gate") };
        let place = self.alphabet.labels[label].params.iter().position(|(name, _)| name == param).expect("a parameter");
        definitions.copy(position, label, place).expect("a simple type")
    }

    /// What the sequence leads to from a state in which nothing is known of the variables.
    fn reached(&self, definitions: &mut Definitions, location: &str, sequence: &str) -> Vec<SymbolicState> {
        let start = definitions.identity(&self.location(location));
        let mut states = vec![start];
        for (index, event) in self.events(sequence).into_iter().enumerate() {
            states = definitions.after(&states, index, event);
        }
        states
    }

    /// Variables rp, q and r, by name.
    fn variable(&self, definitions: &Definitions, name: &str) -> Term {
        let slot = self.system.slots.iter().position(|slot| slot.name == name).expect("a variable");
        definitions.variables()[slot]
    }
}

#[test]
fn a_generalised_switch_has_the_condition_and_the_values_of_its_path() {
    let supplier = Supplier::new();
    let d = &mut supplier.definitions();
    let [state] = &supplier.reached(d, "l0", "?rq.!gq.?ord.!cancel")[..] else { panic!("one path") };
    assert_eq!(state.location(), supplier.location("l0"));
    let prod_1 = supplier.copy(d, "?rq", "prod", 1);
    let quant_1 = supplier.copy(d, "?rq", "quant", 1);
    let ref_2 = supplier.copy(d, "!gq", "ref", 2);
    let prod_2 = supplier.copy(d, "!gq", "prod", 2);
    let quant_2 = supplier.copy(d, "!gq", "quant", 2);
    let ref_3 = supplier.copy(d, "?ord", "ref", 3);
    let ref_4 = supplier.copy(d, "!cancel", "ref", 4);
    assert_eq!(state.values(), [prod_1, quant_1, ref_2]);
    let terms = d.terms();
    let parts = vec![
        terms.equal(prod_2, prod_1),
        terms.less(quant_2, quant_1),
        terms.equal(ref_3, ref_2),
        terms.equal(ref_4, ref_2),
    ];
    let expected = terms.all(parts);
    assert_eq!(state.attainment, expected, "{}", d.written(state.attainment));
    // Its meaning: any product and reference, and at least one piece.
    let terms = d.terms();
    let zero = terms.int(0);
    let none = terms.equal(quant_1, zero);
    let some = terms.not(none);
    assert!(!d.is_feasible(&[expected, none]));
    assert!(d.is_feasible(&[expected, some]));
}

#[test]
fn a_supplier_asked_for_nothing_is_silent() {
    let supplier = Supplier::new();
    let d = &mut supplier.definitions();
    let l1 = d.identity(&supplier.location("l1"));
    let quiet = d.quiescence(&l1);
    let q = supplier.variable(d, "q");
    let zero = d.terms().int(0);
    let expected = d.terms().equal(q, zero);
    assert_eq!(quiet, expected, "{}", d.written(quiet));
    for (location, silent) in [("l0", true), ("l2", true), ("l3", false), ("l4", false), ("l5", false)] {
        let state = d.identity(&supplier.location(location));
        let quiet = d.quiescence(&state);
        assert!(d.terms().is(quiet, silent), "{location}");
    }
}

/// `(l2, r > prod_3, id)_3 after_s (?ord, ref_1 < 42)`, and what can be observed then.
#[test]
fn what_follows_an_indexed_state_is_shifted() {
    let supplier = Supplier::new();
    let d = &mut supplier.definitions();
    let mut state = d.identity(&supplier.location("l2"));
    let (r, prod_3) = (supplier.variable(d, "r"), supplier.copy(d, "!gq", "prod", 3));
    let (ref_1, ref_4) = (supplier.copy(d, "?ord", "ref", 1), supplier.copy(d, "?ord", "ref", 4));
    let terms = d.terms();
    let forty_two = terms.int(42);
    let (above, chi) = (terms.less(prod_3, r), terms.less(ref_1, forty_two));
    state.attainment = above;
    let after = d.after_trace(&[state], 3, &supplier.events("?ord"), chi);
    let terms = d.terms();
    let parts = vec![above, terms.equal(ref_4, r), terms.less(ref_4, forty_two)];
    let xi = terms.all(parts);
    let identity = d.variables().to_vec();
    let mut locations = vec![];
    for state in &after {
        assert_eq!((state.attainment, state.values()), (xi, identity.clone()), "{}", d.written(state.attainment));
        locations.extend_from_slice(state.location());
    }
    locations.sort_unstable();
    assert_eq!(locations, ["l3", "l4", "l5"].map(|name| supplier.location(name)[0]));
    let reference = supplier.copy(d, "!confirm", "ref", 0);
    let is_r = d.terms().equal(reference, r);
    let mut shown = vec![];
    for observation in d.observations(&after) {
        assert_eq!(observation.attainment, xi);
        match observation.event {
            Event::Delta => assert!(d.terms().is(observation.condition, false)),
            event => {
                assert_eq!(observation.condition, is_r);
                shown.push(event);
            }
        }
    }
    shown.sort();
    let mut expected = [supplier.event("!confirm"), supplier.event("!cancel")];
    expected.sort();
    assert_eq!(shown, expected);
}

/// Silence takes a position: after it the order's variable has index 4.
#[test]
fn silence_takes_a_position() {
    let supplier = Supplier::new();
    let d = &mut supplier.definitions();
    let states = supplier.reached(d, "l0", "?rq.!gq.delta.?ord");
    let (ref_2, ref_4) = (supplier.copy(d, "!gq", "ref", 2), supplier.copy(d, "?ord", "ref", 4));
    let same = d.terms().equal(ref_4, ref_2);
    let other = d.terms().not(same);
    assert!(!states.is_empty());
    for state in &states {
        assert!(d.written(state.attainment).contains("ref_4") && !d.written(state.attainment).contains("ref_3"));
        assert!(!d.is_feasible(&[state.attainment, other]));
    }
}

/// What can be observed after the sequences of the digest, in closed form.
#[test]
fn observations_in_closed_form() {
    let supplier = Supplier::new();
    let d = &mut supplier.definitions();
    let prod_1 = supplier.copy(d, "?rq", "prod", 1);
    let quant_1 = supplier.copy(d, "?rq", "quant", 1);
    let (prod, quant) = (supplier.copy(d, "!gq", "prod", 0), supplier.copy(d, "!gq", "quant", 0));
    let (ref_2, prod_2) = (supplier.copy(d, "!gq", "ref", 2), supplier.copy(d, "!gq", "prod", 2));
    let quant_2 = supplier.copy(d, "!gq", "quant", 2);
    let (ref_3, ref_4) = (supplier.copy(d, "?ord", "ref", 3), supplier.copy(d, "?ord", "ref", 4));
    let reference = supplier.copy(d, "!cancel", "ref", 0);
    let terms = d.terms();
    let (yes, no, zero) = (terms.bool(true), terms.bool(false), terms.int(0));
    let nothing = terms.equal(quant_1, zero);
    let quote = vec![terms.equal(prod, prod_1), terms.less(quant, quant_1)];
    let quote = terms.all(quote);
    let a2 = vec![terms.equal(prod_2, prod_1), terms.less(quant_2, quant_1)];
    let a2 = terms.all(a2);
    let ordered = |terms: &mut tracewright::term::Terms, position: Term| {
        let parts = vec![a2, terms.equal(position, ref_2), terms.equal(reference, ref_2)];
        terms.all(parts)
    };
    let (at_3, at_4) = (ordered(terms, ref_3), ordered(terms, ref_4));
    let ended = vec![a2, terms.equal(ref_3, ref_2), terms.equal(ref_4, ref_2)];
    let ended = terms.all(ended);
    let expected = [
        ("", [yes, no, no, no]),
        ("?rq", [nothing, quote, no, no]),
        ("?rq.delta", [nothing, no, no, no]),
        ("?rq.!gq", [a2, no, no, no]),
        ("?rq.!gq.?ord", [no, no, at_3, at_3]),
        ("?rq.!gq.delta.?ord", [no, no, at_4, at_4]),
        ("?rq.!gq.?ord.!cancel", [ended, no, no, no]),
    ];
    for (sequence, expected) in expected {
        let states = supplier.reached(d, "l0", sequence);
        for (event, expected) in ["delta", "!gq", "!confirm", "!cancel"].into_iter().zip(expected) {
            let observed = d.observed(&states, supplier.event(event));
            // Equal as conditions: neither holds without the other.
            let (not_observed, not_expected) = (d.terms().not(observed), d.terms().not(expected));
            let text = d.written(observed);
            assert!(!d.is_feasible(&[observed, not_expected]), "{event} after {sequence}: {text}");
            assert!(!d.is_feasible(&[expected, not_observed]), "{event} after {sequence}: {text}");
        }
    }
}

fn explored(depth: usize, check: impl FnOnce(&Supplier, &mut Definitions, &[Explored])) {
    let supplier = Supplier::new();
    let mut definitions = supplier.definitions();
    let explored = explore(&mut definitions, depth, &mut |_| true);
    check(&supplier, &mut definitions, &explored);
}

#[test]
fn sequences_and_symbolic_states_of_the_supplier() {
    explored(6, |supplier, definitions, explored| {
        let up_to = |n: usize| explored.iter().filter(move |e| e.sequence.len() <= n);
        let sequences: Vec<usize> = (0..=6).map(|n| up_to(n).count()).collect();
        assert_eq!(sequences, [1, 3, 7, 14, 26, 47, 85]);
        let pairs: Vec<usize> = (0..=6).map(|n| up_to(n).map(|e| e.states.len()).sum()).collect();
        assert_eq!(pairs, [1, 3, 7, 16, 32, 59, 105]);
        let states: Vec<usize> = coverage(definitions, explored, &[]).iter().map(|c| c.of).collect();
        assert_eq!(states, [1, 2, 5, 11, 21, 36, 59]);
        let outputs = supplier.alphabet.labels.iter().filter(|label| label.to_string().starts_with('!')).count();
        assert_eq!(sequences[5] * (outputs + 1), 188);
    });
}

#[test]
fn coverage_of_concrete_runs() {
    explored(4, |supplier, definitions, explored| {
        let happened = |text: &str, data: &[i64]| match supplier.event(text) {
            Event::Delta => Happened::Delta,
            Event::Label(label) => Happened::Label(label, data.iter().map(|n| Value::int(*n)).collect()),
        };
        // Order of the gate's parameters: ref, prod, quant.
        let run = |end: &str| {
            vec![happened("?rq", &[1, 1]), happened("!gq", &[0, 1, 0]), happened("?ord", &[0]), happened(end, &[0])]
        };
        let empty = || vec![happened("?rq", &[1, 0]), happened("delta", &[])];
        let late = || vec![happened("delta", &[]), happened("?rq", &[0, 3])];
        let expected: [(Vec<Vec<Happened>>, [usize; 4]); 5] = [
            (vec![run("!confirm")], [2, 3, 6, 7]),
            (vec![run("!confirm"), run("!cancel")], [2, 3, 6, 7]),
            (vec![run("!confirm"), empty()], [2, 4, 7, 8]),
            (vec![late(), run("!confirm")[..2].to_vec(), empty()], [2, 5, 5, 5]),
            (vec![run("!confirm")[..1].to_vec()], [2, 2, 2, 2]),
        ];
        for (runs, covered) in expected {
            let seen: Vec<(usize, usize)> =
                coverage(definitions, explored, &runs).iter().skip(1).map(|c| (c.covered, c.of)).collect();
            let expected: Vec<(usize, usize)> = covered.into_iter().zip([2, 5, 11, 21]).collect();
            assert_eq!(seen, expected, "{runs:?}");
        }
    });
}

/// Composition: a sequence can be taken in two parts, the second from the states of the first, at any place.
#[test]
fn sequences_compose() {
    let supplier = Supplier::new();
    let d = &mut supplier.definitions();
    let yes = d.terms().bool(true);
    for sequence in ["?rq.!gq.?ord.!cancel.?rq", "?rq.delta.delta", "delta.?rq.!gq.delta.?ord.!confirm"] {
        let events = supplier.events(sequence);
        let start = d.identity(&supplier.location("l0"));
        let mut whole = d.after_trace(std::slice::from_ref(&start), 0, &events, yes);
        whole.sort();
        assert!(!whole.is_empty());
        for place in 0..=events.len() {
            let first = d.after_trace(std::slice::from_ref(&start), 0, &events[..place], yes);
            let mut second = d.after_trace(&first, place, &events[place..], yes);
            second.sort();
            second.dedup();
            assert_eq!(second, whole, "{sequence} at {place}");
        }
    }
}

/// The relation by its definition, on the traces that are chosen.
#[test]
fn sioco_by_its_definition() {
    let implementations = include_str!("../../examples/supplier_implementations.tw");
    let both = format!("{SUPPLIER}\n{implementations}");
    let specification = system(&both, "Supplier");
    let expected = [
        ("I0", None),
        ("I1", None),
        ("I2", None),
        ("I3", None),
        ("M1", Some(("?rq", "!gq"))),
        ("M2", Some(("?rq", "!gq"))),
        ("M3", Some(("?rq", "!gq"))),
        ("M4", Some(("?rq.!gq.?ord", "delta"))),
        ("M5", Some(("?rq.!gq.?ord", "!confirm"))),
        ("M6", Some(("?rq", "delta"))),
        ("M7", None),
        ("M8", Some(("", "!cancel"))),
        ("M9", Some(("?rq", "delta"))),
        ("M10", Some(("?rq.!gq.?ord.!confirm", "!cancel"))),
    ];
    let supplier = Supplier::new();
    for (name, expected) in expected {
        let implementation = system(&both, name);
        let alphabet = Alphabet::new(&implementation, &specification).expect("the same gates");
        let solver = Box::new(Z3::new(0));
        let d = &mut Definitions::pair(&specification, &implementation, &alphabet, None, solver).expect("simple");
        let traces = suspension_traces(d, 4);
        let wrong = sioco(d, &traces);
        let expected = expected.map(|(sequence, event)| (supplier.events(sequence), supplier.event(event)));
        assert_eq!(wrong, expected, "{name}");
        // A choice of traces is a test purpose: requests for nothing show what M3 does wrong, and not what M9 does.
        let quant = supplier.copy(d, "?rq", "quant", 1);
        let zero = d.terms().int(0);
        let for_nothing = d.terms().equal(quant, zero);
        let chosen = sioco(d, &[(supplier.events("?rq"), for_nothing)]);
        assert_eq!(chosen.is_some(), ["M1", "M3"].contains(&name), "{name}");
    }
}

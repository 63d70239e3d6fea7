//! How fast conformance is decided, as ratios against the definition of sioco given to Z3 as it stands: one formula for each
//! sequence of gates and observation, one incremental solver. Both answer the same question in one run.
//!
//! `cargo bench --bench conformance`

mod timing;

use std::time::Duration;

use tracewright::confirm::Recheck;
use tracewright::conform::{Alphabet, Conformance, Engine, Options, conform};
use tracewright::kernel::{StepSystem, lower};
use tracewright::solve::{Solver, Z3};
use tracewright::{model, syntax};
use z3::SatResult;
use z3::ast::{Bool, Int};

use timing::best_of;

const SUPPLIER: &str = include_str!("../examples/supplier.tw");
const IMPLEMENTATIONS: &str = include_str!("../examples/supplier_implementations.tw");

fn main() {
    println!("I2 against Supplier, all traces up to a depth");
    println!(
        "{:>6} {:>12} {:>12} {:>12} {:>8} {:>16}",
        "depth", "obligations", "tracewright", "z3", "ratio", "to depth before"
    );
    let text = format!("{SUPPLIER}\n{IMPLEMENTATIONS}");
    let (implementation, specification) = (system(&text, "I2"), system(&text, "Supplier"));
    let mut before: Option<Duration> = None;
    for depth in 3..=8 {
        let (ours, answer) = best_of(20, || compare(&implementation, &specification, Some(depth)));
        assert_eq!(answer.conforms, Some(true), "it conforms");
        let (theirs, obligations) = best_of(1, || by_definition(depth));
        let growth = before.map_or("-".into(), |before| format!("{:.2}x", ours.as_secs_f64() / before.as_secs_f64()));
        println!(
            "{depth:>6} {obligations:>12} {:>9.2} ms {:>9.2} ms {:>7.0}x {growth:>16}",
            ours.as_secs_f64() * 1e3,
            theirs.as_secs_f64() * 1e3,
            theirs.as_secs_f64() / ours.as_secs_f64()
        );
        before = Some(ours);
    }
    println!("\none faulty supplier (M7) among many, side by side");
    println!("{:>10} {:>8} {:>12} {:>16}", "suppliers", "pairs", "tracewright", "to half of them");
    let mut before: Option<Duration> = None;
    for n in [2, 4, 8, 16] {
        let (implementation, specification) = side_by_side(n);
        let (time, answer) = best_of(5, || compare(&implementation, &specification, None));
        assert_eq!((answer.conforms, answer.depth), (Some(false), 5), "the fault is found");
        let growth = before.map_or("-".into(), |before| format!("{:.1}x", time.as_secs_f64() / before.as_secs_f64()));
        println!("{n:>10} {:>8} {:>9.2} ms {growth:>16}", answer.pairs, time.as_secs_f64() * 1e3);
        before = Some(time);
    }
}

fn system(text: &str, name: &str) -> StepSystem {
    let (mut sources, errors) = syntax::Sources::from_text("models.tw", text);
    assert!(errors.is_empty(), "{errors:?}");
    let (checked, _) = model::check(&sources);
    let id = sources.add_fragment("name", name);
    let reference = syntax::parse_model_reference(id, name).expect("a name");
    lower(&model::assemble(&checked, Some(&reference), Default::default()).expect("a sound model")).expect("small")
}

fn side_by_side(n: usize) -> (StepSystem, StepSystem) {
    let gates = "rq -> rq[i], ord -> ord[i], gq -> gq[i], confirm -> confirm[i], cancel -> cancel[i]";
    let last = gates.replace("[i]", &format!("[{n}]"));
    let text = format!(
        "{SUPPLIER}\n{IMPLEMENTATIONS}\n\
         system Spec = (||| i in 1..{n}: s: Supplier rename {{{gates}}})\n\
         system Impl = (||| i in 1..{}: s: I0 rename {{{gates}}}) ||| f: M7 rename {{{last}}}\n",
        n - 1
    );
    (system(&text, "Impl"), system(&text, "Spec"))
}

fn compare(implementation: &StepSystem, specification: &StepSystem, depth: Option<usize>) -> Conformance {
    let alphabet = Alphabet::new(implementation, specification).expect("the same gates");
    let new_solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let options = Options {
        engine: Engine::Auto,
        depth,
        completion: None,
        is_universal: false,
        limits: Default::default(),
        recheck: Recheck::Never,
        new_solver: &new_solver,
    };
    conform(implementation, specification, &alphabet, &options, &mut ()).expect("every input is taken")
}

// ---- the definition, by hand

/// Gates: 0 ?rq, 1 ?ord, 2 !gq, 3 !confirm, 4 !cancel; 5 is tau. Data: ref, prod, quant, as far as a gate has them.
const OUTPUTS: [usize; 3] = [2, 3, 4];
const TAU: usize = 5;

/// A switch: source, gate, guard and update over the variables and the data, target.
type Switch = (usize, usize, fn(&[Int], &[Int]) -> Bool, fn(&[Int], &[Int]) -> Vec<Int>, usize);

fn yes(_: &[Int], _: &[Int]) -> Bool {
    Bool::from_bool(true)
}

fn keep(vars: &[Int], _: &[Int]) -> Vec<Int> {
    vars.to_vec()
}

fn request(vars: &[Int], data: &[Int]) -> Vec<Int> {
    vec![data[1].clone(), data[2].clone(), vars[2].clone()]
}

fn quote(vars: &[Int], data: &[Int]) -> Bool {
    Bool::and(&[data[1].eq(&vars[0]), data[2].lt(&vars[1])])
}

fn quoted(vars: &[Int], data: &[Int]) -> Vec<Int> {
    vec![vars[0].clone(), vars[1].clone(), data[0].clone()]
}

fn same(vars: &[Int], data: &[Int]) -> Bool {
    data[0].eq(&vars[2])
}

fn other(vars: &[Int], data: &[Int]) -> Bool {
    data[0].eq(&vars[2]).not()
}

fn supplier() -> Vec<Switch> {
    vec![
        (0, 0, yes, request, 1),
        (1, 2, quote, quoted, 2),
        (2, 1, same, keep, 3),
        (3, TAU, yes, keep, 4),
        (3, TAU, yes, keep, 5),
        (4, 3, same, keep, 0),
        (5, 4, same, keep, 0),
    ]
}

fn implementation() -> Vec<Switch> {
    vec![
        (0, 0, yes, request, 1),
        (1, 2, quote, quoted, 2),
        (2, 1, same, keep, 3),
        (2, 1, other, keep, 2),
        (3, 3, same, keep, 0),
        (3, 4, same, keep, 0),
        (0, 1, yes, keep, 0),
        (1, 0, yes, keep, 1),
        (1, 1, yes, keep, 1),
        (2, 0, yes, keep, 2),
        (3, 0, yes, keep, 3),
        (3, 1, yes, keep, 3),
    ]
}

/// Silence, with its quantifier eliminated by hand: nothing asked for, or nothing to say.
fn silent(location: usize, vars: &[Int], has_answer: &[usize]) -> Bool {
    match location {
        1 => vars[1].le(Int::from_i64(0)),
        _ => Bool::from_bool(!has_answer.contains(&location)),
    }
}

type State = (usize, Bool, Vec<Int>);

fn closed(switches: &[Switch], mut states: Vec<State>) -> Vec<State> {
    let mut at = 0;
    while at < states.len() {
        let (location, condition, vars) = states[at].clone();
        for (_, _, _, _, target) in switches.iter().filter(|s| s.0 == location && s.1 == TAU) {
            states.push((*target, condition.clone(), vars.clone()));
        }
        at += 1;
    }
    states
}

fn after(switches: &[Switch], states: &[State], gate: usize, data: &[Int]) -> Vec<State> {
    let mut out = vec![];
    for (location, condition, vars) in states {
        for (_, _, guard, update, target) in switches.iter().filter(|s| s.0 == *location && s.1 == gate) {
            let condition = Bool::and(&[condition.clone(), guard(vars, data)]);
            out.push((*target, condition, update(vars, data)));
        }
    }
    closed(switches, out)
}

fn any(states: impl Iterator<Item = Bool>) -> Bool {
    Bool::or(&states.collect::<Vec<_>>())
}

struct Walk {
    solver: z3::Solver,
    ours: Vec<Switch>,
    theirs: Vec<Switch>,
    obligations: usize,
}

impl Walk {
    fn is_possible(&self, conditions: &[Bool]) -> bool {
        self.solver.push();
        conditions.iter().for_each(|condition| self.solver.assert(condition));
        let result = self.solver.check();
        self.solver.pop(1);
        result != SatResult::Unsat
    }

    fn data(&self, position: usize) -> Vec<Int> {
        ["ref", "prod", "quant"].map(|name| Int::new_const(format!("{name}{position}"))).to_vec()
    }

    /// All obligations after one sequence, then those of its continuations.
    fn visit(&mut self, ours: &[State], theirs: &[State], length: usize, depth: usize) {
        let attained = any(theirs.iter().map(|state| state.1.clone()));
        // Without a run of the implementation nothing is left to ask; the obligations hold.
        self.obligations += 4;
        self.solver.push();
        self.solver.assert(&attained);
        if self.is_possible(&[any(ours.iter().map(|state| state.1.clone()))]) {
            let data = self.data(0);
            for gate in OUTPUTS {
                let shown = any(after(&self.ours, ours, gate, &data).into_iter().map(|state| state.1));
                let allowed = any(after(&self.theirs, theirs, gate, &data).into_iter().map(|state| state.1));
                assert!(!self.is_possible(&[shown, allowed.not()]), "it conforms");
            }
            let quiet = |states: &[State], answers: &[usize]| {
                any(states.iter().map(|(l, c, v)| Bool::and(&[c.clone(), silent(*l, v, answers)])))
            };
            let (shown, allowed) = (quiet(ours, &[3]), quiet(theirs, &[3, 4, 5]));
            assert!(!self.is_possible(&[shown, allowed.not()]), "it conforms");
        }
        if length < depth {
            let data = self.data(length + 1);
            self.solver.push();
            data.iter().for_each(|x| self.solver.assert(x.ge(Int::from_i64(0))));
            for gate in 0..5 {
                let (p, s) = (after(&self.ours, ours, gate, &data), after(&self.theirs, theirs, gate, &data));
                if !s.is_empty() && self.is_possible(&[any(s.iter().map(|state| state.1.clone()))]) {
                    self.visit(&p, &s, length + 1, depth);
                }
            }
            let quiet = |states: &[State], answers: &[usize]| -> Vec<State> {
                let still = |(l, c, v): &State| (*l, Bool::and(&[c.clone(), silent(*l, v, answers)]), v.clone());
                states.iter().map(still).collect()
            };
            let (p, s) = (quiet(ours, &[3]), quiet(theirs, &[3, 4, 5]));
            if self.is_possible(&[any(s.iter().map(|state| state.1.clone()))]) {
                self.visit(&p, &s, length + 1, depth);
            }
            self.solver.pop(1);
        }
        self.solver.pop(1);
    }
}

/// The definition for all traces up to a depth: sequences of gates as a tree, whose branches share what was asserted. The
/// solver has its default options; types are asserted once for each position. How many obligations there are.
fn by_definition(depth: usize) -> usize {
    let zero = || vec![Int::from_i64(0); 3];
    let mut walk = Walk { solver: z3::Solver::new(), ours: implementation(), theirs: supplier(), obligations: 0 };
    walk.data(0).iter().for_each(|x| walk.solver.assert(x.ge(Int::from_i64(0))));
    let start = |switches: &[Switch]| closed(switches, vec![(0, Bool::from_bool(true), zero())]);
    let (ours, theirs) = (start(&walk.ours), start(&walk.theirs));
    walk.visit(&ours, &theirs, 0, depth);
    walk.obligations
}

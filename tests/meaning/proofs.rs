//! Every proof is proved again in another way: what control or exhaustion says by induction, and what induction says by
//! looking at all runs up to a length.

use tracewright::search::{Induction, Limits, Question, prove};
use tracewright::solve::{Fault, Faulty, Solver, Z3};
use tracewright::synth::{Answer, Answered, Asked, Engine, Options, Proof, answer};
use tracewright::{model, syntax};

/// Numbers that only grow: there is no end of states, and no run that is wrong.
const GROWING: &str = "
component Sum {
  in add: Nat
  var sum: Int = 0
  initial state Good
  state Bad
  Good -> Good : add when add?n do sum := sum + n
  Good -> Bad : bad when add?absent && sum < 0
}
sts Twice {
  in inc(), ask()
  out ok(), wrong()
  var x: Int = 0, y: Int = 0
  initial location a
  location b
  a -> a : ?inc do x := x + 1, y := y + 2
  a -> b : ?ask
  b -> a : !ok when y == 2 * x
  b -> a : !wrong when y != 2 * x
}
purpose bad for Sum { member(Bad) on state }
purpose wrong for Twice { member(wrong) on gate }
purpose wrong_later for Twice { count(3, ok) on gate   last(gate) == wrong }
purpose large for Sum { last(sum) > 5   length 2 }
purpose odd for Twice { last(x) == 3 }
";

fn asked(sources: &syntax::Sources, purpose: &str) -> Asked {
    let (checked, _) = model::check(sources);
    let declared = checked.purposes.iter().find(|p| p.tree.name.name == purpose).expect("a purpose");
    Asked::new(&checked, declared, &[], declared.tree.span, None).expect("a sound purpose")
}

fn growing(purpose: &str) -> Asked {
    let (sources, errors) = syntax::Sources::from_text("growing.tw", GROWING);
    assert!(errors.is_empty(), "{errors:?}");
    asked(&sources, purpose)
}

fn blinker(purpose: &str) -> Asked {
    let (sources, errors) = syntax::load("examples/blinker.tw");
    assert!(errors.is_empty(), "{errors:?}");
    asked(&sources, purpose)
}

/// What is asked of a question here.
trait Questions {
    fn by_induction(&self, solver: &mut dyn Solver) -> Induction;
    fn answer(&self, engine: Engine, depth: Option<usize>) -> Answered;
}

impl Questions for Asked {
    fn by_induction(&self, solver: &mut dyn Solver) -> Induction {
        let constraints: Vec<usize> = (0..self.purpose.constraints.len()).collect();
        let monitor = self.purpose.monitor(&constraints, None);
        let question = Question { system: &self.system, lists: &self.lists, monitor: &monitor };
        prove(question, self.purpose.lengths(), solver, 20_000_000).expect("it can be put into clauses")
    }

    fn answer(&self, engine: Engine, depth: Option<usize>) -> Answered {
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let limits = Limits { depth, ..Limits::default() };
        let options = Options { engine, limits, ..Options::new(&solver) };
        answer(&self.system, &self.lists, &self.purpose, &options, &mut ()).expect("engines and interpreter agree")
    }
}

#[test]
fn what_control_and_exhaustion_prove_holds_by_induction() {
    let wrong_order = blinker("wrong_order");
    assert!(matches!(wrong_order.answer(Engine::Auto, None).proof, Some(Proof::Control { .. })));
    let negative = blinker("negative_timeout");
    assert!(matches!(negative.answer(Engine::Auto, None).proof, Some(Proof::Exhaustion { depth: None, .. })));
    let sum = growing("bad");
    assert!(matches!(sum.answer(Engine::Auto, None).proof, Some(Proof::Exhaustion { depth: None, .. })));
    for asked in [wrong_order, negative, sum] {
        let again = asked.by_induction(&mut Z3::new(0));
        assert!(matches!(again, Induction::Proved(_)), "{}: {again:?}", asked.purpose.name);
    }
}

#[test]
fn numbers_without_end_are_proved_by_induction() {
    for purpose in ["wrong", "wrong_later"] {
        let asked = growing(purpose);
        let answered = asked.answer(Engine::Auto, None);
        assert_eq!(answered.answer, Answer::Impossible, "{purpose}: {:?}", answered.reason);
        assert!(matches!(answered.proof, Some(Proof::Induction { .. })), "{purpose}: {:?}", answered.proof);
        // Looking at all runs up to a length proves nothing for longer ones, but finds no run either.
        assert_eq!(asked.answer(Engine::Symbolic, Some(6)).answer, Answer::NotFound, "{purpose}");
        assert_eq!(asked.answer(Engine::Unrolled, Some(6)).answer, Answer::NotFound, "{purpose}");
    }
}

#[test]
fn what_has_a_run_is_not_proved() {
    for asked in [blinker("shortest_off"), blinker("late_negative"), growing("large"), growing("odd")] {
        assert_eq!(asked.answer(Engine::Auto, None).answer, Answer::Found, "{}", asked.purpose.name);
        assert_eq!(asked.by_induction(&mut Z3::new(0)), Induction::Refuted, "{}", asked.purpose.name);
        // The engine alone says that it does not know, never that there is none.
        assert_eq!(asked.answer(Engine::Induction, None).answer, Answer::Unknown, "{}", asked.purpose.name);
    }
}

#[test]
fn a_failing_solver_proves_nothing() {
    let mut solver = Faulty::new(Z3::new(0), Fault::From(1));
    assert!(matches!(growing("bad").by_induction(&mut solver), Induction::Unknown(_)));
}

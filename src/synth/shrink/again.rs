//! Shorter and simpler runs by the interpreter alone: steps are left out, inputs are made simpler, and the rest is run again.
//!
//! A step that is no longer possible is left out as well, and where the model has a choice it does what it did before, if it
//! can. What comes out is taken if its first steps, as few as will do, meet the purpose by the rules over known values.

use rustc_hash::FxHashMap;

use super::{Best, order};
use crate::history::{Known, Length, Live};
use crate::kernel::{Given, Run, State, Step, StepSystem, Style};
use crate::search::{Limits, Question};
use crate::synth::sequence::{observations, open_values};
use crate::term::{Env, Fuel, LimitKind, Type, Value, contains};

/// Steps that may be taken by the interpreter; counted, not timed, so that the result is the same on every machine.
const MAX_WORK: usize = 300_000;

/// What is to be run again.
#[derive(Clone)]
struct Plan {
    /// Initial values of the open variables.
    variables: Vec<Value>,
    /// Steps to be repeated, with data that may be another one.
    steps: Vec<Step>,
}

/// Runs things again, as long as the work allows.
pub struct Again<'a> {
    question: Question<'a>,
    length: Length,
    limits: Limits,
    work: usize,
}

impl<'a> Again<'a> {
    /// For runs with one of the lengths that meet a question.
    pub fn new(question: Question<'a>, length: Length, limits: Limits) -> Again<'a> {
        Again { question, length, limits, work: MAX_WORK }
    }

    /// Makes a run better until nothing helps any more. What hits a limit is not taken.
    pub fn improve(&mut self, best: &mut Best) {
        self.cut_end(best);
        loop {
            let loops = self.cut_loops(best);
            let steps = self.leave_out(best);
            let inputs = self.simplify(best);
            if !(loops || steps || inputs) || self.is_over() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.work == 0 || self.limits.used_up().is_some()
    }

    /// The first steps of the run, if fewer are enough.
    fn cut_end(&mut self, best: &mut Best) -> bool {
        let run = best.run.clone();
        self.try_run(best, run)
    }

    /// Leaves out what lies between two moments that are the same for the model and for the rules.
    fn cut_loops(&mut self, best: &mut Best) -> bool {
        let Ok(lives) = self.lives(&best.run, &best.open) else { return false };
        let run = &best.run;
        let state = |at: usize| if at == 0 { &run.initial } else { &run.steps[at - 1].next };
        let last: FxHashMap<_, usize> = (0..=run.steps.len()).map(|at| ((state(at), &lives[at]), at)).collect();
        let mut steps = vec![];
        let mut at = last.get(&(state(0), &lives[0])).copied().unwrap_or(0);
        while let Some(step) = run.steps.get(at) {
            steps.push(step.clone());
            at += 1;
            at = last.get(&(state(at), &lives[at])).copied().unwrap_or(at);
        }
        let shorter = Run { initial: run.initial.clone(), steps };
        shorter.steps.len() < run.steps.len() && self.try_run(best, shorter)
    }

    /// Leaves out many steps, then fewer and fewer at a time.
    fn leave_out(&mut self, best: &mut Best) -> bool {
        let mut any = false;
        let mut size = best.run.steps.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < best.run.steps.len() && !self.is_over() {
                let mut plan = self.plan(&best.run);
                plan.steps.drain(at..(at + size).min(plan.steps.len()));
                match self.try_plan(best, &plan, at) {
                    true => any = true,
                    false => at += size,
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        any
    }

    /// Makes what is given simpler, one value after the other.
    fn simplify(&mut self, best: &mut Best) -> bool {
        let mut any = false;
        let system = self.question.system;
        for place in 0..system.open_slots().len() {
            let slot = &system.slots[system.open_slots()[place]];
            let at = |plan: &mut Plan, value: Value| plan.variables[place] = value;
            let value = |plan: &Plan| plan.variables.get(place).cloned();
            any |= self.simplify_one(best, 0, &slot.ty, value, at);
        }
        let mut number = 0;
        while number < best.run.steps.len() && !self.is_over() {
            let joint = best.run.steps[number].joint;
            if system.takes_input(joint) {
                for place in 0..system.given_to(joint) {
                    let ty = &system.joints[joint].params[place].1[0];
                    let at = |plan: &mut Plan, value: Value| plan.steps[number].data[place] = value;
                    // The run may have become shorter, with another step in this place.
                    let value = |plan: &Plan| {
                        let step = plan.steps.get(number).filter(|step| step.joint == joint);
                        step.map(|step| step.data[place].clone())
                    };
                    any |= self.simplify_one(best, number, ty, value, at);
                }
            }
            number += 1;
        }
        any
    }

    fn simplify_one(
        &mut self,
        best: &mut Best,
        first_changed: usize,
        ty: &Type,
        value: impl Fn(&Plan) -> Option<Value>,
        set: impl Fn(&mut Plan, Value),
    ) -> bool {
        let mut any = false;
        'simpler: while !self.is_over() {
            let plan = self.plan(&best.run);
            let Some(old) = value(&plan).filter(|value| *value != Value::Absent) else { return any };
            let mut others = order::simpler(&old, ty, &self.question.system.definitions);
            // Only a message can be absent; whoever asks for a variable gets no run with it.
            if self.question.system.style == Style::Lockstep {
                others.insert(0, Value::Absent);
            }
            for other in others {
                let mut plan = plan.clone();
                set(&mut plan, other);
                if self.try_plan(best, &plan, first_changed) {
                    any = true;
                    continue 'simpler;
                }
            }
            return any;
        }
        any
    }

    fn plan(&self, run: &Run) -> Plan {
        let slots = self.question.system.open_slots();
        let variables = slots.into_iter().map(|slot| run.initial.values[slot].clone()).collect();
        Plan { variables, steps: run.steps.clone() }
    }

    /// Runs a plan whose first steps are those of the best run, and takes what comes out if it is better.
    fn try_plan(&mut self, best: &mut Best, plan: &Plan, same: usize) -> bool {
        match self.again(&best.run, plan, same) {
            Ok(Some(run)) => self.try_run(best, run),
            _ => false,
        }
    }

    /// Takes the first steps of a run, as few as meet the question, if they are better.
    fn try_run(&mut self, best: &mut Best, mut run: Run) -> bool {
        let Ok(Some((steps, open))) = self.met_after(&run, &best.open) else { return false };
        run.steps.truncate(steps);
        best.take_if_better(self.question, run, open)
    }

    fn spend(&mut self, steps: usize) {
        self.work = self.work.saturating_sub(steps + 1);
    }

    /// The run of a plan; none if its initial values are outside their types.
    fn again(&mut self, before: &Run, plan: &Plan, same: usize) -> Result<Option<Run>, LimitKind> {
        let system = self.question.system;
        for (slot, value) in system.open_slots().into_iter().zip(&plan.variables) {
            let fuel = Fuel::new();
            let env = Env { definitions: &system.definitions, slots: &[], fuel: &fuel };
            if !contains(&system.slots[slot].ty, value, env).unwrap_or(false) {
                return Ok(None);
            }
        }
        let initial = system.initial(&plan.variables);
        let same = if initial == before.initial { same } else { 0 };
        self.spend(plan.steps.len() - same.min(plan.steps.len()));
        let mut run = Run { initial, steps: before.steps[..same].to_vec() };
        for old in &plan.steps[same..] {
            let state = run.steps.last().map_or(&run.initial, |step| &step.next);
            if let Some(step) = like(system, state, old)? {
                run.steps.push(step);
            }
        }
        Ok(Some(run))
    }

    /// After how many steps a run meets the question for the first time, and with which values that exist once for it.
    fn met_after(&mut self, run: &Run, open: &[Value]) -> Result<Option<(usize, Vec<Value>)>, LimitKind> {
        self.spend(run.steps.len());
        let monitor = self.question.monitor;
        let known = Known { monitor, definitions: &self.question.lists.names.definitions, open };
        let mut live = known.start()?;
        if self.length.contains(0) && known.hold_at_stop(&live)? {
            return Ok(Some((0, open.to_vec())));
        }
        for (number, elements) in observations(self.question.system, self.question.lists, run).iter().enumerate() {
            live = known.advance(&live, elements)?;
            if live.contains(&Live::Decided(false)) {
                break;
            }
            if self.length.contains(number + 1) && known.hold_at_stop(&live)? {
                return Ok(Some((number + 1, open.to_vec())));
            }
        }
        if monitor.open.is_empty() || !self.length.contains(run.steps.len()) {
            return Ok(None);
        }
        // Other values may do for the whole of it.
        let Some(other) = open_values(&self.question, run) else { return Ok(None) };
        let is_met = super::holds(&self.question, self.length, &other, run)?;
        Ok(is_met.then_some((run.steps.len(), other)))
    }

    /// What is left to show, before each step and at the end.
    fn lives(&mut self, run: &Run, open: &[Value]) -> Result<Vec<Vec<Live<Value>>>, LimitKind> {
        self.spend(run.steps.len());
        let known = Known { monitor: self.question.monitor, definitions: &self.question.lists.names.definitions, open };
        let mut lives = vec![known.start()?];
        let mut live = lives[0].clone();
        for elements in observations(self.question.system, self.question.lists, run) {
            live = known.advance(&live, &elements)?;
            lives.push(live.clone());
        }
        Ok(lives)
    }
}

/// A step with the same inputs, or at the same gate; the same transitions fire if they can.
fn like(system: &StepSystem, state: &State, old: &Step) -> Result<Option<Step>, LimitKind> {
    let data = &old.data[..system.given_to(old.joint)];
    let mut steps = system.steps(old.joint, state, data)?;
    if !steps.is_empty() {
        let same = steps.iter().position(|step| step.fired == old.fired).unwrap_or(0);
        return Ok(Some(steps.swap_remove(same)));
    }
    let Some(gate) = system.joints[old.joint].gate.filter(|_| system.style == Style::Gates) else { return Ok(None) };
    let others = (0..system.joints.len()).filter(|joint| system.joints[*joint].gate == Some(gate));
    // What the system says may be something else now, and first of all by the same switch.
    let own_first = std::iter::once(old.joint).chain(others.filter(|joint| *joint != old.joint));
    for joint in own_first.filter(|joint| system.at_source(*joint, state)) {
        let step = match system.takes_input(joint) {
            true => system.steps(joint, state, data)?.into_iter().next(),
            false => {
                let said = system.steps_with(joint, state, &[], &Given::default(), None);
                said.unwrap_or_default().into_iter().next()
            }
        };
        if step.is_some() {
            return Ok(step);
        }
    }
    Ok(None)
}

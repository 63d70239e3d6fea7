//! Endless paths of hidden steps, over terms: the condition under which one begins in a place. Silence is allowed there.
//!
//! Hidden steps are followed until they lead to no others, or back to a place on the way. Where data grows all the way, steps
//! that are possible whatever the data is never end either. What is neither is not decided.

use std::collections::{BTreeSet, VecDeque};

use super::alphabet::Alphabet;
use super::side::{Move, Place, Side};
use super::world::World;
use crate::kernel::{ChoiceError, Given, Part, State, Step, StepSystem};
use crate::search::Branch;
use crate::solve::Solver;
use crate::term::Term;

/// Most hidden steps that are followed from one place.
const MAX_FOLLOWED: usize = 200;
/// Most combinations of control states that hidden steps lead to.
const MAX_CONTROL: usize = 64;
/// Most concrete states in which a warning looks for them.
const MAX_STATES: usize = 1_000;

/// Hidden steps that may go on for ever, if there are any for certain: the transitions that are taken. Concrete states are
/// followed as far as they can be listed, then control states in which a hidden step is possible whatever the data is.
pub fn hidden_for_ever(system: &StepSystem, solver: Box<dyn Solver>) -> Option<Vec<(usize, usize)>> {
    if system.recurring().is_empty() {
        return None;
    }
    let given = Given::default();
    let mut fired: Vec<(usize, usize)> = match circle(system, &given) {
        Ok(circle) => circle?.into_iter().flat_map(|step| step.fired).filter_map(|(m, t)| Some((m, t?))).collect(),
        Err(_) => {
            let alphabet = Alphabet::of(system);
            let mut world = World::new(&system.definitions, solver);
            let side = Side::specification(system, &alphabet);
            let reached = side.controls_by(system.machines.iter().map(|m| m.initial).collect(), &|_| true)?;
            let mut certain = vec![];
            for control in reached.iter().filter(|control| side.can_recur(control)) {
                if side.always_goes_on(&mut world, control) {
                    certain = side.recurring.iter().filter(|joint| side.leaves(**joint, control)).copied().collect();
                    break;
                }
            }
            let parts = certain.iter().flat_map(|joint| &system.joints[*joint].parts);
            let switches = parts.filter_map(|part| match part {
                Part::Switch { machine, transition } => Some((*machine, *transition)),
                Part::Tick(_) => None,
            });
            if certain.is_empty() {
                return None;
            }
            switches.collect()
        }
    };
    fired.sort_unstable();
    fired.dedup();
    Some(fired)
}

/// A circle of hidden steps in the first concrete states. An error where they cannot be listed.
fn circle(system: &StepSystem, given: &Given) -> Result<Option<Vec<Step>>, ChoiceError> {
    let mut seen: BTreeSet<State> = system.initial_states(given, None)?.into_iter().collect();
    let mut open: VecDeque<State> = seen.iter().cloned().collect();
    while let Some(state) = open.pop_front() {
        if let Some(circle) = system.hidden_circle(&state, given)? {
            return Ok(Some(circle));
        }
        for step in system.all_steps(&state, given, None)? {
            if seen.insert(step.next.clone()) {
                open.push_back(step.next);
            }
        }
        if seen.len() > MAX_STATES {
            return Err(ChoiceError::TooManyStates(MAX_STATES));
        }
    }
    Ok(None)
}

impl Side<'_> {
    /// That hidden steps may go on for ever from a place.
    pub fn endless(&self, world: &mut World, branch: &Branch, place: &Place) -> Term {
        let never = world.terms.bool(false);
        let Place::At { control, pending: None, .. } = place else { return never };
        if !self.can_recur(control) {
            return never;
        }
        let mut left = MAX_FOLLOWED;
        match self.goes_on(world, branch, place, &mut vec![], &mut left) {
            Some(condition) => world.known(branch, condition),
            None => {
                world.gaps.insert("whether hidden steps go on for ever could not be decided".to_owned());
                never
            }
        }
    }

    /// Whether control lets hidden steps lead from here to one that may be taken again and again.
    fn can_recur(&self, control: &[u32]) -> bool {
        if self.recurring.is_empty() {
            return false;
        }
        match self.controls_from(control) {
            Some(controls) => controls.iter().any(|at| self.recurring.iter().any(|joint| self.leaves(*joint, at))),
            None => true,
        }
    }

    /// The combinations of control states that hidden steps may lead to, whatever the data is; none if they are many.
    fn controls_from(&self, control: &[u32]) -> Option<BTreeSet<Vec<u32>>> {
        self.controls_by(control.to_vec(), &|joint| self.internal.contains(&joint))
    }

    /// The same for other steps.
    fn controls_by(&self, control: Vec<u32>, is_meant: &dyn Fn(usize) -> bool) -> Option<BTreeSet<Vec<u32>>> {
        let mut seen = BTreeSet::from([control.clone()]);
        let mut open = vec![control];
        while let Some(at) = open.pop() {
            for joint in (0..self.system.joints.len()).filter(|joint| is_meant(*joint) && self.leaves(*joint, &at)) {
                let mut next = at.clone();
                for part in &self.system.joints[joint].parts {
                    match *part {
                        Part::Switch { machine, transition } => {
                            next[machine] = self.system.machines[machine].transitions[transition].target;
                        }
                        // Its machines may get anywhere.
                        Part::Tick(_) => return None,
                    }
                }
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
            if seen.len() > MAX_CONTROL {
                return None;
            }
        }
        Some(seen)
    }

    fn leaves(&self, joint: usize, control: &[u32]) -> bool {
        self.system.joints[joint].parts.iter().all(|part| match *part {
            Part::Tick(_) => true,
            Part::Switch { machine, transition } => {
                self.system.machines[machine].transitions[transition].source == control[machine]
            }
        })
    }

    /// That hidden steps may go on for ever, or lead back to a place on the way; none if that is not known.
    fn goes_on(
        &self,
        world: &mut World,
        branch: &Branch,
        place: &Place,
        way: &mut Vec<Place>,
        left: &mut usize,
    ) -> Option<Term> {
        let here = place.applied(branch, world);
        let Place::At { control, .. } = &here else { return Some(world.terms.bool(false)) };
        if !self.can_recur(control) {
            return Some(world.terms.bool(false));
        }
        if way.iter().any(|before| before.applied(branch, world) == here) || self.always_goes_on(world, control) {
            return Some(world.terms.bool(true));
        }
        *left = left.checked_sub(1)?;
        let known = world.gaps.clone();
        let moves = self.internal_closed(world, branch, &here);
        if world.gaps.len() > known.len() {
            world.gaps = known;
            return None;
        }
        way.push(here);
        let mut parts = vec![];
        let mut is_known = true;
        for Move { condition, next } in moves {
            let Some(within) = world.when(branch, condition) else { continue };
            match self.goes_on(world, &within, &next, way, left) {
                Some(then) => parts.push(world.terms.and(condition, then)),
                None => is_known = false,
            }
        }
        way.pop();
        let some = world.terms.any(parts);
        let some = world.known(branch, some);
        // One path is enough, whatever the others do.
        (is_known || world.terms.is(some, true)).then_some(some)
    }

    /// Whether some hidden step is possible in these control states whatever the data is, and again where it leads to.
    fn always_goes_on(&self, world: &mut World, control: &[u32]) -> bool {
        if let Some(known) = self.always.borrow().get(control) {
            return *known;
        }
        let gaps = world.gaps.clone();
        // Where that cannot be looked at, nothing is claimed.
        let always = self.surviving(world, control).is_some_and(|surviving| surviving.contains(control));
        world.gaps = gaps;
        self.always.borrow_mut().insert(control.to_vec(), always);
        always
    }

    /// The control states in reach in which a hidden step is always possible that leads to one of them; none if that cannot be
    /// looked at.
    fn surviving(&self, world: &mut World, control: &[u32]) -> Option<BTreeSet<Vec<u32>>> {
        let controls = self.controls_from(control)?;
        let gaps = world.gaps.len();
        let mut steps = vec![];
        for at in &controls {
            let mut branch = Branch::default();
            let place = self.anywhere(world, &mut branch, at)?;
            let taken = self.possible_steps(world, &branch, &place, &self.internal);
            if world.gaps.len() > gaps {
                return None;
            }
            steps.push((at.clone(), branch, taken));
        }
        let mut left = controls;
        loop {
            let before = left.len();
            for (at, branch, taken) in &steps {
                let stays = taken.iter().filter_map(|(possible, next)| match next {
                    Place::At { control, .. } if left.contains(control) => Some(*possible),
                    _ => None,
                });
                let stays = world.terms.any(stays.collect());
                let leaves = world.terms.not(stays);
                if left.contains(at) && world.when(branch, leaves).is_some() {
                    left.remove(at);
                }
            }
            if left.len() == before {
                return Some(left);
            }
        }
    }
}

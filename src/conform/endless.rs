//! Endless paths of hidden steps, over terms: the condition under which one begins in a place. Silence is allowed there.
//!
//! Hidden steps are followed until they lead to no others, or back to a place on the way. Where data grows all the way, steps
//! that are possible whatever the data is never end either. What is neither is not decided.

use std::collections::BTreeSet;

use super::side::{Move, Place, Side};
use super::world::World;
use crate::kernel::Part;
use crate::search::Branch;
use crate::term::Term;

/// Most hidden steps that are followed from one place.
const MAX_FOLLOWED: usize = 200;
/// Most combinations of control states that hidden steps lead to.
const MAX_CONTROL: usize = 64;

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
        let mut seen = BTreeSet::from([control.to_vec()]);
        let mut open = vec![control.to_vec()];
        while let Some(at) = open.pop() {
            for joint in self.internal.iter().filter(|joint| self.leaves(**joint, &at)) {
                let mut next = at.clone();
                for part in &self.system.joints[*joint].parts {
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
        let surviving = self.surviving(world, control).unwrap_or_default();
        world.gaps = gaps;
        let always = surviving.contains(control);
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
            let Some(place) = self.anywhere(world, &mut branch, at) else { return None };
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

//! A model in which forbidden calls can be tried.
//!
//! For each way in which a call would be taken, there are copies of its transitions that ask for everything but a few conditions,
//! and change nothing. A run that ends with such a copy ends where the call can fail for no other reason than the conditions
//! left out. The copies come after all others, so that everything else keeps its number.

use crate::kernel::{Joint, Lists, Part, Source, StepSystem, Transition};
use crate::syntax::Span;
use crate::syntax::tree::Direction;
use crate::term::{Env, Expr, Fuel, TypeId, Value, eval};

/// A condition that a tried call is not asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lifted {
    /// A part of a guard, where it is written.
    Condition(Span),
    /// That a machine is in a state.
    Source {
        /// The machine.
        machine: String,
        /// The state.
        state: String,
    },
}

/// What a tried call is not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// So many conditions that look at the state.
    State(usize),
    /// One condition on its arguments, where no transition would take them.
    Arguments,
}

impl Without {
    fn count(self) -> usize {
        match self {
            Without::State(count) => count,
            Without::Arguments => 1,
        }
    }

    fn is_about_call(self) -> bool {
        self == Without::Arguments
    }
}

/// A call that can be tried.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// A joint of the same gate in the model itself.
    pub joint: usize,
    /// The copies that fire.
    fired: Vec<(usize, usize)>,
    /// What they are not asked for.
    pub lifted: Vec<Lifted>,
}

/// A model with attempts.
#[derive(Clone, Debug)]
pub struct Attempting {
    /// The model.
    pub system: StepSystem,
    /// Its lists, with the numbers of those of the original.
    pub lists: Lists,
    /// What can be tried.
    pub attempts: Vec<Attempt>,
    /// Enumerations of transitions, with the number of idling before and now.
    idle: Vec<(TypeId, u32, u32)>,
}

impl Attempting {
    /// The model in which calls can be tried with so many conditions left out; none if there is no such call. What is called is a
    /// gate or a transition; calls that `is_exceptional` says to fail anyway are not tried.
    pub fn new(
        system: &StepSystem,
        lists: &Lists,
        called: Source,
        member: usize,
        is_exceptional: &dyn Fn(&Transition) -> bool,
        without: Without,
    ) -> Option<Attempting> {
        let mut attempting =
            Attempting { system: system.clone(), lists: lists.clone(), attempts: vec![], idle: vec![] };
        for (number, joint) in system.joints.iter().enumerate() {
            let is_input = joint.gate.is_some_and(|gate| system.gates[gate].direction == Direction::In);
            let switches: Vec<(usize, usize)> = (joint.parts.iter())
                .filter_map(|part| match part {
                    Part::Switch { machine, transition } => Some((*machine, *transition)),
                    Part::Tick(_) => None,
                })
                .collect();
            let is_meant = match called {
                Source::Gate => joint.gate == Some(member),
                Source::Fired(machine) => switches.contains(&(machine, member)),
                _ => false,
            };
            let fails = switches.iter().any(|(machine, t)| is_exceptional(&system.machines[*machine].transitions[*t]));
            if is_input && is_meant && !fails && switches.len() == joint.parts.len() {
                attempting.add(system, number, joint, &switches, without);
            }
        }
        if attempting.attempts.is_empty() {
            return None;
        }
        attempting.lists = attempting.system.lists();
        for (list, source) in lists.sources.iter().enumerate() {
            if let Source::Fired(machine) = source
                && let Value::Data(ty, _, _) = lists.names.member(list, 0)
            {
                let count = |system: &StepSystem| system.machines[*machine].transitions.len() as u32;
                attempting.idle.push((ty, count(system), count(&attempting.system)));
            }
        }
        Some(attempting)
    }

    /// Adds the attempts of one joint.
    fn add(
        &mut self,
        system: &StepSystem,
        number: usize,
        joint: &Joint,
        switches: &[(usize, usize)],
        without: Without,
    ) {
        let guard = |(machine, t): (usize, usize)| &system.machines[machine].transitions[t].guard;
        // What is asked of the arguments alone says which call it is; otherwise every part of every guard that looks at the
        // state, and after them every source.
        let conditions = switches.iter().enumerate().flat_map(|(switch, at)| {
            let parts =
                (0..guard(*at).len()).filter(|part| reads_state(&guard(*at)[*part].expr) != without.is_about_call());
            let source = (!without.is_about_call()).then_some((switch, None));
            parts.map(move |part| (switch, Some(part))).chain(source)
        });
        let conditions: Vec<(usize, Option<usize>)> = conditions.collect();
        for lifted in subsets(&conditions, without.count()) {
            // A machine with one state is always in it.
            let is_idle = |(switch, part): &(usize, Option<usize>)| {
                part.is_none() && system.machines[switches[*switch].0].states.len() < 2
            };
            if lifted.iter().any(is_idle) {
                continue;
            }
            let mut ways: Vec<Vec<(usize, usize)>> = vec![vec![]];
            for (switch, (machine, t)) in switches.iter().copied().enumerate() {
                let original = &system.machines[machine].transitions[t];
                let is_lifted = |part: Option<usize>| lifted.contains(&(switch, part));
                let guard = original.guard.iter().enumerate().filter(|(part, _)| !is_lifted(Some(*part)));
                let copy = Transition {
                    guard: guard.map(|(_, conjunct)| conjunct.clone()).collect(),
                    updates: vec![],
                    sends: vec![],
                    tags: vec![],
                    ..original.clone()
                };
                let sources: Vec<u32> = match is_lifted(None) {
                    true => {
                        (0..system.machines[machine].states.len() as u32).filter(|s| *s != original.source).collect()
                    }
                    false => vec![original.source],
                };
                let mut longer = vec![];
                for source in sources {
                    let transitions = &mut self.system.machines[machine].transitions;
                    let name = format!("{} #{}", original.name, transitions.len());
                    transitions.push(Transition { name, source, target: source, ..copy.clone() });
                    let last = transitions.len() - 1;
                    longer.extend(ways.iter().map(|way| [&way[..], &[(machine, last)]].concat()));
                }
                ways = longer;
            }
            let told = |(switch, part): &(usize, Option<usize>)| {
                let (machine, t) = switches[*switch];
                let machine = &system.machines[machine];
                match part {
                    Some(part) => Lifted::Condition(machine.transitions[t].guard[*part].span),
                    None => Lifted::Source {
                        machine: machine.name.clone(),
                        state: machine.states[machine.transitions[t].source as usize].clone(),
                    },
                }
            };
            let lifted: Vec<Lifted> = lifted.iter().map(told).collect();
            for fired in ways {
                let parts = fired
                    .iter()
                    .map(|(machine, transition)| Part::Switch { machine: *machine, transition: *transition });
                self.system.joints.push(Joint { parts: parts.collect(), ..joint.clone() });
                self.attempts.push(Attempt { joint: number, fired, lifted: lifted.clone() });
            }
        }
    }

    /// The attempt that a joint of this model makes.
    pub fn attempt(&self, joint: usize) -> Option<&Attempt> {
        let first = self.system.joints.len() - self.attempts.len();
        joint.checked_sub(first).and_then(|number| self.attempts.get(number))
    }

    /// That something is tried: a list of truth values.
    pub fn is_tried(&self) -> Expr {
        let fires = |(machine, transition): (usize, usize)| {
            let list = self.lists.sources.iter().position(|source| *source == Source::Fired(machine)).unwrap_or(0);
            Expr::slot_is(list, self.lists.names.member(list, transition))
        };
        // The copies of the first switch tell all attempts apart from everything else.
        let first = self.attempts.iter().filter_map(|attempt| attempt.fired.first().copied());
        let mut known: Vec<(usize, usize)> = first.collect();
        known.sort_unstable();
        known.dedup();
        Expr::any(known.into_iter().map(fires)).unwrap_or(Expr::Const(Value::Bool(false)))
    }

    /// A list of the original model as one of this model: idling has another number here.
    pub fn list(&self, list: &Expr) -> Expr {
        list.map_leaves(&mut |leaf| match leaf {
            Expr::Const(Value::Data(ty, member, fields)) => {
                let (_, _, now) = self.idle.iter().find(|(of, before, _)| of == ty && before == member)?;
                Some(Expr::Const(Value::Data(*ty, *now, fields.clone())))
            }
            _ => None,
        })
    }
}

/// Whether some transition at the gate of a joint would take these arguments in some state, as far as conditions on the arguments
/// alone tell.
pub fn takes_arguments(
    system: &StepSystem,
    joint: usize,
    data: &[Value],
    is_exceptional: &dyn Fn(&Transition) -> bool,
) -> bool {
    let holds = |expr: &Expr, frame: &mut Vec<Value>| {
        let fuel = Fuel::new();
        let env = Env { definitions: &system.definitions, slots: &[], fuel: &fuel };
        eval(expr, env, frame).is_ok_and(|value| value.is_true())
    };
    let others = system.joints.iter().filter(|other| other.gate == system.joints[joint].gate);
    others.into_iter().any(|other| {
        other.parts.iter().all(|part| match part {
            Part::Tick(_) => false,
            Part::Switch { machine, transition } => {
                let t = &system.machines[*machine].transitions[*transition];
                let mut frame = data.to_vec();
                let mut asked = t.guard.iter().filter(|conjunct| !reads_state(&conjunct.expr));
                !is_exceptional(t) && asked.all(|conjunct| holds(&conjunct.expr, &mut frame))
            }
        })
    })
}

/// Whether an expression looks at the state.
fn reads_state(expr: &Expr) -> bool {
    let mut reads = false;
    expr.map_leaves(&mut |leaf| {
        reads |= matches!(leaf, Expr::Slot(_));
        None
    });
    reads
}

/// All ways to choose so many of some things.
fn subsets<T: Copy>(things: &[T], count: usize) -> Vec<Vec<T>> {
    if count == 0 {
        return vec![vec![]];
    }
    let mut out = vec![];
    for (place, thing) in things.iter().enumerate() {
        for rest in subsets(&things[place + 1..], count - 1) {
            out.push([&[*thing][..], &rest].concat());
        }
    }
    out
}

//! One run: along a trace as far as it goes, the rest by seed.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use num_bigint::BigInt;
use num_traits::Signed;
use thiserror::Error;

use crate::kernel::{
    ChoiceError, Event, Given, Missing, Sampler, Slot, State, Step, StepSystem, Style, Trace, TraceStep,
};
use crate::term::{Type, Value};

/// Most steps tried while looking for a run that follows a trace.
const MAX_TRIES: usize = 100_000;
/// Most internal steps in a row before an event of a trace.
const MAX_INTERNAL: usize = 50;

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Halt {
    /// No run follows the trace beyond this point.
    #[error("{0} is not possible here")]
    NotEnabled(String),
    /// Nothing is possible.
    #[error("no step is possible")]
    Deadlock,
    /// No step was found among the values tried.
    #[error("no step is possible with the values tried; give some with --values ({0})")]
    NoValues(String),
    /// A limit was hit.
    #[error("{0}")]
    Limit(String),
}

impl From<ChoiceError> for Halt {
    fn from(error: ChoiceError) -> Halt {
        match error {
            ChoiceError::NoValues { .. } => Halt::NoValues(error.to_string()),
            other => Halt::Limit(other.to_string()),
        }
    }
}

/// Runs a model for a number of steps: along the trace as far as it goes, with choices by seed that are taken back if the
/// trace cannot be followed otherwise; then at random.
pub fn simulate(
    system: &StepSystem,
    inputs: &Trace,
    steps: usize,
    given: &Given,
    seed: u64,
) -> Result<(State, Vec<Step>, Option<Halt>), ChoiceError> {
    let mut rng = Rng::with_seed(seed);
    let mut samples = Samples { rng: Rng::with_seed(rng.u64(..)), sampled: false };
    let preferred = (!system.pools.is_empty()).then(|| system.preferring(given));
    let mut initials = initial_states(system, given, preferred.as_ref(), &mut samples)?;
    rng.shuffle(&mut initials);
    if preferred.is_some() {
        let weights: Vec<u64> = initials.iter().map(|initial| weight_of_initial(system, initial)).collect();
        initials = by_weight(initials, &weights, &mut rng);
    }
    let wanted = &inputs.steps[..steps.min(inputs.steps.len())];
    let mut follower = Follower { system, wanted, given, preferred, samples, rng, tries: 0 };
    let mut furthest: Option<(State, Vec<Step>, Option<Halt>)> = None;
    for initial in initials {
        let (run, halt) = follower.follow(&initial);
        let further = furthest.as_ref().is_none_or(|(_, known, _)| known.len() < run.len());
        if halt.is_none() || further {
            furthest = Some((initial, run, halt.clone()));
        }
        if halt.is_none() {
            break;
        }
    }
    let Some((initial, mut run, mut halt)) = furthest else { return Err(ChoiceError::NoInitial) };
    let more = if halt.is_none() { steps - wanted.len() } else { 0 };
    for _ in 0..more {
        let state = run.last().map_or(&initial, |step: &Step| &step.next).clone();
        match follower.random_step(&state, !inputs.steps.is_empty()) {
            Ok(step) => run.push(step),
            Err(reason) => {
                halt = Some(reason);
                break;
            }
        }
    }
    Ok((initial, run, halt))
}

/// Initial states with values of pools, or others if there are none.
fn initial_states(
    system: &StepSystem,
    given: &Given,
    preferred: Option<&Given>,
    samples: &mut Samples,
) -> Result<Vec<State>, ChoiceError> {
    let pooled = preferred.and_then(|preferred| system.initial_states(preferred, Some(&mut *samples)).ok());
    match pooled.filter(|states| !states.is_empty()) {
        Some(states) => Ok(states),
        None => system.initial_states(given, Some(samples)),
    }
}

/// How often an initial state is chosen, compared with others.
fn weight_of_initial(system: &StepSystem, initial: &State) -> u64 {
    let weight = |slot: usize| {
        let Slot { name, ty, .. } = &system.slots[slot];
        system.weight(name, std::slice::from_ref(ty), &initial.values[slot])
    };
    system.open_slots().into_iter().map(weight).fold(1, u64::saturating_mul)
}

/// A random order in which what weighs more tends to come first.
fn by_weight<T>(items: Vec<T>, weights: &[u64], rng: &mut Rng) -> Vec<T> {
    let ring = |weight: &u64| -(1.0 - rng.f64()).ln() / *weight as f64;
    let mut ringing: Vec<(f64, T)> = weights.iter().map(ring).zip(items).collect();
    ringing.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    ringing.into_iter().map(|(_, item)| item).collect()
}

/// Looks for a run along a trace, depth first.
struct Follower<'a> {
    system: &'a StepSystem,
    wanted: &'a [TraceStep],
    given: &'a Given,
    /// The same with values of pools, if there are any.
    preferred: Option<Given>,
    samples: Samples,
    rng: Rng,
    tries: usize,
}

/// A point of the search: the options not yet tried, each with the number of trace steps it takes.
struct Point {
    options: Vec<(Step, usize)>,
    /// How many steps of the trace are done here.
    done: usize,
    /// Internal steps since the last of them.
    internal: usize,
}

impl Follower<'_> {
    /// The run, and why it ends before the trace does.
    fn follow(&mut self, initial: &State) -> (Vec<Step>, Option<Halt>) {
        let mut run: Vec<Step> = vec![];
        let mut best: (Vec<Step>, usize) = (vec![], 0);
        let mut stack = match self.point(initial, 0, 0) {
            Ok(point) => vec![point],
            Err(halt) => return (run, Some(halt)),
        };
        // After how few internal steps a state was met, with so much of the trace done: what did not lead on from there does
        // not lead on later. Where data is drawn, another draw may.
        let mut met: BTreeMap<(usize, State), usize> = BTreeMap::new();
        while let Some(point) = stack.last_mut() {
            if point.done == self.wanted.len() {
                return (run, None);
            }
            let Some((step, taken)) = point.options.pop() else {
                stack.pop();
                run.pop();
                continue;
            };
            let (done, internal) = (point.done + taken, if taken == 0 { point.internal + 1 } else { 0 });
            let place = (done, step.next.clone());
            if !self.samples.sampled && met.get(&place).is_some_and(|known| *known <= internal) {
                continue;
            }
            met.insert(place, internal);
            self.tries += 1;
            if self.tries > MAX_TRIES {
                return (best.0, Some(Halt::Limit(format!("no run was found in {MAX_TRIES} tries"))));
            }
            let next = self.point(&step.next, done, internal);
            run.push(step);
            if done > best.1 {
                best = (run.clone(), done);
            }
            match next {
                Ok(point) => stack.push(point),
                Err(halt) => return (best.0, Some(halt)),
            }
        }
        if self.wanted.is_empty() {
            return (run, None);
        }
        let halt = if self.samples.sampled {
            Halt::NoValues("some have infinitely many".to_owned())
        } else {
            Halt::NotEnabled(event_name(self.wanted[best.1].event.as_ref(), self.system))
        };
        (best.0, Some(halt))
    }

    fn point(&mut self, state: &State, done: usize, internal: usize) -> Result<Point, Halt> {
        let mut options: Vec<(Step, usize)> = vec![];
        if let Some(wanted) = self.wanted.get(done) {
            // Events come first, so they are put last. An observer does not see internal steps before an event.
            if matches!(wanted.event, Some(Event::Gate(..))) && internal < MAX_INTERNAL {
                let steps = self.system.internal_steps(state, self.given, Some(&mut self.samples))?;
                options.extend(self.shuffled(steps).into_iter().filter(|s| s.next != *state).map(|s| (s, 0)));
            }
            let samples = Some(&mut self.samples as &mut dyn Sampler);
            let steps = self.system.steps_like(state, wanted, Missing::Absent, self.given, samples)?;
            options.extend(self.shuffled(steps).into_iter().map(|s| (s, 1)));
        }
        Ok(Point { options, done, internal })
    }

    fn shuffled(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        self.rng.shuffle(&mut steps);
        steps
    }

    /// A step at random; after a trace of inputs, inputs stay absent.
    fn random_step(&mut self, state: &State, inputs_absent: bool) -> Result<Step, Halt> {
        let system = self.system;
        self.samples.sampled = false;
        let options = match (system.style, &self.preferred) {
            (Style::Gates, Some(_)) => self.preferred_steps(state)?,
            (Style::Gates, None) => system.all_steps(state, self.given, Some(&mut self.samples))?,
            // Each input is drawn by itself: all combinations would be too many.
            (Style::Lockstep, _) => {
                let mut inputs = vec![];
                for input in 0..system.ticks[0].inputs.len() {
                    inputs.push(if inputs_absent { Value::Absent } else { self.random_input(input, state)? });
                }
                system.steps(0, state, &inputs).map_err(|limit| Halt::Limit(limit.to_string()))?
            }
        };
        let halt = match self.samples.sampled {
            true => Halt::NoValues("some have infinitely many".to_owned()),
            false => Halt::Deadlock,
        };
        self.rng.choice(options).ok_or(halt)
    }

    /// Steps with values of pools, by their weights: one for each joint that can be taken, with others where none fits.
    fn preferred_steps(&mut self, state: &State) -> Result<Vec<Step>, Halt> {
        let system = self.system;
        let mut out = vec![];
        for joint in 0..system.joints.len() {
            let mut with = |given: &Given| system.steps_with(joint, state, &[], given, Some(&mut self.samples));
            // Pools with too many combinations are left out as well.
            let mut steps = self.preferred.as_ref().map(|given| with(given).unwrap_or_default()).unwrap_or_default();
            if steps.is_empty() {
                steps = with(self.given)?;
            }
            let weight = |step: &Step| {
                let data = system.joints[joint].params.iter().zip(&step.data);
                data.map(|((name, types), value)| system.weight(&system.name_of(joint, name), types, value))
                    .fold(1, u64::saturating_mul)
            };
            let weights: Vec<u64> = steps.iter().map(weight).collect();
            out.extend(by_weight(steps, &weights, &mut self.rng).into_iter().next());
        }
        Ok(out)
    }

    /// A value of an input, or none; of its pool, if it has one.
    fn random_input(&mut self, input: usize, state: &State) -> Result<Value, Halt> {
        let system = self.system;
        let mut values = vec![];
        for given in self.preferred.iter().chain([self.given]) {
            // Nothing but absence is no value.
            if values.len() <= 1 {
                values = system.input_values((0, 0), input, state, given, Some(&mut self.samples))?;
            }
        }
        if self.preferred.is_none() {
            return Ok(self.rng.choice(values).unwrap_or(Value::Absent));
        }
        // Absence is as likely as if all weights were the same.
        let (name, ty, _) = &system.ticks[0].inputs[input];
        if self.rng.usize(..values.len()) == 0 {
            return Ok(Value::Absent);
        }
        let present = values.split_off(1);
        let weights: Vec<u64> =
            present.iter().map(|value| system.weight(name, std::slice::from_ref(ty), value)).collect();
        Ok(by_weight(present, &weights, &mut self.rng).into_iter().next().unwrap_or(Value::Absent))
    }
}

fn event_name(event: Option<&Event>, system: &StepSystem) -> String {
    match event {
        Some(Event::Gate(gate, _)) => format!("`{}`", system.gates[*gate].name),
        Some(Event::Tau) => "an internal step".to_owned(),
        Some(Event::Delta) => "silence".to_owned(),
        None => "a step with these inputs".to_owned(),
    }
}

/// A few values of types that have many: small ones, and ones near those in the state, which guards compare with.
pub struct Samples {
    rng: Rng,
    sampled: bool,
}

impl Samples {
    /// Values by seed.
    pub fn new(seed: u64) -> Samples {
        Samples { rng: Rng::with_seed(seed), sampled: false }
    }
}

impl Sampler for Samples {
    fn sample(&mut self, ty: &Type, state: &State) -> Vec<Value> {
        self.sampled = true;
        match ty {
            Type::Refined(_, base) => self.sample(base, state),
            Type::Int { .. } => {
                let mut numbers: BTreeSet<BigInt> = [0, 1, 2, 10].map(BigInt::from).into();
                for value in &state.values {
                    if let Value::Int(n) = value {
                        numbers.extend([n - 1, n.clone(), n + 1]);
                    }
                }
                numbers.insert(BigInt::from(self.rng.i64(-20..=100)));
                // `Nat` is far more frequent than a type with only negative numbers.
                let negative = matches!(ty, Type::Int { low: None, .. });
                numbers.into_iter().filter(|n| negative || !n.is_negative()).map(Value::Int).collect()
            }
            Type::Real => [0, 1, 2].map(|n| Value::real(BigInt::from(n))).into(),
            Type::Text => {
                let known = state.values.iter().filter(|v| matches!(v, Value::Text(_))).cloned();
                known.chain(["", "a", "Ab", "text"].map(Value::text)).collect::<BTreeSet<_>>().into_iter().collect()
            }
            Type::List(_) => vec![Value::List(Default::default())],
            Type::Map(..) => vec![Value::Map(Default::default())],
            Type::Set(_) => vec![Value::Set(Default::default())],
            _ => vec![],
        }
    }
}

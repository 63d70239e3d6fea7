//! One run: inputs and events from a trace as far as it goes, the rest by seed.

use std::collections::BTreeSet;

use fastrand::Rng;
use num_bigint::BigInt;
use num_traits::Signed;
use thiserror::Error;

use crate::kernel::{ChoiceError, Event, Given, Part, Sampler, State, Step, StepSystem, Style, Trace, TraceStep};
use crate::term::{Type, Value};

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Halt {
    /// The event that the trace asks for is not possible.
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

/// Runs a model for a number of steps.
pub fn simulate(
    system: &StepSystem,
    inputs: &Trace,
    steps: usize,
    given: &Given,
    seed: u64,
) -> Result<(State, Vec<Step>, Option<Halt>), ChoiceError> {
    let mut rng = Rng::with_seed(seed);
    let mut samples = Samples { rng: Rng::with_seed(rng.u64(..)), sampled: false };
    let initials = system.initial_states(given, Some(&mut samples))?;
    let Some(initial) = rng.choice(initials) else { return Err(ChoiceError::NoInitial) };
    let mut state = initial.clone();
    let mut run = vec![];
    for number in 0..steps {
        samples.sampled = false;
        let options = match inputs.steps.get(number) {
            Some(wanted) => wanted_steps(system, &state, wanted, given, &mut samples),
            // After the end of a trace of inputs, inputs stay absent.
            None if !inputs.steps.is_empty() && system.style == Style::Lockstep => {
                wanted_steps(system, &state, &TraceStep::default(), given, &mut samples)
            }
            None => system.all_steps(&state, given, Some(&mut samples)),
        };
        let options = match options {
            Ok(options) => options,
            Err(ChoiceError::Limit(limit)) => return Ok((initial, run, Some(Halt::Limit(limit.to_string())))),
            Err(error) => return Ok((initial, run, Some(Halt::NoValues(error.to_string())))),
        };
        let Some(step) = rng.choice(options) else {
            let halt = match inputs.steps.get(number).and_then(|s| s.event.as_ref()) {
                Some(event) => Halt::NotEnabled(event_name(event, system)),
                None if samples.sampled => Halt::NoValues("some have infinitely many".to_owned()),
                None => Halt::Deadlock,
            };
            return Ok((initial, run, Some(halt)));
        };
        state = step.next.clone();
        run.push(step);
    }
    Ok((initial, run, None))
}

fn event_name(event: &Event, system: &StepSystem) -> String {
    match event {
        Event::Gate(gate, _) => format!("`{}`", system.gates[*gate].name),
        Event::Tau => "an internal step".to_owned(),
        Event::Delta => "silence".to_owned(),
    }
}

/// Steps with the inputs or the event of a trace; inputs that it does not name are absent.
fn wanted_steps(
    system: &StepSystem,
    state: &State,
    wanted: &TraceStep,
    given: &Given,
    samples: &mut Samples,
) -> Result<Vec<Step>, ChoiceError> {
    let mut out = vec![];
    for joint in 0..system.joints.len() {
        let params = system.joints[joint].params.len();
        let fixed: Vec<Option<Value>> = match (&wanted.event, system.joints[joint].gate) {
            (_, _) if system.style == Style::Lockstep => {
                let absent = || Value::Absent;
                let inputs = system.ticks[0].inputs.len();
                (0..inputs).map(|i| Some(wanted.inputs.get(&i).cloned().unwrap_or_else(absent))).collect()
            }
            (Some(Event::Gate(gate, data)), Some(own)) if *gate == own => {
                let is_tick = matches!(system.joints[joint].parts[..], [Part::Tick(_)]);
                let missing = is_tick.then_some(Value::Absent);
                (0..params).map(|i| data.get(&i).cloned().or_else(|| missing.clone())).collect()
            }
            (Some(Event::Tau), None) => vec![],
            (None, _) => vec![],
            _ => continue,
        };
        if !system.at_source(joint, state) {
            continue;
        }
        for data in system.tuples(joint, state, &fixed, given, Some(samples))? {
            out.extend(system.steps(joint, state, &data)?);
        }
    }
    Ok(out)
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
            Type::Real => [0, 1, 2].map(|n| Value::Real(BigInt::from(n).into())).into(),
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

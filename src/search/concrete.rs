//! Explicit search: concrete states of the model, each with what the monitor has left to show. For models whose inputs
//! and open values are few enough to list.

use rustc_hash::FxHashMap;

use super::guide::Guide;
use super::levels::{Acceptance, Path, Space, SpaceStep};
use super::symbolic::{Fired, Question};
use crate::history::{Known, Live};
use crate::kernel::{ChoiceError, Given, State, Step};
use crate::term::{Env, Fuel, Terms, Value, finite_values};

/// A concrete state with a monitor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Watched {
    state: State,
    open: usize,
    live: Vec<Live<Value>>,
    clock: Option<usize>,
}

/// The graph of concrete states, as far as it is known.
pub struct ConcreteSpace<'a> {
    question: Question<'a>,
    /// Combinations of the values that exist once for a run.
    opens: Vec<Vec<Value>>,
    states: Vec<Watched>,
    numbers: FxHashMap<Watched, u32>,
    steps: Vec<Option<Vec<(Step, u32)>>>,
    /// Lower bounds on the steps left, by state.
    distances: Vec<Option<usize>>,
    labels: FxHashMap<Fired, u32>,
    starts: Vec<u32>,
    guide: Guide,
    terms: Terms,
    trouble: Option<ChoiceError>,
}

impl<'a> ConcreteSpace<'a> {
    /// The space of a question; an error if its values cannot be listed.
    pub fn new(question: Question<'a>) -> Result<ConcreteSpace<'a>, ChoiceError> {
        let definitions = &question.lists.names.definitions;
        let fuel = Fuel::new();
        let env = Env { definitions, slots: &[], fuel: &fuel };
        let mut opens: Vec<Vec<Value>> = vec![vec![]];
        for ty in &question.monitor.open {
            let values = finite_values(ty, &Given::default().types, env).map_err(|reason| ChoiceError::NoValues {
                what: "a value that the purpose leaves open".to_owned(),
                reason,
            })?;
            let with = |row: &Vec<Value>| -> Vec<Vec<Value>> {
                values.iter().map(|value| row.iter().cloned().chain([value.clone()]).collect()).collect()
            };
            opens = opens.iter().flat_map(with).collect();
        }
        let mut terms = Terms::new();
        let guide = Guide::new(&question, &mut terms);
        let mut space = ConcreteSpace {
            question,
            opens,
            states: vec![],
            numbers: FxHashMap::default(),
            steps: vec![],
            distances: vec![],
            labels: FxHashMap::default(),
            starts: vec![],
            guide,
            terms,
            trouble: None,
        };
        let clock = question.looks_at_clock().then_some(0);
        for state in question.system.initial_states(&Given::default(), None)? {
            for open in 0..space.opens.len() {
                let live = space.known(open).start()?;
                let number = space.number(Watched { state: state.clone(), open, live, clock });
                space.starts.push(number);
            }
        }
        // Whether inputs can be listed shows at the first state.
        question.system.all_steps(&space.states[0].state, &Given::default(), None)?;
        Ok(space)
    }

    /// How many states were met.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Why some states have steps that could not be listed.
    pub fn trouble(&self) -> Option<&ChoiceError> {
        self.trouble.as_ref()
    }

    fn known(&self, open: usize) -> Known<'_> {
        let definitions = &self.question.lists.names.definitions;
        Known { monitor: self.question.monitor, definitions, open: &self.opens[open] }
    }

    fn number(&mut self, watched: Watched) -> u32 {
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(watched.clone()).or_insert(next);
        if number == next {
            let terms = &mut self.terms;
            let live: Vec<_> = watched.live.iter().map(|one| one.map(&mut |arg| terms.constant(arg.clone()))).collect();
            self.distances.push(self.guide.distance(&watched.state.control, &live, terms));
            self.states.push(watched);
            self.steps.push(None);
        }
        number
    }

    fn expand(&mut self, number: u32) -> Result<Vec<(Step, u32)>, ChoiceError> {
        let Watched { state, open, live, clock } = self.states[number as usize].clone();
        let mut out = vec![];
        for step in self.question.system.all_steps(&state, &Given::default(), None)? {
            let clock = clock.map(|clock| clock + 1);
            let observed = self.question.lists.observe(self.question.system, &state, &step, clock.unwrap_or(0));
            let live = self.known(open).advance(&live, &observed)?;
            if live.contains(&Live::Decided(false)) {
                continue;
            }
            let target = self.number(Watched { state: step.next.clone(), open, live, clock });
            out.push((step, target));
        }
        // Steps by what fires first, inputs second: the order of transitions.
        out.sort_by_key(|(step, _)| order(step));
        Ok(out)
    }

    /// The run of a path: its first state, the open values, and its steps.
    pub fn run(&self, path: &Path) -> (State, Vec<Value>, Vec<Step>) {
        let first = &self.states[path.start as usize];
        let mut at = path.start;
        let mut steps = vec![];
        for number in &path.steps {
            let Some((step, target)) = self.steps[at as usize].as_ref().and_then(|steps| steps.get(*number as usize))
            else {
                break;
            };
            steps.push(step.clone());
            at = *target;
        }
        (first.state.clone(), self.opens[first.open].clone(), steps)
    }
}

/// Idling comes after every transition.
fn order(step: &Step) -> (Vec<(usize, usize)>, usize) {
    let fired = step.fired.iter().map(|(machine, transition)| (*machine, transition.unwrap_or(usize::MAX)));
    (fired.collect(), step.joint)
}

impl Space for ConcreteSpace<'_> {
    fn initial(&mut self) -> Vec<u32> {
        self.starts.clone()
    }

    fn steps(&mut self, state: u32) -> Vec<SpaceStep> {
        if self.steps[state as usize].is_none() {
            let steps = match self.expand(state) {
                Ok(steps) => steps,
                Err(trouble) => {
                    self.trouble.get_or_insert(trouble);
                    vec![]
                }
            };
            self.steps[state as usize] = Some(steps);
        }
        let steps = self.steps[state as usize].as_deref().unwrap_or_default();
        let labels = &mut self.labels;
        let mut label = |fired: &Fired| {
            let next = labels.len() as u32;
            *labels.entry(fired.clone()).or_insert(next)
        };
        steps.iter().map(|(step, target)| SpaceStep { label: label(&step.fired), target: *target }).collect()
    }

    fn accepts(&mut self, state: u32) -> Acceptance {
        let watched = &self.states[state as usize];
        match self.known(watched.open).hold_at_stop(&watched.live) {
            Ok(true) => Acceptance::Yes,
            Ok(false) => Acceptance::No,
            Err(limit) => {
                self.trouble.get_or_insert(ChoiceError::Limit(limit));
                Acceptance::Unknown
            }
        }
    }

    fn distance(&mut self, state: u32) -> Option<usize> {
        self.distances[state as usize]
    }
}

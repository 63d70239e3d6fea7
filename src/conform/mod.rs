//! Conformance: whether an implementation shows nothing that a specification does not allow (ioco, lifted to symbolic
//! transition systems: sioco).
//!
//! Both are step systems, of any style. After every suspension trace of the specification, whatever the implementation
//! shows next, an output or silence, the specification must show as well. [`conform`] decides it; what it says is either a
//! counterexample that the interpreter has confirmed, or a proof for traces of every length, or a depth.

mod alphabet;
mod apart;
mod attained;
mod counterexample;
mod coverage;
pub mod definitions;
mod enabled;
mod endless;
mod explicit;
mod induction;
mod observed;
mod pairs;
mod recheck;
mod side;
mod simulation;
mod words;
mod world;

use crate::confirm::{Confirmation, Recheck};
use crate::kernel::{Completion, StepSystem};
use crate::search::{Limit, Limits, Progress};
use crate::solve::{NewSolver, Solver};

pub use alphabet::{Alphabet, Label, Mismatch};
use apart::Portion;
pub use attained::{Attains, ToAttain};
pub use counterexample::Counterexample;
pub use coverage::{Coverage, Locations, coverage, locations};
pub use enabled::Refusing;
pub use endless::hidden_for_ever;
pub use observed::{Happened, observed_in, shown};
use pairs::{Finding, Found, Pairs, Question};
use side::Side;
use world::World;

/// Pairs that are looked at before other ways are tried.
const FEW_PAIRS: usize = 500;
/// Pairs that are looked at when nothing else has helped.
const MANY_PAIRS: usize = 20_000;
/// Pairs of concrete states that are looked at first, where values can be listed, and when nothing else has helped.
const FEW_STATES: usize = 1_000;
const MANY_STATES: usize = 200_000;

/// How to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// One way after the other.
    Auto,
    /// Pairs of symbolic places.
    Symbolic,
    /// Pairs of concrete states, where values can be listed.
    Explicit,
    /// A relation that every step keeps; finds no counterexample.
    Induction,
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How to decide.
    pub engine: Engine,
    /// Longest traces to look at; any if none.
    pub depth: Option<usize>,
    /// What the implementation does with inputs that it has no step for.
    pub completion: Option<Completion>,
    /// Whether only inputs count that no place of the specification refuses (uioco).
    pub is_universal: bool,
    /// What may be used up.
    pub limits: Limits,
    /// Whether a proof is to be confirmed.
    pub recheck: Recheck,
    /// Makes solvers.
    pub new_solver: NewSolver<'a>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum NotCompared {
    /// The implementation refuses an input, and it is not said what that means.
    Refusing(Refusing),
    /// There is a proof that it conforms, and a run that says otherwise.
    Contradicted(Box<Contradicted>),
}

/// What contradicts a proof.
#[derive(Clone, Debug)]
pub struct Contradicted {
    /// The trace that both models have.
    pub trace: Vec<Happened>,
    /// What the implementation shows after it, and the specification does not.
    pub observed: Happened,
}

impl From<Refusing> for NotCompared {
    fn from(refusing: Refusing) -> NotCompared {
        NotCompared::Refusing(refusing)
    }
}

/// Why an implementation conforms for traces of every length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All pairs of places that traces can lead to were looked at.
    Exhaustion {
        /// Each of them in words.
        invariant: Vec<String>,
    },
    /// All pairs of concrete states were looked at.
    States {
        /// How many.
        pairs: usize,
    },
    /// Variables of both models that every step keeps equal.
    Simulation {
        /// For each combination of places.
        invariant: Vec<String>,
    },
    /// A relation between both models that every step keeps.
    Induction {
        /// For each combination of places.
        invariant: Vec<String>,
    },
    /// Parts that have nothing to do with each other, each proved in its own way.
    Parts,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Conformance {
    /// Whether it conforms; none if nobody can tell.
    pub conforms: Option<bool>,
    /// Length of the traces that were looked at; of the counterexample, if there is one.
    pub depth: usize,
    /// Whether the answer holds for traces of every length.
    pub is_complete: bool,
    /// Why it does.
    pub proof: Option<Proof>,
    /// What a second way says of the proof.
    pub confirmation: Confirmation,
    /// Why it does not conform.
    pub counterexample: Option<Counterexample>,
    /// Why nobody can tell, or only up to a depth.
    pub reason: Option<String>,
    /// The limit that ended it.
    pub limit: Option<Limit>,
    /// Pairs that were met.
    pub pairs: usize,
    /// Checks by the solver.
    pub solver_calls: usize,
}

impl Options<'_> {
    /// A solver that stops when the limits say so.
    fn solver(&self) -> Box<dyn Solver> {
        let mut solver = (self.new_solver)();
        let limits = self.limits;
        solver.stop_when(std::sync::Arc::new(move || limits.used_up().is_some()));
        solver
    }
}

/// Decides conformance of two models over the same definitions, and confirms a proof.
pub fn conform(
    implementation: &StepSystem,
    specification: &StepSystem,
    alphabet: &Alphabet,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Conformance, NotCompared> {
    let whole = Comparison { implementation, specification, alphabet };
    let answer = whole.answered(options, progress)?;
    if !answer.is_proved() {
        return Ok(answer);
    }
    match recheck::recheck(&whole, options) {
        Ok(confirmation) => Ok(Conformance { confirmation, ..answer }),
        Err(finding) => {
            let Finding { trace, observed, .. } = *finding;
            Err(NotCompared::Contradicted(Box::new(Contradicted { trace, observed })))
        }
    }
}

/// Why it is not known whether each part takes every input, if so; an error if one does not: the one after the shortest trace.
fn takes_inputs(
    portions: &[Portion],
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Vec<Option<String>>, Refusing> {
    if options.completion.is_some() {
        return Ok(vec![None; portions.len()]);
    }
    let mut doubts = vec![];
    let mut refused: Option<(usize, Refusing)> = None;
    for Portion { implementation, specification, alphabet, labels, .. } in portions {
        doubts.push(match enabled::refusing(implementation, specification, alphabet, options, progress) {
            Ok(None) => None,
            Ok(Some(refusing)) => {
                let rank = |(first, refusing): &(usize, Refusing)| (refusing.after.len(), *first);
                let found = (labels[0], refusing);
                if refused.as_ref().is_none_or(|known| rank(&found) < rank(known)) {
                    refused = Some(found);
                }
                None
            }
            Err(reason) => Some(reason),
        });
    }
    refused.map_or(Ok(doubts), |(_, refusing)| Err(refusing))
}

/// Two models to compare.
#[derive(Clone, Copy)]
struct Comparison<'a> {
    implementation: &'a StepSystem,
    specification: &'a StepSystem,
    alphabet: &'a Alphabet,
}

impl<'a> Comparison<'a> {
    /// Part by part, where there are parts.
    fn answered(&self, options: &Options, progress: &mut dyn Progress) -> Result<Conformance, Refusing> {
        // What everything from then on means, or that nobody refuses, is about the whole.
        if options.completion == Some(Completion::Chaos) || options.is_universal {
            return self.decide(options, progress);
        }
        match apart::portions(self.implementation, self.specification, self.alphabet) {
            None => self.decide(options, progress),
            Some(portions) => {
                // A part that refuses an input is wrong whatever the others do, and before anything is compared.
                let doubts = takes_inputs(&portions, options, progress)?;
                match self.decide_apart(&portions, &doubts, options, progress) {
                    Some(answer) => Ok(answer),
                    None => Ok(self.judged(options, progress).with_doubt(doubts.into_iter().flatten().next())),
                }
            }
        }
    }

    fn confirmed(&self, options: &Options, finding: &Finding) -> Option<Counterexample> {
        let Comparison { implementation, specification, alphabet } = *self;
        counterexample::confirmed(implementation, specification, alphabet, options, finding)
    }

    /// Compares parts that have nothing to do with each other; none if what is wrong with one of them is not wrong with
    /// the whole as it stands.
    fn decide_apart(
        &self,
        portions: &[Portion],
        doubts: &[Option<String>],
        options: &Options,
        progress: &mut dyn Progress,
    ) -> Option<Conformance> {
        let mut all: Option<Conformance> = None;
        for (portion, doubt) in portions.iter().zip(doubts).filter(|(portion, _)| portion.is_live) {
            let Portion { implementation, specification, alphabet, labels, .. } = portion;
            let part = Comparison { implementation, specification, alphabet };
            // Longer counterexamples than one that is known are of no interest.
            let known = all.as_ref().filter(|all| all.conforms == Some(false)).map(|all| all.depth);
            let depth = match known {
                Some(0) => break,
                Some(known) => Some(options.depth.map_or(known - 1, |depth| depth.min(known - 1))),
                None => options.depth,
            };
            let mut answer = part.judged(&Options { depth, ..*options }, progress).with_doubt(doubt.clone());
            if let Some(found) = &answer.counterexample {
                let whole = |happened: &Happened| match happened {
                    Happened::Delta => Happened::Delta,
                    Happened::Label(label, data) => Happened::Label(labels[*label], data.clone()),
                };
                let finding = Finding {
                    initial: found.initial.iter().map(|(_, value)| value.clone()).collect(),
                    trace: found.trace.iter().map(whole).collect(),
                    observed: whole(&found.observed),
                };
                answer.counterexample = self.confirmed(options, &finding);
                answer.counterexample.as_ref()?;
            }
            all = Some(match all {
                None => answer,
                Some(all) => all.and(answer),
            });
        }
        all
    }

    fn pairs(&self, options: &Options) -> Pairs<'a> {
        let Comparison { implementation, specification, alphabet } = *self;
        Pairs::new(
            World::new(&implementation.definitions, options.solver()),
            alphabet,
            Side::implementation(implementation, alphabet, options.completion),
            Side::specification(specification, alphabet),
            if options.is_universal { Question::ConformsUniversally } else { Question::Conforms },
        )
    }

    /// Compares them as they are.
    fn decide(&self, options: &Options, progress: &mut dyn Progress) -> Result<Conformance, Refusing> {
        let Comparison { implementation, specification, alphabet } = *self;
        let mut doubt = None;
        if options.completion.is_none() {
            match enabled::refusing(implementation, specification, alphabet, options, progress) {
                Ok(None) => {}
                Ok(Some(refusing)) => return Err(refusing),
                Err(reason) => doubt = Some(reason),
            }
        }
        Ok(self.judged(options, progress).with_doubt(doubt))
    }

    /// Compares them, whether or not the implementation takes every input.
    fn judged(&self, options: &Options, progress: &mut dyn Progress) -> Conformance {
        match options.engine {
            Engine::Auto => self.by_all(options, progress),
            Engine::Symbolic => self.by_pairs(options, MANY_PAIRS, progress),
            Engine::Explicit => self
                .by_states(options, MANY_STATES)
                .unwrap_or_else(|| Conformance::unknown("the values of these models cannot be listed")),
            Engine::Induction => {
                let unknown = Conformance::unknown("no relation was found that every step keeps");
                self.by_relation(options).map_or(unknown.clone(), |proof| unknown.proved(proof))
            }
        }
    }

    /// One way after the other: the first that has an answer gives it.
    fn by_all(&self, options: &Options, progress: &mut dyn Progress) -> Conformance {
        let final_states = |most: usize| self.by_states(options, most).filter(Conformance::is_final);
        if let Some(answer) = final_states(FEW_STATES) {
            return answer;
        }
        let few = self.by_pairs(options, FEW_PAIRS, progress);
        if few.is_final() {
            return few;
        }
        if let Some(proof) = self.by_relation(options) {
            return few.proved(proof);
        }
        if let Some(answer) = final_states(MANY_STATES) {
            return answer;
        }
        match few.limit {
            Some(Limit::Work) => self.by_pairs(options, MANY_PAIRS, progress),
            _ => few,
        }
    }

    /// A relation that every step keeps.
    fn by_relation(&self, options: &Options) -> Option<Proof> {
        let by_relation = || {
            if let Some(invariant) = simulation::prove(&mut self.pairs(options), &options.limits) {
                return Some(Proof::Simulation { invariant });
            }
            let invariant = induction::prove(&mut self.pairs(options), options.solver().as_mut(), &options.limits)?;
            Some(Proof::Induction { invariant })
        };
        options.limits.attempt(by_relation).ok().flatten()
    }

    /// Pairs of symbolic places.
    fn by_pairs(&self, options: &Options, most: usize, progress: &mut dyn Progress) -> Conformance {
        let mut pairs = self.pairs(options);
        let mut counterexample = None;
        let found = pairs.search(options.depth, most, &options.limits, progress, &mut |finding| {
            counterexample = self.confirmed(options, finding);
            counterexample.is_some()
        });
        let reason = match pairs.world.gaps.first() {
            Some(gap) => Some(gap.clone()),
            None => (pairs.doubts > 0).then(|| "what may be wrong could not be confirmed".to_owned()),
        };
        let met = pairs.met.len();
        let answer = Conformance {
            counterexample,
            pairs: met,
            solver_calls: pairs.world.oracle.calls(),
            ..Conformance::of(found, reason)
        };
        let proof = answer.is_proved().then(|| Proof::Exhaustion { invariant: pairs.in_words() });
        Conformance { proof, ..answer }
    }

    /// Pairs of concrete states; none if they cannot be listed.
    fn by_states(&self, options: &Options, most: usize) -> Option<Conformance> {
        let Comparison { implementation, specification, alphabet } = *self;
        let search = || explicit::search(implementation, specification, alphabet, options, most);
        let (found, pairs) = options.limits.attempt(search).unwrap_or_else(|limit| Some((Found::Cut(0, limit), 0)))?;
        let counterexample = match &found {
            Found::Wrong(finding) => Some(self.confirmed(options, finding)?),
            _ => None,
        };
        let answer = Conformance { counterexample, pairs, ..Conformance::of(found, None) };
        let proof = answer.is_proved().then_some(Proof::States { pairs });
        Some(Conformance { proof, ..answer })
    }
}

impl Conformance {
    /// What a search says; its reason is why not everything was looked at.
    fn of(found: Found, reason: Option<String>) -> Conformance {
        let mut answer = Conformance {
            conforms: if reason.is_some() { None } else { Some(true) },
            depth: 0,
            is_complete: false,
            proof: None,
            confirmation: Confirmation::NotAsked,
            counterexample: None,
            reason,
            limit: None,
            pairs: 0,
            solver_calls: 0,
        };
        match found {
            Found::Wrong(finding) => {
                answer = Conformance { conforms: Some(false), is_complete: true, reason: None, ..answer };
                answer.depth = finding.trace.len();
            }
            Found::Closed(depth) => {
                answer.depth = depth;
                answer.is_complete = answer.reason.is_none();
            }
            Found::Cut(depth, limit) => {
                // The depth at which it was cut was not looked at to the end.
                answer.depth = if limit == Limit::Depth { depth } else { depth.saturating_sub(1) };
                if depth == 0 && limit != Limit::Depth {
                    answer.conforms = None;
                }
                answer.limit = Some(limit);
                answer.reason.get_or_insert(limit.to_string());
            }
        }
        answer
    }

    /// That nobody can tell.
    fn unknown(reason: &str) -> Conformance {
        Conformance::of(Found::Cut(0, Limit::Work), Some(reason.to_owned()))
    }

    /// The same with a proof that it conforms.
    fn proved(self, proof: Proof) -> Conformance {
        let proof = Some(proof);
        Conformance { conforms: Some(true), is_complete: true, proof, reason: None, limit: None, ..self }
    }

    fn is_proved(&self) -> bool {
        self.conforms == Some(true) && self.is_complete
    }

    /// Whether no other way could say more: it is known for certain, or up to the depth that was asked for.
    fn is_final(&self) -> bool {
        self.is_complete || (self.conforms == Some(true) && self.limit == Some(Limit::Depth))
    }

    /// The answer, if it is in doubt whether the question has one.
    fn with_doubt(self, doubt: Option<String>) -> Conformance {
        match doubt {
            None => self,
            Some(_) if self.conforms == Some(false) => self,
            Some(doubt) => Conformance { conforms: None, is_complete: false, proof: None, reason: Some(doubt), ..self },
        }
    }

    /// The answer for two parts side by side.
    fn and(self, other: Conformance) -> Conformance {
        let (pairs, solver_calls) = (self.pairs + other.pairs, self.solver_calls + other.solver_calls);
        // Wrong is wrong; unknown is unknown; otherwise both conform, up to the lesser depth.
        let rank = |answer: &Conformance| match answer.conforms {
            Some(false) => 0,
            None => 1,
            Some(true) if !answer.is_complete => 2,
            Some(true) => 3,
        };
        let together = match (&self.proof, &other.proof) {
            (Some(Proof::Exhaustion { invariant: a }), Some(Proof::Exhaustion { invariant: b })) => {
                Some(Proof::Exhaustion { invariant: a.iter().chain(b).cloned().collect() })
            }
            (Some(_), Some(_)) => Some(Proof::Parts),
            _ => None,
        };
        let both = rank(&self) == 3 && rank(&other) == 3;
        let depth = match (rank(&self), rank(&other)) {
            (0, 0) => self.depth.min(other.depth),
            (3, 3) => self.depth.max(other.depth),
            (2, 2) => self.depth.min(other.depth),
            (a, b) if a <= b => self.depth,
            _ => other.depth,
        };
        let mut weaker = match rank(&self).cmp(&rank(&other)) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal if other.depth < self.depth => other,
            std::cmp::Ordering::Equal => self,
        };
        if both {
            weaker.proof = together;
        }
        Conformance { depth, pairs, solver_calls, ..weaker }
    }
}

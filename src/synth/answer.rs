//! What came of a purpose.

use super::describe::Description;
use super::safety::Lifted;
use crate::confirm::Confirmation;
use crate::kernel::Run;
use crate::term::Value;

/// The answer to a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// There is a run.
    Found,
    /// There is none, and that is proved.
    Impossible,
    /// There is none up to a bound that the user gave.
    NotFound,
    /// Nobody can tell; the reason says why.
    Unknown,
}

impl Answer {
    /// As the contract writes it.
    pub fn text(self) -> &'static str {
        match self {
            Answer::Found => "found",
            Answer::Impossible => "impossible",
            Answer::NotFound => "not-found",
            Answer::Unknown => "unknown",
        }
    }
}

/// Why there is no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No path through the control states of some machines and the monitor of one constraint reaches a goal.
    Control {
        /// The machines.
        machines: Vec<String>,
    },
    /// All states that can be reached were visited.
    Exhaustion {
        /// How many.
        states: usize,
        /// Steps up to which runs were followed, if a length ended it.
        depth: Option<usize>,
        /// Whether a state stands for many.
        is_symbolic: bool,
    },
    /// A property of every moment of every run, which no end that is looked for has.
    Induction {
        /// One formula for each state of the monitor.
        invariant: Vec<String>,
    },
    /// No number of steps fits the bounds on the length.
    Length,
}

impl Proof {
    /// The same proof over states each of which stands for itself.
    pub(super) fn of_concrete_states(self) -> Proof {
        match self {
            Proof::Exhaustion { states, depth, .. } => Proof::Exhaustion { states, depth, is_symbolic: false },
            other => other,
        }
    }
}

/// A proof, and what a second way says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// What a plain walk says of it.
    pub confirmation: Confirmation,
}

/// A test case with one sequence.
#[derive(Clone, Debug)]
pub struct Case {
    /// The class it belongs to, as written.
    pub class: Option<usize>,
    /// Whether the system can do nothing else on these inputs.
    pub is_controllable: bool,
    /// What is open in it.
    pub description: Description,
    /// The sequence.
    pub run: Run,
    /// Values that exist once for it, with which it meets the purpose.
    pub open: Vec<Value>,
    /// Where its data comes from, if other data was wanted than that which was found first.
    pub origin: Option<Origin>,
    /// A call that must fail, if that is what it tests.
    pub attempt: Option<Attempted>,
}

impl Case {
    /// What people call it: a case, or one of the sequences with other data that belong to one.
    pub fn called(&self) -> &'static str {
        if self.origin.is_some() { "sequence" } else { "case" }
    }
}

/// A forbidden call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// The steps of the sequence before it.
    pub after: usize,
    /// A joint of its gate.
    pub joint: usize,
    /// Its data.
    pub data: Vec<Value>,
    /// Why it must fail: what it would need, everything else being as it needs it.
    pub lifted: Vec<Lifted>,
    /// Whether the model has no step for it; otherwise the next step is the exception.
    pub is_refused: bool,
    /// Whether the model takes it all the same, which breaks the property.
    pub is_taken: bool,
}

/// What there is to say about a property beside its tests.
#[derive(Clone, Debug)]
pub struct Safety {
    /// How tests are made, as a person would write it.
    pub strategies: Vec<String>,
    /// Whether the model has the property.
    pub verdict: Verdict,
    /// What was to be covered.
    pub behaviours: Vec<Behaviour>,
}

/// Whether a model has a property.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It does; a proof for each part.
    Holds(Vec<Proved>),
    /// It does not, and the case shows it.
    Broken,
    /// Nobody can tell, for this reason.
    Unknown(String),
}

/// A transition that a property's tests were to cover.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The strategy whose tests were to cover it, by number.
    pub strategy: usize,
    /// Its name.
    pub name: String,
    /// The fewest steps to it, from where the property begins to hold.
    pub depth: Option<usize>,
    /// Whether it can fire there.
    pub answer: Answer,
    /// Why it cannot.
    pub proof: Option<Proved>,
    /// Why nobody can tell, or how far was looked.
    pub reason: Option<String>,
}

/// Where the data of a sequence comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The test case, from zero; sequences that differ in data only belong to the same one.
    pub case: usize,
    /// Why this data was chosen.
    pub reasons: Vec<String>,
    /// The first step in which the model does something else than in the test case, where the data lies just outside.
    pub leaves_at: Option<usize>,
    /// Whether the purpose is met; where the data lies just outside, it may not be.
    pub meets: bool,
    /// What the model has no step for, if that is why: it must be refused.
    pub refused: Option<Refused>,
}

/// An event that a model refuses after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// A joint of its gate.
    pub joint: usize,
    /// Its data.
    pub data: Vec<Value>,
}

/// Everything that is to be said about a purpose.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// Why it is unknown, or what bound it holds for.
    pub reason: Option<String>,
    /// Why there is none.
    pub proof: Option<Proof>,
    /// What a second way says of the proof.
    pub confirmation: Confirmation,
    /// Numbers of constraints that cannot be met together.
    pub conflict: Vec<usize>,
    /// Whether the bounds on the length are part of the conflict.
    pub length_conflicts: bool,
    /// The greatest length that was asked for, by the purpose or by the user.
    pub bound: Option<usize>,
    /// Whether no shorter run exists.
    pub is_optimal: Option<bool>,
    /// No run has fewer steps.
    pub lower_bound: usize,
    /// Classes without a case, by number.
    pub empty_classes: Vec<usize>,
    /// Cases, the shortest first.
    pub cases: Vec<Case>,
    /// Whether there may be more cases of the kind asked for.
    pub is_complete: bool,
    /// What is to be said about the choice of data.
    pub notes: Vec<String>,
    /// What is to be said about a property.
    pub safety: Option<Safety>,
    /// Counts.
    pub statistics: Statistics,
}

impl Answered {
    /// Whether more effort could not give another answer.
    pub fn is_settled(&self) -> bool {
        self.answer != Answer::Unknown && self.is_complete
    }

    /// Whether more effort could not give a better answer of the same kind either.
    pub fn is_final(&self) -> bool {
        self.is_settled() && self.is_optimal != Some(false)
    }

    /// The proof, with what a second way says of it.
    pub fn proved(&self) -> Option<Proved> {
        self.proof.clone().map(|proof| Proved { proof, confirmation: self.confirmation.clone() })
    }

    /// That nobody can tell, without a reason yet.
    pub fn unknown() -> Answered {
        Answered { answer: Answer::Unknown, is_complete: false, ..Answered::impossible() }
    }

    /// That there is no run, without a proof yet.
    pub fn impossible() -> Answered {
        Answered {
            answer: Answer::Impossible,
            reason: None,
            proof: None,
            confirmation: Confirmation::NotAsked,
            conflict: vec![],
            length_conflicts: false,
            bound: None,
            is_optimal: None,
            lower_bound: 0,
            empty_classes: vec![],
            cases: vec![],
            is_complete: true,
            notes: vec![],
            safety: None,
            statistics: Statistics::default(),
        }
    }
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Symbolic or explicit states.
    pub states: usize,
    /// Checks by the solver.
    pub solver_calls: usize,
    /// Longest runs looked at.
    pub depth: usize,
}

impl Statistics {
    /// How much work this was, roughly.
    pub fn work(&self) -> usize {
        self.states + self.solver_calls + 1
    }
}

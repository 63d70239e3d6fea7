//! Runs that grow leg by leg: each leg goes on until something happens.

use super::super::answer::{Answer, Answered, Case};
use super::super::asked::Asked;
use super::super::chain::{Chain, not};
use super::super::generate::{Engine, Options, answer};
use super::super::sequence::{Disagreement, observations};
use crate::history::{Length, Purpose};
use crate::kernel::{Lists, Run, Source, StepSystem};
use crate::search::Progress;
use crate::term::{Env, Expr, Fuel, Value, eval};

/// How hard a proof is tried for before anything else.
const PROOF_ROUNDS: u32 = 2;

/// What a step shows: lists of truth values, each of which is true there, or is not, be it false or without a value.
#[derive(Clone, Debug, Default)]
pub struct Goal(Vec<(Expr, bool)>);

impl Goal {
    /// A list is true.
    pub fn of(list: &Expr) -> Goal {
        Goal::default().and(list, true)
    }

    /// Another list is true as well, or is not.
    pub fn and(mut self, list: &Expr, is_true: bool) -> Goal {
        self.0.push((list.clone(), is_true));
        self
    }

    /// The same with other lists.
    pub fn map(&self, f: &dyn Fn(&Expr) -> Expr) -> Goal {
        Goal(self.0.iter().map(|(list, is_true)| (f(list), *is_true)).collect())
    }

    fn condition(&self, chain: &mut Chain) -> Expr {
        Expr::all(self.0.iter().map(|(list, is_true)| match is_true {
            true => chain.holds(list),
            false => not(chain.holds(list)),
        }))
    }
}

/// Steps up to one in which something happens. Lists are those of the model.
#[derive(Clone, Debug)]
pub struct Leg {
    /// What its last step shows.
    pub goal: Goal,
    /// What does not happen before.
    pub never: Option<Expr>,
    /// Whether any later step with the same would do as well.
    pub again: bool,
}

impl Leg {
    /// One more link of a chain; `never` does not happen before its end either.
    pub fn link(&self, chain: &mut Chain, never: Option<&Expr>) {
        let goal = self.goal.condition(chain);
        let never: Vec<Expr> = self.never.iter().chain(never).map(|never| chain.holds(never)).collect();
        chain.until(goal, Expr::any(never), self.again);
    }
}

/// A run and its legs, each with the number of steps up to its end.
#[derive(Clone, Debug)]
pub struct History {
    pub legs: Vec<(Leg, usize)>,
    /// The run; none before the first leg.
    pub run: Option<Run>,
    /// Whether runs that begin with it have its data, too; otherwise only what it fires.
    pub is_fixed: bool,
}

impl History {
    /// The steps of the last leg.
    pub fn last_leg(&self) -> usize {
        let mut ends = self.legs.iter().rev().map(|(_, end)| *end);
        let last = ends.next().unwrap_or(0);
        last - ends.next().unwrap_or(0)
    }
}

/// A model to ask.
pub struct Asking<'a> {
    pub system: &'a StepSystem,
    pub lists: &'a Lists,
    /// The property, whose name and place questions have.
    pub property: &'a Purpose,
    pub options: &'a Options<'a>,
    /// What must not happen in any leg before its end.
    pub never: Option<Expr>,
}

impl Asking<'_> {
    /// A question without constraints.
    pub(super) fn blank(&self) -> Asked {
        let purpose = Purpose {
            is_property: false,
            property: None,
            constraints: vec![],
            classes: vec![],
            ..self.property.clone()
        };
        Asked { system: self.system.clone(), lists: self.lists.clone(), purpose }
    }

    /// The question for runs with these legs, from the start.
    fn open(&self, legs: &[Leg]) -> Asked {
        let mut asked = self.blank();
        let mut chain = Chain::default();
        for (number, leg) in legs.iter().enumerate() {
            let mut leg = leg.clone();
            // Only the last leg may end with it.
            if let (Some(never), true) = (&self.never, number + 1 < legs.len()) {
                leg.goal = leg.goal.and(never, false);
            }
            leg.link(&mut chain, self.never.as_ref());
        }
        chain.ask_of(&mut asked.purpose);
        asked
    }

    /// The question for runs that fire what a history does, with its legs, and go on with one more of at most so many steps.
    fn onward(&self, history: &History, leg: &Leg, most: Option<usize>) -> Asked {
        let mut asked = self.blank();
        let mut chain = Chain::default();
        let mut number = 0;
        if let Some(run) = &history.run {
            let observed = observations(self.system, self.lists, run);
            for (leg, end) in &history.legs {
                while number < *end {
                    let elements = &observed[number];
                    number += 1;
                    let is_told =
                        |list: &usize| history.is_fixed || matches!(self.lists.sources[*list], Source::Fired(_));
                    let told: Vec<usize> = (0..elements.len()).filter(is_told).collect();
                    let mut conditions: Vec<Expr> =
                        told.into_iter().map(|list| chain.is(&Expr::Slot(list), &elements[list])).collect();
                    // Data is open again: what the leg was about must still be so.
                    conditions.push(match number == *end {
                        true => leg.goal.condition(&mut chain),
                        false => match &leg.never {
                            Some(never) => not(chain.holds(never)),
                            None => Expr::TRUE,
                        },
                    });
                    chain.step(conditions);
                }
            }
        }
        leg.link(&mut chain, self.never.as_ref());
        chain.ask_of(&mut asked.purpose);
        if let Some(most) = most {
            asked.purpose.length.push((Length { low: 0, high: Some(number + most) }, asked.purpose.span));
        }
        asked
    }

    fn answer(&self, asked: &Asked, rounds: u32, progress: &mut dyn Progress) -> Result<Answered, Disagreement> {
        let options = Options { rounds, all: false, max: None, ..*self.options };
        answer(&asked.system, &asked.lists, &asked.purpose, &options, progress)
    }

    /// The answer to a question that is expected to have no run: a proof is looked for first, as searches for runs take long
    /// where there are none.
    pub(super) fn answer_open(&self, asked: &Asked, progress: &mut dyn Progress) -> Result<Answered, Disagreement> {
        if self.options.engine == Engine::Auto {
            let options = Options { engine: Engine::Induction, rounds: PROOF_ROUNDS, ..*self.options };
            let proved = answer(&asked.system, &asked.lists, &asked.purpose, &options, progress)?;
            if proved.answer == Answer::Impossible {
                return Ok(proved);
            }
        }
        self.answer(asked, self.options.rounds, progress)
    }

    /// A history with one more leg, with the question that its run answers; or why there is none. It begins with what the given
    /// one fires, unless only another beginning leads on. Of a fixed history, and of so many steps, the answer says nothing
    /// about other runs; otherwise it is about all of them.
    pub fn extended(
        &self,
        history: &History,
        leg: &Leg,
        most: Option<usize>,
        progress: &mut dyn Progress,
    ) -> Result<Result<(History, Asked, Case), Answered>, Disagreement> {
        let asked = self.onward(history, leg, most);
        let first = self.answer(&asked, 1, progress)?;
        if let Some(found) = self.grown(history, leg, &asked, &first) {
            return Ok(Ok(found));
        }
        if history.run.is_none() || most.is_some() || history.is_fixed {
            let more = if first.is_settled() { first } else { self.answer(&asked, self.options.rounds, progress)? };
            return Ok(self.grown(history, leg, &asked, &more).ok_or(more));
        }
        let legs: Vec<Leg> = history.legs.iter().map(|(leg, _)| leg.clone()).chain([leg.clone()]).collect();
        let open = self.open(&legs);
        let ever = self.answer_open(&open, progress)?;
        if ever.answer == Answer::Impossible {
            return Ok(Err(ever));
        }
        let more = if first.is_settled() { first } else { self.answer(&asked, self.options.rounds, progress)? };
        if let Some(found) = self.grown(history, leg, &asked, &more) {
            return Ok(Ok(found));
        }
        // That this beginning leads nowhere does not say that none does.
        let unknown = Answered { reason: ever.reason, ..Answered::unknown() };
        let Some(case) = ever.cases.into_iter().next() else { return Ok(Err(unknown)) };
        let Some(ends) = self.ends(&legs, &case.run) else { return Ok(Err(unknown)) };
        let legs = legs.into_iter().zip(ends).collect();
        let grown = History { legs, run: Some(case.run.clone()), is_fixed: false };
        Ok(Ok((grown, open, case)))
    }

    fn grown(
        &self,
        history: &History,
        leg: &Leg,
        asked: &Asked,
        answered: &Answered,
    ) -> Option<(History, Asked, Case)> {
        let case = answered.cases.first()?.clone();
        let mut legs = history.legs.clone();
        legs.push((leg.clone(), case.run.steps.len()));
        let history = History { legs, run: Some(case.run.clone()), is_fixed: history.is_fixed };
        Some((history, asked.clone(), case))
    }

    /// Where the legs of a run end, if it has them.
    fn ends(&self, legs: &[Leg], run: &Run) -> Option<Vec<usize>> {
        let observed = observations(self.system, self.lists, run);
        let is = |list: &Expr, step: usize| self.is_true(list, &observed[step]);
        let shows = |goal: &Goal, step: usize| self.shows(goal, &observed[step]);
        type Shows<'s> = &'s dyn Fn(&Goal, usize) -> bool;
        type Is<'s> = &'s dyn Fn(&Expr, usize) -> bool;
        fn from(legs: &[Leg], start: usize, count: usize, shows: Shows<'_>, is: Is<'_>) -> Option<Vec<usize>> {
            let Some((leg, rest)) = legs.split_first() else { return Some(vec![]) };
            for step in start..count {
                if shows(&leg.goal, step)
                    && let Some(ends) = from(rest, step + 1, count, shows, is)
                {
                    return Some([&[step + 1][..], &ends].concat());
                }
                if leg.never.as_ref().is_some_and(|never| is(never, step)) || shows(&leg.goal, step) && !leg.again {
                    return None;
                }
            }
            None
        }
        from(legs, 0, observed.len(), &shows, &is)
    }

    /// Whether a step shows something.
    pub fn shows(&self, Goal(lists): &Goal, observed: &[Value]) -> bool {
        lists.iter().all(|(list, is_true)| self.is_true(list, observed) == *is_true)
    }

    /// Whether a list of truth values is true in a step.
    pub fn is_true(&self, list: &Expr, observed: &[Value]) -> bool {
        let fuel = Fuel::new();
        let env = Env { definitions: &self.lists.names.definitions, slots: observed, fuel: &fuel };
        eval(list, env, &mut vec![]).is_ok_and(|value| value.is_true())
    }

    /// What can be observed in the last step of a run.
    pub fn last(&self, run: &Run) -> Vec<Value> {
        observations(self.system, self.lists, run).pop().unwrap_or_default()
    }
}

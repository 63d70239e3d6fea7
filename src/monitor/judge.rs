//! One purpose, judged event by event.
//!
//! Where a purpose stands is what its rules have left to show and the bindings of its acceptors. As long as a log records what
//! the purpose looks at, that is known. Where it does not, the model says what may have happened, and the purpose stands
//! somewhere for every state in which the model may be: a verdict is one only if it is the same for all.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::history::{Binding, Bindings, Formula, Length, Looks, Monitor, Observed, Purpose, Rules, Running, Stuck};
use crate::kernel::{Lists, Silence, State, StepSystem, Way};
use crate::search::{Question, combinations};
use crate::term::{Definitions, Expr, LimitKind, Value};

use super::witness::Witness;
use super::{Decided, Found, Match};

/// Matches that are kept; the others are counted.
const MAX_MATCHES: usize = 100;
/// Places where a purpose may stand at once.
const MAX_STANDINGS: usize = 10_000;

/// A purpose that is judged.
pub(super) struct Judge {
    pub purpose: String,
    pub expects_impossible: bool,
    length: Length,
    /// For each choice of the values that exist once for a run, the constraints that are rules.
    rules: Vec<Vec<Rules>>,
    /// The same, where not all choices can be tried.
    witness: Option<Witness>,
    /// Whether, at the end, one of them fits.
    has_witness: bool,
    /// With such values: since when everything else is certain.
    others_since: Option<Now>,
    /// The constraints that are acceptors.
    acceptors: Vec<Running>,
    /// Lists that it looks at.
    pub lists: Vec<usize>,
    standings: Standings,
    /// Steps it has seen.
    steps: usize,
    pub decided: Option<(bool, Decided)>,
    /// Whether nothing that follows can change what is to be said.
    pub is_done: bool,
    /// Why nothing more can be said.
    pub unknown: Option<String>,
    pub matches: Vec<Match>,
    pub matched: usize,
}

/// Where a purpose stands.
#[derive(Clone)]
struct Standing {
    rules: Vec<Vec<u32>>,
    bindings: Vec<Bindings>,
}

enum Standings {
    /// Here, whatever the model did.
    One(Standing),
    /// Here, if the model is in that state.
    ByState(BTreeMap<State, Vec<Standing>>),
}

/// A moment of a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub event: usize,
    pub line: usize,
}

impl Judge {
    /// A purpose before the first event. Its rules and conditions are looked at through `looks`.
    pub fn new(
        system: &StepSystem,
        lists: &Lists,
        purpose: &Purpose,
        (is_informative, max_open): (bool, usize),
        looks: &mut Looks,
    ) -> Judge {
        let definitions = &lists.names.definitions;
        let mut judge = Judge {
            purpose: purpose.name.clone(),
            expects_impossible: purpose.expects_impossible,
            length: purpose.lengths(),
            rules: vec![],
            witness: None,
            has_witness: false,
            others_since: None,
            acceptors: vec![],
            lists: vec![],
            standings: Standings::One(Standing { rules: vec![], bindings: vec![] }),
            steps: 0,
            decided: None,
            is_done: false,
            unknown: None,
            matches: vec![],
            matched: 0,
        };
        let (mut by_rules, mut seen) = (vec![], vec![]);
        for (number, constraint) in purpose.constraints.iter().enumerate() {
            let Some(acceptor) = &constraint.acceptor else {
                by_rules.push(number);
                continue;
            };
            let exprs =
                acceptor.atoms.iter().flat_map(|atom| atom.fixes.iter().map(|(_, e)| e).chain([&atom.condition]));
            exprs.for_each(|expr| slots(expr, &mut seen));
            // Matches are told one by one, and the first of them decides.
            let matched = acceptor.is_match.then(|| Arc::new(acceptor.matched()));
            for acceptor in std::iter::once(acceptor).chain(&matched) {
                match Running::new(acceptor, is_informative, max_open, looks) {
                    Ok(running) => judge.acceptors.push(running),
                    Err(stuck) => judge.give_up(reason(&stuck)),
                }
            }
        }
        let monitor = purpose.monitor(&by_rules, None);
        for formula in &monitor.start {
            formula.each_use(&mut |used| used.lists.iter().for_each(|list| slots(&monitor.lists[*list], &mut seen)));
        }
        seen.sort_unstable();
        seen.dedup();
        judge.lists = seen;
        match opens(system, lists, &monitor) {
            Err(reason) => {
                let looked_at = judge.lists.clone();
                judge.witness = Some(Witness::new(monitor, looked_at, lists.sources.len(), reason));
            }
            Ok(opens) => {
                let rules = |open: &Vec<Value>| {
                    monitor.start.iter().map(|f| Rules::new(&monitor, f, definitions, open, looks)).collect()
                };
                judge.rules = opens.iter().map(rules).collect();
            }
        }
        let start =
            |rules: &mut Vec<Rules>| rules.iter_mut().map(Rules::start).collect::<Result<Vec<u32>, LimitKind>>();
        match judge.rules.iter_mut().map(start).collect() {
            Err(limit) => judge.give_up(limit.to_string()),
            Ok(rules) => {
                let bindings = judge.acceptors.iter().map(Running::start).collect();
                judge.standings = Standings::One(Standing { rules, bindings });
                if judge.unknown.is_none() {
                    judge.settle(Now { event: 0, line: 0 });
                    judge.note_others(Now { event: 0, line: 0 });
                }
            }
        }
        judge
    }

    /// Nothing more can be said.
    pub fn give_up(&mut self, reason: String) {
        if self.unknown.is_none() && !self.is_done {
            self.unknown = Some(reason);
            self.is_done = true;
        }
    }

    /// Whether it needs to know how the model took an event, of which some lists are missing.
    pub fn needs_model(&self, missing: Option<&[bool]>) -> bool {
        !self.is_done
            && (matches!(self.standings, Standings::ByState(_))
                || missing.is_some_and(|missing| self.lists.iter().any(|list| missing[*list])))
    }

    /// One more step, of which everything that it looks at is known.
    pub fn step(&mut self, looks: &mut Looks, observed: Observed<'_>, now: Now) {
        self.steps += 1;
        if let Some(witness) = &mut self.witness
            && !witness.keep(observed.elements, now)
        {
            let reason =
                format!("{}; after so many events those that were seen are not tried any more", witness.reason);
            return self.give_up(reason);
        }
        let Standings::One(standing) = &mut self.standings else { return };
        match advance(&mut self.rules, &self.acceptors, standing, looks, observed) {
            Err(stuck) => return self.give_up(reason(&stuck)),
            Ok(changed) => {
                let Length { low, high } = self.length;
                if changed || self.steps == low || high.is_some_and(|high| self.steps > high) {
                    self.settle(now);
                    self.note_others(now);
                }
            }
        }
        self.note_matches(now);
        self.forget();
    }

    /// One more step, of which the model says in which ways it was possible.
    pub fn step_along(
        &mut self,
        looks: &mut Looks,
        (system, lists): (&StepSystem, &Lists),
        ways: &[Way],
        clock: usize,
        now: Now,
    ) {
        self.steps += 1;
        if let Some(witness) = &self.witness {
            let reason = format!("{}; and event {} does not record all that it looks at", witness.reason, now.event);
            return self.give_up(reason);
        }
        let mut next: BTreeMap<State, Vec<Standing>> = BTreeMap::new();
        let mut count = 0;
        for way in ways {
            let from: &[Standing] = match &self.standings {
                Standings::One(standing) => std::slice::from_ref(standing),
                Standings::ByState(by) => by.get(&way.from).map_or(&[], Vec::as_slice),
            };
            let elements = lists.observe(system, &way.before, &way.step, clock);
            let observed = Observed { elements: &elements, definitions: &lists.names.definitions };
            for standing in from {
                looks.begin();
                let mut standing = standing.clone();
                if let Err(stuck) = advance(&mut self.rules, &self.acceptors, &mut standing, looks, observed) {
                    return self.give_up(reason(&stuck));
                }
                let there = next.entry(way.step.next.clone()).or_default();
                if !there.iter().any(|known| is_same(known, &standing)) {
                    there.push(standing);
                    count += 1;
                }
            }
            if count > MAX_STANDINGS {
                return self
                    .give_up(format!("more than {MAX_STANDINGS} possibilities are open at event {}", now.event));
            }
        }
        self.standings = Standings::ByState(next);
        self.join();
        self.settle(now);
        self.note_matches(now);
        self.forget();
    }

    /// Silence was seen: states of the model, and those that they lead to.
    pub fn silent(&mut self, ways: &[Silence]) {
        let Standings::ByState(by) = &self.standings else { return };
        let mut next: BTreeMap<State, Vec<Standing>> = BTreeMap::new();
        for (from, to) in ways {
            let there = next.entry(to.clone()).or_default();
            for standing in by.get(from).into_iter().flatten() {
                if !there.iter().any(|known| is_same(known, standing)) {
                    there.push(standing.clone());
                }
            }
        }
        self.standings = Standings::ByState(next);
        self.join();
    }

    /// Where it stands no longer depends on the model if it is the same for all states.
    fn join(&mut self) {
        let Standings::ByState(by) = &self.standings else { return };
        let mut all = by.values().flatten();
        let Some(first) = all.next() else { return };
        if all.all(|other| is_same(first, other)) {
            self.standings = Standings::One(first.clone());
        }
    }

    fn each(&self) -> Vec<&Standing> {
        match &self.standings {
            Standings::One(standing) => vec![standing],
            Standings::ByState(by) => by.values().flatten().collect(),
        }
    }

    /// Takes note of a verdict that is certain now.
    fn settle(&mut self, now: Now) {
        let verdict = match &self.standings {
            Standings::One(standing) => self.verdict(standing),
            Standings::ByState(_) => {
                let verdicts: Vec<_> = self.each().into_iter().map(|standing| self.verdict(standing)).collect();
                let agree = verdicts.windows(2).all(|pair| pair[0].map(|v| v.0) == pair[1].map(|v| v.0));
                let first = verdicts.first().copied().flatten().filter(|_| agree);
                first.map(|(truth, _)| (truth, verdicts.iter().all(|v| v.is_some_and(|v| v.1))))
            }
        };
        let Some((truth, is_final)) = verdict else { return };
        if self.decided.as_ref().is_none_or(|(known, _)| *known != truth) {
            let binding = self.binding(truth, false);
            let (event, line) = (now.event, now.line);
            self.decided = Some((truth, Decided { event, line, at_stop: false, binding }));
        }
        self.is_done |= is_final && !self.acceptors.iter().any(|running| running.acceptor().is_match);
    }

    /// Acceptors that decide something, with where they are; the others tell matches.
    fn deciding<'j>(&'j self, standing: &'j Standing) -> impl Iterator<Item = (&'j Running, &'j Bindings)> {
        let all = self.acceptors.iter().zip(&standing.bindings);
        all.filter(|(running, _)| !running.acceptor().is_match)
    }

    /// What is certain, and whether the end of the run cannot change it.
    fn verdict(&self, standing: &Standing) -> Option<(bool, bool)> {
        if self.length.high.is_some_and(|high| self.steps > high) {
            return Some((false, true));
        }
        let mut holds = self.length.high.is_none() && self.length.low <= self.steps;
        let of_choice = |(rules, states): (&Vec<Rules>, &Vec<u32>)| {
            let verdicts = || rules.iter().zip(states).map(|(rules, state)| rules.decided(*state));
            if verdicts().any(|verdict| verdict == Some(false)) {
                return Some(false);
            }
            verdicts().all(|verdict| verdict == Some(true)).then_some(true)
        };
        let (mut some, mut none) = (false, true);
        for verdict in self.rules.iter().zip(&standing.rules).map(of_choice) {
            some |= verdict == Some(true);
            none &= verdict == Some(false);
        }
        if none && self.witness.is_none() {
            return Some((false, true));
        }
        holds &= some;
        let (mut fails, mut is_final) = (None, true);
        for (running, bindings) in self.deciding(standing) {
            match running.verdict(bindings) {
                Some(false) => fails = Some(fails == Some(true) || running.is_final(bindings)),
                Some(true) => is_final &= running.is_final(bindings),
                None => holds = false,
            }
        }
        match fails {
            Some(is_final) => Some((false, is_final)),
            None => holds.then_some((true, is_final)),
        }
    }

    /// The binding of the acceptor that decided, if it is the same wherever the purpose stands.
    fn binding(&self, truth: bool, at_stop: bool) -> Option<Found> {
        let mut found: Option<Found> = None;
        for (place, standing) in self.each().into_iter().enumerate() {
            let mut own = None;
            for (running, bindings) in self.deciding(standing) {
                let verdict = if at_stop { Some(running.at_stop(bindings)) } else { running.verdict(bindings) };
                if own.is_none() && verdict == Some(truth) {
                    own = running.decider(bindings, at_stop).and_then(|binding| shown(running, &binding));
                }
            }
            if place > 0 && own != found {
                return None;
            }
            found = own;
        }
        found
    }

    /// Takes note of the moment from which on only values are missing.
    fn note_others(&mut self, now: Now) {
        if self.witness.is_none() {
            return;
        }
        let certain =
            |standing| self.deciding(standing).all(|(running, bindings)| running.verdict(bindings) == Some(true));
        let are_certain = self.each().into_iter().all(certain);
        self.others_since = are_certain.then(|| self.others_since.unwrap_or(now));
    }

    /// The log has ended, and the run goes on.
    pub fn pause(&mut self, definitions: &Definitions) {
        let Some(witness) = self.witness.as_ref().filter(|_| !self.is_done) else { return };
        let is_long_enough = self.length.high.is_none() && self.length.low <= self.steps;
        match (witness.found(false, definitions), self.others_since) {
            (Ok(Some(steps)), Some(others)) if is_long_enough => {
                // What comes last decides.
                let found = witness.moment(steps.max(self.length.low));
                let Now { event, line } = if found.event < others.event { others } else { found };
                self.decided = Some((true, Decided { event, line, at_stop: false, binding: None }));
                self.is_done = true;
            }
            (Ok(Some(_)), _) => {}
            (Ok(None), _) => self.give_up(format!("{}; none of those that were seen decides", witness.reason)),
            (Err(limit), _) => self.give_up(limit.to_string()),
        }
    }

    /// The run has ended.
    pub fn stop(&mut self, now: Now, definitions: &Definitions) {
        if self.unknown.is_some() || (self.is_done && self.decided.is_some()) {
            return;
        }
        // What does not depend on the values may be enough to say that it fails.
        let others = self.each().into_iter().all(|standing| self.others_at_stop(standing));
        if let Some(witness) = self.witness.as_ref().filter(|_| others) {
            match witness.found(true, definitions) {
                Err(limit) => return self.give_up(limit.to_string()),
                Ok(None) => return self.give_up(format!("{}; none of those that were seen fits", witness.reason)),
                Ok(Some(_)) => self.has_witness = true,
            }
        }
        let mut verdicts = vec![];
        for standing in self.each() {
            match self.at_stop(standing) {
                Ok(verdict) => verdicts.push(verdict),
                Err(limit) => return self.give_up(limit.to_string()),
            }
        }
        let Some(truth) = verdicts.first().copied() else { return };
        if verdicts.iter().any(|other| *other != truth) {
            let reason = "the log does not tell enough of what the model did";
            return self.give_up(reason.to_owned());
        }
        if self.decided.as_ref().is_none_or(|(known, _)| *known != truth) {
            let binding = self.binding(truth, true);
            let (event, line) = (now.event, now.line);
            self.decided = Some((truth, Decided { event, line, at_stop: true, binding }));
        }
        self.is_done = true;
    }

    /// Whether everything but the rules holds if the run ends.
    fn others_at_stop(&self, standing: &Standing) -> bool {
        self.length.contains(self.steps) && self.deciding(standing).all(|(running, bindings)| running.at_stop(bindings))
    }

    fn at_stop(&self, standing: &Standing) -> Result<bool, LimitKind> {
        if !self.others_at_stop(standing) {
            return Ok(false);
        }
        if self.has_witness {
            return Ok(true);
        }
        for (rules, states) in self.rules.iter().zip(&standing.rules) {
            let mut holds = true;
            for (rules, state) in rules.iter().zip(states) {
                holds = holds && rules.holds_at_stop(*state)?;
            }
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes note of the matches that end in this event, where it is known that they do.
    fn note_matches(&mut self, now: Now) {
        if !self.acceptors.iter().any(|running| running.acceptor().is_match) {
            return;
        }
        let of = |standing: &Standing| {
            let mut found = vec![];
            for (running, bindings) in self.acceptors.iter().zip(&standing.bindings) {
                if running.acceptor().is_match {
                    running.matches(bindings, &mut |binding| found.push(shown(running, &binding)));
                }
            }
            found
        };
        let all = self.each();
        let Some((first, others)) = all.split_first() else { return };
        let found = of(first);
        if others.iter().any(|other| of(other) != found) {
            return;
        }
        self.matched += found.len();
        let room = MAX_MATCHES - self.matches.len();
        let kept = found.into_iter().take(room);
        self.matches.extend(kept.map(|binding| Match { event: now.event, line: now.line, binding }));
    }

    /// Keeps what is remembered of rules within bounds.
    fn forget(&mut self) {
        for (choice, rules) in self.rules.iter_mut().enumerate() {
            for (number, rules) in rules.iter_mut().enumerate().filter(|(_, rules)| rules.is_full()) {
                match &mut self.standings {
                    Standings::One(standing) => rules.forget([&mut standing.rules[choice][number]].into_iter()),
                    Standings::ByState(by) => {
                        let standings = by.values_mut().flatten();
                        rules.forget(standings.map(|standing| &mut standing.rules[choice][number]));
                    }
                }
            }
        }
    }
}

/// One more step. Says whether anything changed.
fn advance(
    rules: &mut [Vec<Rules>],
    acceptors: &[Running],
    standing: &mut Standing,
    looks: &mut Looks,
    observed: Observed<'_>,
) -> Result<bool, Stuck> {
    let mut changed = false;
    for (rules, states) in rules.iter_mut().zip(&mut standing.rules) {
        for (rules, state) in rules.iter_mut().zip(states) {
            let next = rules.next(*state, looks, observed)?;
            changed |= next != *state;
            *state = next;
        }
    }
    for (running, bindings) in acceptors.iter().zip(&mut standing.bindings) {
        changed |= running.step(bindings, looks, observed)?;
    }
    Ok(changed)
}

fn is_same(a: &Standing, b: &Standing) -> bool {
    a.rules == b.rules && a.bindings.iter().zip(&b.bindings).all(|(a, b)| a.is_same(b))
}

fn reason(stuck: &Stuck) -> String {
    match stuck {
        Stuck::Limit(limit) => limit.to_string(),
        Stuck::TooManyBindings(limit) => format!("more than {limit} bindings are open; allow more with --max-open"),
        Stuck::TooManyVariables(count) => format!("a formula has {count} variables, which are too many"),
    }
}

fn shown(running: &Running, binding: &Binding) -> Option<Found> {
    let variables = &running.acceptor().variables;
    let named: Found = binding.iter().map(|(v, value)| (variables[*v].name.clone(), value.clone())).collect();
    (!variables.is_empty()).then_some(named)
}

fn slots(expr: &Expr, out: &mut Vec<usize>) {
    expr.map_leaves(&mut |leaf| {
        if let Expr::Slot(slot) = leaf {
            out.push(*slot);
        }
        None
    });
}

/// All choices of the values that exist once for a run; why they cannot be listed, if so.
fn opens(system: &StepSystem, lists: &Lists, monitor: &Monitor) -> Result<Vec<Vec<Value>>, String> {
    if monitor.start.iter().all(|formula| !reads_open(formula, monitor)) {
        return Ok(vec![vec![Value::Absent; monitor.open.len()]]);
    }
    // All constraints share the values: together they are one formula.
    let together = Monitor { start: vec![Formula::All(monitor.start.clone())], ..monitor.clone() };
    let question = Question { system, lists, monitor: &together };
    combinations(question, 0).map_err(|error| error.to_string())
}

/// Whether a formula depends on a value that exists once for a run. Those of automata are none of its business.
fn reads_open(formula: &Formula, monitor: &Monitor) -> bool {
    let reads = |expr: &Expr| {
        let mut found = false;
        expr.map_leaves(&mut |leaf| {
            found |= matches!(leaf, Expr::Local(local) if *local < monitor.open.len());
            None
        });
        found
    };
    let mut found = false;
    formula.each_use(&mut |used| {
        found |= used.args.iter().any(reads) || used.lists.iter().any(|list| reads(&monitor.lists[*list]));
    });
    found
}

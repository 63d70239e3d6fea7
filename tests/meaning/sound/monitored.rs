//! L5. Monitors agree with what `gen` finds, and with the meaning of constraints over runs.
//!
//! A small machine is run by the test itself, and constraints of all kinds are judged here over its runs, position by position.
//! What is asked: what `gen` answers, in both orders of the constraints; what `monitor` says of a run that has ended, whether
//! everything is recorded or not; and that no verdict on a beginning of a run is contradicted by a way to go on.

mod claims;
mod runs;

use tracewright::kernel::{Entry, Given, LogEvent, LogNames, LogReader};
use tracewright::model::{self, AskedBy};
use tracewright::monitor::{self, Monitoring, Verdict};
use tracewright::solve::{Solver, Z3};
use tracewright::syntax::Sources;
use tracewright::syntax::diagnostic::Diagnostic;
use tracewright::synth::{Answer, Asked, Engine, NotAsked, Options, answer};

use super::random::Random;
use claims::{Claim, Declared, UNBOUND};
use runs::{LONGEST, Machine, Run};

/// A machine, what is said of its runs, and how it is asked.
#[derive(Clone, Debug)]
struct Question {
    machine: Machine,
    claims: Vec<Claim>,
    declared: Declared,
    /// The other order.
    order: Vec<usize>,
    engine: Engine,
    /// Which runs are judged.
    chosen: Vec<usize>,
    is_recorded: bool,
}

impl Question {
    fn random(random: &mut Random) -> Question {
        let machine = Machine::random(random);
        let mut declared = Declared::default();
        let count = 1 + random.rng.usize(..3);
        let claims: Vec<Claim> = (0..count).map(|_| Claim::random(random, &mut declared)).collect();
        let mut order: Vec<usize> = (0..claims.len()).collect();
        random.rng.shuffle(&mut order);
        let engine = match random.rng.usize(..8) {
            0 => Engine::Explicit,
            1 => Engine::Symbolic,
            2 => Engine::Unrolled,
            _ => Engine::Auto,
        };
        let chosen = (0..6).map(|_| random.rng.usize(..1_000_000)).collect();
        let is_recorded = !random.rarely(3);
        Question { machine, claims, declared, order, engine, chosen, is_recorded }
    }

    fn text(&self) -> String {
        let mut out = self.machine.text();
        out.push_str(&self.declared.text());
        let said: Vec<String> = self.claims.iter().map(Claim::text).collect();
        let turned: Vec<&str> = self.order.iter().map(|n| said[*n].as_str()).collect();
        let (said, turned) = (said.join("\n  "), turned.join("\n  "));
        out.push_str(&format!("purpose one for M {{\n  length <= {LONGEST}\n  {said}\n}}\n"));
        out.push_str(&format!("purpose other for M {{\n  {turned}\n  length <= {LONGEST}\n}}\n"));
        out.push_str(&format!("purpose said for M {{\n  {said}\n}}\n"));
        out.push_str(&format!("purpose turned for M {{\n  {turned}\n}}\n"));
        out
    }

    fn holds(&self, run: &[runs::Step]) -> bool {
        self.claims.iter().all(|claim| claim.holds(run, &self.declared, UNBOUND))
    }

    /// Whether a run that ends is judged as the same run that goes on without anything new.
    fn is_steady(&self) -> bool {
        self.claims.iter().all(Claim::is_steady)
    }

    /// What is wrong with the answers, if something is; and whether there was a run, unless the question is refused.
    fn checked(&self) -> Result<Option<bool>, String> {
        let text = self.text();
        let (sources, errors) = Sources::from_text("model.tw", &text);
        assert!(errors.is_empty(), "{errors:?}\n{text}");
        let (checked, problems) = model::check(&sources);
        let errors: Vec<_> = problems.iter().filter(|p| p.code.starts_with('E')).collect();
        let may_be_refused = self.claims.iter().any(Claim::may_be_refused);
        let is_refusal = |error: &Diagnostic| ["E0722", "E0735", "E0736"].contains(&error.code);
        if may_be_refused && errors.iter().any(|error| is_refusal(error)) {
            return Ok(None);
        }
        assert!(errors.is_empty(), "{errors:?}\n{text}");
        let asked = |name: &str, by: AskedBy| {
            let purpose = checked.purposes.iter().find(|p| p.tree.name.name == name).expect("declared");
            match Asked::by(by, &checked, purpose, (&[], Default::default()), None) {
                Ok(asked) => Some(asked),
                Err(NotAsked::Rejected(rejected)) if may_be_refused && rejected.0.iter().all(is_refusal) => None,
                Err(error) => panic!("{error:?}\n{text}"),
            }
        };
        let all: Vec<(Run, bool)> = (self.machine.runs().into_iter())
            .map(|run| {
                let holds = self.holds(&run);
                (run, holds)
            })
            .collect();
        let shortest = all.iter().filter(|(_, holds)| *holds).map(|(run, _)| run.len()).min();
        for name in ["one", "other"] {
            let Some(asked) = asked(name, AskedBy::Search) else { return Ok(None) };
            self.generated(&asked, shortest).map_err(|wrong| format!("{name}: {wrong}"))?;
        }
        for name in ["said", "turned"] {
            let Some(asked) = asked(name, AskedBy::Log) else { return Ok(None) };
            for number in &self.chosen {
                self.judged(&asked, &all, &all[number % all.len()].0).map_err(|wrong| format!("{name}: {wrong}"))?;
            }
        }
        Ok(Some(shortest.is_some()))
    }

    fn generated(&self, asked: &Asked, shortest: Option<usize>) -> Result<(), String> {
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let options = Options { engine: self.engine, ..Options::new(&solver) };
        let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ())
            .map_err(|disagreement| format!("{disagreement:?}"))?;
        let steps = answered.cases.first().map(|case| case.run.steps.len());
        match (answered.answer, shortest) {
            (Answer::Found, Some(least)) if steps == Some(least) => Ok(()),
            (Answer::Impossible, None) => Ok(()),
            (Answer::Unknown, _) if self.engine != Engine::Auto => Ok(()),
            (said, _) => Err(format!(
                "{:?} says {said:?} in {steps:?} steps ({:?}), but the shortest run has {shortest:?}",
                self.engine, answered.reason
            )),
        }
    }

    /// The verdict on the beginning of a run, and on the same run if it ends there.
    fn verdicts(&self, asked: &Asked, run: &[runs::Step]) -> [Verdict; 2] {
        [false, true].map(|has_ended| {
            let mut log: String = run.iter().map(|step| step.line(self.is_recorded)).collect();
            if has_ended {
                log.push_str("{\"stop\": true}\n");
            }
            let names = LogNames::new(&asked.system);
            let mut reader = LogReader::json(&names, log.as_bytes());
            let model = (!self.is_recorded).then(Given::default);
            let options = monitor::Options { is_informative: false, max_open: 1_000, model };
            let mut monitoring = Monitoring::new(&asked.system, &asked.lists, std::slice::from_ref(asked), &options);
            let mut event = LogEvent::default();
            loop {
                match reader.next(&mut event).expect("a sound log") {
                    None => return monitoring.finish().purposes[0].verdict,
                    Some(Entry::Event) => monitoring.event(&event, reader.line()),
                    Some(Entry::Initial(initial)) => monitoring.begin(&initial),
                    Some(Entry::Stop) => monitoring.stop(reader.line()),
                }
            }
        })
    }

    fn judged(&self, asked: &Asked, all: &[(Run, bool)], run: &Run) -> Result<(), String> {
        let is_alike = |a: &[runs::Step], b: &[runs::Step]| match self.is_recorded {
            true => a == b,
            false => a.iter().zip(b).all(|(a, b)| (a.gate, a.data) == (b.gate, b.data)),
        };
        let is_steady = self.is_steady();
        let mut known = None;
        for count in 0..=run.len() {
            let seen = &run[..count];
            let [running, ended] = self.verdicts(asked, seen);
            // Runs that the log may be about.
            let alike = || all.iter().filter(|(other, _)| other.len() >= count && is_alike(&other[..count], seen));
            let mut truths: Vec<bool> =
                alike().filter(|(other, _)| other.len() == count).map(|(_, holds)| *holds).collect();
            truths.dedup();
            let is_right = match &truths[..] {
                [truth] => ended == if *truth { Verdict::Holds } else { Verdict::Fails },
                _ => ended == Verdict::Unknown,
            };
            if !is_right {
                return Err(format!("of the run that ends `monitor` says {ended:?}, not {truths:?}: {seen:?}"));
            }
            let Some(truth) = (match running {
                Verdict::Holds => Some(true),
                Verdict::Fails => Some(false),
                Verdict::Open | Verdict::Unknown => None,
            }) else {
                if known.is_some() {
                    return Err(format!("a verdict is taken back: {seen:?}"));
                }
                continue;
            };
            if known.is_some_and(|known| known != truth) {
                return Err(format!("a verdict changes to {truth}: {seen:?}"));
            }
            known = Some(truth);
            // A run without steps has nothing to go on with.
            let contradicts = |(other, holds): &&(Run, bool)| is_steady && !other.is_empty() && *holds != truth;
            if let Some((other, _)) = alike().find(contradicts) {
                return Err(format!("{running:?} after {seen:?}, but not of {other:?}"));
            }
        }
        Ok(())
    }

    fn smaller(&self) -> Vec<Question> {
        let mut out = vec![];
        for number in (0..self.claims.len()).filter(|_| self.claims.len() > 1) {
            let mut fewer = self.clone();
            fewer.claims.remove(number);
            fewer.order.retain(|other| *other != number);
            fewer.order.iter_mut().filter(|other| **other > number).for_each(|other| *other -= 1);
            out.push(fewer);
        }
        for (number, claim) in self.claims.iter().enumerate() {
            for smaller in claim.smaller() {
                let mut simpler = self.clone();
                simpler.claims[number] = smaller;
                out.push(simpler);
            }
        }
        for machine in self.machine.smaller() {
            out.push(Question { machine, ..self.clone() });
        }
        out
    }
}

#[test]
fn monitors_say_of_runs_what_constraints_mean() {
    let (mut found, mut impossible, mut refused) = (0, 0, 0);
    let count = super::questions(60);
    for number in 0..count {
        let seed = super::seed(5, number);
        let mut question = Question::random(&mut Random::new(seed));
        super::kept(seed, &question.text());
        let mut wrong = match question.checked() {
            Ok(answer) => {
                found += u64::from(answer == Some(true));
                impossible += u64::from(answer == Some(false));
                refused += u64::from(answer.is_none());
                continue;
            }
            Err(wrong) => wrong,
        };
        while let Some((smaller, still)) =
            question.smaller().into_iter().find_map(|smaller| Some((smaller.clone(), smaller.checked().err()?)))
        {
            (question, wrong) = (smaller, still);
        }
        panic!("question {number}, seed {seed}: {wrong}\n{}", question.text());
    }
    let told = format!("{found} found, {impossible} impossible, {refused} refused of {count}");
    assert!(found > count / 4 && impossible > count / 20 && refused < count / 10, "{told}");
}

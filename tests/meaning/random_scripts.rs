//! Scripts against their meaning: random small models with random purposes, and systems that behave well, nearly well or by
//! chance. Each verdict is compared with what the model means, computed over concrete states, which shares no code with
//! the program: whoever fails did something that the model forbids, whoever passes met the purpose, and whoever is inconclusive
//! did something that the model allows.
//!
//! Models come from fixed seeds. `SCRIPT_CASES` is how many, `SCRIPT_FIRST` the first of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fastrand::Rng;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{
    Act, Asked, Choice, Comparison, Expression, Lenience, Options, Script, Wish, answer, script_of_case, with_data,
};
use tracewright::term::Value;

use crate::pairs::oracle::{Label, Lts, Set, tuples};
use crate::pairs::random::pair;
use crate::pairs::{Argument, Event, Formula, IN_GATES, INPUTS, OUTPUTS, Operand, Sts, VARIABLES};
use crate::questions;

/// Longest runs that are asked for.
const LONGEST: usize = 7;
/// Internal steps after which a system has them for ever.
const LONG_ENOUGH: usize = 1_000;
/// Systems that execute each script, of each kind.
const SYSTEMS: u64 = 6;

/// What a purpose asks for.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Last(usize),
    Member(usize),
    /// Exactly so often.
    Count(usize, usize),
    /// The first data of a gate is this.
    FirstIs(usize, i64),
    /// The last data of a gate is at most the first one.
    AtMostFirst(usize),
    /// The last value of a variable.
    Variable(usize, i64),
}

/// Gates by one number: inputs, then outputs.
struct Gates<'a>(&'a Sts);

impl Gates<'_> {
    fn count(&self) -> usize {
        self.0.inputs.len() + self.0.outputs.len()
    }

    fn name(&self, gate: usize) -> &'static str {
        let outputs = gate.checked_sub(self.0.inputs.len());
        outputs.map_or_else(|| INPUTS[gate], |gate| OUTPUTS[gate])
    }

    fn has_data(&self, gate: usize) -> bool {
        let outputs = gate.checked_sub(self.0.inputs.len());
        !outputs.map_or_else(|| &self.0.inputs[gate], |gate| &self.0.outputs[gate]).is_empty()
    }

    /// The gate of a label, and its data.
    fn of<'l>(&self, label: &'l Label) -> (usize, &'l [i64]) {
        match label {
            Label::In(gate, data) => (*gate, data),
            Label::Out(gate, data) => (self.0.inputs.len() + gate, data),
            Label::Delta => unreachable!("silence is not an event of a script"),
        }
    }
}

impl Wanted {
    fn random(gates: &Gates<'_>, random: &mut Rng) -> Wanted {
        let gate = random.usize(..gates.count());
        match random.usize(..7) {
            1 => Wanted::Member(gate),
            2 => Wanted::Count(random.usize(1..=3), gate),
            3 if gates.has_data(gate) => Wanted::FirstIs(gate, random.i64(0..=1)),
            4 if gates.has_data(gate) => Wanted::AtMostFirst(gate),
            5 if !gates.0.variables.is_empty() => {
                Wanted::Variable(random.usize(..gates.0.variables.len()), random.i64(0..=1))
            }
            _ => Wanted::Last(gate),
        }
    }

    fn text(self, gates: &Gates<'_>) -> String {
        let name = |gate| gates.name(gate);
        match self {
            Wanted::Last(gate) => format!("last(gate) == {}", name(gate)),
            Wanted::Member(gate) => format!("member({}) on gate", name(gate)),
            Wanted::Count(n, gate) => format!("count({n}, {}) on gate", name(gate)),
            Wanted::FirstIs(gate, n) => format!("first({}.{}) == {n}", name(gate), IN_GATES[0]),
            Wanted::AtMostFirst(gate) => {
                format!("some k: (first({0}.{1}) == k and last({0}.{1}) <= k)", name(gate), IN_GATES[0])
            }
            Wanted::Variable(v, n) => format!("last({}) == {n}", VARIABLES[v]),
        }
    }

    /// Whether visible events that lead to some states may have met it.
    fn may_be_met(self, gates: &Gates<'_>, trace: &[Label], lts: &Lts, set: &Set) -> bool {
        let at = |wanted: usize| {
            let events = trace.iter().map(|label| gates.of(label));
            events.filter(move |(gate, _)| *gate == wanted).map(|(_, data)| data)
        };
        match self {
            Wanted::Last(gate) => trace.last().is_some_and(|label| gates.of(label).0 == gate),
            Wanted::Member(gate) => at(gate).next().is_some(),
            Wanted::Count(n, gate) => at(gate).count() == n,
            Wanted::FirstIs(gate, n) => at(gate).next().is_some_and(|data| data[0] == n),
            Wanted::AtMostFirst(gate) => at(gate).next_back().zip(at(gate).next()).is_some_and(|(a, b)| a[0] <= b[0]),
            Wanted::Variable(v, n) => set.iter().any(|state| lts.values[*state][v] == n),
        }
    }
}

/// A system that is tested.
trait System {
    /// Whether it takes an input.
    fn takes(&mut self, input: &Label) -> bool;
    /// Its next output.
    fn says(&mut self) -> Option<Label>;
}

/// A system that does what a model does, and chooses by chance.
struct Walking<'a> {
    lts: &'a Lts,
    at: usize,
    random: Rng,
    /// Whether it may say something before somebody listens.
    is_eager: bool,
    /// What it has said, and nobody has heard.
    said: VecDeque<Label>,
    /// Whether it had internal steps for ever, so that it was not heard again.
    is_busy: bool,
}

impl<'a> Walking<'a> {
    fn new(lts: &'a Lts, mut random: Rng) -> Walking<'a> {
        let at = random.choice(&lts.initial).copied().expect("a model begins somewhere");
        let is_eager = random.bool();
        Walking { lts, at, random, is_eager, said: VecDeque::new(), is_busy: false }
    }

    /// Its next output, after internal steps.
    fn goes_on(&mut self) -> Option<Label> {
        for _ in 0..LONG_ENOUGH {
            let internal = self.lts.internal[self.at].iter().map(|next| (None, *next));
            let outputs = self.lts.steps[self.at].iter().filter(|(label, _)| matches!(label, Label::Out(..)));
            let outputs = outputs.flat_map(|(label, all)| all.iter().map(move |next| (Some(label.clone()), *next)));
            let (label, next) = self.random.choice(internal.chain(outputs).collect::<Vec<_>>())?;
            self.at = next;
            if label.is_some() {
                return label;
            }
        }
        self.is_busy = true;
        None
    }
}

impl System for Walking<'_> {
    fn takes(&mut self, input: &Label) -> bool {
        while self.is_eager && self.random.bool() {
            let Some(output) = self.goes_on() else { break };
            self.said.push_back(output);
        }
        while self.random.bool()
            && let Some(next) = self.random.choice(&self.lts.internal[self.at])
        {
            self.at = *next;
        }
        let next = self.lts.steps[self.at].get(input).and_then(|all| self.random.choice(all));
        next.iter().for_each(|next| self.at = **next);
        next.is_some()
    }

    fn says(&mut self) -> Option<Label> {
        self.said.pop_front().or_else(|| self.goes_on())
    }
}

/// A system that says anything.
struct Chance<'a> {
    sts: &'a Sts,
    random: Rng,
}

impl System for Chance<'_> {
    fn takes(&mut self, _: &Label) -> bool {
        self.random.usize(..8) > 0
    }

    fn says(&mut self) -> Option<Label> {
        let gate = self.random.usize(..self.sts.outputs.len());
        let data = self.random.choice(tuples(&self.sts.outputs[gate], true))?;
        (self.random.usize(..8) > 0).then_some(Label::Out(gate, data))
    }
}

/// A system that does what is planned.
struct Planned(std::vec::IntoIter<Label>);

impl System for Planned {
    fn takes(&mut self, _: &Label) -> bool {
        true
    }

    fn says(&mut self) -> Option<Label> {
        self.0.next()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Pass,
    Inconclusive,
    /// Inconclusive because nobody can say whether it is allowed.
    Unsaid,
    Fail,
    /// There is too much to compare it with.
    TooMuch,
}

/// Data that was observed, act by act.
type Observed = Vec<BTreeMap<String, i64>>;

/// A value of the small language of scripts, as far as these models need it: truth is 0 or 1.
fn value(expression: &Expression, observed: &Observed) -> i64 {
    let of = |one: &Expression| value(one, observed);
    match expression {
        Expression::Value(Value::Int(n)) => i64::try_from(n).expect("a small number"),
        Expression::Value(Value::Bool(truth)) => i64::from(*truth),
        Expression::Seen(seen) => observed[seen.act][&seen.name],
        Expression::Sum(parts) => parts.iter().map(of).sum(),
        Expression::Product(a, b) => of(a) * of(b),
        Expression::Compare(by, a, b) => i64::from(match by {
            Comparison::Equal => of(a) == of(b),
            Comparison::Different => of(a) != of(b),
            Comparison::Less => of(a) < of(b),
            Comparison::AtMost => of(a) <= of(b),
            Comparison::Greater => of(a) > of(b),
            Comparison::AtLeast => of(a) >= of(b),
        }),
        Expression::Not(one) => 1 - of(one),
        Expression::And(parts) => i64::from(parts.iter().all(|part| of(part) == 1)),
        Expression::Or(parts) => i64::from(parts.iter().any(|part| of(part) == 1)),
        other => panic!("{other:?} is not about numbers"),
    }
}

/// Where a model may be, with what it has said and nobody has heard.
type Configurations = BTreeSet<(usize, Vec<Label>)>;

/// Configurations beyond which nothing is claimed here.
const MOST_CONFIGURATIONS: usize = 20_000;

/// Internal steps.
fn closed(lts: &Lts, set: Configurations) -> Configurations {
    let of = |(state, said): (usize, Vec<Label>)| {
        let all = lts.closed(Set::from([state]));
        all.into_iter().map(move |state| (state, said.clone())).collect::<Vec<_>>()
    };
    set.into_iter().flat_map(of).collect()
}

/// With all that the model may say before somebody listens, of which no more than the first `most` will ever be heard; nothing if that
/// is too much.
fn run_ahead(lts: &Lts, mut set: Configurations, most: usize) -> Option<Configurations> {
    let mut open: Vec<(usize, Vec<Label>)> = set.iter().cloned().collect();
    while let Some((state, said)) = open.pop() {
        for (label, all) in lts.steps[state].iter().filter(|(label, _)| matches!(label, Label::Out(..))) {
            let more: Vec<Label> = said.iter().chain([label]).take(most).cloned().collect();
            for next in lts.closed(all.clone()) {
                if set.insert((next, more.clone())) {
                    open.push((next, more.clone()));
                }
            }
            if set.len() > MOST_CONFIGURATIONS {
                return None;
            }
        }
    }
    Some(set)
}

/// After an output is heard: the first one that was said, or one that is said now.
fn heard(lts: &Lts, set: &Configurations, output: &Label) -> Configurations {
    let of = |(state, said): &(usize, Vec<Label>)| match said.split_first() {
        Some((first, rest)) if first == output => vec![(*state, rest.to_vec())],
        Some(_) => vec![],
        None => lts.after(&Set::from([*state]), output).into_iter().map(|next| (next, vec![])).collect(),
    };
    set.iter().flat_map(of).collect()
}

/// A script that is executed, beside what the model means.
struct Execution<'a> {
    asked: &'a Asked,
    gates: Gates<'a>,
    lts: &'a Lts,
    wanted: &'a [Wanted],
    observed: Observed,
    trace: Vec<Label>,
    /// Where the model may be.
    set: Configurations,
    /// Whether these are all.
    is_all: bool,
}

impl Execution<'_> {
    fn label(&self, gate: usize, data: Vec<i64>) -> Label {
        let name = self.asked.system.gates[gate].name.as_str();
        match INPUTS.iter().position(|input| *input == name) {
            Some(gate) => Label::In(gate, data),
            None => Label::Out(OUTPUTS.iter().position(|output| *output == name).expect("a gate"), data),
        }
    }

    fn holds(&self, condition: &Expression) -> bool {
        value(condition, &self.observed) == 1
    }

    /// The verdict on something that was not as planned, if the model means the same. What cannot be said is inconclusive.
    fn otherwise(&self, says: &Lenience, means: bool, what: &str) -> Result<Verdict, String> {
        match (self.holds(&says.when), means) {
            (true, _) if !says.is_exact => Ok(Verdict::Unsaid),
            _ if !self.is_all => Ok(Verdict::TooMuch),
            (true, true) => Ok(Verdict::Inconclusive),
            (false, false) => Ok(Verdict::Fail),
            (true, false) => Err(format!("{what} is inconclusive after {:?}, and is wrong", self.trace)),
            (false, true) => Err(format!("{what} fails after {:?}, and is allowed", self.trace)),
        }
    }

    fn states(&self) -> Set {
        self.set.iter().map(|(state, _)| *state).collect()
    }

    /// Executes a script; an error says how its verdict differs from what the model means.
    fn run(&mut self, script: &Script, system: &mut dyn System) -> Result<Verdict, String> {
        for number in 0..=script.acts.len() {
            if let Some((_, attempt)) = script.refused.as_ref().filter(|(after, _)| *after == number) {
                let data = attempt.given.iter().map(|(_, n)| value(&Expression::Value(n.clone()), &vec![])).collect();
                let input = self.label(attempt.gate.expect("a gate"), data);
                if system.takes(&input) {
                    let means = !self.lts.after(&self.lts.ahead(&self.states()), &input).is_empty();
                    return self.otherwise(&attempt.taken, means, &format!("{input:?} that must be refused"));
                }
            }
            let Some(act) = script.acts.get(number) else { break };
            let verdict = match act.observed.is_empty() && INPUTS.contains(&self.name(act)) {
                true => self.send(act, script, system)?,
                false => self.expect(act, system)?,
            };
            if verdict != Verdict::Pass {
                return Ok(verdict);
            }
        }
        if !self.holds(&script.end) {
            return Ok(Verdict::Inconclusive);
        }
        match self.wanted.iter().find(|one| !one.may_be_met(&self.gates, &self.trace, self.lts, &self.states())) {
            Some(one) => Err(format!("{:?} passes, and {one:?} is not met", self.trace)),
            None => Ok(Verdict::Pass),
        }
    }

    fn name(&self, act: &Act) -> &str {
        &self.asked.system.gates[act.gate.expect("a gate")].name
    }

    fn send(&mut self, act: &Act, script: &Script, system: &mut dyn System) -> Result<Verdict, String> {
        self.observed.push(BTreeMap::new());
        if !self.holds(&act.fits) {
            return Ok(Verdict::Inconclusive);
        }
        let data = act.given.iter().map(|(_, given)| value(given, &self.observed)).collect();
        let input = self.label(act.gate.expect("a gate"), data);
        if self.lts.after(&self.states(), &input).is_empty() {
            return Err(format!("{input:?} is sent after {:?}, where the model does not take it", self.trace));
        }
        if !system.takes(&input) {
            let ahead = self.lts.ahead(&self.states());
            let means = ahead.iter().any(|state| !self.lts.steps[*state].contains_key(&input));
            return self.otherwise(&act.nothing, means, &format!("that {input:?} is refused"));
        }
        let left = &script.acts[self.observed.len()..];
        let most = left.iter().filter(|act| OUTPUTS.contains(&self.name(act))).count();
        let ahead = run_ahead(self.lts, self.set.clone(), most);
        self.is_all &= ahead.is_some();
        let taken = |(state, said): &(usize, Vec<Label>)| {
            let all = self.lts.steps[*state].get(&input).cloned().unwrap_or_default();
            all.into_iter().map(|next| (next, said.clone())).collect::<Vec<_>>()
        };
        let next = ahead.as_ref().unwrap_or(&self.set).iter().flat_map(taken).collect();
        self.set = closed(self.lts, next);
        self.trace.push(input);
        Ok(Verdict::Pass)
    }

    fn expect(&mut self, act: &Act, system: &mut dyn System) -> Result<Verdict, String> {
        let Some(output) = system.says() else {
            self.observed.push(BTreeMap::new());
            let means = self.set.iter().any(|(state, said)| said.is_empty() && self.lts.is_quiescent(*state));
            return self.otherwise(&act.nothing, means, "silence");
        };
        let Label::Out(_, data) = &output else { unreachable!("a system says outputs") };
        self.observed.push(IN_GATES.iter().map(|name| (*name).to_owned()).zip(data.iter().copied()).collect());
        let next = heard(self.lts, &self.set, &output);
        let is_gate = |gate: usize| self.label(gate, data.clone()) == output;
        if is_gate(act.gate.expect("a gate")) && self.holds(&act.expected) {
            if next.is_empty() {
                return Err(format!("{output:?} is as expected after {:?}, and is wrong", self.trace));
            }
            self.set = next;
            self.trace.push(output);
            return Ok(Verdict::Pass);
        }
        let mut at_gate = act.allowed.iter().filter(|one| is_gate(one.gate.expect("a gate")));
        let says = match (act.is_all, at_gate.next()) {
            (false, _) => &Lenience::UNKNOWN,
            (true, Some(one)) => &one.when,
            (true, None) => &Lenience::exactly(Expression::FALSE),
        };
        assert!(at_gate.next().is_none(), "a gate is spoken of once");
        self.otherwise(says, !next.is_empty(), &format!("{output:?}"))
    }
}

/// Outputs of the plan.
fn plan(execution: &Execution<'_>, script: &Script) -> Vec<Label> {
    let outputs = script.acts.iter().filter(|act| OUTPUTS.contains(&execution.name(act)));
    let number = |value_of: &Value| value(&Expression::Value(value_of.clone()), &vec![]);
    let label = |act: &Act| {
        let data = act.observed.iter().map(|(_, value)| number(value)).collect();
        execution.label(act.gate.expect("a gate"), data)
    };
    outputs.map(label).collect()
}

/// Some outputs are odd as well, which scripts have no words for. Whether there are such outputs.
fn ask_for_odd_data(model: &mut Sts, random: &mut Rng) -> bool {
    let mut is_changed = false;
    for switch in &mut model.switches {
        let is_output = matches!(switch.event, Event::Out(_)) && switch.arguments.first() == Some(&Argument::Named);
        if is_output && random.bool() {
            let odd = Formula::Odd(Operand::Parameter(0));
            switch.guard = Some(match switch.guard.take() {
                Some(guard) => Formula::And(Box::new(guard), Box::new(odd)),
                None => odd,
            });
            is_changed = true;
        }
    }
    is_changed
}

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    scripts: usize,
    attempts: usize,
    verdicts: BTreeMap<Verdict, usize>,
}

/// Asks a model for tests, and lets systems be judged by them.
fn compare(model: &Sts, other: &Sts, random: &mut Rng, compared: &mut Compared) -> Result<(), String> {
    let gates = Gates(model);
    let wanted: Vec<Wanted> = (0..random.usize(1..=2)).map(|_| Wanted::random(&gates, random)).collect();
    let parts: Vec<String> = wanted.iter().map(|one| one.text(&gates)).collect();
    let text = format!("{}purpose p for M {{ length <= {LONGEST}   {} }}\n", model.text("M"), parts.join("   "));
    let asked = questions::asked(&text);
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let options = Options { all: random.bool(), max: Some(3), ..Options::new(&solver) };
    let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
    let wish = Wish { data: Choice::One, negative: random.bool() };
    let answered = with_data(answered, &asked, wish, &options).expect("no disagreement");
    for case in &answered.cases {
        let script = script_of_case(&asked.system, &asked.lists, &asked.purpose, case, &options.limits);
        let script = script.expect("a small model");
        compared.scripts += 1;
        compared.attempts += usize::from(script.refused.is_some());
        let mut begun = model.clone();
        for (name, start) in &script.initial {
            let variable = VARIABLES.iter().position(|one| one == name).expect("a variable");
            begun.variables[variable].start = Some(value(&Expression::Value(start.clone()), &vec![]));
        }
        let (lts, nearly) = (Lts::new(&begun), Lts::new(other));
        let meets = case.origin.as_ref().is_none_or(|origin| origin.meets);
        let begin = || Execution {
            asked: &asked,
            gates: Gates(model),
            lts: &lts,
            wanted: if meets { &wanted } else { &[] },
            observed: vec![],
            trace: vec![],
            set: lts.closed(lts.initial.clone()).into_iter().map(|state| (state, vec![])).collect(),
            is_all: true,
        };
        let said = |why: String| format!("{text}\n{script:#?}\n{why}");
        let mut planned = Planned(plan(&begin(), &script).into_iter());
        let verdict = begin().run(&script, &mut planned).map_err(said)?;
        if verdict != Verdict::Pass && script.refused.is_none() {
            return Err(said(format!("what is planned is {verdict:?}")));
        }
        for _ in 0..SYSTEMS {
            let mut judged = |system: &mut dyn System| {
                let verdict = begin().run(&script, system).map_err(said)?;
                *compared.verdicts.entry(verdict).or_default() += 1;
                Ok::<Verdict, String>(verdict)
            };
            let mut right = Walking::new(&lts, random.fork());
            if judged(&mut right)? == Verdict::Fail && !right.is_busy {
                return Err(said("a system that does what the model does fails".to_owned()));
            }
            judged(&mut Walking::new(&nearly, random.fork()))?;
            judged(&mut Chance { sts: model, random: random.fork() })?;
        }
    }
    Ok(())
}

#[test]
fn verdicts_are_what_the_model_means() {
    let number = |name: &str, plain| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(plain);
    let (first, cases) = (number("SCRIPT_FIRST", 0), number("SCRIPT_CASES", 300));
    let (mut compared, mut half_said) = (Compared::default(), Compared::default());
    let mut differences = vec![];
    for seed in first..first + cases {
        let pair = pair(seed);
        let mut random = Rng::with_seed(seed);
        let mut models = [&pair.specification, &pair.implementation];
        if random.bool() {
            models.reverse();
        }
        let mut model = models[0].clone();
        if !model.undeclared.is_empty() {
            continue;
        }
        if random.usize(..3) == 0 {
            model.inputs.iter_mut().chain(&mut model.outputs).flatten().for_each(|top| *top = 3);
            model.variables.iter_mut().for_each(|variable| variable.top = 3);
        }
        let mut chance = Rng::with_seed(!seed);
        let is_half_said = chance.usize(..5) == 0 && ask_for_odd_data(&mut model, &mut chance);
        let compared = if is_half_said { &mut half_said } else { &mut compared };
        if let Err(why) = compare(&model, models[1], &mut random, compared) {
            differences.push(format!("seed {seed}\n{why}"));
        }
    }
    differences.sort_by_key(String::len);
    assert!(differences.is_empty(), "{} differ, the shortest is\n{}", differences.len(), differences[0]);
    let count = |verdict| compared.verdicts.get(&verdict).copied().unwrap_or(0) as u64;
    assert!(compared.scripts as u64 > cases && compared.attempts as u64 * 6 > cases, "{compared:?}");
    let each = [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail];
    assert!(each.into_iter().all(|verdict| count(verdict) > cases), "{compared:?}");
    let verdicts = &half_said.verdicts;
    assert!([Verdict::Unsaid, Verdict::Fail].iter().all(|one| verdicts.contains_key(one)), "{half_said:?}");
    assert!(count(Verdict::Unsaid) * 20 < count(Verdict::Inconclusive), "nearly everything can be said: {compared:?}");
}

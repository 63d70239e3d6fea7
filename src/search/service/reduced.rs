//! One order for all: a service in which the events of a node come in one order, where nobody looks at the order.
//!
//! A visit to a node that collects ends when all of its events are there and every predicate holds, or when a predicate that
//! leads somewhere is violated. For the first, all events are enough, each given once with the value it has in the end; for the
//! second, the events that the predicate reads. Sent in the order of the node they lead out in the same way, and whoever cannot
//! tell the steps in between from each other sees the same, except for their number. So that this is the same as well, the node
//! may *wait* before its first event: a step that looks like an event and gives nothing, which no service takes.
//!
//! Hence every run of the service has a run of the reduced one that shows the same, step by step: what is impossible there is
//! impossible. And a run of the reduced service that never waits is a run of the service. Tested against the service itself in
//! `tests/meaning/random_services.rs`.

use std::collections::{BTreeMap, BTreeSet};

use super::service_of;
use crate::history::{Formula, Rule};
use crate::kernel::{Moment, Source, StepSystem, collecting};
use crate::model::{Collect, Conjunct, Outcome, Shape};
use crate::search::{Fired, Question};
use crate::term::{
    BinaryOp, Definitions, Expr, OpenFrame, Partial, Pattern, Store, Symbolic, Term, Terms, UnaryOp, Unsupported,
    Value, open,
};

/// A service with fewer orders.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The service, with the same transitions, some of which are never possible.
    pub system: StepSystem,
    /// Transitions that have become waiting.
    waits: BTreeSet<usize>,
}

impl Reduced {
    /// Whether a run is one of the service itself, by what fires in it.
    pub fn is_real<'r>(&self, mut steps: impl Iterator<Item = &'r Fired>) -> bool {
        steps.all(|fired| fired.iter().all(|(_, transition)| transition.is_none_or(|one| !self.waits.contains(&one))))
    }
}

/// The reduced service for a question; none if the model is no service, or everything is looked at.
pub fn reduced(question: &Question<'_>) -> Option<Reduced> {
    let shape = service_of(question.system)?;
    let mut looks = Looks::new(question).ok()?;
    let mut system = question.system.clone();
    let mut waits = BTreeSet::new();
    for (node, collect) in collecting(shape) {
        if let (true, Some(wait)) = (is_plain(collect), waiting(question.system, shape, node))
            && !looks.sees_order(shape, node, collect).ok()?
        {
            restrict(&mut system, shape, node, collect, wait);
            waits.insert(wait);
        }
    }
    (!waits.is_empty()).then_some(Reduced { system, waits })
}

/// Whether the events that a predicate reads always lead out by it, if it is the first one violated: no later one, which reads
/// fewer, leads out before.
fn is_plain(collect: &Collect) -> bool {
    let reads = |number: usize| -> BTreeSet<usize> { collect.predicates[number].reads.iter().copied().collect() };
    let leading: Vec<usize> =
        (0..collect.predicates.len()).filter(|number| !collect.predicates[*number].targets.is_empty()).collect();
    let comes_sooner = |p: usize, q: usize| p < q && reads(q) != reads(p) && reads(q).is_subset(&reads(p));
    collect.events.len() > 1
        && collect.predicates.iter().all(|predicate| !predicate.reads.is_empty())
        && !leading.iter().any(|p| leading.iter().any(|q| comes_sooner(*p, *q)))
}

/// A correction after which the service is still in the node: what waiting looks like.
fn waiting(system: &StepSystem, shape: &Shape, node: usize) -> Option<usize> {
    let is_meant = |transition: &usize| {
        system.machines[0].transitions[*transition].source as usize == node
            && shape.roles[*transition].correction
            && shape.roles[*transition].outcome == Outcome::Collected
    };
    (0..shape.roles.len()).find(is_meant)
}

/// How a visit goes on after a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Onward {
    Stays,
    Completed(u32),
    Violated(usize, u32),
}

fn onward(system: &StepSystem, shape: &Shape, collect: &Collect, transition: usize) -> Onward {
    let target = system.machines[0].transitions[transition].target;
    match shape.roles[transition].outcome {
        Outcome::Completed => Onward::Completed(target),
        Outcome::Violated(number) if !collect.predicates[number].targets.is_empty() => Onward::Violated(number, target),
        Outcome::Violated(_) | Outcome::Collected | Outcome::Chosen => Onward::Stays,
    }
}

/// Leaves one order in a node for each way out of it.
fn restrict(system: &mut StepSystem, shape: &Shape, node: usize, collect: &Collect, wait: usize) {
    let leading = || collect.predicates.iter().filter(|predicate| !predicate.targets.is_empty());
    let all: BTreeSet<usize> = (0..collect.events.len()).collect();
    let enough: BTreeSet<BTreeSet<usize>> =
        leading().map(|predicate| predicate.reads.iter().copied().collect()).chain([all]).collect();
    let first_leading = collect.predicates.iter().position(|predicate| !predicate.targets.is_empty());
    for (number, transition) in system.machines[0].transitions.iter_mut().enumerate() {
        let role = shape.roles[number];
        let (true, Some(event)) = (transition.source as usize == node, role.event) else { continue };
        let condition = match role.outcome {
            _ if number == wait => given_exactly(collect, &BTreeSet::new()),
            _ if role.correction => Expr::Const(Value::Bool(false)),
            // What is violated and leads nowhere is of use only on the way to an earlier one that does.
            Outcome::Violated(violated)
                if collect.predicates[violated].targets.is_empty()
                    && first_leading.is_none_or(|first| first > violated) =>
            {
                Expr::Const(Value::Bool(false))
            }
            _ => {
                let before: BTreeSet<BTreeSet<usize>> = (enough.iter())
                    .filter(|events| events.contains(&event))
                    .map(|events| events.iter().copied().filter(|other| *other < event).collect())
                    .collect();
                let ways = before.iter().map(|given| given_exactly(collect, given));
                Expr::any(ways).unwrap_or(Expr::Const(Value::Bool(false)))
            }
        };
        let conjunct =
            Conjunct { expr: condition, conditions: vec!["in this order".to_owned()], span: transition.span };
        if number == wait {
            (transition.guard, transition.updates) = (vec![conjunct], vec![]);
        } else {
            transition.guard.insert(0, conjunct);
        }
    }
}

/// That these events were given, and no others.
fn given_exactly(collect: &Collect, given: &BTreeSet<usize>) -> Expr {
    Expr::all(collect.events.iter().enumerate().map(|(place, event)| {
        let slot = Expr::Slot(event.given);
        let is_given = match event.has_value {
            true => Expr::Test(Box::new(slot), Pattern::Data(Definitions::OPTION, 1, vec![Pattern::Any])),
            false => slot,
        };
        match given.contains(&place) {
            true => is_given,
            false => Expr::Unary(UnaryOp::Not, Box::new(is_given)),
        }
    }))
}

/// What a question makes of the steps of a service, with all data open.
struct Looks<'a, 'q> {
    question: &'a Question<'q>,
    terms: Terms,
    /// The lists it looks at, over what can be observed.
    lists: Vec<&'q Expr>,
    /// Open elements for what is no control.
    anything: BTreeMap<usize, Term>,
    frame: OpenFrame,
    /// Constants with which elements are compared; none if elements are more than compared.
    compared: Option<BTreeSet<Value>>,
}

/// What is seen of an element of a list.
#[derive(PartialEq, Eq)]
enum Look {
    /// The element as far as it is known.
    Element(Partial),
    /// One of those that are compared with nothing.
    Other,
}

impl<'a, 'q> Looks<'a, 'q> {
    fn new(question: &'a Question<'q>) -> Result<Looks<'a, 'q>, Unsupported> {
        let monitor = question.monitor;
        let mut used: BTreeSet<usize> = BTreeSet::new();
        monitor.start.iter().for_each(|formula| formula.each_use(&mut |rule| used.extend(&rule.lists)));
        let lists: Vec<&Expr> = used.into_iter().map(|list| &monitor.lists[list]).collect();
        let definitions = &question.lists.names.definitions;
        let mut terms = Terms::new();
        let mut store = Store::new(vec![]);
        let mut anything = BTreeMap::new();
        for slot in lists.iter().flat_map(|list| slots_in(list)) {
            let is_control =
                matches!(question.lists.sources[slot], Source::State(..) | Source::Fired(_) | Source::Gate);
            if !is_control && !anything.contains_key(&slot) {
                let element = open(&question.lists.names.entries[slot].ty, &mut store, &mut terms, definitions)?;
                anything.insert(slot, element.exact()?.value);
            }
        }
        let mut frame = OpenFrame::new();
        for ty in &monitor.open {
            frame.push(Some(open(ty, &mut store, &mut terms, definitions)?.exact()?.value));
        }
        let compared = compared(&monitor.start, &monitor.rules);
        Ok(Looks { question, terms, lists, anything, frame, compared })
    }

    /// Whether something can be seen of the order in which the events of a node come.
    fn sees_order(&mut self, shape: &Shape, node: usize, collect: &Collect) -> Result<bool, Unsupported> {
        let Question { system, lists, .. } = *self.question;
        let kept: BTreeSet<usize> = collect.events.iter().map(|event| event.given).collect();
        let reads_kept =
            |slot: usize| matches!(lists.sources[slot], Source::Value(kept_in, _) if kept.contains(&kept_in));
        if self.lists.iter().any(|list| slots_in(list).into_iter().any(reads_kept)) {
            return Ok(true);
        }
        let mut known: BTreeMap<Onward, Vec<Look>> = BTreeMap::new();
        for transition in 0..shape.roles.len() {
            if system.machines[0].transitions[transition].source as usize != node {
                continue;
            }
            let look = self.look(transition)?;
            let way = onward(system, shape, collect, transition);
            if known.get(&way).is_some_and(|first| *first != look) {
                return Ok(true);
            }
            known.insert(way, look);
        }
        Ok(false)
    }

    /// What the lists are in a step with a transition.
    fn look(&mut self, transition: usize) -> Result<Vec<Look>, Unsupported> {
        let Question { system, lists, .. } = *self.question;
        let fired = &system.machines[0].transitions[transition];
        let gate = fired.gate.as_ref().and_then(|(name, _)| system.gates.iter().position(|gate| gate.name == *name));
        let mut observed = vec![];
        for (list, source) in lists.sources.iter().enumerate() {
            let member = |number: usize| lists.names.member(list, number);
            let known = match source {
                Source::State(_, Moment::Before) => Some(member(fired.source as usize)),
                Source::State(_, Moment::After) => Some(member(fired.target as usize)),
                Source::Fired(_) => Some(member(transition)),
                Source::Gate => Some(member(gate.unwrap_or(system.gates.len()))),
                Source::Data(other, _) if gate != Some(*other) => Some(Value::Absent),
                Source::Data(..) | Source::Value(..) | Source::Clock => None,
            };
            observed.push(match (known, self.anything.get(&list)) {
                (None, Some(anything)) => *anything,
                (known, _) => self.terms.constant(known.unwrap_or(Value::Absent)),
            });
        }
        let mut out = vec![];
        for list in &self.lists {
            let mut symbolic = Symbolic::new(&mut self.terms, &lists.names.definitions, &observed);
            let element = symbolic.eval(list, &mut self.frame.clone())?;
            let is_name =
                matches!(list, Expr::Slot(slot) if matches!(lists.sources[*slot], Source::Fired(_) | Source::Gate));
            let is_other = match (&self.compared, self.terms.value(element.value)) {
                (Some(compared), Some(value)) if is_name => !compared.contains(value),
                _ => false,
            };
            out.push(if is_other { Look::Other } else { Look::Element(element) });
        }
        Ok(out)
    }
}

fn slots_in(expr: &Expr) -> BTreeSet<usize> {
    let mut slots = BTreeSet::new();
    expr.map_leaves(&mut |leaf| {
        if let Expr::Slot(slot) = leaf {
            slots.insert(*slot);
        }
        None
    });
    slots
}

/// The constants in a purpose, where its rules do nothing else with elements than to compare them with constants: none is kept
/// for later, or given to a function.
fn compared(start: &[Formula], rules: &[Rule]) -> Option<BTreeSet<Value>> {
    let mut comparisons = Comparisons { constants: BTreeSet::new(), are_all: true };
    for rule in rules {
        for clause in &rule.clauses {
            comparisons.visit(&clause.guard, rule.lists);
            clause.becomes.each_use(&mut |used| used.args.iter().for_each(|arg| comparisons.visit(arg, rule.lists)));
        }
    }
    // An argument that is open for the whole run may be any element.
    for formula in start {
        formula.each_use(&mut |used| used.args.iter().for_each(|arg| comparisons.visit(arg, usize::MAX)));
    }
    comparisons.are_all.then_some(comparisons.constants)
}

struct Comparisons {
    constants: BTreeSet<Value>,
    /// Whether elements are compared with constants, and nothing else.
    are_all: bool,
}

impl Comparisons {
    /// Looks at an expression in which the first locals are elements.
    fn visit(&mut self, expr: &Expr, elements: usize) {
        let is_element = |part: &Expr| matches!(part, Expr::Local(local) if *local < elements);
        expr.map_leaves(&mut |part| {
            match part {
                Expr::Const(value) => self.constant(value),
                Expr::Construct(ty, member, fields) if fields.is_empty() => {
                    self.constant(&Value::Data(*ty, *member, [].into()));
                }
                Expr::Binary(BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::In, a, b) if is_element(a) => {
                    self.visit(b, elements);
                    return Some(part.clone());
                }
                Expr::Test(of, pattern) if is_element(of) => {
                    match pattern {
                        Pattern::Any | Pattern::Absent => {}
                        Pattern::Equal(value) => self.visit(value, elements),
                        Pattern::Bind(_) | Pattern::Data(..) | Pattern::List { .. } => self.are_all = false,
                    }
                    return Some(part.clone());
                }
                Expr::Global(_) => self.are_all = false,
                part => self.are_all &= !is_element(part),
            }
            None
        });
    }

    fn constant(&mut self, value: &Value) {
        match value {
            Value::List(values) => values.iter().for_each(|value| self.constant(value)),
            Value::Set(values) => values.iter().for_each(|value| self.constant(value)),
            Value::Map(entries) => entries.iter().for_each(|(key, value)| {
                self.constant(key);
                self.constant(value);
            }),
            Value::Data(_, _, fields) if !fields.is_empty() => fields.iter().for_each(|value| self.constant(value)),
            _ => drop(self.constants.insert(value.clone())),
        }
    }
}

//! Patterns that are matched: one automaton for all values of their variables.
//!
//! For given values an event is one of the symbols, or several, or it is not seen at all. The automaton follows every suffix
//! of what is seen; it accepts where one of them ends as the pattern says, with the event that was seen last.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::super::temporal::is_value;
use super::scenario::{Meant, symbols_in};
use super::{BOUND, Drawer, Names, is, is_there, variables_in};
use crate::history::drawn::{ALL, Event};
use crate::history::{Acceptor, Atom, Automaton, Formula, Node, Nodes, State};
use crate::model::problem::Problem;
use crate::model::scope::Binding;
use crate::syntax::tree::{EventsPattern, EventsPatternKind, ModelUse, Scenario};
use crate::term::{Expr, Pattern};

/// Most symbols of a pattern.
const MAX_SYMBOLS: usize = 200;
/// Most edges of a pattern, with every round of its loops.
const MAX_EDGES: usize = 10_000;
/// Most states of the automaton.
const MAX_STATES: usize = 4_000;
/// Most work on the way to it: states of the pattern that are looked at.
const MAX_WORK: usize = 50_000_000;

/// An automaton that may be in several states: edges with a symbol, with any symbol, or with none.
#[derive(Default)]
struct Edges {
    symbols: Vec<Event>,
    silent: Vec<Vec<usize>>,
    seen: Vec<Vec<(usize, usize)>>,
    any: Vec<Vec<usize>>,
    count: usize,
}

impl Edges {
    fn add(&mut self) -> usize {
        self.silent.push(vec![]);
        self.seen.push(vec![]);
        self.any.push(vec![]);
        self.silent.len() - 1
    }

    /// An edge more; none if there are too many.
    fn count(&mut self) -> Option<()> {
        self.count += 1;
        (!self.is_full()).then_some(())
    }

    fn is_full(&self) -> bool {
        self.count > MAX_EDGES || self.symbols.len() > MAX_SYMBOLS
    }

    fn symbol(&mut self, event: Event) -> usize {
        let same =
            |known: &Event| known.takes == event.takes && known.guard == event.guard && known.values == event.values;
        self.symbols.iter().position(same).unwrap_or_else(|| {
            self.symbols.push(event);
            self.symbols.len() - 1
        })
    }

    /// States that can be reached without an event.
    fn closed(&self, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut open: Vec<usize> = from.into_iter().collect();
        let mut out: BTreeSet<usize> = open.iter().copied().collect();
        while let Some(state) = open.pop() {
            open.extend(self.silent[state].iter().copied().filter(|next| out.insert(*next)));
        }
        out
    }

    /// For each symbol the later ones that no event is as well: they say that the same thing is something else.
    fn excluded(&self) -> Vec<BTreeSet<usize>> {
        let excludes = |one: &Event, other: &Event| {
            one.guard.iter().any(|a| {
                other.guard.iter().any(|b| match (a, b) {
                    (Expr::Test(a, Pattern::Equal(x)), Expr::Test(b, Pattern::Equal(y))) => {
                        a == b && matches!((&**x, &**y), (Expr::Const(x), Expr::Const(y)) if x != y)
                    }
                    _ => false,
                })
            })
        };
        let later = |(number, one): (usize, &Event)| {
            let others = self.symbols.iter().enumerate().skip(number + 1);
            others.filter(|(_, other)| excludes(one, other)).map(|(other, _)| other).collect()
        };
        self.symbols.iter().enumerate().map(later).collect()
    }

    /// States that each symbol leads to.
    fn targets(&self, from: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let any: BTreeSet<usize> = from.iter().flat_map(|state| &self.any[*state]).copied().collect();
        let mut out = vec![any; self.symbols.len()];
        for (symbol, to) in from.iter().flat_map(|state| &self.seen[*state]) {
            out[*symbol].insert(*to);
        }
        out
    }
}

impl Drawer<'_, '_> {
    /// That a pattern is matched somewhere in a run. Its variables are values that exist once for it.
    pub(super) fn matched_used(
        mut self,
        used: &ModelUse,
        outside: &[(String, Binding)],
        positive: bool,
    ) -> Option<Formula> {
        let before = self.checker.problems.len();
        let mut edges = Edges::default();
        let ends = (edges.add(), edges.add());
        let scenario = self.scenario_named(used)?;
        let read = self.matched(used, outside, &mut edges, ends);
        if self.checker.problems.len() > before {
            return None;
        }
        let automaton = read.and_then(|()| determined(&edges, ends));
        let Some(automaton) = automaton else { return self.too_large(used) };
        let symbols = &edges.symbols;
        if symbols.iter().any(|symbol| symbol.guard.iter().any(|guard| !variables_in(guard).is_empty())) {
            self.report(Problem::NotMatched { what: "an expression with a variable" }, used.span);
            return None;
        }
        let acceptor = self.acceptor(scenario, symbols, automaton.minimal());
        let is_free = self.variables.iter().all(|(_, value)| value.is_none());
        if is_free && !self.checker.tells_values(&acceptor, used.span) {
            return None;
        }
        if is_free && !positive && !self.variables.is_empty() {
            // What is matched for no values is left unmatched for all of them: no value is open under a negation.
            let too_large = Problem::DrawingTooLarge { name: used.name.name.clone() };
            let acceptor = acceptor.unmatched();
            let unmatched = self.checker.accepted(&acceptor, too_large, used.span)?;
            self.checker.matched = self.checker.reads_property().then(|| Arc::new(acceptor));
            return Some(Formula::Not(Box::new(unmatched)));
        }
        let mut places = vec![];
        for (ty, value) in &self.variables {
            match value {
                Some(Expr::Local(given)) => places.push(*given),
                _ => {
                    places.push(self.checker.open.len());
                    self.checker.open.push(ty.clone());
                }
            }
        }
        let bound = self.checker.open.len();
        let number = |local: usize| places.get(local).copied().unwrap_or_else(|| bound + local - places.len());
        let Ok(made) = acceptor.plain_rules(self.checker.rules.len(), &number) else { return self.too_large(used) };
        self.checker.matched = is_free.then(|| Arc::new(if positive { acceptor } else { acceptor.unmatched() }));
        Some(self.checker.add_rules(made))
    }

    fn too_large(&mut self, used: &ModelUse) -> Option<Formula> {
        self.report(Problem::DrawingTooLarge { name: used.name.name.clone() }, used.span);
        None
    }

    fn acceptor(&self, scenario: &Scenario, symbols: &[Event], automaton: Automaton) -> Acceptor {
        let count = self.variables.len();
        // The lists of the chart are those of the model here, and what expressions bind comes after the variables.
        let of_model = |e: &Expr| {
            let placed = e.renumber_locals(&|local| local.checked_sub(BOUND).map_or(local, |n| count + n));
            placed.map_leaves(&mut |leaf| match leaf {
                Expr::Slot(list) => Some(self.lists[*list].0.clone()),
                _ => None,
            })
        };
        let named = |number: usize| scenario.free.get(number).map(|(name, _)| name.name.clone());
        let variables = self.variables.iter().enumerate().map(|(number, (ty, _))| {
            let name = named(number).unwrap_or_else(|| format!("value {}", number + 1));
            self.checker.variable(name, ty.clone())
        });
        let atom = |symbol: &Event| Atom {
            condition: of_model(&condition(symbol)),
            fixes: symbol.values.iter().map(|(element, variable)| (*variable, of_model(element))).collect(),
        };
        Acceptor {
            variables: variables.collect(),
            for_all: false,
            atoms: symbols.iter().map(atom).collect(),
            automaton,
            informative: None,
            is_safety: false,
            is_match: true,
        }
    }

    /// Adds the edges of a pattern between two states.
    fn matched(
        &mut self,
        used: &ModelUse,
        outside: &[(String, Binding)],
        edges: &mut Edges,
        ends: (usize, usize),
    ) -> Option<()> {
        let scenario = self.scenario_named(used)?;
        let mut names = self.parameters(used, &scenario.params, outside)?;
        if !self.enter(used, &scenario.model) {
            return None;
        }
        for (variable, ty) in &scenario.free {
            self.declared(variable, ty.as_ref(), &scenario.pattern, &mut names);
        }
        let mut mentioned: Vec<_> = scenario.alphabet.iter().flatten().collect();
        symbols_in(&scenario.pattern, &mut mentioned);
        for symbol in mentioned {
            let event = match self.resolved(symbol)? {
                Meant::Message(message, event) => self.message(message, event, &names, ALL)?,
                Meant::Fires(machine, transition) => self.fires(machine, transition, ALL)?,
                Meant::Pattern(_) => continue,
            };
            edges.symbol(event);
        }
        let done = self.edges(&scenario.pattern, &names, edges, ends);
        self.open.pop();
        done
    }

    fn edges(
        &mut self,
        pattern: &EventsPattern,
        names: &Names,
        edges: &mut Edges,
        (from, to): (usize, usize),
    ) -> Option<()> {
        edges.count()?;
        match &pattern.kind {
            EventsPatternKind::Error => return None,
            EventsPatternKind::When(_) => {
                self.report(Problem::NotMatched { what: "a condition" }, pattern.span);
                return None;
            }
            EventsPatternKind::Some { .. } => {
                self.report(Problem::NotMatched { what: "a variable of a part" }, pattern.span);
                return None;
            }
            // Patterns that are read later may have more symbols.
            EventsPatternKind::Any => edges.any[from].push(to),
            EventsPatternKind::Symbol(symbol) => {
                let event = match self.resolved(symbol)? {
                    Meant::Message(message, event) => self.message(message, event, names, ALL)?,
                    Meant::Fires(machine, transition) => self.fires(machine, transition, ALL)?,
                    Meant::Pattern(event) => {
                        let used = self.used_by(event)?;
                        return self.matched(&used, names, edges, (from, to));
                    }
                };
                let symbol = edges.symbol(event);
                edges.seen[from].push((symbol, to));
            }
            EventsPatternKind::Choice(parts) => {
                for part in parts {
                    self.edges(part, names, edges, (from, to))?;
                }
            }
            EventsPatternKind::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = edges.add();
                    self.edges(part, names, edges, (at, next))?;
                    at = next;
                }
                edges.silent[at].push(to);
            }
            EventsPatternKind::Repeat(inner, times) => {
                let (least, most) = self.times(times, names, pattern.span)?;
                // Nobody else is where rounds begin.
                let mut at = edges.add();
                edges.silent[from].push(at);
                for round in 0..most.unwrap_or(least + 1) {
                    edges.count()?;
                    if round >= least {
                        edges.silent[at].push(to);
                    }
                    let next = edges.add();
                    self.edges(inner, names, edges, (at, next))?;
                    if most.is_none() && round == least {
                        edges.silent[next].push(at);
                    }
                    at = next;
                }
                edges.silent[at].push(to);
            }
        }
        Some(())
    }
}

/// That an event happens, for given values of the variables.
fn condition(event: &Event) -> Expr {
    let values = event.values.iter().flat_map(|(element, variable)| match element {
        Expr::Slot(_) => vec![is_there(element.clone()), is(element.clone(), Expr::Local(*variable))],
        inside => vec![is_value(inside, Expr::Local(*variable))],
    });
    Expr::all(event.guard.iter().cloned().chain(values))
}

/// The automaton that is in one state at a time: the states of every suffix, and whether an event was just seen with which
/// one of them ends. None if it is too large.
fn determined(edges: &Edges, (start, end): (usize, usize)) -> Option<Automaton> {
    let fresh = edges.closed([start]);
    let first = (fresh.clone(), false);
    let mut grower = Grower {
        edges,
        excluded: edges.excluded(),
        fresh,
        end,
        states: vec![first.clone()],
        numbers: HashMap::from([(first, 0)]),
        nodes: Nodes::default(),
        work_left: MAX_WORK,
    };
    let mut next = vec![];
    while next.len() < grower.states.len() {
        let here = grower.states[next.len()].0.clone();
        let targets = edges.targets(&here);
        let root = grower.grow(&Here { states: here, targets }, Tested::default(), &mut HashMap::new())?;
        next.push(root);
    }
    let states =
        grower.states.iter().zip(next).map(|((_, accepts), next)| State { next, accepts: *accepts, verdict: None });
    Some(Automaton { states: states.collect(), nodes: grower.nodes.nodes, start: 0 })
}

/// States that the automaton is in, and those that each symbol leads to.
struct Here {
    states: BTreeSet<usize>,
    targets: Vec<BTreeSet<usize>>,
}

/// What is known after some tests.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Tested {
    /// The symbol that is tested next.
    symbol: usize,
    /// Where those that are true lead.
    reached: BTreeSet<usize>,
    /// Whether one is true.
    is_seen: bool,
    /// Symbols still to be tested that cannot be true.
    excluded: BTreeSet<usize>,
}

struct Grower<'g> {
    edges: &'g Edges,
    excluded: Vec<BTreeSet<usize>>,
    fresh: BTreeSet<usize>,
    end: usize,
    states: Vec<(BTreeSet<usize>, bool)>,
    numbers: HashMap<(BTreeSet<usize>, bool), usize>,
    nodes: Nodes,
    work_left: usize,
}

impl Grower<'_> {
    /// The node for the tests that are left.
    fn grow(&mut self, here: &Here, tested: Tested, known: &mut HashMap<Tested, usize>) -> Option<usize> {
        self.work_left = self.work_left.checked_sub(1 + tested.reached.len() + tested.excluded.len())?;
        if let Some(node) = known.get(&tested) {
            return Some(*node);
        }
        let symbol = tested.symbol;
        let number = if symbol == here.targets.len() {
            let state = self.state(here, &tested.reached, tested.is_seen)?;
            self.nodes.add(Node::Leaf(state))
        } else {
            let mut without = Tested { symbol: symbol + 1, ..tested.clone() };
            if without.excluded.remove(&symbol) {
                self.grow(here, without, known)?
            } else {
                let with = Tested {
                    symbol: symbol + 1,
                    reached: &tested.reached | &here.targets[symbol],
                    is_seen: true,
                    excluded: &tested.excluded | &self.excluded[symbol],
                };
                let yes = self.grow(here, with, known)?;
                let no = self.grow(here, without, known)?;
                self.nodes.add(Node::Test(symbol, yes, no))
            }
        };
        known.insert(tested, number);
        Some(number)
    }

    fn state(&mut self, here: &Here, reached: &BTreeSet<usize>, is_seen: bool) -> Option<usize> {
        let state = if is_seen {
            let mut closed = self.edges.closed(reached.iter().copied());
            let accepts = closed.contains(&self.end);
            closed.extend(&self.fresh);
            (closed, accepts)
        } else {
            (here.states.clone(), false)
        };
        self.work_left = self.work_left.checked_sub(state.0.len())?;
        if let Some(number) = self.numbers.get(&state) {
            return Some(*number);
        }
        let number = self.states.len();
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        (self.states.len() <= MAX_STATES).then_some(number)
    }
}

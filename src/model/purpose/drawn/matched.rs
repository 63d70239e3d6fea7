//! Patterns that are matched: one automaton for all values of their variables.
//!
//! For given values an event is one of the symbols, or several, or it is not seen at all. The automaton follows every suffix
//! of what is seen; it accepts where one of them ends as the pattern says, with the event that was seen last.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::scenario::{Meant, symbols_in, used_by};
use super::{BOUND, Drawer, Names, is, is_there, variables_in};
use crate::history::drawn::{ALL, Event};
use crate::history::{Acceptor, Atom, Automaton, Clause, Formula, Node, Rule, RuleUse, State, Variable, When};
use crate::model::problem::Problem;
use crate::model::scope::Binding;
use crate::syntax::tree::{EventsPattern, EventsPatternKind, ModelUse, Scenario};
use crate::term::Expr;

/// Most states of the automaton.
const MAX_STATES: usize = 4_000;
/// Most tests in it.
const MAX_NODES: usize = 200_000;

/// An automaton that may be in several states: edges with a symbol, or with none.
#[derive(Default)]
struct Edges {
    silent: Vec<Vec<usize>>,
    seen: Vec<Vec<(usize, usize)>>,
}

impl Edges {
    fn add(&mut self) -> usize {
        self.silent.push(vec![]);
        self.seen.push(vec![]);
        self.silent.len() - 1
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
        let mut symbols: Vec<Event> = vec![];
        let mut edges = Edges::default();
        let (start, end) = (edges.add(), edges.add());
        let scenario = self.scenario_named(used)?;
        self.matched(used, outside, &mut symbols, &mut edges, (start, end))?;
        if self.checker.problems.len() > before {
            return None;
        }
        if symbols.iter().any(|symbol| symbol.guard.iter().any(|guard| !variables_in(guard).is_empty())) {
            self.report(Problem::NotMatched { what: "an expression with a variable" }, used.span);
            return None;
        }
        let name = &used.name.name;
        let Some(automaton) = determined(&edges, start, end, symbols.len()) else {
            self.report(Problem::DrawingTooLarge { name: name.clone() }, used.span);
            return None;
        };
        let variables = self.variables.len();
        let placed = |e: &Expr| e.renumber_locals(&|local| local.checked_sub(BOUND).map_or(local, |n| variables + n));
        let conditions: Vec<Expr> = symbols.iter().map(|symbol| placed(&condition(symbol))).collect();
        let is_free = self.variables.iter().all(|(_, value)| value.is_none());
        let acceptor = is_free.then(|| Arc::new(self.acceptor(scenario, &symbols, &conditions, &automaton)));
        if let (Some(acceptor), false, false) = (&acceptor, positive, self.variables.is_empty()) {
            // What is matched for no values is left unmatched for all of them: no value is open under a negation.
            let unmatched = self.checker.accepted(&acceptor.unmatched(), used.span)?;
            return Some(Formula::Not(Box::new(unmatched)));
        }
        self.checker.matched = acceptor;
        Some(self.rules_of(name, &conditions, &automaton))
    }

    fn acceptor(&self, scenario: &Scenario, symbols: &[Event], conditions: &[Expr], automaton: &Automaton) -> Acceptor {
        // The lists of the chart are those of the model here.
        let of_model = |e: &Expr| {
            e.map_leaves(&mut |leaf| match leaf {
                Expr::Slot(list) => Some(self.lists[*list].0.clone()),
                _ => None,
            })
        };
        let named = |number: usize| scenario.free.get(number).map(|(name, _)| name.name.clone());
        let variables = self.variables.iter().enumerate().map(|(number, (ty, _))| Variable {
            name: named(number).unwrap_or_else(|| format!("value {}", number + 1)),
            ty: ty.clone(),
            values: None,
        });
        let atom = |(symbol, condition): (&Event, &Expr)| Atom {
            condition: of_model(condition),
            fixes: symbol.values.iter().map(|(element, variable)| (*variable, of_model(element))).collect(),
        };
        Acceptor {
            variables: variables.collect(),
            for_all: false,
            atoms: symbols.iter().zip(conditions).map(atom).collect(),
            automaton: automaton.clone(),
            informative: None,
            is_safety: false,
            is_match: true,
        }
    }

    /// The states as rules, which hold where a match ends.
    fn rules_of(self, name: &str, conditions: &[Expr], automaton: &Automaton) -> Formula {
        let (lists, params) = (self.lists.len(), self.variables.len());
        let in_rule = |e: &Expr| {
            let moved = e.renumber_locals(&|local| lists + local);
            moved.map_leaves(&mut |leaf| match leaf {
                Expr::Slot(list) => Some(Expr::Local(*list)),
                _ => None,
            })
        };
        let conditions: Vec<Expr> = conditions.iter().map(in_rule).collect();
        let first = self.checker.rules.len();
        let values: Vec<Expr> = (0..params).map(|number| Expr::Local(lists + number)).collect();
        for (number, state) in automaton.states.iter().enumerate() {
            let becomes = |state: usize| match automaton.states[state].accepts {
                true => Formula::Decided(true),
                false => {
                    let rule = first + state;
                    Formula::Use(RuleUse { rule, lists: (0..lists).collect(), args: values.clone() })
                }
            };
            let fails = Formula::Decided(false);
            let mut clauses = vec![Clause { when: When::Stop, guard: Expr::TRUE, becomes: fails }];
            // Where a test is true comes first, so that its contrary need not be said.
            let mut open: Vec<(usize, Vec<usize>)> = vec![(state.next, vec![])];
            while let Some((node, positive)) = open.pop() {
                match automaton.nodes[node] {
                    Node::Leaf(next) => {
                        let guard = Expr::all(positive.iter().map(|atom| conditions[*atom].clone()));
                        clauses.push(Clause { when: When::Element, guard, becomes: becomes(next) });
                    }
                    Node::Test(atom, yes, no) => {
                        let more = positive.iter().copied().chain([atom]).collect();
                        open.push((no, positive));
                        open.push((yes, more));
                    }
                }
            }
            let name = format!("{name} {}", number + 1);
            self.checker.rules.push(Some(Rule { name, lists, params, clauses }));
        }
        let open = self.checker.open.len();
        self.checker.open.extend(self.variables.iter().map(|(ty, _)| ty.clone()));
        let args = self.variables.iter().enumerate().map(|(number, (_, value))| match value {
            Some(value) => value.clone(),
            None => Expr::Local(open + number),
        });
        let args = args.collect();
        let lists = self.lists.into_iter().map(|(list, ty)| self.checker.add_list(list, ty)).collect();
        Formula::Use(RuleUse { rule: first + automaton.start, lists, args })
    }

    /// Adds the edges of a pattern between two states.
    fn matched(
        &mut self,
        used: &ModelUse,
        outside: &[(String, Binding)],
        symbols: &mut Vec<Event>,
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
            number_of(symbols, event);
        }
        let done = self.edges(&scenario.pattern, &names, symbols, edges, ends);
        self.open.pop();
        done
    }

    fn edges(
        &mut self,
        pattern: &EventsPattern,
        names: &Names,
        symbols: &mut Vec<Event>,
        edges: &mut Edges,
        (from, to): (usize, usize),
    ) -> Option<()> {
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
            EventsPatternKind::Any => edges.seen[from].extend((0..symbols.len()).map(|symbol| (symbol, to))),
            EventsPatternKind::Symbol(symbol) => {
                let event = match self.resolved(symbol)? {
                    Meant::Message(message, event) => self.message(message, event, names, ALL)?,
                    Meant::Fires(machine, transition) => self.fires(machine, transition, ALL)?,
                    Meant::Pattern(event) => {
                        return self.matched(&used_by(event), names, symbols, edges, (from, to));
                    }
                };
                let symbol = number_of(symbols, event);
                edges.seen[from].push((symbol, to));
            }
            EventsPatternKind::Choice(parts) => {
                for part in parts {
                    self.edges(part, names, symbols, edges, (from, to))?;
                }
            }
            EventsPatternKind::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = edges.add();
                    self.edges(part, names, symbols, edges, (at, next))?;
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
                    if round >= least {
                        edges.silent[at].push(to);
                    }
                    let next = edges.add();
                    self.edges(inner, names, symbols, edges, (at, next))?;
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

fn number_of(symbols: &mut Vec<Event>, event: Event) -> usize {
    let same = |known: &Event| known.takes == event.takes && known.guard == event.guard && known.values == event.values;
    symbols.iter().position(same).unwrap_or_else(|| {
        symbols.push(event);
        symbols.len() - 1
    })
}

/// That an event happens, for given values of the variables.
fn condition(event: &Event) -> Expr {
    let values = event
        .values
        .iter()
        .flat_map(|(element, variable)| [is_there(element.clone()), is(element.clone(), Expr::Local(*variable))]);
    Expr::all(event.guard.iter().cloned().chain(values))
}

/// The automaton that is in one state at a time: the states of every suffix, and whether an event was just seen with which
/// one of them ends.
fn determined(edges: &Edges, start: usize, end: usize, symbols: usize) -> Option<Automaton> {
    let fresh = edges.closed([start]);
    let mut states: Vec<(BTreeSet<usize>, bool)> = vec![(fresh.clone(), false)];
    let mut numbers: HashMap<(BTreeSet<usize>, bool), usize> = HashMap::from([(states[0].clone(), 0)]);
    let mut nodes: Vec<Node> = vec![];
    let mut known_nodes: HashMap<Node, usize> = HashMap::new();
    let mut next = vec![];
    while next.len() < states.len() {
        let here = states[next.len()].0.clone();
        // Tests from the last one to the first: what is reached with each set of symbols that are true.
        let mut grower = Grower {
            edges,
            here: &here,
            fresh: &fresh,
            end,
            symbols,
            states: &mut states,
            numbers: &mut numbers,
            nodes: &mut nodes,
            known_nodes: &mut known_nodes,
            known: HashMap::new(),
        };
        let root = grower.grow(0, BTreeSet::new(), false)?;
        next.push(root);
    }
    let states = states.iter().zip(next).map(|((_, accepts), next)| State { next, accepts: *accepts, verdict: None });
    Some(Automaton { nodes, states: states.collect(), start: 0 })
}

struct Grower<'g> {
    edges: &'g Edges,
    here: &'g BTreeSet<usize>,
    fresh: &'g BTreeSet<usize>,
    end: usize,
    symbols: usize,
    states: &'g mut Vec<(BTreeSet<usize>, bool)>,
    numbers: &'g mut HashMap<(BTreeSet<usize>, bool), usize>,
    nodes: &'g mut Vec<Node>,
    known_nodes: &'g mut HashMap<Node, usize>,
    known: HashMap<(usize, BTreeSet<usize>, bool), usize>,
}

impl Grower<'_> {
    /// The node for the tests from a symbol on; `reached` is where the true ones before it lead.
    fn grow(&mut self, symbol: usize, reached: BTreeSet<usize>, is_seen: bool) -> Option<usize> {
        let key = (symbol, reached, is_seen);
        if let Some(node) = self.known.get(&key) {
            return Some(*node);
        }
        let node = if symbol == self.symbols {
            Node::Leaf(self.state(&key.1, is_seen)?)
        } else {
            let mut more = key.1.clone();
            for state in self.here {
                more.extend(self.edges.seen[*state].iter().filter(|(s, _)| *s == symbol).map(|(_, to)| *to));
            }
            let yes = self.grow(symbol + 1, more, true)?;
            let no = self.grow(symbol + 1, key.1.clone(), is_seen)?;
            if yes == no {
                self.known.insert(key, yes);
                return Some(yes);
            }
            Node::Test(symbol, yes, no)
        };
        let number = match self.known_nodes.get(&node) {
            Some(number) => *number,
            None => {
                self.nodes.push(node);
                self.known_nodes.insert(node, self.nodes.len() - 1);
                self.nodes.len() - 1
            }
        };
        self.known.insert(key, number);
        (self.nodes.len() <= MAX_NODES).then_some(number)
    }

    fn state(&mut self, reached: &BTreeSet<usize>, is_seen: bool) -> Option<usize> {
        let state = if is_seen {
            let mut closed = self.edges.closed(reached.iter().copied());
            let accepts = closed.contains(&self.end);
            closed.extend(self.fresh);
            (closed, accepts)
        } else {
            (self.here.clone(), false)
        };
        if let Some(number) = self.numbers.get(&state) {
            return Some(*number);
        }
        let number = self.states.len();
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        (self.states.len() <= MAX_STATES).then_some(number)
    }
}

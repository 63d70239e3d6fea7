//! From acceptors to history rules: one rule for each state.
//!
//! Where some values of the variables are enough, they are open values of the whole run. Where all values count, a rule begins
//! to follow a value when a step mentions it, in the state of the values that were not mentioned before; a rule that follows
//! the same value once more asks for nothing new in most automata, and where it could, values are remembered.

use std::collections::{BTreeMap, BTreeSet};

use super::{Acceptor, Automaton, Node};
use crate::history::{Clause, Formula, Rule, RuleUse, When};
use crate::term::{BinaryOp, Builtin, Expr, Pattern, Value};

/// Most atoms and states of an automaton in which repeated mentions are compared.
const MAX_COMPARED: (usize, usize) = (10, 64);

/// Most values of variables that are followed one by one from the first step on.
const MAX_ASSIGNMENTS: usize = 64;

/// An acceptor as rules.
pub struct AsRules {
    /// The rules; they refer to each other by their numbers in the whole monitor.
    pub rules: Vec<Rule>,
    /// Lists they look at.
    pub lists: Vec<Expr>,
    /// What is to be shown, over these lists.
    pub formula: Formula,
}

/// Rules for all values of several variables would have to remember all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyValues;

impl Acceptor {
    /// The acceptor as rules, of which the first has this number. Variables of which some values are wanted are open values from
    /// `open` on.
    pub fn rules(&self, first: usize, open: usize) -> Result<AsRules, TooManyValues> {
        let ends = Ends::of(self);
        if self.variables.is_empty() || !self.for_all {
            return Ok(self.plain(first, open, &ends));
        }
        let mut following =
            Following { acceptor: self, ends: &ends, first, remembers: false, numbers: BTreeMap::new(), rules: vec![] };
        if let Some(all) = self.assignments() {
            return Ok(following.each(all));
        }
        following.remembers = !is_harmless(&self.automaton, self);
        if following.remembers && self.variables.len() > 1 {
            return Err(TooManyValues);
        }
        Ok(following.all())
    }

    /// All values of all variables, if they are few.
    fn assignments(&self) -> Option<Vec<Vec<Value>>> {
        let mut all = vec![vec![]];
        for variable in &self.variables {
            let values = variable.values.as_ref()?;
            all = all
                .iter()
                .flat_map(|known| values.iter().map(|value| [&known[..], std::slice::from_ref(value)].concat()))
                .collect();
            if all.len() > MAX_ASSIGNMENTS {
                return None;
            }
        }
        Some(all)
    }

    /// One rule for each state, over one list for each atom.
    fn plain(&self, first: usize, open: usize, ends: &Ends) -> AsRules {
        let lists: Vec<Expr> =
            self.atoms.iter().map(|atom| atom.condition.renumber_locals(&|local| local + open)).collect();
        let all: Vec<usize> = (0..lists.len()).collect();
        let goes_to = |state: usize| match ends.decided(state) {
            Some(truth) => Formula::Decided(truth),
            None => Formula::Use(RuleUse { rule: first + state, lists: all.clone(), args: vec![] }),
        };
        let rules = (0..self.automaton.states.len()).map(|state| {
            let mut clauses = vec![at_stop(ends.accepts[state])];
            paths(&self.automaton, self.automaton.states[state].next, &mut vec![], &mut |atoms, next| {
                let guard = Expr::all(atoms.iter().map(|atom| is_true(*atom)));
                clauses.push(Clause { when: When::Element, guard, becomes: goes_to(next) });
            });
            Rule { name: format!("state {}", state + 1), lists: lists.len(), params: 0, clauses }
        });
        AsRules { rules: rules.collect(), formula: goes_to(self.automaton.start), lists }
    }
}

fn at_stop(accepts: bool) -> Clause {
    Clause { when: When::Stop, guard: Expr::TRUE, becomes: Formula::Decided(accepts) }
}

fn is_true(list: usize) -> Expr {
    Expr::Test(Box::new(Expr::Local(list)), Pattern::Equal(Box::new(Expr::TRUE)))
}

/// The ways through a tree of tests, in the order in which clauses are looked at: what was not true is clear from the ones before.
fn paths(automaton: &Automaton, node: usize, true_atoms: &mut Vec<usize>, f: &mut dyn FnMut(&[usize], usize)) {
    match automaton.nodes[node] {
        Node::Leaf(state) => f(true_atoms, state),
        Node::Test(atom, yes, no) => {
            true_atoms.push(atom);
            paths(automaton, yes, true_atoms, f);
            true_atoms.pop();
            paths(automaton, no, true_atoms, f);
        }
    }
}

/// How runs can end from each state.
struct Ends {
    accepts: Vec<bool>,
    can_accept: Vec<bool>,
    can_reject: Vec<bool>,
}

impl Ends {
    fn of(acceptor: &Acceptor) -> Ends {
        let automaton = &acceptor.automaton;
        let next: Vec<BTreeSet<usize>> =
            automaton.states.iter().map(|state| automaton.successors(state.next)).collect();
        let accepts: Vec<bool> = automaton.states.iter().map(|state| state.accepts).collect();
        let reaches = |goal: Vec<bool>| {
            let mut reaches = goal;
            loop {
                let more: Vec<bool> =
                    (0..next.len()).map(|state| reaches[state] || next[state].iter().any(|n| reaches[*n])).collect();
                if more == reaches {
                    return reaches;
                }
                reaches = more;
            }
        };
        let can_accept = reaches(accepts.clone());
        let mut can_reject = reaches(accepts.iter().map(|accepts| !accepts).collect());
        if acceptor.is_match {
            // One match is enough.
            for (state, accepts) in accepts.iter().enumerate() {
                can_reject[state] &= !accepts;
            }
        }
        Ends { accepts, can_accept, can_reject }
    }

    /// What is certain of every end.
    fn decided(&self, state: usize) -> Option<bool> {
        match (self.can_accept[state], self.can_reject[state]) {
            (false, _) => Some(false),
            (_, false) => Some(true),
            _ => None,
        }
    }
}

impl Automaton {
    /// States that a tree of tests can lead to.
    pub(super) fn successors(&self, node: usize) -> BTreeSet<usize> {
        let mut out = BTreeSet::new();
        paths(self, node, &mut vec![], &mut |_, state| {
            out.insert(state);
        });
        out
    }
}

/// Whether following a value from a later mention on asks for nothing that following it from the first one does not ask for.
fn is_harmless(automaton: &Automaton, acceptor: &Acceptor) -> bool {
    let (atoms, count) = (acceptor.atoms.len(), automaton.states.len());
    if atoms > MAX_COMPARED.0 || count > MAX_COMPARED.1 {
        return false;
    }
    let letters = 1u32 << atoms;
    let next: Vec<Vec<usize>> = (0..count)
        .map(|state| (0..letters).map(|letter| automaton.next(state, |atom| letter >> atom & 1 == 1)).collect())
        .collect();
    // Pairs of states of which the first accepts something that the second does not.
    let mut more: Vec<bool> = (0..count * count)
        .map(|p| automaton.states[p / count].accepts && !automaton.states[p % count].accepts)
        .collect();
    loop {
        let mut changed = false;
        for pair in 0..count * count {
            let (a, b) = (pair / count, pair % count);
            if !more[pair] && (0..letters as usize).any(|l| more[next[a][l] * count + next[b][l]]) {
                more[pair] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mentions: u32 =
        acceptor.atoms.iter().enumerate().filter(|(_, atom)| !atom.fixes.is_empty()).map(|(n, _)| 1 << n).sum();
    // A value that was followed, beside values of which fewer mentions were seen.
    let mut seen = BTreeSet::from([(automaton.start, automaton.start)]);
    let mut waiting = vec![(automaton.start, automaton.start)];
    while let Some((followed, other)) = waiting.pop() {
        for letter in 0..letters {
            let now = next[followed][letter as usize];
            if letter & mentions != 0 && more[now * count + next[other][letter as usize]] {
                return false;
            }
            // The other one sees any part of the mentions.
            let mut part = letter & mentions;
            loop {
                let fewer = letter & !mentions | part;
                let pair = (now, next[other][fewer as usize]);
                if seen.insert(pair) {
                    waiting.push(pair);
                }
                if part == 0 {
                    break;
                }
                part = (part - 1) & letter & mentions;
            }
        }
    }
    true
}

/// A rule: its state, the variables whose values it follows, and the same of the rule that it began from, if there is one. Where
/// both are in the same state, the other one says all there is to say.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Follows {
    state: usize,
    variables: Vec<usize>,
    began: Option<(usize, Vec<usize>)>,
}

/// Where the value of a variable comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    /// A parameter of the rule.
    Param(usize),
    /// What an atom reads off the step.
    Atom(usize),
}

/// Something that must be known of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    /// An atom without variables is true.
    True(usize),
    /// An atom is true for some values of its variables.
    Mentioned(usize),
    /// An atom mentions a variable with this value.
    Equal(usize, usize, From),
    /// The value that an atom mentions was mentioned before.
    Remembered(usize),
}

/// Makes rules that follow values.
struct Following<'a> {
    acceptor: &'a Acceptor,
    ends: &'a Ends,
    first: usize,
    remembers: bool,
    numbers: BTreeMap<Follows, usize>,
    rules: Vec<Option<Rule>>,
}

impl Following<'_> {
    fn all(mut self) -> AsRules {
        let lists = self.lists();
        let start = Follows { state: self.acceptor.automaton.start, variables: vec![], began: None };
        let formula = self.rule(start, vec![]);
        let formula = match formula {
            // Nothing was mentioned yet.
            Formula::Use(used) if self.remembers => {
                Formula::Use(RuleUse { args: vec![Expr::Const(Value::List(vec![].into()))], ..used })
            }
            other => other,
        };
        AsRules { rules: self.rules.into_iter().flatten().collect(), lists, formula }
    }

    /// Follows these values, and no others.
    fn each(mut self, all: Vec<Vec<Value>>) -> AsRules {
        let lists = self.lists();
        let variables: Vec<usize> = (0..self.acceptor.variables.len()).collect();
        let parts = all.into_iter().map(|values| {
            let state = self.acceptor.automaton.start;
            let follows = Follows { state, variables: variables.clone(), began: None };
            self.rule(follows, values.into_iter().map(Expr::Const).collect())
        });
        let formula = Formula::All(parts.collect());
        AsRules { rules: self.rules.into_iter().flatten().collect(), lists, formula }
    }

    /// For an atom without variables its truth, for others the values that they mention, absent if they do not.
    fn lists(&self) -> Vec<Expr> {
        let mut lists = vec![];
        for atom in &self.acceptor.atoms {
            if atom.fixes.is_empty() {
                lists.push(atom.condition.clone());
            }
            for (_, value) in &atom.fixes {
                let held = atom.condition.map_leaves(&mut |leaf| match leaf {
                    Expr::Local(local) => {
                        atom.fixes.iter().find(|(variable, _)| variable == local).map(|(_, value)| value.clone())
                    }
                    _ => None,
                });
                let absent = Box::new(Expr::Const(Value::Absent));
                lists.push(Expr::If(Box::new(held), Box::new(value.clone()), absent));
            }
        }
        lists
    }

    /// The list of an atom, or of the value it has for a variable.
    fn list(&self, atom: usize, variable: Option<usize>) -> usize {
        let before: usize = self.acceptor.atoms[..atom].iter().map(|atom| atom.fixes.len().max(1)).sum();
        let fixes = &self.acceptor.atoms[atom].fixes;
        before + fixes.iter().position(|(fixed, _)| Some(*fixed) == variable).unwrap_or(0)
    }

    fn list_count(&self) -> usize {
        self.acceptor.atoms.iter().map(|atom| atom.fixes.len().max(1)).sum()
    }

    /// The rule that follows values from a state on, with arguments.
    fn rule(&mut self, follows: Follows, args: Vec<Expr>) -> Formula {
        if let Some(truth) = self.ends.decided(follows.state) {
            return Formula::Decided(truth);
        }
        // Where values are remembered, nobody begins to follow one again.
        if !self.remembers && follows.began.as_ref().is_some_and(|(state, _)| *state == follows.state) {
            return Formula::Decided(true);
        }
        let number = match self.numbers.get(&follows) {
            Some(number) => *number,
            None => {
                let number = self.rules.len();
                self.numbers.insert(follows.clone(), number);
                self.rules.push(None);
                let remembers = self.remembers && follows.variables.is_empty();
                let mut clauses = vec![at_stop(self.ends.accepts[follows.state])];
                self.clauses(&follows, &mut BTreeMap::new(), &mut clauses);
                let params = follows.variables.len() + usize::from(remembers);
                let names = follows.variables.iter().map(|variable| self.acceptor.variables[*variable].name.as_str());
                let name = format!("state {} of {}", follows.state + 1, names.collect::<Vec<_>>().join(", "));
                self.rules[number] = Some(Rule { name, lists: self.list_count(), params, clauses });
                number
            }
        };
        let lists = (0..self.list_count()).collect();
        Formula::Use(RuleUse { rule: self.first + number, lists, args })
    }

    /// Clauses for all combinations of facts that matter.
    fn clauses(&mut self, follows: &Follows, facts: &mut BTreeMap<Fact, bool>, out: &mut Vec<Clause>) {
        match self.becomes(follows, facts) {
            Ok(becomes) => {
                let known = facts.iter().filter(|(_, truth)| **truth);
                let known = known.map(|(fact, _)| self.guard(*fact, &follows.variables));
                let guard = Expr::all(known);
                out.push(Clause { when: When::Element, guard, becomes });
            }
            Err(fact) => {
                for truth in [true, false] {
                    facts.insert(fact, truth);
                    self.clauses(follows, facts, out);
                }
                facts.remove(&fact);
            }
        }
    }

    fn guard(&self, fact: Fact, variables: &[usize]) -> Expr {
        let local = |list: usize| Box::new(Expr::Local(list));
        let param = |variable: usize| {
            let place = variables.iter().position(|known| *known == variable).unwrap_or_default();
            Expr::Local(self.list_count() + place)
        };
        match fact {
            Fact::True(atom) => is_true(self.list(atom, None)),
            Fact::Mentioned(atom) => Expr::Test(local(self.list(atom, None)), Pattern::Any),
            Fact::Equal(atom, variable, from) => {
                let value = match from {
                    From::Param(variable) => param(variable),
                    From::Atom(other) => Expr::Local(self.list(other, Some(variable))),
                };
                Expr::Test(local(self.list(atom, Some(variable))), Pattern::Equal(Box::new(value)))
            }
            Fact::Remembered(atom) => {
                let seen = Expr::Local(self.list_count());
                Expr::Binary(BinaryOp::In, local(self.list(atom, None)), Box::new(seen))
            }
        }
    }

    /// What a rule becomes, if enough is known.
    fn becomes(&mut self, follows: &Follows, facts: &BTreeMap<Fact, bool>) -> Result<Formula, Fact> {
        let acceptor = self.acceptor;
        let Follows { state, variables, began } = follows;
        let state = *state;
        let own: BTreeMap<usize, From> = variables.iter().map(|variable| (*variable, From::Param(*variable))).collect();
        let next = self.next(state, &own, facts)?;
        let began = match began {
            Some((other, fewer)) => {
                let values = fewer.iter().map(|variable| (*variable, From::Param(*variable))).collect();
                Some((self.next(*other, &values, facts)?, fewer.clone()))
            }
            None => None,
        };
        let mut parts = vec![];
        let mut seen = Expr::Local(self.list_count());
        for (number, atom) in acceptor.atoms.iter().enumerate() {
            let is_new = atom.fixes.iter().any(|(variable, _)| !own.contains_key(variable));
            if !is_new || !self.fits(number, &own, facts)? {
                continue;
            }
            if self.remembers && know(facts, Fact::Remembered(number))? {
                continue;
            }
            let mut values = own.clone();
            for (variable, _) in &atom.fixes {
                values.entry(*variable).or_insert(From::Atom(number));
            }
            let state = self.next(state, &values, facts)?;
            let followed: Vec<usize> = values.keys().copied().collect();
            let args = values.iter().map(|(variable, from)| match from {
                From::Param(_) => {
                    let place = variables.iter().position(|known| known == variable).unwrap_or_default();
                    Expr::Local(self.list_count() + place)
                }
                From::Atom(atom) => Expr::Local(self.list(*atom, Some(*variable))),
            });
            let args: Vec<Expr> = args.collect();
            if self.remembers {
                seen = Expr::Builtin(Builtin::Append, vec![seen, args[0].clone()]);
            }
            let began = Some((next, variables.clone()));
            parts.push((Follows { state, variables: followed, began }, args));
        }
        let mut all: Vec<Formula> = parts.into_iter().map(|(follows, args)| self.rule(follows, args)).collect();
        let mut args: Vec<Expr> = (0..variables.len()).map(|place| Expr::Local(self.list_count() + place)).collect();
        if self.remembers && variables.is_empty() {
            args.push(seen);
        }
        all.push(self.rule(Follows { state: next, variables: variables.clone(), began }, args));
        Ok(Formula::All(all))
    }

    /// Whether an atom is true with the values that are followed, as far as it mentions these.
    fn fits(&self, atom: usize, own: &BTreeMap<usize, From>, facts: &BTreeMap<Fact, bool>) -> Result<bool, Fact> {
        if !know(facts, Fact::Mentioned(atom))? {
            return Ok(false);
        }
        for (variable, _) in &self.acceptor.atoms[atom].fixes {
            if let Some(from) = own.get(variable)
                && !know(facts, Fact::Equal(atom, *variable, *from))?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The next state for values of some variables; the others have values that are not mentioned.
    fn next(&self, state: usize, values: &BTreeMap<usize, From>, facts: &BTreeMap<Fact, bool>) -> Result<usize, Fact> {
        let mut missing = None;
        let next = self.acceptor.automaton.next(state, |number| {
            if missing.is_some() {
                return false;
            }
            match self.holds(number, values, facts) {
                Ok(truth) => truth,
                Err(fact) => {
                    missing = Some(fact);
                    false
                }
            }
        });
        missing.map_or(Ok(next), Err)
    }

    fn holds(&self, number: usize, values: &BTreeMap<usize, From>, facts: &BTreeMap<Fact, bool>) -> Result<bool, Fact> {
        let atom = &self.acceptor.atoms[number];
        if atom.fixes.is_empty() {
            return know(facts, Fact::True(number));
        }
        if atom.fixes.iter().any(|(variable, _)| !values.contains_key(variable)) {
            return Ok(false);
        }
        if !know(facts, Fact::Mentioned(number))? {
            return Ok(false);
        }
        for (variable, _) in &atom.fixes {
            let from = values[variable];
            if from != From::Atom(number) && !know(facts, Fact::Equal(number, *variable, from))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn know(facts: &BTreeMap<Fact, bool>, fact: Fact) -> Result<bool, Fact> {
    facts.get(&fact).copied().ok_or(fact)
}

//! From acceptors to history rules: one rule for each state.
//!
//! Where some values of the variables are enough, they are open values of the whole run. Where all values count, a rule begins
//! to follow a value when a step mentions it, in the state of the values that were not mentioned before; a rule that follows
//! the same value once more asks for nothing new in most automata, and where it could, values are remembered.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::decide::{Decider, is_true};
use super::explore::TooLarge;
use super::{Acceptor, Automaton, MAX_LISTED};
use crate::history::{Clause, Formula, Rule, RuleUse, When};
use crate::term::{BinaryOp, Builtin, Expr, Pattern, Value};

/// Most atoms and states of an automaton in which repeated mentions are compared.
const MAX_COMPARED: (usize, usize) = (10, 64);

/// Most values of variables that are followed one by one from the first step on without need.
const MAX_ASSIGNMENTS: usize = 64;

/// Most clauses of all rules that follow values.
const MAX_CLAUSES: usize = 20_000;

/// An acceptor as rules.
pub struct AsRules {
    /// The rules; they refer to each other by their numbers in the whole monitor.
    pub rules: Vec<Rule>,
    /// Lists they look at.
    pub lists: Vec<Expr>,
    /// What is to be shown, over these lists.
    pub formula: Formula,
}

/// Why an acceptor has no rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRules {
    /// For all values of several variables they would have to remember all of them.
    SeveralVariables,
    /// There are more than anybody can look at.
    TooLarge,
}

impl std::convert::From<TooLarge> for NoRules {
    fn from(TooLarge: TooLarge) -> NoRules {
        NoRules::TooLarge
    }
}

impl Acceptor {
    /// The acceptor as rules, of which the first has this number. Variables of which some values are wanted are open values from
    /// `open` on.
    pub fn rules(&self, first: usize, open: usize) -> Result<AsRules, NoRules> {
        if self.variables.is_empty() || !self.for_all {
            return self.plain_rules(first, &|local| local + open);
        }
        let ends = Ends::of(self);
        let mut following = Following {
            acceptor: self,
            ends: &ends,
            first,
            remembers: false,
            numbers: BTreeMap::new(),
            rules: vec![],
            waiting: VecDeque::new(),
            clauses_left: MAX_CLAUSES,
        };
        let listed = self.listed(MAX_ASSIGNMENTS);
        if listed.len() < self.variables.len() {
            following.remembers = !is_harmless(&self.automaton, self);
            if following.remembers && self.variables.len() > 1 {
                return Err(NoRules::SeveralVariables);
            }
        }
        match listed.is_empty() {
            true => following.all(),
            false => following.each(&listed),
        }
    }

    /// All values of some variables.
    fn assignments(&self, variables: &[usize]) -> Result<Vec<Vec<Value>>, NoRules> {
        let mut all = vec![vec![]];
        for variable in variables {
            let values = self.variables[*variable].values.as_ref().expect("the values are listed");
            if all.len() * values.len() > MAX_LISTED {
                return Err(NoRules::TooLarge);
            }
            all = all
                .iter()
                .flat_map(|known| values.iter().map(|value| [&known[..], std::slice::from_ref(value)].concat()))
                .collect();
        }
        Ok(all)
    }

    /// One rule for each state, over one list for each atom. Its variables, and what conditions bind after these, are the locals that
    /// `number` says.
    pub fn plain_rules(&self, first: usize, number: &impl Fn(usize) -> usize) -> Result<AsRules, NoRules> {
        let ends = Ends::of(self);
        let lists: Vec<Expr> = self.atoms.iter().map(|atom| atom.condition.renumber_locals(number)).collect();
        let all: Vec<usize> = (0..lists.len()).collect();
        let goes_to = |state: usize| match ends.decided(state) {
            Some(truth) => Formula::Decided(truth),
            None => Formula::Use(RuleUse { rule: first + state, lists: all.clone(), args: vec![] }),
        };
        let mut decider = Decider::new(&self.automaton, lists.len());
        let mut rules = vec![];
        for (number, state) in self.automaton.states.iter().enumerate() {
            let guards = decider.guards(state.next)?.into_iter();
            let clauses = guards.map(|(guard, next)| Clause { when: When::Element, guard, becomes: goes_to(next) });
            let clauses = [at_stop(ends.accepts[number])].into_iter().chain(clauses).collect();
            rules.push(Rule { name: format!("state {}", number + 1), lists: lists.len(), params: 0, clauses });
        }
        Ok(AsRules { rules, formula: goes_to(self.automaton.start), lists })
    }
}

fn at_stop(accepts: bool) -> Clause {
    Clause { when: When::Stop, guard: Expr::TRUE, becomes: Formula::Decided(accepts) }
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
    rules: Vec<Rule>,
    /// Rules that have a number, and are still to be made.
    waiting: VecDeque<Follows>,
    /// How many clauses there may still be.
    clauses_left: usize,
}

impl Following<'_> {
    fn all(mut self) -> Result<AsRules, NoRules> {
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
        self.made()?;
        Ok(AsRules { rules: self.rules, lists, formula })
    }

    /// Follows all values of these variables from the first step on; of the others those that a step mentions.
    fn each(mut self, variables: &[usize]) -> Result<AsRules, NoRules> {
        let lists = self.lists();
        let all = self.acceptor.assignments(variables)?;
        let parts = all.into_iter().map(|values| {
            let state = self.acceptor.automaton.start;
            let follows = Follows { state, variables: variables.to_vec(), began: None };
            self.rule(follows, values.into_iter().map(Expr::Const).collect())
        });
        let formula = Formula::All(parts.collect());
        self.made()?;
        Ok(AsRules { rules: self.rules, lists, formula })
    }

    /// Makes the rules that others lead to.
    fn made(&mut self) -> Result<(), NoRules> {
        while let Some(follows) = self.waiting.pop_front() {
            let remembers = self.remembers && follows.variables.is_empty();
            let mut clauses = vec![at_stop(self.ends.accepts[follows.state])];
            self.clauses(&follows, &mut BTreeMap::new(), &mut clauses)?;
            let params = follows.variables.len() + usize::from(remembers);
            let names = follows.variables.iter().map(|variable| self.acceptor.variables[*variable].name.as_str());
            let name = format!("state {} of {}", follows.state + 1, names.collect::<Vec<_>>().join(", "));
            self.rules.push(Rule { name, lists: self.list_count(), params, clauses });
        }
        Ok(())
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
        let place = variable.map_or(0, |variable| {
            let of_variable = |(fixed, _): &(usize, _)| *fixed == variable;
            fixes.iter().position(of_variable).expect("the atom fixes the variable")
        });
        before + place
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
        let fresh = self.numbers.len();
        let number = *self.numbers.entry(follows).or_insert_with_key(|follows| {
            self.waiting.push_back(follows.clone());
            fresh
        });
        let lists = (0..self.list_count()).collect();
        Formula::Use(RuleUse { rule: self.first + number, lists, args })
    }

    /// Clauses for all combinations of facts that matter.
    fn clauses(
        &mut self,
        follows: &Follows,
        facts: &mut BTreeMap<Fact, bool>,
        out: &mut Vec<Clause>,
    ) -> Result<(), NoRules> {
        match self.becomes(follows, facts) {
            Ok(becomes) => {
                self.clauses_left = self.clauses_left.checked_sub(1).ok_or(NoRules::TooLarge)?;
                let known = facts.iter().filter(|(_, truth)| **truth);
                let known = known.map(|(fact, _)| self.guard(*fact, &follows.variables));
                let guard = Expr::all(known);
                out.push(Clause { when: When::Element, guard, becomes });
            }
            Err(fact) => {
                for truth in [true, false] {
                    facts.insert(fact, truth);
                    self.clauses(follows, facts, out)?;
                }
                facts.remove(&fact);
            }
        }
        Ok(())
    }

    /// The parameter with the value of a variable, in a rule that follows these.
    fn param(&self, variable: usize, followed: &[usize]) -> Expr {
        let place = followed.iter().position(|known| *known == variable).expect("its values are followed");
        Expr::Local(self.list_count() + place)
    }

    fn guard(&self, fact: Fact, variables: &[usize]) -> Expr {
        let local = |list: usize| Box::new(Expr::Local(list));
        match fact {
            Fact::True(atom) => is_true(self.list(atom, None)),
            Fact::Mentioned(atom) => Expr::Test(local(self.list(atom, None)), Pattern::Any),
            Fact::Equal(atom, variable, from) => {
                let value = match from {
                    From::Param(variable) => self.param(variable, variables),
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
        for values in self.mentioned(&own, facts)? {
            let state = self.next(state, &values, facts)?;
            let followed: Vec<usize> = values.keys().copied().collect();
            let args = values.iter().map(|(variable, from)| match from {
                From::Param(_) => self.param(*variable, variables),
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

    /// The values that a step mentions beside these, with these: those of one atom, and those of several together.
    fn mentioned(
        &self,
        own: &BTreeMap<usize, From>,
        facts: &BTreeMap<Fact, bool>,
    ) -> Result<Vec<BTreeMap<usize, From>>, Fact> {
        let mut met = vec![own.clone()];
        let mut extended = 0;
        while extended < met.len() {
            for (number, atom) in self.acceptor.atoms.iter().enumerate() {
                let known = &met[extended];
                let is_new = atom.fixes.iter().any(|(variable, _)| !known.contains_key(variable));
                if !is_new || !self.fits(number, known, facts)? {
                    continue;
                }
                if self.remembers && know(facts, Fact::Remembered(number))? {
                    continue;
                }
                let mut values = known.clone();
                for (variable, _) in &atom.fixes {
                    values.entry(*variable).or_insert(From::Atom(number));
                }
                if !met.contains(&values) {
                    met.push(values);
                }
            }
            extended += 1;
        }
        Ok(met.split_off(1))
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

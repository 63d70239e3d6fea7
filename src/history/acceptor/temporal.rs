//! Formulas of linear-time logic, and their automata.
//!
//! Whether a formula holds at a position depends on the step there, on what was so one position earlier, and on what will be
//! so one position later. A state is the set of all guesses about the next position that agree with the steps so far, as a
//! Boolean function: one variable for each `next` that is guessed, one for each `yesterday` that is remembered, and one for
//! the formula at the first position. A run that ends settles the guesses: there is no next position. A run that goes on for
//! ever may guess what it likes as long as every promise is kept one day; what no such run guesses is not possible, and where
//! only one value of the formula is left, that is its verdict (three-valued linear-time logic).

use rustc_hash::FxHashMap;

use super::diagram::{Diagrams, FALSE, Function, TRUE};
use super::explore::{Explorer, TooLarge};
use super::{Automaton, Node, State};

/// Every part of a formula that is guessed or remembered has a place from the beginning.
const PLACED: &str = "each part has a place";

/// A formula over atoms, at one position of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Temporal {
    /// True, or false.
    Truth(bool),
    /// A condition on the step, by number.
    Atom(usize),
    /// The contrary.
    Not(Box<Temporal>),
    /// Both.
    And(Box<Temporal>, Box<Temporal>),
    /// One of them.
    Or(Box<Temporal>, Box<Temporal>),
    /// At the next position; at the last one only if it is weak.
    Next(Box<Temporal>, Strength),
    /// The first up to where the second holds; if it is weak, the second need not come.
    Until(Box<Temporal>, Box<Temporal>, Strength),
    /// At the position before; at the first one only if it is weak.
    Yesterday(Box<Temporal>, Strength),
    /// The first since the second held; if it is weak, the second need not have been.
    Since(Box<Temporal>, Box<Temporal>, Strength),
}

/// Whether something has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// It has to.
    Strong,
    /// It need not.
    Weak,
}

use Strength::{Strong, Weak};

impl Temporal {
    /// The contrary.
    pub fn negated(self) -> Temporal {
        match self {
            Temporal::Not(inner) => *inner,
            Temporal::Truth(truth) => Temporal::Truth(!truth),
            other => Temporal::Not(Box::new(other)),
        }
    }

    /// Both.
    pub fn and(self, other: Temporal) -> Temporal {
        Temporal::And(Box::new(self), Box::new(other))
    }

    /// One of them.
    pub fn or(self, other: Temporal) -> Temporal {
        Temporal::Or(Box::new(self), Box::new(other))
    }

    /// The second if the first.
    pub fn implies(self, other: Temporal) -> Temporal {
        self.negated().or(other)
    }

    /// The first up to where the second holds.
    pub fn until(self, other: Temporal) -> Temporal {
        Temporal::Until(Box::new(self), Box::new(other), Strong)
    }

    /// The first up to where the second holds, or for ever.
    pub fn weak_until(self, other: Temporal) -> Temporal {
        Temporal::Until(Box::new(self), Box::new(other), Weak)
    }

    /// Now or later.
    pub fn eventually(self) -> Temporal {
        Temporal::Truth(true).until(self)
    }

    /// From now on.
    pub fn always(self) -> Temporal {
        self.weak_until(Temporal::Truth(false))
    }

    /// The second up to where the first holds as well, or for ever: it does not fail before the first has held.
    pub fn release(self, other: Temporal) -> Temporal {
        self.negated().until(other.negated()).negated()
    }

    /// The first since the second held.
    pub fn since(self, other: Temporal) -> Temporal {
        Temporal::Since(Box::new(self), Box::new(other), Strong)
    }

    /// Now or before.
    pub fn once(self) -> Temporal {
        Temporal::Truth(true).since(self)
    }

    /// Up to now.
    pub fn historically(self) -> Temporal {
        Temporal::Since(Box::new(self), Box::new(Temporal::Truth(false)), Weak)
    }

    /// Formulas that hold together where this one does.
    pub fn conjuncts(&self) -> Vec<Temporal> {
        match self {
            Temporal::And(f, g) => [f, g].into_iter().flat_map(|part| part.conjuncts()).collect(),
            Temporal::Not(inner) => match &**inner {
                Temporal::Or(f, g) => {
                    [f, g].into_iter().flat_map(|part| (**part).clone().negated().conjuncts()).collect()
                }
                _ => vec![self.clone()],
            },
            Temporal::Until(f, g, Weak) if **g == Temporal::Truth(false) => {
                f.conjuncts().into_iter().map(Temporal::always).collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// Whether it holds of a run without positions: no condition is true there, and what is said of all positions is.
    fn holds_nowhere(&self) -> bool {
        match self {
            Temporal::Truth(truth) => *truth,
            Temporal::Atom(_) => false,
            Temporal::Not(inner) => !inner.holds_nowhere(),
            Temporal::And(f, g) => f.holds_nowhere() && g.holds_nowhere(),
            Temporal::Or(f, g) => f.holds_nowhere() || g.holds_nowhere(),
            Temporal::Next(_, strength)
            | Temporal::Until(_, _, strength)
            | Temporal::Yesterday(_, strength)
            | Temporal::Since(_, _, strength) => *strength == Weak,
        }
    }

    fn parts(&self) -> Vec<&Temporal> {
        match self {
            Temporal::Truth(_) | Temporal::Atom(_) => vec![],
            Temporal::Not(f) | Temporal::Next(f, _) | Temporal::Yesterday(f, _) => vec![f],
            Temporal::And(f, g) | Temporal::Or(f, g) | Temporal::Until(f, g, _) | Temporal::Since(f, g, _) => {
                vec![f, g]
            }
        }
    }

    /// Whether it looks at later positions.
    fn looks_ahead(&self) -> bool {
        matches!(self, Temporal::Next(..) | Temporal::Until(..)) || self.parts().iter().any(|part| part.looks_ahead())
    }

    /// Whether what was so earlier depends on what came later.
    fn mixes(&self) -> bool {
        let is_past = matches!(self, Temporal::Yesterday(..) | Temporal::Since(..));
        is_past && self.looks_ahead() || self.parts().iter().any(|part| part.mixes())
    }

    /// Calls `f` with every part, inner ones first.
    fn each<'t>(&'t self, f: &mut dyn FnMut(&'t Temporal)) {
        self.parts().into_iter().for_each(|part| part.each(f));
        f(self);
    }
}

/// The automaton of a formula over so many atoms, of which some cannot be true together.
pub fn automaton(formula: &Temporal, atoms: usize, exclusive: &[Exclusion]) -> Result<Automaton, TooLarge> {
    let mut tableau = Tableau::new(formula, atoms, exclusive);
    let start = tableau.start();
    let fair = tableau.fair()?;
    Explorer::new(&mut tableau, start, |tableau, state| tableau.judged(state, fair)).automaton()
}

/// The automaton that decides only where a prefix explains itself; none where what was so earlier depends on what comes later.
pub fn informative(formula: &Temporal, atoms: usize, exclusive: &[Exclusion]) -> Result<Option<Automaton>, TooLarge> {
    if formula.mixes() {
        return Ok(None);
    }
    let mut promises = Promises::new(formula, atoms, exclusive, formula.holds_nowhere());
    let start = promises.start();
    Explorer::new(&mut promises, start, |promises, state| promises.judged(state)).automaton().map(Some)
}

/// Whether a formula is about safety: every run that breaks it has a beginning that no continuation can mend.
pub fn is_safety(formula: &Temporal, atoms: usize, exclusive: &[Exclusion]) -> Result<bool, TooLarge> {
    let mut tableau = Tableau::new(formula, atoms, exclusive);
    let start = tableau.start();
    let fair = tableau.fair()?;
    tableau.is_safety(start, fair)
}

/// Which atoms are not true together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// Not both.
    NotBoth(usize, usize),
    /// The second is true wherever the first is.
    Implied(usize, usize),
}

/// Which letters there are.
fn possible(diagrams: &mut Diagrams, exclusive: &[Exclusion]) -> Function {
    let mut all = TRUE;
    for exclusion in exclusive {
        let (a, b) = match exclusion {
            Exclusion::NotBoth(a, b) | Exclusion::Implied(a, b) => (*a, *b),
        };
        let (a, b) = (diagrams.variable(a), diagrams.variable(b));
        let b = if matches!(exclusion, Exclusion::NotBoth(..)) { diagrams.not(b) } else { b };
        let holds = diagrams.choose(a, b, TRUE);
        all = diagrams.and(all, holds);
    }
    all
}

/// What explores states as functions: one step gives a function whose first variables are the atoms.
pub(super) trait Steps {
    fn diagrams(&mut self) -> &mut Diagrams;
    /// How many atoms there are.
    fn atoms(&self) -> usize;
    /// Which letters there are.
    fn possible(&self) -> Function;
    /// The function of atoms, and of what a state is about, after one step.
    fn step(&mut self, state: Function) -> Function;
}

/// Numbers of variables, in blocks of this order: atoms, what is remembered of the position before, guesses made there, guesses
/// about the next position, what is remembered of this one, the value of the formula.
struct Places {
    atoms: usize,
    past: usize,
    ahead: usize,
}

impl Places {
    fn was(&self, number: usize) -> usize {
        self.atoms + number
    }

    fn guessed(&self, number: usize) -> usize {
        self.atoms + self.past + number
    }

    fn guess(&self, number: usize) -> usize {
        self.atoms + self.past + self.ahead + number
    }

    fn is(&self, number: usize) -> usize {
        self.atoms + self.past + 2 * self.ahead + number
    }

    fn value(&self) -> usize {
        self.atoms + 2 * self.past + 2 * self.ahead
    }
}

/// A formula whose truth elsewhere is guessed or remembered, and its value if there is no such position.
type Guessed<'f> = (&'f Temporal, bool);

/// Everything that is guessed or remembered, with what makes it true.
struct Tableau<'f> {
    diagrams: Diagrams,
    places: Places,
    possible: Function,
    /// Formulas whose truth at the next position is guessed: the formula, and its value if there is none.
    ahead: Vec<(&'f Temporal, bool)>,
    /// Formulas whose truth at the position before is remembered: the formula, and its value if there is none.
    past: Vec<(&'f Temporal, bool)>,
    /// What each guess must have been, over atoms, what was, and guesses.
    met: Vec<Function>,
    /// What is to be remembered of each, over the same.
    kept: Vec<Function>,
    /// Promises: what must happen again and again in a run that goes on for ever, over the same.
    promises: Vec<Function>,
}

impl<'f> Tableau<'f> {
    fn new(formula: &'f Temporal, atoms: usize, exclusive: &[Exclusion]) -> Tableau<'f> {
        let (mut ahead, mut past): (Vec<Guessed<'_>>, Vec<Guessed<'_>>) = (vec![], vec![]);
        let mut untils: Vec<&Temporal> = vec![];
        let add = |list: &mut Vec<(&'f Temporal, bool)>, entry: (&'f Temporal, bool)| {
            if !list.contains(&entry) {
                list.push(entry);
            }
        };
        formula.each(&mut |part| match part {
            Temporal::Next(inner, strength) => add(&mut ahead, (inner, *strength == Weak)),
            Temporal::Until(_, _, strength) => {
                add(&mut ahead, (part, *strength == Weak));
                if !untils.contains(&part) {
                    untils.push(part);
                }
            }
            Temporal::Yesterday(inner, strength) => add(&mut past, (inner, *strength == Weak)),
            Temporal::Since(_, _, strength) => add(&mut past, (part, *strength == Weak)),
            _ => {}
        });
        // The formula itself is guessed before the first position.
        let places = Places { atoms, past: past.len(), ahead: ahead.len() + 1 };
        let mut diagrams = Diagrams::new();
        let possible = possible(&mut diagrams, exclusive);
        let mut tableau =
            Tableau { diagrams, places, possible, ahead, past, met: vec![], kept: vec![], promises: vec![] };
        tableau.ahead.push((formula, formula.holds_nowhere()));
        tableau.met = (0..tableau.ahead.len()).map(|number| tableau.value(tableau.ahead[number].0)).collect();
        tableau.kept = (0..tableau.past.len()).map(|number| tableau.value(tableau.past[number].0)).collect();
        for until in untils {
            let Temporal::Until(f, g, strength) = until else { continue };
            let (whole, f, g) = (tableau.value(until), tableau.value(f), tableau.value(g));
            let d = &mut tableau.diagrams;
            let promise = match strength {
                Strong => d.choose(whole, g, TRUE),
                Weak => {
                    let either = d.or(f, g);
                    let neither = d.not(either);
                    d.or(whole, neither)
                }
            };
            tableau.promises.push(promise);
        }
        tableau
    }

    /// The value of a formula at a position.
    fn value(&mut self, formula: &Temporal) -> Function {
        let number = |list: &[(&Temporal, bool)], entry: (&Temporal, bool)| list.iter().position(|e| *e == entry);
        match formula {
            Temporal::Truth(truth) => self.diagrams.constant(*truth),
            Temporal::Atom(atom) => self.diagrams.variable(*atom),
            Temporal::Not(inner) => {
                let inner = self.value(inner);
                self.diagrams.not(inner)
            }
            Temporal::And(f, g) => {
                let (f, g) = (self.value(f), self.value(g));
                self.diagrams.and(f, g)
            }
            Temporal::Or(f, g) => {
                let (f, g) = (self.value(f), self.value(g));
                self.diagrams.or(f, g)
            }
            Temporal::Next(inner, strength) => {
                let number = number(&self.ahead, (inner, *strength == Weak)).expect(PLACED);
                self.diagrams.variable(self.places.guess(number))
            }
            Temporal::Yesterday(inner, strength) => {
                let number = number(&self.past, (inner, *strength == Weak)).expect(PLACED);
                self.diagrams.variable(self.places.was(number))
            }
            Temporal::Until(f, g, strength) | Temporal::Since(f, g, strength) => {
                let is_weak = *strength == Weak;
                let place = match formula {
                    Temporal::Until(..) => self.places.guess(number(&self.ahead, (formula, is_weak)).expect(PLACED)),
                    _ => self.places.was(number(&self.past, (formula, is_weak)).expect(PLACED)),
                };
                let (f, g) = (self.value(f), self.value(g));
                let other = self.diagrams.variable(place);
                let goes_on = self.diagrams.and(f, other);
                self.diagrams.or(g, goes_on)
            }
        }
    }

    /// The state before the first step: the value of the formula is what is guessed of it.
    fn start(&mut self) -> Function {
        let (value, guess) = (self.places.value(), self.places.guess(self.ahead.len() - 1));
        let d = &mut self.diagrams;
        let (value, guess) = (d.variable(value), d.variable(guess));
        let mut state = d.same(value, guess);
        for (number, (_, nothing)) in self.past.iter().enumerate() {
            let is = self.diagrams.variable(self.places.is(number));
            let nothing = self.diagrams.constant(*nothing);
            let remembered = self.diagrams.same(is, nothing);
            state = self.diagrams.and(state, remembered);
        }
        state
    }

    /// Whether a run may end in a state, and what is certain if it goes on for ever.
    fn judged(&mut self, state: Function, fair: Function) -> State {
        let value = self.diagrams.variable(self.places.value());
        let contrary = self.diagrams.not(value);
        let lasting = self.diagrams.and(state, fair);
        let holds = self.diagrams.and(lasting, value) != FALSE;
        let fails = self.diagrams.and(lasting, contrary) != FALSE;
        let verdict = match (holds, fails) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        let mut put = vec![None; self.places.value() + 1];
        for (number, (_, nothing)) in self.ahead.iter().enumerate() {
            put[self.places.guess(number)] = Some(self.diagrams.constant(*nothing));
        }
        put[self.places.value()] = Some(TRUE);
        let at_end = self.diagrams.substituted(state, &put);
        State { next: 0, accepts: at_end != FALSE, verdict }
    }

    /// Guesses with which a run can go on for ever and keep every promise.
    fn fair(&mut self) -> Result<Function, TooLarge> {
        let mut fair = TRUE;
        loop {
            let mut next = self.before(fair, TRUE);
            next = self.diagrams.and(next, fair);
            for number in 0..self.promises.len() {
                let mut way = self.before(fair, self.promises[number]);
                loop {
                    self.diagrams.fits()?;
                    let back = self.before(way, TRUE);
                    let longer = self.diagrams.or(way, back);
                    if longer == way {
                        break;
                    }
                    way = longer;
                }
                next = self.diagrams.and(next, way);
            }
            self.diagrams.fits()?;
            if next == fair {
                return Ok(fair);
            }
            fair = next;
        }
    }

    /// Guesses from which one step, with a condition on it, leads into some set of them.
    fn before(&mut self, after: Function, condition: Function) -> Function {
        let mut put = vec![None; self.places.value() + 1];
        for (number, kept) in self.kept.iter().enumerate() {
            put[self.places.is(number)] = Some(*kept);
        }
        let mut step = self.diagrams.substituted(after, &put);
        step = self.diagrams.and(step, condition);
        step = self.diagrams.and(step, self.possible);
        for (number, met) in self.met.clone().into_iter().enumerate() {
            let guessed = self.diagrams.variable(self.places.guessed(number));
            let agrees = self.diagrams.same(guessed, met);
            step = self.diagrams.and(step, agrees);
        }
        let (first, last) = (self.places.guess(0), self.places.value());
        let atoms = self.places.atoms;
        let before = self.diagrams.for_some(step, &|v| v < atoms || v >= first && v <= last);
        let mut put = vec![None; self.places.value() + 1];
        for number in 0..self.past.len() {
            put[self.places.was(number)] = Some(self.diagrams.variable(self.places.is(number)));
        }
        for number in 0..self.ahead.len() {
            put[self.places.guessed(number)] = Some(self.diagrams.variable(self.places.guess(number)));
        }
        self.diagrams.substituted(before, &put)
    }

    /// Whether no run that goes on for ever breaks the formula while every beginning of it could still keep it.
    fn is_safety(&mut self, start: Function, fair: Function) -> Result<bool, TooLarge> {
        let automaton = Explorer::new(self, start, |tableau, state| tableau.judged(state, fair)).automaton()?;
        // The same formula once more, among the states that are not lost: over states and guesses, which can break it?
        let open: Vec<usize> =
            (0..automaton.states.len()).filter(|s| automaton.states[*s].verdict != Some(false)).collect();
        // For each state, where it may go to, and by which letters.
        let ways: Vec<Vec<(usize, Function)>> = (automaton.states.iter())
            .map(|state| {
                let targets = automaton.successors(state.next).into_iter();
                let mut letters = |target| self.letters(&automaton, state.next, target, &mut FxHashMap::default());
                targets.map(|target| (target, letters(target))).collect()
            })
            .collect();
        let mut lasting: Vec<Function> = vec![FALSE; automaton.states.len()];
        open.iter().for_each(|state| lasting[*state] = TRUE);
        loop {
            let mut next = self.before_all(&ways, &lasting, TRUE);
            for number in 0..self.promises.len() {
                let mut way = self.before_all(&ways, &lasting, self.promises[number]);
                loop {
                    self.diagrams.fits()?;
                    let back = self.before_all(&ways, &way, TRUE);
                    let longer: Vec<Function> = way.iter().zip(&back).map(|(a, b)| self.diagrams.or(*a, *b)).collect();
                    if longer == way {
                        break;
                    }
                    way = longer;
                }
                next = next.iter().zip(&way).map(|(a, b)| self.diagrams.and(*a, *b)).collect();
            }
            for state in 0..next.len() {
                next[state] = self.diagrams.and(next[state], lasting[state]);
            }
            self.diagrams.fits()?;
            if next == lasting {
                break;
            }
            lasting = next;
        }
        // A run that begins with the formula broken, and stays among them.
        let broken = {
            let value = self.places.value();
            let mut put = vec![None; value + 1];
            put[value] = Some(FALSE);
            self.diagrams.substituted(start, &put)
        };
        let is_broken = self.diagrams.and(lasting[automaton.start], broken) != FALSE;
        self.diagrams.fits()?;
        Ok(!is_broken)
    }

    /// As `before`, side by side with an automaton.
    fn before_all(
        &mut self,
        ways: &[Vec<(usize, Function)>],
        after: &[Function],
        condition: Function,
    ) -> Vec<Function> {
        let mut out = vec![];
        for ways in ways {
            let mut all = FALSE;
            for (next, letters) in ways.iter().filter(|(next, _)| after[*next] != FALSE) {
                let condition = self.diagrams.and(condition, *letters);
                let before = self.before(after[*next], condition);
                all = self.diagrams.or(all, before);
            }
            out.push(all);
        }
        out
    }

    /// The letters with which a node leads to a state.
    fn letters(
        &mut self,
        automaton: &Automaton,
        node: usize,
        target: usize,
        done: &mut FxHashMap<usize, Function>,
    ) -> Function {
        if let Some(known) = done.get(&node) {
            return *known;
        }
        let letters = match automaton.nodes[node] {
            Node::Leaf(state) => self.diagrams.constant(state == target),
            Node::Test(atom, yes, no) => {
                let [yes, no] = [yes, no].map(|next| self.letters(automaton, next, target, done));
                let atom = self.diagrams.variable(atom);
                self.diagrams.choose(atom, yes, no)
            }
        };
        done.insert(node, letters);
        letters
    }
}

impl Steps for Tableau<'_> {
    fn diagrams(&mut self) -> &mut Diagrams {
        &mut self.diagrams
    }

    fn atoms(&self) -> usize {
        self.places.atoms
    }

    fn possible(&self) -> Function {
        self.possible
    }

    fn step(&mut self, state: Function) -> Function {
        let places = &self.places;
        let mut put = vec![None; places.value() + 1];
        for number in 0..self.past.len() {
            put[places.is(number)] = Some(self.diagrams.variable(places.was(number)));
        }
        for (number, met) in self.met.iter().enumerate() {
            put[places.guess(number)] = Some(*met);
        }
        let mut next = self.diagrams.substituted(state, &put);
        for (number, kept) in self.kept.iter().enumerate() {
            let is = self.diagrams.variable(self.places.is(number));
            let remembered = self.diagrams.same(is, *kept);
            next = self.diagrams.and(next, remembered);
        }
        let (atoms, past) = (self.places.atoms, self.places.past);
        self.diagrams.for_some(next, &|v| v >= atoms && v < atoms + past)
    }
}

/// Obligations that are only ever discharged by what is seen: a formula and its contrary are two promises, and nobody notices
/// that they contradict each other before they are due.
struct Promises<'f> {
    diagrams: Diagrams,
    places: Places,
    possible: Function,
    /// What is promised for the next position: the formula, whether it or its contrary, and its value if there is none.
    ahead: Vec<(&'f Temporal, bool, bool)>,
    past: Vec<(&'f Temporal, bool)>,
    due: Vec<Function>,
    kept: Vec<Function>,
}

impl<'f> Promises<'f> {
    fn new(formula: &'f Temporal, atoms: usize, exclusive: &[Exclusion], nothing: bool) -> Promises<'f> {
        let mut ahead: Vec<(&Temporal, bool, bool)> = vec![];
        let mut past: Vec<Guessed<'_>> = vec![];
        formula.each(&mut |part| {
            let (promised, strength) = match part {
                Temporal::Next(inner, strength) => (&**inner, *strength),
                Temporal::Until(_, _, strength) => (part, *strength),
                Temporal::Yesterday(inner, strength) => {
                    let entry = (&**inner, *strength == Weak);
                    return if !past.contains(&entry) {
                        past.push(entry)
                    };
                }
                Temporal::Since(_, _, strength) => {
                    let entry = (part, *strength == Weak);
                    return if !past.contains(&entry) {
                        past.push(entry)
                    };
                }
                _ => return,
            };
            for (positive, nothing) in [(true, strength == Weak), (false, strength == Strong)] {
                if !ahead.contains(&(promised, positive, nothing)) {
                    ahead.push((promised, positive, nothing));
                }
            }
        });
        let places = Places { atoms, past: past.len(), ahead: ahead.len() + 1 };
        let mut diagrams = Diagrams::new();
        let possible = possible(&mut diagrams, exclusive);
        let mut promises = Promises { diagrams, places, possible, ahead, past, due: vec![], kept: vec![] };
        promises.ahead.push((formula, true, nothing));
        promises.due = (0..promises.ahead.len())
            .map(|number| promises.value(promises.ahead[number].0, promises.ahead[number].1))
            .collect();
        promises.kept = (0..promises.past.len()).map(|number| promises.value(promises.past[number].0, true)).collect();
        promises
    }

    /// What has to be seen now, and promised, for a formula or its contrary.
    fn value(&mut self, formula: &Temporal, positive: bool) -> Function {
        let promised = |promises: &Promises<'_>, formula: &Temporal, nothing: bool| {
            let found = promises.ahead.iter().position(|entry| *entry == (formula, positive, nothing));
            promises.places.guess(found.expect(PLACED))
        };
        let remembered = |promises: &Promises<'_>, entry: (&Temporal, bool)| {
            promises.places.was(promises.past.iter().position(|known| *known == entry).expect(PLACED))
        };
        match formula {
            Temporal::Truth(truth) => self.diagrams.constant(*truth == positive),
            Temporal::Atom(atom) => {
                let atom = self.diagrams.variable(*atom);
                if positive { atom } else { self.diagrams.not(atom) }
            }
            Temporal::Not(inner) => self.value(inner, !positive),
            Temporal::And(f, g) | Temporal::Or(f, g) => {
                let is_and = matches!(formula, Temporal::And(..)) == positive;
                let (f, g) = (self.value(f, positive), self.value(g, positive));
                if is_and { self.diagrams.and(f, g) } else { self.diagrams.or(f, g) }
            }
            Temporal::Next(inner, strength) => {
                let place = promised(self, inner, (*strength == Weak) == positive);
                self.diagrams.variable(place)
            }
            Temporal::Until(f, g, strength) => {
                let place = promised(self, formula, (*strength == Weak) == positive);
                let later = self.diagrams.variable(place);
                let (f, g) = (self.value(f, positive), self.value(g, positive));
                if positive {
                    let goes_on = self.diagrams.and(f, later);
                    self.diagrams.or(g, goes_on)
                } else {
                    let ends = self.diagrams.or(f, later);
                    self.diagrams.and(g, ends)
                }
            }
            Temporal::Yesterday(inner, strength) => {
                let place = remembered(self, (inner, *strength == Weak));
                let was = self.diagrams.variable(place);
                if positive { was } else { self.diagrams.not(was) }
            }
            Temporal::Since(f, g, strength) => {
                let place = remembered(self, (formula, *strength == Weak));
                let was = self.diagrams.variable(place);
                let (f, g) = (self.value(f, true), self.value(g, true));
                let goes_on = self.diagrams.and(f, was);
                let value = self.diagrams.or(g, goes_on);
                if positive { value } else { self.diagrams.not(value) }
            }
        }
    }

    fn start(&mut self) -> Function {
        let mut state = self.diagrams.variable(self.places.guess(self.ahead.len() - 1));
        for (number, (_, nothing)) in self.past.iter().enumerate() {
            let is = self.diagrams.variable(self.places.is(number));
            let nothing = self.diagrams.constant(*nothing);
            let remembered = self.diagrams.same(is, nothing);
            state = self.diagrams.and(state, remembered);
        }
        state
    }

    /// It holds if nothing has to be kept any more, and fails if all promises together are not enough.
    fn judged(&mut self, state: Function) -> State {
        let with = |promises: &mut Promises<'_>, kept: &dyn Fn(bool) -> bool| {
            let mut put = vec![None; promises.places.value() + 1];
            for (number, (_, _, nothing)) in promises.ahead.iter().enumerate() {
                put[promises.places.guess(number)] = Some(promises.diagrams.constant(kept(*nothing)));
            }
            promises.diagrams.substituted(state, &put) != FALSE
        };
        let verdict = if with(self, &|_| false) {
            Some(true)
        } else if !with(self, &|_| true) {
            Some(false)
        } else {
            None
        };
        State { next: 0, accepts: with(self, &|nothing| nothing), verdict }
    }
}

impl Steps for Promises<'_> {
    fn diagrams(&mut self) -> &mut Diagrams {
        &mut self.diagrams
    }

    fn atoms(&self) -> usize {
        self.places.atoms
    }

    fn possible(&self) -> Function {
        self.possible
    }

    fn step(&mut self, state: Function) -> Function {
        let places = &self.places;
        let mut put = vec![None; places.value() + 1];
        for number in 0..self.past.len() {
            put[places.is(number)] = Some(self.diagrams.variable(places.was(number)));
        }
        for (number, due) in self.due.iter().enumerate() {
            put[places.guess(number)] = Some(*due);
        }
        let mut next = self.diagrams.substituted(state, &put);
        for (number, kept) in self.kept.iter().enumerate() {
            let is = self.diagrams.variable(self.places.is(number));
            let remembered = self.diagrams.same(is, *kept);
            next = self.diagrams.and(next, remembered);
        }
        let (atoms, past) = (self.places.atoms, self.places.past);
        self.diagrams.for_some(next, &|v| v >= atoms && v < atoms + past)
    }
}

//! All data with which a run goes the same way.
//!
//! Symbols have ranges, and what ranges cannot express stays as conditions. A point of the region gives every symbol a value
//! that meets all of them; symbols that others determine follow.

use rustc_hash::FxHashMap;

use crate::kernel::{StepSystem, Style};
use crate::search::{Along, Decision, Fit, Oracle, Place, Why, fit};
use crate::solve::Solver;
use crate::term::{
    Assumed, Definitions, Leaf, Named, Node, Range, Role, Stand, Store, Symbol, Term, Terms, Type, Value, Written,
    name_symbols, open,
};

/// Values of all symbols.
pub type Point = Vec<Value>;

/// The region of a run.
pub struct Region {
    /// Where terms are made.
    pub terms: Terms,
    /// What is known of the symbols, with all that was decided.
    pub store: Store,
    /// Open values in the order of their steps.
    pub places: Vec<Place>,
    /// What the symbols are.
    pub leaves: Vec<Leaf>,
    /// What was decided by data, in order.
    pub decisions: Vec<Decision>,
    /// Values that exist once for the run.
    once: Vec<Term>,
    /// That members of sets and keys of maps are different.
    each_once: Vec<Term>,
    /// The run itself.
    pub witness: Point,
    /// Symbols with nothing decided.
    open: Store,
    oracle: Oracle,
    names: FxHashMap<Symbol, Named>,
    /// How often nobody could tell whether there is a point.
    pub doubts: usize,
}

impl Region {
    /// The region of a run.
    pub fn new(along: Along<'_>, definitions: &Definitions, solver: Box<dyn Solver>) -> Region {
        let Along { mut terms, store: open, witness, leaves, places, decisions, once, each_once, .. } = along;
        let mut store = open.clone();
        for decision in &decisions {
            store.assume(&mut terms, decision.condition);
        }
        let mut names = FxHashMap::default();
        for place in &places {
            let stand = Stand { name: place.name.clone(), step: place.step };
            name_symbols(&terms, definitions, place.term, &stand, &mut names);
        }
        let oracle = Oracle::new(solver);
        Region { terms, store, places, leaves, decisions, once, each_once, witness, open, oracle, names, doubts: 0 }
    }

    /// The term of a symbol.
    pub fn symbol(&mut self, number: usize) -> Term {
        self.terms.symbol(Symbol { number: number as u32, sort: self.open.ranges[number].sort() })
    }

    /// Values of places in a point.
    pub fn values(&mut self, point: &Point) -> Vec<Value> {
        let terms: Vec<Term> = self.places.iter().map(|place| place.term).collect();
        terms.into_iter().map(|term| self.terms.value_under(term, point).unwrap_or(Value::Absent)).collect()
    }

    /// Values that exist once for the run, in a point.
    pub fn once(&mut self, point: &Point) -> Vec<Value> {
        let terms = self.once.clone();
        terms.into_iter().map(|term| self.terms.value_under(term, point).unwrap_or(Value::Absent)).collect()
    }

    /// Values that whoever runs the test gives, in a point.
    pub fn given(&mut self, point: &Point) -> Vec<Value> {
        let values = self.values(point);
        self.places.iter().zip(values).filter(|(place, _)| place.is_given).map(|(_, value)| value).collect()
    }

    /// Counts members of sets and keys of maps once from here on, so that what is said of their number is true. Every value is still there.
    pub fn count_each_once(&mut self) {
        for condition in self.each_once.clone() {
            self.store.assume(&mut self.terms, condition);
            self.open.assume(&mut self.terms, condition);
        }
    }

    /// What is known if some conditions hold as well; none if they cannot.
    pub fn narrowed(&mut self, conditions: &[Term]) -> Option<Store> {
        assumed(&mut self.terms, self.store.clone(), conditions)
    }

    /// The same from what is known already.
    pub fn narrower(&mut self, store: &Store, conditions: &[Term]) -> Option<Store> {
        assumed(&mut self.terms, store.clone(), conditions)
    }

    /// What is known if only the first decisions are as they were, and some conditions hold.
    pub fn after(&mut self, decisions: usize, conditions: &[Term]) -> Option<Store> {
        let before = self.decisions[..decisions].iter().map(|decision| decision.condition);
        let all: Vec<Term> = before.chain(conditions.iter().copied()).collect();
        assumed(&mut self.terms, self.open.clone(), &all)
    }

    /// That some symbols have these values.
    pub fn conditions<'v>(&mut self, pins: impl IntoIterator<Item = (usize, &'v Value)>) -> Vec<Term> {
        let mut conditions = vec![];
        for (number, value) in pins {
            let (symbol, value) = (self.symbol(number), self.terms.constant(value.clone()));
            conditions.push(self.terms.equal(symbol, value));
        }
        conditions
    }

    /// A point in which some symbols have these values, near the run, with what is then known of the others.
    pub fn with(&mut self, pins: &[(usize, &Value)]) -> Option<(Store, Point)> {
        let conditions = self.conditions(pins.iter().copied());
        let store = self.narrowed(&conditions)?;
        let witness = self.witness.clone();
        let point = self.point(&store, &witness)?;
        Some((store, point))
    }

    /// A point that a store allows, as near to another one as can be had; none if there is none, or nobody finds it.
    pub fn point(&mut self, store: &Store, near: &Point) -> Option<Point> {
        let mut place = 0;
        let mut as_before = |range: &Range| {
            let value = near.get(place).filter(|value| range.contains(value)).cloned();
            place += 1;
            value.unwrap_or_else(|| range.simple())
        };
        match fit(&mut self.oracle, &mut self.terms, store, &mut as_before) {
            Fit::Values(values) => Some(self.completed(store, values)),
            Fit::None => None,
            Fit::Unknown => {
                self.doubts += 1;
                None
            }
        }
    }

    /// The same values, with those that others determine.
    pub fn completed(&mut self, store: &Store, mut values: Point) -> Point {
        for number in (0..values.len()).filter(|number| store.is_solved(*number as u32)) {
            let symbol = self.symbol(number);
            let determined = store.apply(&mut self.terms, symbol);
            if let Some(value) = self.terms.value_under(determined, &values) {
                values[number] = value;
            }
        }
        values
    }

    /// Some value of a type, as simple as can be; none if nobody finds one.
    pub fn value_of(&mut self, ty: &Type, definitions: &Definitions) -> Option<Value> {
        let mut store = Store::default();
        let opened = open(ty, &mut store, &mut self.terms, definitions).ok()?.as_example();
        let store = assumed(&mut self.terms, store, &opened.conditions)?;
        let Fit::Values(values) = fit(&mut self.oracle, &mut self.terms, &store, &mut |range| range.simple()) else {
            return None;
        };
        let value = store.apply(&mut self.terms, opened.value);
        self.terms.value_under(value, &values)
    }

    /// Symbols that make a difference to the values given by whoever runs the test, in a point: elements beyond the length
    /// of a list make none, nor does the value of an absent message.
    pub fn that_matter(&mut self, point: &Point) -> Vec<usize> {
        let mut fixed: FxHashMap<u32, Term> = FxHashMap::default();
        for number in (0..self.leaves.len()).filter(|number| self.leaves[*number].role != Role::Value) {
            fixed.insert(number as u32, self.terms.constant(point[number].clone()));
        }
        let mut matter: Vec<usize> = vec![];
        for place in self.places.clone().into_iter().filter(|place| place.is_given) {
            let shaped = self.terms.substitute(place.term, &|symbol| fixed.get(&symbol.number).copied());
            self.terms.each_symbol(shaped, &mut |symbol| matter.push(symbol.number as usize));
            let shapes = place.symbols.clone().filter(|number| self.leaves[*number].role != Role::Value);
            // What shapes a part that is not there makes no difference either.
            for shape in shapes {
                let without =
                    |symbol: Symbol| fixed.get(&symbol.number).copied().filter(|_| symbol.number as usize != shape);
                let open = self.terms.substitute(place.term, &without);
                let mut is_seen = false;
                self.terms.each_symbol(open, &mut |symbol| is_seen |= symbol.number as usize == shape);
                if is_seen {
                    matter.push(shape);
                }
            }
        }
        matter.sort_unstable();
        matter.dedup();
        matter
    }

    /// Whether a symbol says which constructor made a value: also whether there is something in an option, but not whether a message is
    /// there.
    pub fn is_shape(&self, number: usize, system: &StepSystem) -> bool {
        match self.leaves[number].role {
            Role::Constructor => true,
            Role::Presence => !self.is_message(number, system),
            Role::Value | Role::Size => false,
        }
    }

    /// Whether a symbol says that a message is there.
    pub fn is_message(&self, number: usize, system: &StepSystem) -> bool {
        let is_first = self.places.iter().any(|place| place.step > 0 && place.symbols.start == number);
        system.style == Style::Lockstep && self.leaves[number].role == Role::Presence && is_first
    }

    /// What the symbols that matter and shape values are in a point.
    pub fn shapes(&mut self, point: &Point, system: &StepSystem) -> Vec<(usize, Value)> {
        let matter = self.that_matter(point);
        matter.into_iter().filter(|n| self.is_shape(*n, system)).map(|n| (n, point[n].clone())).collect()
    }

    /// That everything a term speaks of is there: no value of a message that is absent, nor of another constructor.
    pub fn is_there(&mut self, term: Term) -> Term {
        let mut all = vec![];
        for symbol in self.terms.symbols(term) {
            let places = self.places.iter().filter(|place| place.symbols.contains(&(symbol.number as usize)));
            for place in places.map(|place| place.term).collect::<Vec<_>>() {
                all.push(self.stands_in(symbol, place));
            }
        }
        self.terms.all(all)
    }

    /// That a symbol makes a difference to a value.
    fn stands_in(&mut self, symbol: Symbol, value: Term) -> Term {
        if !self.terms.symbols(value).contains(&symbol) {
            return self.terms.bool(false);
        }
        match self.terms.node(value).clone() {
            Node::If(c, a, b) if !self.terms.symbols(c).contains(&symbol) => {
                let (a, b) = (self.stands_in(symbol, a), self.stands_in(symbol, b));
                let not_c = self.terms.not(c);
                let (a, b) = (self.terms.and(c, a), self.terms.and(not_c, b));
                self.terms.or(a, b)
            }
            Node::Data(..) | Node::List(_) | Node::Set(_) | Node::Map(_) => {
                let parts = self.terms.parts(value);
                let parts = parts.into_iter().map(|part| self.stands_in(symbol, part)).collect();
                self.terms.any(parts)
            }
            _ => self.terms.bool(true),
        }
    }

    /// Whether a term depends on what whoever runs the test gives, and on nothing else.
    pub fn is_given(&self, term: Term) -> bool {
        let (mut any, mut all) = (false, true);
        self.terms.each_symbol(term, &mut |symbol| {
            let place = self.places.iter().find(|place| place.symbols.contains(&(symbol.number as usize)));
            let is_given = place.is_some_and(|place| place.is_given);
            (any, all) = (true, all && is_given);
        });
        any && all
    }

    /// Whether something was decided by a symbol, beside what its type asks for.
    pub fn is_looked_at(&self, number: usize) -> bool {
        let mut is_seen = false;
        for decision in self.decisions.iter().filter(|decision| !matches!(decision.why, Why::Type(_))) {
            self.terms.each_symbol(decision.condition, &mut |symbol| is_seen |= symbol.number as usize == number);
        }
        is_seen
    }

    /// A term as a person would write it.
    pub fn written(&self, term: Term, definitions: &Definitions) -> String {
        let names = self.names.clone();
        Written { terms: &self.terms, definitions, names, met: FxHashMap::default() }.term(term)
    }

    /// That a symbol has a value, as a person would say it: `amt@3 = 5`, `shape@1 is Circle`, `people@2 is absent`.
    pub fn said(&self, number: usize, value: &Value, show: &dyn Fn(&Value) -> String) -> String {
        let symbol = Symbol { number: number as u32, sort: self.open.ranges[number].sort() };
        match (self.names.get(&symbol), value) {
            (Some(Named::Shape(what, words)), Value::Bool(is_so)) => {
                format!("{what} is {}", words[usize::from(*is_so)])
            }
            (Some(Named::Constructor(what, names)), Value::Int(n)) => {
                let name = usize::try_from(n).ok().and_then(|n| names.get(n));
                format!("{what} is {}", name.map_or("made otherwise", String::as_str))
            }
            _ => format!("{} = {}", self.name(number), show(value)),
        }
    }

    /// A symbol as a person would name it: `amt@3`, `size(items@2)`, `order.price@1`.
    pub fn name(&self, number: usize) -> String {
        let Some(place) = self.places.iter().find(|place| place.symbols.contains(&number)) else {
            return format!("value {number}");
        };
        let leaf = &self.leaves[number];
        let name = place.named(&leaf.path);
        match leaf.role {
            Role::Value => name,
            Role::Size => format!("size({name})"),
            Role::Constructor => format!("constructor of {name}"),
            Role::Presence => format!("presence of {name}"),
        }
    }
}

fn assumed(terms: &mut Terms, mut store: Store, conditions: &[Term]) -> Option<Store> {
    for condition in conditions {
        if store.assume(terms, *condition) == Assumed::Impossible {
            return None;
        }
    }
    Some(store)
}

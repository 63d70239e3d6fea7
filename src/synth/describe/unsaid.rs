//! What there is to say: open values with what is known of them, from a path through symbolic states, or from a run that was
//! opened again.
//!
//! Values are said in the order of their steps, each in terms of earlier ones. A path is walked backwards to find its data, and
//! may express an early value by a later one; a run that is opened again takes longer, but there, where symbols determine
//! each other, it is the later one that is solved, and one that nobody sees before all others.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{StepSystem, Style};
use crate::search::{Along, Place, Recovered, Why};
use crate::syntax::tree::Direction;
use crate::term::{
    Assumed, Definitions, Named, Node, Range, Stand, Store, Symbol, Symbolic, Term, Terms, Type, Unsupported, Value,
    name_symbols,
};

/// An open value.
pub(super) struct Spot {
    pub stand: Stand,
    /// Its value, in terms of what is open.
    pub term: Term,
    /// Whether there need not be any.
    pub may_be_absent: bool,
    /// Whether whoever runs the test gives it.
    pub is_given: bool,
}

/// Open values, and what is known of them.
pub(super) struct Unsaid<'t> {
    pub terms: &'t mut Terms,
    pub definitions: &'t Definitions,
    /// In the order of their steps.
    pub spots: Vec<Spot>,
    /// What is known.
    pub store: Store,
    /// What types ask for.
    pub typed: Store,
    /// Values that are known to work, or nothing.
    pub witness: Vec<Value>,
    pub names: FxHashMap<Symbol, Named>,
    /// Whether every value is expressed by values of its own step and earlier ones.
    pub is_in_order: bool,
}

impl<'t> Unsaid<'t> {
    /// What is open in a run; an error if its own data contradicts it.
    pub fn of_run(along: &'t mut Along<'_>, definitions: &'t Definitions) -> Result<Unsaid<'t>, Unsupported> {
        let Along { terms, store: open, witness, places, decisions, once, .. } = along;
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        places.iter().for_each(|place| seen.extend(terms.symbols(place.term)));
        let mut unseen: Vec<Symbol> = vec![];
        once.iter().for_each(|term| terms.each_symbol(*term, &mut |symbol| unseen.push(symbol)));
        unseen.retain(|symbol| !seen.contains(symbol));
        // What nobody sees gets numbers above all others, so that it is solved first.
        let mut moved: FxHashMap<Symbol, Term> = FxHashMap::default();
        for symbol in unseen {
            let above = open.add(open.ranges[symbol.number as usize].clone());
            witness.push(witness[symbol.number as usize].clone());
            moved.insert(symbol, terms.symbol(above));
        }
        let (mut store, mut typed) = (open.clone(), open.clone());
        for decision in decisions.iter() {
            let condition = terms.substitute(decision.condition, &|symbol| moved.get(&symbol).copied());
            if store.assume(terms, condition) == Assumed::Impossible {
                return Err(Unsupported("data that contradicts what was decided by it".to_owned()));
            }
        }
        for decision in decisions.iter() {
            // The type of what the system says is not said again, unless inputs determine it: then it asks something of them.
            let is_plain =
                |place: &Place| place.is_given || !place.symbols.clone().any(|number| store.is_solved(number as u32));
            if matches!(decision.why, Why::Type(number) if places.get(number).is_some_and(is_plain)) {
                let condition = terms.substitute(decision.condition, &|symbol| moved.get(&symbol).copied());
                typed.assume(terms, condition);
            }
        }
        // What a type asks for of a value that others determine, it asks of these.
        for place in places.iter().filter(|place| place.is_given) {
            for number in place.symbols.clone().filter(|number| store.is_solved(*number as u32)) {
                let symbol = terms.symbol(Symbol { number: number as u32, sort: open.ranges[number].sort() });
                let value = store.apply(terms, symbol);
                let asked = typed.ranges[number].conditions(terms, value);
                typed.residual.extend(asked.into_iter().filter(|one| terms.value(*one).is_none()));
            }
        }
        let mut unsaid = Unsaid {
            spots: places.iter().map(Spot::of_place).collect(),
            terms,
            definitions,
            store,
            typed,
            witness: witness.clone(),
            names: FxHashMap::default(),
            is_in_order: true,
        };
        for (spot, place) in unsaid.spots.iter_mut().zip(places) {
            name_symbols(unsaid.terms, definitions, place.term, &spot.stand, &mut unsaid.names);
            spot.may_be_absent = is_optional(unsaid.terms, place.term).is_some();
        }
        unsaid.settle();
        Ok(unsaid)
    }

    /// What is open in a path through symbolic states.
    pub fn of_path(
        recovered: &Recovered,
        terms: &'t mut Terms,
        system: &StepSystem,
        definitions: &'t Definitions,
    ) -> Unsaid<'t> {
        let mut spots: Vec<(Spot, Type)> = vec![];
        for (slot, term) in system.open_slots().into_iter().zip(&recovered.opened) {
            let stand = Stand { name: system.slots[slot].name.clone(), step: 0 };
            spots.push((
                Spot { stand, term: *term, may_be_absent: false, is_given: true },
                system.slots[slot].ty.clone(),
            ));
        }
        for (number, step) in recovered.steps.iter().enumerate() {
            let joint = &system.joints[step.joint];
            let gate = joint.gate.map(|gate| &system.gates[gate]);
            let given = joint.params.iter().zip(recovered.data(step)).take(system.given_to(step.joint));
            for (parameter, ((name, types), term)) in given.enumerate() {
                let name = match (system.style, gate) {
                    (Style::Gates, Some(gate)) => format!("{}.{name}", gate.name),
                    _ => name.clone(),
                };
                let may_be_absent = system.style == Style::Lockstep;
                let is_input = gate.is_some_and(|gate| gate.direction == Direction::In);
                let is_given = may_be_absent || is_input && parameter < system.sent_to(step.joint);
                let stand = Stand { name, step: number + 1 };
                spots.push((Spot { stand, term: *term, may_be_absent, is_given }, types[0].clone()));
            }
        }
        let anything = |range: &Range| Range::all(range.sort(), definitions);
        let mut typed = Store::new(recovered.store.ranges.iter().map(anything).collect());
        let mut names = FxHashMap::default();
        let mut is_in_order = true;
        for (spot, ty) in &spots {
            // What the system says, and earlier values determine, asks something of these by its type.
            let is_new = !terms.symbols(spot.term).iter().any(|symbol| names.contains_key(symbol));
            if spot.is_given || is_new {
                asked_by_type(ty, spot.term, terms, definitions, &mut typed);
            }
            name_symbols(terms, definitions, spot.term, &spot.stand, &mut names);
            terms.each_symbol(spot.term, &mut |symbol| is_in_order &= names.contains_key(&symbol));
        }
        let spots = spots.into_iter().map(|(spot, _)| spot).collect();
        let (store, witness) = (recovered.store.clone(), vec![]);
        let mut unsaid = Unsaid { terms, definitions, spots, store, typed, witness, names, is_in_order };
        unsaid.settle();
        unsaid
    }

    /// Leaves nothing in the conditions that nobody sees, where that is possible, and names what cannot be helped.
    fn settle(&mut self) {
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        let mut done = FxHashMap::default();
        for spot in &mut self.spots {
            spot.term = self.store.apply_with(self.terms, spot.term, &mut done);
            seen.extend(self.terms.symbols(spot.term));
        }
        let mut unseen: Vec<Symbol> = vec![];
        let mut hidden: Vec<Term> = vec![];
        for condition in &self.store.residual {
            let before = unseen.len();
            self.terms
                .each_symbol(*condition, &mut |symbol| unseen.extend((!seen.contains(&symbol)).then_some(symbol)));
            hidden.extend((unseen.len() > before).then_some(*condition));
        }
        unseen.sort_unstable();
        unseen.dedup();
        if !unseen.is_empty() {
            let mut parts = hidden.clone();
            for symbol in &unseen {
                let term = self.terms.symbol(*symbol);
                parts.extend(self.store.ranges[symbol.number as usize].conditions(self.terms, term));
            }
            self.store.residual.retain(|condition| !hidden.contains(condition));
            let all = self.terms.all(parts);
            let without = self.terms.exists(&unseen, all);
            self.store.assume(self.terms, without);
            for spot in &mut self.spots {
                spot.term = self.store.apply(self.terms, spot.term);
            }
        }
        // Only in terms of something unseen can some values be said.
        let mut count = 0;
        for symbol in seen {
            self.names.entry(symbol).or_insert_with(|| {
                count += 1;
                Named::Value(if count == 1 { "n".to_owned() } else { format!("n{count}") })
            });
        }
    }
}

impl Spot {
    fn of_place(place: &Place) -> Spot {
        let stand = Stand { name: place.name.clone(), step: place.step };
        Spot { stand, term: place.term, may_be_absent: false, is_given: place.is_given }
    }
}

/// What there is if there is something, of a value that may be absent.
fn is_optional(terms: &Terms, term: Term) -> Option<Term> {
    match terms.node(term) {
        Node::If(_, inside, absent) if terms.value(*absent) == Some(&Value::Absent) => Some(*inside),
        _ => None,
    }
}

/// Assumes what a type asks for, of a value and of all its parts.
fn asked_by_type(ty: &Type, term: Term, terms: &mut Terms, definitions: &Definitions, typed: &mut Store) {
    let term = is_optional(terms, term).unwrap_or(term);
    if terms.value(term) != Some(&Value::Absent)
        && let Ok(inside) = Symbolic::new(terms, definitions, &[]).contains(ty, term)
    {
        typed.assume(terms, inside);
    }
    let node = terms.node(term).clone();
    let mut of_part = |ty: &Type, part: Term| asked_by_type(ty, part, terms, definitions, typed);
    match (ty, node) {
        (_, Node::If(_, a, b)) => [a, b].into_iter().for_each(|part| of_part(ty, part)),
        (Type::Refined(_, base), _) => of_part(base, term),
        (Type::Data(id), Node::Data(_, constructor, args)) => {
            let fields = &definitions.types[*id].constructors[constructor as usize].fields;
            fields.iter().zip(args).for_each(|((_, ty), arg)| of_part(ty, arg));
        }
        (Type::Option(inner), Node::Data(_, _, args)) => args.into_iter().for_each(|arg| of_part(inner, arg)),
        (Type::List(element), Node::List(parts)) | (Type::Set(element), Node::Set(parts)) => {
            parts.into_iter().for_each(|part| of_part(element, part));
        }
        (Type::Map(key, value), Node::Map(writes)) => {
            for (k, v) in writes {
                of_part(key, k);
                v.into_iter().for_each(|v| of_part(value, v));
            }
        }
        _ => {}
    }
}

//! What is said of one open value: `absent or <= 0`, `None or Some(> 3)`, `[_, 1..5]`.
//!
//! A value that is made in several ways is taken apart into these ways, and each is said for itself with what is known if
//! the value is made like that. Conditions that cannot be said in this way are not lost: then nothing is said, and whoever
//! asked says them as relations.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::numbers::Numbers;
use crate::term::{Assumed, Definitions, Named, Node, Range, Store, Symbol, Term, Terms, Value, Written, one_of};

/// Most ways in which a value is made that are looked at one by one.
const MAX_WAYS: usize = 40;

/// What is said of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    pub text: String,
    /// Whether everything that the type allows will do.
    pub is_all: bool,
}

impl Phrase {
    pub fn all() -> Phrase {
        Phrase { text: "_".to_owned(), is_all: true }
    }

    pub fn some(text: String) -> Phrase {
        Phrase { text, is_all: false }
    }
}

/// Says open values.
pub(super) struct Saying<'a> {
    pub terms: &'a mut Terms,
    pub definitions: &'a Definitions,
    /// What types leave of the symbols, by number.
    pub typed: &'a [Range],
    pub names: FxHashMap<Symbol, Named>,
    /// The order in which symbols are met.
    pub met: FxHashMap<Symbol, usize>,
    /// Symbols that were described elsewhere, and are only named here.
    pub told: FxHashSet<Symbol>,
}

/// A way in which a value is made, with what is known then; nothing if it cannot be.
type Way = (Term, Option<Store>);

impl Saying<'_> {
    /// What is said of a value, if the conditions of the store hold; none if they cannot be said with it. A value that
    /// stands for one of the ways in which another one is made is everything there is of that way.
    pub fn say(&mut self, term: Term, store: &Store, is_way: bool) -> Option<Phrase> {
        let conditions = self.conditions_on(term, store)?;
        let is_free = |saying: &Self, part: Term| saying.terms.symbols(part).is_disjoint(&saying.told);
        match self.terms.node(term).clone() {
            Node::Symbol(symbol) if !self.told.contains(&symbol) => self.symbol(symbol, store, &conditions),
            Node::Const(value) => Some(Phrase { text: self.value(&value), is_all: is_way }),
            Node::If(c, ..) if is_free(self, c) => self.ways_of(term, store),
            Node::If(c, a, b) if conditions.is_empty() => {
                let (a, b) = (self.say(a, store, false)?, self.say(b, store, false)?);
                Some(Phrase::some(format!("{} if {}, else {}", a.text, self.written(c), b.text)))
            }
            Node::Data(..) | Node::List(_) | Node::Set(_) | Node::Map(_) => {
                let parts = self.parts(term, store)?;
                Some(self.made_of(term, &parts, is_way))
            }
            _ if conditions.is_empty() => Some(Phrase::some(self.written(term))),
            _ => None,
        }
    }

    /// What is said of the parts of a value. What stands in several of them is said once, and then named.
    fn parts(&mut self, term: Term, store: &Store) -> Option<Vec<Phrase>> {
        let before = self.told.clone();
        let mut out = vec![];
        for part in self.terms.parts(term) {
            let part = store.apply(self.terms, part);
            let phrase = self.say(part, store, false);
            self.told.extend(self.terms.symbols(part));
            out.push(phrase);
        }
        self.told = before;
        let out: Vec<Phrase> = out.into_iter().collect::<Option<_>>()?;
        if !matches!(self.terms.node(term), Node::Map(_)) {
            return Some(out);
        }
        let pair = |pair: &[Phrase]| {
            let text = pair.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(": ");
            Phrase { text, is_all: pair.iter().all(|part| part.is_all) }
        };
        Some(out.chunks(2).map(pair).collect())
    }

    /// Conditions that speak of a value; none if one of them speaks of other things as well. What was told elsewhere was
    /// told with its conditions.
    fn conditions_on(&self, term: Term, store: &Store) -> Option<Vec<Term>> {
        let own: FxHashSet<Symbol> = self.terms.symbols(term).difference(&self.told).copied().collect();
        let mut out = vec![];
        for condition in &store.residual {
            let symbols = self.terms.symbols(*condition);
            match (symbols.is_subset(&own), symbols.is_disjoint(&own)) {
                (_, true) => {}
                (true, false) => out.push(*condition),
                (false, false) => return None,
            }
        }
        Some(out)
    }

    fn value(&self, value: &Value) -> String {
        let (names, met) = (FxHashMap::default(), FxHashMap::default());
        Written { terms: self.terms, definitions: self.definitions, names, met }.value(value)
    }

    pub fn written(&self, term: Term) -> String {
        let (names, met) = (self.names.clone(), self.met.clone());
        Written { terms: self.terms, definitions: self.definitions, names, met }.term(term)
    }

    /// A constructor, or a collection, of parts.
    fn made_of(&self, term: Term, parts: &[Phrase], is_way: bool) -> Phrase {
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let all_parts = parts.iter().all(|part| part.is_all);
        match self.terms.node(term) {
            Node::Data(ty, constructor, _) => {
                let name = self.definitions.constructor_name(*ty, *constructor);
                let data = self.definitions.types.get(*ty).filter(|_| *ty != Definitions::OPTION);
                if all_parts && data.is_some_and(|data| data.constructors.len() == 1) {
                    return Phrase::all();
                }
                let parts: Vec<String> = match data.filter(|data| data.is_record) {
                    Some(data) => {
                        let fields = &data.constructors[*constructor as usize].fields;
                        fields.iter().zip(&texts).map(|((field, _), text)| format!("{field}: {text}")).collect()
                    }
                    None => texts.into_iter().map(str::to_owned).collect(),
                };
                Phrase { text: format!("{name}({})", parts.join(", ")), is_all: is_way && all_parts }
            }
            Node::List(_) => Phrase { text: format!("[{}]", texts.join(", ")), is_all: is_way && all_parts },
            _ => Phrase { text: format!("{{{}}}", texts.join(", ")), is_all: is_way && all_parts },
        }
    }

    /// A value that is made in several ways.
    fn ways_of(&mut self, term: Term, store: &Store) -> Option<Phrase> {
        let mut ways = vec![];
        self.ways(term, Some(store), &mut ways);
        if ways.len() > MAX_WAYS {
            return None;
        }
        let is_collection = |term: Term| {
            matches!(
                self.terms.node(term),
                Node::List(_)
                    | Node::Set(_)
                    | Node::Map(_)
                    | Node::Const(Value::List(_) | Value::Set(_) | Value::Map(_))
            )
        };
        let (collections, others): (Vec<Way>, Vec<Way>) = ways.into_iter().partition(|(way, _)| is_collection(*way));
        let mut said: Vec<(u8, Phrase)> = vec![];
        let mut is_all = true;
        for (way, store) in others {
            let Some(store) = store else {
                is_all = false;
                continue;
            };
            let known = store.apply(self.terms, way);
            let is_way = matches!(self.terms.node(way), Node::Const(_) | Node::Data(..)) && !self.is_fixed(way, known);
            let phrase = self.say(known, &store, is_way)?;
            is_all &= phrase.is_all;
            said.push((self.rank(way), phrase));
        }
        if !collections.is_empty() {
            let phrase = self.collections(collections)?;
            is_all &= phrase.is_all;
            said.extend((!phrase.text.is_empty()).then_some((2, phrase)));
        }
        // Stable, so that constructors stay in the order of their declaration.
        said.sort_by_key(|(rank, _)| *rank);
        let mut texts: Vec<String> = vec![];
        for (_, phrase) in said {
            if !texts.contains(&phrase.text) {
                texts.push(phrase.text);
            }
        }
        Some(if is_all { Phrase::all() } else { Phrase::some(one_of(&texts)) })
    }

    /// Whether nothing is open any more in a way that had something open.
    fn is_fixed(&self, way: Term, known: Term) -> bool {
        let is_constant = |term: Term| matches!(self.terms.node(term), Node::Const(_));
        is_constant(known) && !is_constant(way)
    }

    /// What is not there comes first.
    fn rank(&self, way: Term) -> u8 {
        match self.terms.node(way) {
            Node::Const(Value::Absent) => 0,
            Node::Const(Value::Data(Definitions::OPTION, 0, _)) => 1,
            _ => 2,
        }
    }

    /// The ways in which a value is made.
    fn ways(&mut self, term: Term, store: Option<&Store>, out: &mut Vec<Way>) {
        let Node::If(c, a, b) = *self.terms.node(term) else {
            out.push((term, store.cloned()));
            return;
        };
        if !self.terms.symbols(c).is_disjoint(&self.told) || out.len() > MAX_WAYS {
            out.push((term, store.cloned()));
            return;
        }
        let not_c = self.terms.not(c);
        for (condition, part) in [(c, a), (not_c, b)] {
            let narrower = store.and_then(|store| {
                let mut store = store.clone();
                (store.assume(self.terms, condition) != Assumed::Impossible).then_some(store)
            });
            self.ways(part, narrower.as_ref(), out);
        }
    }

    /// Lists, sets or maps of several sizes. Nothing is left of them if none of them can be.
    fn collections(&mut self, ways: Vec<Way>) -> Option<Phrase> {
        let longest = ways.iter().map(|(way, _)| self.size(*way)).max().unwrap_or(0);
        let is_list =
            ways.iter().all(|(way, _)| matches!(self.terms.node(*way), Node::List(_) | Node::Const(Value::List(_))));
        let count = ways.len();
        let mut said: Vec<(usize, Phrase, Vec<Phrase>)> = vec![];
        for (way, store) in ways {
            let Some(store) = store else { continue };
            let known = store.apply(self.terms, way);
            let is_way = !self.is_fixed(way, known);
            let whole = self.say(known, &store, is_way)?;
            let parts = self.parts(way, &store);
            said.push((self.size(way), whole, parts?));
        }
        said.sort_by_key(|(size, ..)| *size);
        let is_all = said.len() == count && said.iter().all(|(_, whole, _)| whole.is_all);
        if is_all {
            return Some(Phrase::all());
        }
        let each: BTreeSet<&str> = said.iter().flat_map(|(.., parts)| parts).map(|part| part.text.as_str()).collect();
        let sizes: Vec<usize> = said.iter().map(|(size, ..)| *size).collect();
        let mut wholes: Vec<String> = said.iter().map(|(_, whole, _)| whole.text.clone()).collect();
        // Members of a set may coincide.
        wholes.dedup();
        let is_like_any = said.iter().flat_map(|(.., parts)| parts).all(|part| part.is_all);
        // Members of a set may coincide, so that its size is at most their number.
        let is_every_size = sizes.windows(2).all(|pair| pair[0] + 1 == pair[1]) && sizes.first() <= Some(&1);
        Some(Phrase::some(match each.iter().next() {
            _ if sizes.len() == 1 => one_of(&wholes),
            _ if is_like_any && (is_list || is_every_size) => of_size(&sizes, longest),
            _ if !is_list && !is_every_size => one_of(&wholes),
            Some(each_one) if each.len() == 1 && (sizes.len() > 2 || sizes.first() != Some(&0)) => {
                format!("{}, each {each_one}", of_size(&sizes, longest))
            }
            _ if is_list => open_ended(&said, longest).unwrap_or_else(|| one_of(&wholes)),
            _ => one_of(&wholes),
        }))
    }

    fn size(&self, way: Term) -> usize {
        match self.terms.node(way) {
            Node::List(parts) | Node::Set(parts) => parts.len(),
            Node::Map(writes) => writes.len(),
            Node::Const(Value::List(list)) => list.len(),
            Node::Const(Value::Set(set)) => set.len(),
            Node::Const(Value::Map(map)) => map.len(),
            _ => 0,
        }
    }

    /// A simple value.
    fn symbol(&mut self, symbol: Symbol, store: &Store, conditions: &[Term]) -> Option<Phrase> {
        let range = store.ranges[symbol.number as usize].clone();
        let of_type = self.typed[symbol.number as usize].clone();
        match &range {
            Range::Bool => conditions.is_empty().then(Phrase::all),
            Range::Number { .. } => {
                // Where it need not be there at all, its type may not be known to hold.
                let term = self.terms.symbol(symbol);
                let typed = of_type.conditions(self.terms, term);
                let conditions = [conditions, &typed].concat();
                let numbers = Numbers::of(self.terms, &range, symbol, &conditions)?;
                let of_type = Numbers::of(self.terms, &of_type, symbol, &[])?;
                if numbers.is_empty() { None } else { numbers.said(&of_type) }
            }
            Range::Text { holes } => self.text(symbol, holes, &of_type, conditions),
            Range::Enum { ty, left } => {
                let Range::Enum { left: of_type, .. } = of_type else { return None };
                let left: BTreeSet<u32> = (left.intersection(&of_type).copied())
                    .filter(|member| self.fits(symbol, &Value::Data(*ty, *member, [].into()), conditions))
                    .collect();
                if left == of_type {
                    return Some(Phrase::all());
                }
                let name = |member: &u32| self.definitions.constructor_name(*ty, *member).to_owned();
                let names: Vec<String> = left.iter().map(name).collect();
                let missing: Vec<String> = of_type.difference(&left).map(name).collect();
                Some(Phrase::some(match missing.len() * 2 < names.len() {
                    true => format!("not {}", missing.join(", ")),
                    false => one_of(&names),
                }))
            }
        }
    }

    fn fits(&mut self, symbol: Symbol, value: &Value, conditions: &[Term]) -> bool {
        let value = self.terms.constant(value.clone());
        conditions.iter().all(|condition| {
            let known = self.terms.substitute(*condition, &|other| (other == symbol).then_some(value));
            self.terms.is(known, true)
        })
    }

    /// A text: one of several, or any but some.
    fn text(
        &mut self,
        symbol: Symbol,
        holes: &BTreeSet<String>,
        of_type: &Range,
        conditions: &[Term],
    ) -> Option<Phrase> {
        let mut compared: BTreeSet<String> = holes.clone();
        for condition in conditions {
            if !self.compared(*condition, symbol, &mut compared) {
                return None;
            }
        }
        // Any text that is compared with nothing stands for all of these.
        let other =
            compared.iter().max_by_key(|text| text.len()).map_or(String::new(), |longest| format!("{longest}a"));
        let fits_others = self.fits(symbol, &Value::text(&other), conditions);
        let (those, but): (Vec<String>, Vec<String>) = compared
            .into_iter()
            .partition(|text| !holes.contains(text) && self.fits(symbol, &Value::text(text), conditions));
        let Range::Text { holes: of_type } = of_type else { return None };
        let quoted = |texts: Vec<String>| texts.iter().map(|text| self.value(&Value::text(text))).collect::<Vec<_>>();
        Some(match fits_others {
            true if but.iter().all(|text| of_type.contains(text)) => Phrase::all(),
            true => Phrase::some(format!("not {}", quoted(but).join(", "))),
            false if those.is_empty() => return None,
            false => Phrase::some(one_of(&quoted(those))),
        })
    }

    /// Texts that a symbol is compared with in a condition; whether that is all there is to it.
    fn compared(&self, condition: Term, symbol: Symbol, out: &mut BTreeSet<String>) -> bool {
        let is_symbol = |term: Term| matches!(self.terms.node(term), Node::Symbol(own) if *own == symbol);
        self.terms.atoms(condition).all(|atom| match self.terms.node(atom) {
            Node::Const(_) => true,
            Node::Same(a, b) => match (self.terms.value(*a), self.terms.value(*b)) {
                (Some(Value::Text(text)), None) if is_symbol(*b) => {
                    out.insert(text.to_string());
                    true
                }
                (None, Some(Value::Text(text))) if is_symbol(*a) => {
                    out.insert(text.to_string());
                    true
                }
                _ => false,
            },
            _ => false,
        })
    }
}

/// `[> 3, _, ..]`: lists that begin alike, and go on as they like.
fn open_ended(said: &[(usize, Phrase, Vec<Phrase>)], longest: usize) -> Option<String> {
    let (_, _, shortest) = said.first()?;
    let goes_on = |(_, _, parts): &(usize, Phrase, Vec<Phrase>)| {
        let (begin, rest) = parts.split_at(shortest.len().min(parts.len()));
        begin == shortest && rest.iter().all(|part| part.is_all)
    };
    if shortest.is_empty() || shortest.len() + said.len() != longest + 1 || !said.iter().all(goes_on) {
        return None;
    }
    let texts: Vec<&str> = shortest.iter().map(|part| part.text.as_str()).chain([".."]).collect();
    Some(format!("[{}]", texts.join(", ")))
}

/// `at most 3 elements`, where longer ones than the longest are not looked at.
fn of_size(sizes: &[usize], longest: usize) -> String {
    let (Some(low), Some(high)) = (sizes.first(), sizes.last()) else { return String::new() };
    let elements = |n: &usize| if *n == 1 { "element" } else { "elements" };
    match (*low == 0, *high == longest) {
        _ if high - low + 1 != sizes.len() => {
            format!("{} elements", one_of(&sizes.iter().map(ToString::to_string).collect::<Vec<_>>()))
        }
        (true, true) => "any number of elements".to_owned(),
        (false, true) => format!("at least {low} {}", elements(low)),
        (true, false) => format!("at most {high} {}", elements(high)),
        (false, false) => format!("{low} to {high} elements"),
    }
}

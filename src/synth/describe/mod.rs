//! What remains open in a test case, said as a person would: ranges, values, relations between inputs.
//!
//! Every value is said in terms of values of earlier steps (`unsaid` brings them into that order), alone as far as that is
//! possible (`phrase`, `numbers`), and what is left are relations, none of which follows from the rest (`relations`). All of
//! it together is what must hold, neither more nor less. Knows nothing of how the path was found. Tested by reading
//! descriptions of random models again, and comparing them with all runs.

mod numbers;
mod phrase;
mod relations;
mod together;
mod unsaid;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::Run;
use crate::search::{Along, Question, Recovered};
use crate::term::{
    Definitions, Named, Node, Range, Shown, Sizes, Store, Symbol, Term, Terms, Value, Written, name_symbols,
};
use phrase::{Phrase, Saying};
pub(super) use relations::MakeSolver;
use relations::{Known, needed};
use together::{contained, in_words};
use unsaid::{Spot, Unsaid};

/// What is said of one input of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Step, from one; zero for what holds before the first.
    pub step: usize,
    /// The input, parameter or variable.
    pub name: String,
    /// A value, a range, `_` where anything will do.
    pub text: String,
}

/// What is known of the data of a test case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Input by input.
    pub inputs: Vec<Said>,
    /// Relations between inputs that no range expresses.
    pub relations: Vec<String>,
}

impl Description {
    /// One line for each thing said.
    pub fn lines(&self) -> Vec<String> {
        let inputs = self.inputs.iter().map(|said| match said.step {
            0 => format!("initial {}: {}", said.name, said.text),
            step => format!("{}@{step}: {}", said.name, said.text),
        });
        inputs.chain(self.relations.iter().cloned()).collect()
    }
}

/// Values of all steps together, of a run that is opened again to be described: beyond that it takes too long.
const MAX_VALUES: usize = 1_000;

/// Describes the data of a run that meets a question; `open` are the values that exist once for it. None if the run is too
/// long, or its values have no terms.
pub(super) fn describe_run(
    question: Question<'_>,
    run: &Run,
    open: &[Value],
    solver: MakeSolver<'_>,
) -> Option<Description> {
    let values: usize = run.steps.iter().map(|step| step.data.len()).sum();
    if values > MAX_VALUES {
        return None;
    }
    let mut along = Along::new(question, run, open, Sizes::SMALL).ok()?;
    let unsaid = Unsaid::of_run(&mut along, &question.lists.names.definitions)?;
    Some(described(unsaid, solver))
}

/// Describes the data of a path through symbolic states, and of a run along it.
pub(super) fn describe_path(
    question: Question<'_>,
    (recovered, terms): (&Recovered, &mut Terms),
    (run, open): (&Run, &[Value]),
    solver: MakeSolver<'_>,
) -> Description {
    let unsaid = Unsaid::of_path(recovered, terms, question.system, &question.lists.names.definitions);
    let again = if unsaid.is_in_order { None } else { describe_run(question, run, open, solver) };
    again.unwrap_or_else(|| described(unsaid, solver))
}

fn described(unsaid: Unsaid<'_>, solver: MakeSolver<'_>) -> Description {
    let Unsaid { terms, definitions, spots, store, typed, witness, mut names, .. } = unsaid;
    let by_type: Vec<Term> = typed.residual.iter().copied().filter(|one| store.residual.contains(one)).collect();
    let mut open: Vec<Term> = store.residual.difference(&typed.residual).copied().collect();
    let mut local = vec![];
    let mut out = Description::default();
    let mut told: FxHashSet<Symbol> = FxHashSet::default();
    // Symbols that conditions speak of, or that were described before.
    let mut busy: FxHashSet<Symbol> = open.iter().flat_map(|condition| terms.symbols(*condition)).collect();
    let mut whole: FxHashMap<Term, String> = FxHashMap::default();
    let met: FxHashMap<Symbol, usize> = in_order(terms, &spots);
    for spot in &spots {
        let place = spot.stand.text();
        let text = match (whole.get(&spot.term), at_a_glance(terms, spot, &store, &typed)) {
            (Some(same), _) => same.clone(),
            (_, Some(text)) if terms.symbols(spot.term).is_disjoint(&busy) => text.to_owned(),
            _ => {
                let mut near =
                    Near { terms, definitions, ranges: &store.ranges, typed: &typed.ranges, names: &names, met: &met };
                let (phrase, said) = near.phrase(spot.term, &told, &open);
                open.retain(|condition| !said.contains(condition));
                local.extend(said);
                match phrase.is_all && spot.may_be_absent && !can_be_absent(terms, spot.term) {
                    true => "present".to_owned(),
                    false => phrase.text,
                }
            }
        };
        if !matches!(terms.node(spot.term), Node::Const(_) | Node::Symbol(_)) {
            whole.entry(spot.term).or_insert_with(|| place.clone());
        }
        // From here on it is said in terms of what was given, not of what the system said before.
        if let Node::Symbol(symbol) = terms.node(spot.term)
            && spot.is_given
            && told.contains(symbol)
            && !spots.iter().any(|other| other.is_given && names.get(symbol) == Some(&Named::Value(other.stand.text())))
        {
            names.insert(*symbol, Named::Value(place));
        }
        let mut described = FxHashMap::default();
        name_symbols(terms, definitions, spot.term, &spot.stand, &mut described);
        told.extend(described.keys());
        busy.extend(terms.symbols(spot.term));
        out.inputs.push(Said { step: spot.stand.step, name: spot.stand.name.clone(), text });
    }
    // What nobody sees, but other values are said in terms of.
    let mut unseen: Vec<Symbol> = met.keys().copied().filter(|symbol| !told.contains(symbol)).collect();
    unseen.sort_unstable();
    for symbol in unseen {
        let mut near =
            Near { terms, definitions, ranges: &store.ranges, typed: &typed.ranges, names: &names, met: &met };
        let term = near.terms.symbol(symbol);
        let (phrase, said) = near.phrase(term, &told, &open);
        open.retain(|condition| !said.contains(condition));
        local.extend(said);
        if let (false, Some(Named::Value(name))) = (phrase.is_all, names.get(&symbol)) {
            out.relations.push(format!("{name}: {}", phrase.text));
        }
    }
    local.extend(by_type);
    let known = Known { ranges: &store.ranges, conditions: &local, witness: &witness };
    let mut relations = needed(terms, &open, &known, solver);
    // In the order in which whoever runs the test meets them.
    let latest = |relation: Term| terms.symbols(relation).iter().filter_map(|symbol| met.get(symbol).copied()).max();
    relations.sort_by_key(|relation| latest(*relation));
    let show = |value: &Value| Shown { value, definitions }.to_string();
    let contained: Vec<Option<String>> =
        relations.iter().map(|relation| contained(terms, &store, *relation, &spots, &show)).collect();
    let written = Written { terms, definitions, names, met };
    out.relations.extend(in_words(&relations, &contained, &written));
    out
}

/// What needs no thought: most inputs of long runs are absent, or anything will do.
fn at_a_glance(terms: &Terms, spot: &Spot, store: &Store, typed: &Store) -> Option<&'static str> {
    let is_free = |term: Term| match terms.node(term) {
        Node::Symbol(symbol) => store.ranges[symbol.number as usize] == typed.ranges[symbol.number as usize],
        _ => false,
    };
    match terms.node(spot.term) {
        Node::Const(Value::Absent) => Some("absent"),
        Node::Symbol(_) if is_free(spot.term) => Some(if spot.may_be_absent { "present" } else { "_" }),
        Node::If(c, a, b) if is_free(*c) && is_free(*a) && terms.value(*b) == Some(&Value::Absent) => Some("_"),
        _ => None,
    }
}

/// Where symbols are met first.
fn in_order(terms: &Terms, spots: &[Spot]) -> FxHashMap<Symbol, usize> {
    let mut out = FxHashMap::default();
    for (number, spot) in spots.iter().enumerate() {
        terms.each_symbol(spot.term, &mut |symbol| {
            out.entry(symbol).or_insert(number);
        });
    }
    out
}

fn can_be_absent(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::If(_, a, b) => can_be_absent(terms, *a) || can_be_absent(terms, *b),
        _ => terms.value(term) == Some(&Value::Absent),
    }
}

/// What is known near one value: all its symbols get numbers of their own, so that nothing else has to be carried around.
struct Near<'n> {
    terms: &'n mut Terms,
    definitions: &'n Definitions,
    ranges: &'n [Range],
    typed: &'n [Range],
    names: &'n FxHashMap<Symbol, Named>,
    met: &'n FxHashMap<Symbol, usize>,
}

impl Near<'_> {
    /// What is said of a value, and the conditions that are said with it.
    fn phrase(&mut self, term: Term, told: &FxHashSet<Symbol>, open: &[Term]) -> (Phrase, Vec<Term>) {
        let mut symbols: Vec<Symbol> = vec![];
        self.terms.each_symbol(term, &mut |symbol| symbols.push(symbol));
        symbols.sort_unstable();
        symbols.dedup();
        let is_own = |terms: &Terms, condition: Term| {
            let mut is_own = true;
            terms.each_symbol(condition, &mut |symbol| {
                is_own &= symbols.binary_search(&symbol).is_ok() && !told.contains(&symbol);
            });
            is_own
        };
        let own: Vec<Term> = open.iter().copied().filter(|condition| is_own(self.terms, *condition)).collect();
        let here = |symbol: Symbol| {
            let number = symbols.binary_search(&symbol).ok()?;
            Some(Symbol { number: number as u32, sort: symbol.sort })
        };
        let numbered: FxHashMap<Symbol, Term> =
            symbols.iter().filter_map(|symbol| Some((*symbol, self.terms.symbol(here(*symbol)?)))).collect();
        let place = |symbol: Symbol| numbered.get(&symbol).copied();
        let near = |all: &[Range]| symbols.iter().map(|symbol| all[symbol.number as usize].clone()).collect::<Vec<_>>();
        let (ranges, typed) = (near(self.ranges), near(self.typed));
        let term = self.terms.substitute(term, &place);
        let conditions: Vec<Term> = own.iter().map(|condition| self.terms.substitute(*condition, &place)).collect();
        let names = symbols.iter().filter_map(|symbol| Some((here(*symbol)?, self.names.get(symbol)?.clone())));
        let (names, told) = (names.collect(), symbols.iter().filter(|s| told.contains(s)).filter_map(|s| here(*s)));
        let told = told.collect();
        let met = symbols.iter().filter_map(|symbol| Some((here(*symbol)?, *self.met.get(symbol)?))).collect();
        let mut saying = Saying { terms: self.terms, definitions: self.definitions, typed: &typed, names, met, told };
        let mut say = |conditions: &[Term]| {
            let mut store = Store::new(ranges.clone());
            for condition in conditions {
                store.assume(saying.terms, *condition);
            }
            let known = store.apply(saying.terms, term);
            saying.say(known, &store, false)
        };
        if let Some(phrase) = say(&conditions) {
            return (phrase, own);
        }
        // Not all of them can be said with it: as many as fit, in order.
        let (mut best, mut fitting, mut said) = (say(&[]), vec![], vec![]);
        for (condition, original) in conditions.iter().zip(&own) {
            fitting.push(*condition);
            match say(&fitting) {
                Some(phrase) => {
                    best = Some(phrase);
                    said.push(*original);
                }
                None => drop(fitting.pop()),
            }
        }
        (best.unwrap_or_else(|| Phrase::some(saying.written(term))), said)
    }
}

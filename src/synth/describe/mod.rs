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
    Definitions, Named, Node, Range, Shown, Sizes, Store, Symbol, Term, Terms, Unsupported, Value, Written,
    name_symbols,
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
    /// Why nothing but the data of one run is described, although there may be other data for it.
    pub gap: Option<String>,
}

impl Description {
    /// One line for each thing said.
    pub fn lines(&self) -> Vec<String> {
        let inputs = self.inputs.iter().map(|said| match said.step {
            0 => format!("initial {}: {}", said.name, said.text),
            step => format!("{}@{step}: {}", said.name, said.text),
        });
        inputs.chain(self.relations.iter().cloned()).chain(self.gap_text()).collect()
    }

    /// The gap in words.
    pub fn gap_text(&self) -> Option<String> {
        self.gap.as_ref().map(|reason| format!("other data was not looked at: {reason}"))
    }
}

/// Values of all steps together, of a run that is opened again to be described: beyond that it takes too long.
const MAX_VALUES: usize = 1_000;

/// Describes the data of a run that meets a question; `open` are the values that exist once for it. An error if the run is too
/// long, or its values have no terms.
pub(super) fn describe_run(
    question: Question<'_>,
    run: &Run,
    open: &[Value],
    solver: MakeSolver<'_>,
) -> Result<Description, Unsupported> {
    let values: usize = run.steps.iter().map(|step| step.data.len()).sum();
    if values > MAX_VALUES {
        return Err(Unsupported(format!("more than {MAX_VALUES} values")));
    }
    let mut along = Along::new(question, run, open, Sizes::SMALL)?;
    let unsaid = Unsaid::of_run(&mut along, &question.lists.names.definitions)?;
    Ok(described(unsaid, solver))
}

/// Describes the data of a path through symbolic states, and of a run along it.
pub(super) fn describe_path(
    question: Question<'_>,
    (recovered, terms): (&Recovered, &mut Terms),
    (run, open): (&Run, &[Value]),
    solver: MakeSolver<'_>,
) -> Description {
    let unsaid = Unsaid::of_path(recovered, terms, question.system, &question.lists.names.definitions);
    let again = if unsaid.is_in_order { None } else { describe_run(question, run, open, solver).ok() };
    again.unwrap_or_else(|| described(unsaid, solver))
}

fn described(unsaid: Unsaid<'_>, solver: MakeSolver<'_>) -> Description {
    let mut describing = Describing::new(unsaid);
    let spots = std::mem::take(&mut describing.unsaid.spots);
    let mut out = Description::default();
    for spot in &spots {
        let text = describing.spot(spot, &spots);
        out.inputs.push(Said { step: spot.stand.step, name: spot.stand.name.clone(), text });
    }
    out.relations = describing.unseen();
    out.relations.extend(describing.relations(&spots, solver));
    out
}

/// A description that is being made.
struct Describing<'t> {
    unsaid: Unsaid<'t>,
    /// Conditions that were not said yet, and are not asked for by types.
    open: Vec<Term>,
    /// Conditions that were said with a value.
    said: Vec<Term>,
    /// Symbols that were described.
    told: FxHashSet<Symbol>,
    /// Symbols that conditions speak of, or that were mentioned.
    busy: FxHashSet<Symbol>,
    /// Values that were said as a whole, by their terms.
    whole: FxHashMap<Term, String>,
    /// Where symbols are met first.
    met: FxHashMap<Symbol, usize>,
}

impl<'t> Describing<'t> {
    fn new(unsaid: Unsaid<'t>) -> Describing<'t> {
        let open: Vec<Term> = unsaid.store.residual.difference(&unsaid.typed.residual).copied().collect();
        let busy = open.iter().flat_map(|condition| unsaid.terms.symbols(*condition)).collect();
        let mut met = FxHashMap::default();
        for (number, spot) in unsaid.spots.iter().enumerate() {
            unsaid.terms.each_symbol(spot.term, &mut |symbol| {
                met.entry(symbol).or_insert(number);
            });
        }
        let (told, whole) = (FxHashSet::default(), FxHashMap::default());
        Describing { unsaid, open, said: vec![], told, busy, whole, met }
    }

    /// What is said of a value alone, with all conditions that can be said there.
    fn phrase(&mut self, term: Term) -> Phrase {
        let Unsaid { terms, definitions, store, typed, names, .. } = &mut self.unsaid;
        let (ranges, typed, met) = (&store.ranges, &typed.ranges, &self.met);
        let mut near = Near { terms, definitions, ranges, typed, names, met };
        let (phrase, said) = near.phrase(term, &self.told, &self.open);
        self.open.retain(|condition| !said.contains(condition));
        self.said.extend(said);
        phrase
    }

    /// What is said of a value in its place.
    fn spot(&mut self, spot: &Spot, spots: &[Spot]) -> String {
        let Unsaid { terms, store, typed, .. } = &self.unsaid;
        let is_free = terms.symbols(spot.term).is_disjoint(&self.busy);
        let glance = at_a_glance(terms, spot, store, typed).filter(|_| is_free);
        let text = match (self.whole.get(&spot.term), glance) {
            (Some(same), _) => same.clone(),
            (None, Some(text)) => text.to_owned(),
            (None, None) => {
                let phrase = self.phrase(spot.term);
                match phrase.is_all && spot.may_be_absent && !can_be_absent(self.unsaid.terms, spot.term) {
                    true => "present".to_owned(),
                    false => phrase.text,
                }
            }
        };
        self.has_said(spot, spots);
        text
    }

    /// Notes what later values can be said in terms of.
    fn has_said(&mut self, spot: &Spot, spots: &[Spot]) {
        let Unsaid { terms, definitions, names, .. } = &mut self.unsaid;
        if !matches!(terms.node(spot.term), Node::Const(_) | Node::Symbol(_)) {
            self.whole.entry(spot.term).or_insert_with(|| spot.stand.text());
        }
        // From here on it is said in terms of what was given, not of what the system said before.
        if let Node::Symbol(symbol) = terms.node(spot.term)
            && spot.is_given
            && self.told.contains(symbol)
            && !spots.iter().any(|other| other.is_given && names.get(symbol) == Some(&Named::Value(other.stand.text())))
        {
            names.insert(*symbol, Named::Value(spot.stand.text()));
        }
        let mut described = FxHashMap::default();
        name_symbols(terms, definitions, spot.term, &spot.stand, &mut described);
        self.told.extend(described.keys());
        self.busy.extend(terms.symbols(spot.term));
    }

    /// What nobody sees, but other values are said in terms of.
    fn unseen(&mut self) -> Vec<String> {
        let mut unseen: Vec<Symbol> = self.met.keys().copied().filter(|symbol| !self.told.contains(symbol)).collect();
        unseen.sort_unstable();
        let mut out = vec![];
        for symbol in unseen {
            let term = self.unsaid.terms.symbol(symbol);
            let phrase = self.phrase(term);
            if let (false, Some(Named::Value(name))) = (phrase.is_all, self.unsaid.names.get(&symbol)) {
                out.push(format!("{name}: {}", phrase.text));
            }
        }
        out
    }

    /// What could not be said of one value alone, in the order in which whoever runs the test meets it.
    fn relations(self, spots: &[Spot], solver: MakeSolver<'_>) -> Vec<String> {
        let Unsaid { terms, definitions, store, typed, witness, names, .. } = self.unsaid;
        let by_type = typed.residual.iter().copied().filter(|one| store.residual.contains(one));
        let conditions: Vec<Term> = self.said.into_iter().chain(by_type).collect();
        let known = Known { ranges: &store.ranges, conditions: &conditions, witness: &witness };
        let mut relations = needed(terms, &self.open, &known, solver);
        let met = |relation: &Term| terms.symbols(*relation).iter().filter_map(|one| self.met.get(one).copied()).max();
        relations.sort_by_key(met);
        let show = |value: &Value| Shown { value, definitions }.to_string();
        let contained: Vec<Option<String>> =
            relations.iter().map(|relation| contained(terms, &store, *relation, spots, &show)).collect();
        in_words(&relations, &contained, &Written { terms, definitions, names, met: self.met })
    }
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

//! Scripts of events at gates. The run is opened again over symbols; what is sent is put in terms of what was observed before it, and
//! what decided the run becomes conditions over what is observed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::places::{Places, fresh, given, is_simple, some};
use super::said::{Saying, name_seen};
use super::{Act, Acts, Allowed, Attempt, Expression, Lenience, Seen};
use crate::kernel::{Part, Run, Step, StepSystem};
use crate::search::{Along, DATA_SIZES, Limits, Place as Spot, Question};
use crate::syntax::tree::Direction;
use crate::synth::answer::Refused;
use crate::term::{Assumed, Definitions, Node, Rational, Sort, Store, Sum, Symbol, Term, Terms, Unsupported, Value};

/// Longer runs are not opened again.
const MAX_VALUES: usize = 20_000;

/// With more symbols than that, conditions are said as they are.
const MAX_TIDIED: usize = 2_000;

/// More conditions than that are not compared with each other.
const MAX_COMPARED: usize = 24;

/// Steps of the elimination of quantifiers for one act.
const EFFORT: usize = 40_000;

/// The acts of a run that meets a question; `open` are the values that exist once for it.
pub(super) fn acts(
    question: Question<'_>,
    (run, open): (&Run, &[Value]),
    refused: Option<&(usize, Refused)>,
    limits: &Limits,
) -> Result<Acts, Unsupported> {
    let system = question.system;
    let is_tick = |step: &Step| matches!(system.joints[step.joint].parts[..], [Part::Tick(_)]);
    if run.steps.iter().map(|step| step.data.len() + 1).sum::<usize>() > MAX_VALUES || run.steps.iter().any(is_tick) {
        return Err(Unsupported("a run of this kind".to_owned()));
    }
    let is_output =
        |step: &Step| system.joints[step.joint].gate.is_some_and(|gate| system.gates[gate].direction == Direction::Out);
    let along = Along::new(question, run, open, DATA_SIZES)?;
    let Along { mut terms, mut store, witness, places: spots, decisions, .. } = along;
    terms.eliminate_within(EFFORT);
    let definitions = &*system.definitions;
    let places = Places::new(system, definitions, &run.initial.values, &mut terms, &mut store);
    let mut writing = Writing {
        system,
        definitions,
        terms,
        store,
        witness,
        known: FxHashMap::default(),
        seen: FxHashMap::default(),
        held: FxHashSet::default(),
        about_hidden: vec![],
        places,
        outputs_left: run.steps.iter().filter(|step| is_output(step)).count(),
        acts: vec![],
    };
    for spot in spots.iter().filter(|spot| spot.step == 0) {
        writing.fix(spot.symbols.clone());
    }
    let mut refusal = None;
    let mut due: Vec<Term> = vec![];
    for number in 0..=run.steps.len() {
        if let Some(limit) = limits.used_up() {
            return Err(Unsupported(limit.to_string()));
        }
        writing.terms.eliminate_within(EFFORT);
        due.extend(decisions.iter().filter(|one| one.step == number).map(|one| one.condition));
        let step = number.checked_sub(1).map(|number| &run.steps[number]);
        if let Some((step, gate)) = step.and_then(|step| Some((step, system.joints[step.joint].gate?))) {
            let own: Vec<&Spot> = spots.iter().filter(|spot| spot.step == number).collect();
            writing.outputs_left -= usize::from(is_output(step));
            writing.act((number, gate), &own, step, std::mem::take(&mut due));
        }
        if let Some((_, refused)) = refused.filter(|(after, _)| *after == number) {
            refusal = Some((writing.acts.len(), writing.attempt(refused)));
        }
    }
    let end = writing.condition(due, FxHashSet::default());
    Ok((writing.acts, end, refusal))
}

struct Writing<'a> {
    system: &'a StepSystem,
    definitions: &'a Definitions,
    terms: Terms,
    store: Store,
    witness: Vec<Value>,
    /// Symbols that are sent, or that must be as planned.
    known: FxHashMap<u32, Term>,
    /// Symbols that are observed.
    seen: FxHashMap<Symbol, Seen>,
    /// Conditions that hold if the test got this far.
    held: FxHashSet<Term>,
    /// Conditions on data that nobody sees.
    about_hidden: Vec<Term>,
    places: Places<'a>,
    /// Outputs of the run that are still to come.
    outputs_left: usize,
    acts: Vec<Act>,
}

impl Writing<'_> {
    fn fix(&mut self, symbols: std::ops::Range<usize>) {
        for number in symbols {
            let value = self.terms.constant(self.witness[number].clone());
            self.known.insert(number as u32, value);
        }
    }

    fn reduced(&mut self, term: Term) -> Term {
        let known = &self.known;
        self.terms.substitute(term, &|symbol| known.get(&symbol.number).copied())
    }

    fn say(&self, term: Term) -> Option<Expression> {
        Saying::new(&self.terms, &self.seen).term(term)
    }

    /// One visible step.
    fn act(&mut self, (step, gate): (usize, usize), own: &[&Spot], taken: &Step, due: Vec<Term>) {
        let described = &self.system.gates[gate];
        let is_input = described.direction == Direction::In;
        let sent = self.system.sent_to(taken.joint);
        let has_result = is_input && sent < own.len();
        let named: Vec<Named<'_>> =
            own.iter().zip(&described.params).zip(&taken.data).map(|((spot, (name, _)), v)| (*spot, name, v)).collect();
        let given = self.given(&named[..sent], &due);
        let (observed, composite) = self.observed(&named[sent..]);
        let data: Vec<Term> = own.iter().map(|spot| self.reduced(spot.term)).collect();
        // What holds of what is sent, and what of what is observed.
        let (own_symbols, due) = (self.symbols_of(&own[sent..]), self.each_reduced(due));
        let is_later = |terms: &Terms, term: Term| !is_input || !terms.symbols(term).is_disjoint(&own_symbols);
        let (later, first): (Vec<Term>, Vec<Term>) = due.into_iter().partition(|term| is_later(&self.terms, *term));
        let was_all = self.places.is_all;
        let nothing = match is_input {
            true => self.refusal(gate, &data, sent),
            false => self.silence(gate, &taken.data),
        };
        if is_input {
            self.places.run_ahead(self.outputs_left, &mut self.terms, &mut self.store);
        }
        let planned: OwnData<'_> = (&data, &composite, &later);
        let mut allowed = match (is_input, has_result) {
            (true, false) => vec![],
            (true, true) => self.alternative(gate, Some(planned)).into_iter().collect(),
            (false, _) => self.alternatives(gate, planned),
        };
        let fits = self.condition(first, FxHashSet::default());
        let expected = self.expected(&composite, later, own_symbols);
        allowed.retain(|one| one.gate != Some(gate) || !one.when.when.is_same(&expected));
        let is_all = was_all && self.places.is_all;
        self.acts.push(Act { step, gate: Some(gate), given, fits, observed, expected, allowed, is_all, nothing });
        let data: Vec<Term> = data.into_iter().map(|term| self.reduced(term)).collect();
        self.places.advance(gate, &data, &mut self.terms, &mut self.store);
        self.relieve();
    }

    /// What is sent, in terms of what was observed where that is possible.
    fn given(&mut self, named: &[Named<'_>], due: &[Term]) -> Vec<(String, Expression)> {
        let spots: Vec<&Spot> = named.iter().map(|(spot, ..)| *spot).collect();
        self.give(&spots, due);
        let mut given = vec![];
        for (spot, name, value) in named {
            let term = self.reduced(spot.term);
            let said = self.say(term).unwrap_or_else(|| Expression::Value((*value).clone()));
            given.push(((*name).clone(), said));
        }
        given
    }

    /// What is observed, as planned, and those of the values that are not made of simple ones. From now on there are words for it.
    fn observed<'s>(&mut self, named: &[Named<'s>]) -> (Vec<(String, Value)>, Vec<Composite<'s>>) {
        let act = self.acts.len();
        let mut composite = vec![];
        for (spot, name, value) in named {
            let place = Seen { act, name: (*name).clone(), path: vec![] };
            if !name_seen(&self.terms, self.definitions, spot.term, place, &mut self.seen) {
                composite.push((*spot, (*name).clone(), *value));
            }
        }
        (named.iter().map(|(_, name, value)| ((*name).clone(), (*value).clone())).collect(), composite)
    }

    /// When the run goes on as planned.
    fn expected(&mut self, composite: &[Composite<'_>], due: Vec<Term>, own: FxHashSet<Symbol>) -> Expression {
        let mut expected: Vec<Expression> = vec![];
        for (spot, name, value) in composite {
            let place = Seen { act: self.acts.len(), name: name.clone(), path: vec![] };
            expected.push(Expression::equal(Expression::Seen(place), Expression::Value((*value).clone())));
            self.fix(spot.symbols.clone());
        }
        expected.push(self.condition(due, own));
        Expression::all(expected)
    }

    /// That the model may say nothing.
    fn silence(&mut self, gate: usize, planned: &[Value]) -> Lenience {
        let is_all = self.places.is_all;
        let silence = self.places.silence((gate, planned), &mut self.terms, &mut self.store).filter(|_| is_all);
        silence.map_or(Lenience::UNKNOWN, |silence| self.possibly(silence))
    }

    /// All outputs that the model allows.
    fn alternatives(&mut self, gate: usize, planned: OwnData<'_>) -> Vec<Allowed> {
        let gates = self.places.output_gates().into_iter();
        gates.filter_map(|other| self.alternative(other, (other == gate).then_some(planned))).collect()
    }

    fn each_reduced(&mut self, conditions: Vec<Term>) -> Vec<Term> {
        conditions.into_iter().map(|condition| self.reduced(condition)).collect()
    }

    fn symbols_of(&self, spots: &[&Spot]) -> FxHashSet<Symbol> {
        spots.iter().flat_map(|spot| self.terms.symbols(spot.term)).collect()
    }

    /// Chooses what is sent: what earlier observations determine follows them, the rest is as planned.
    fn give(&mut self, spots: &[&Spot], due: &[Term]) {
        let mut open: FxHashSet<Symbol> = self.symbols_of(spots);
        let mut equations = vec![];
        for condition in due {
            let condition = self.reduced(*condition);
            match self.terms.node(condition).clone() {
                Node::And(parts) => equations.extend(parts),
                _ => equations.push(condition),
            }
        }
        // One that is determined may determine another.
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for equation in &equations {
                let equation = self.reduced(*equation);
                if let Some((symbol, value)) = self.solved(equation, &open) {
                    self.known.insert(symbol.number, value);
                    open.remove(&symbol);
                    is_changed = true;
                }
            }
        }
        for symbol in open {
            self.fix(symbol.number as usize..symbol.number as usize + 1);
        }
    }

    /// An equation that says what one of some symbols is, by what was observed.
    fn solved(&mut self, equation: Term, open: &FxHashSet<Symbol>) -> Option<(Symbol, Term)> {
        let is_seen = |terms: &Terms, term: Term| {
            terms.symbols(term).iter().all(|one| self.seen.contains_key(one) && !open.contains(one))
        };
        match self.terms.node(equation).clone() {
            Node::Symbol(symbol) if open.contains(&symbol) => Some((symbol, self.terms.bool(true))),
            Node::Not(part) => match *self.terms.node(part) {
                Node::Symbol(symbol) if open.contains(&symbol) => Some((symbol, self.terms.bool(false))),
                _ => None,
            },
            Node::Same(a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    if let Node::Symbol(symbol) = self.terms.node(one)
                        && open.contains(symbol)
                        && is_seen(&self.terms, other)
                    {
                        return Some((*symbol, other));
                    }
                }
                None
            }
            Node::IsZero(sum) => {
                let Node::Sum(Sum { sort, parts, constant }) = self.terms.node(sum).clone() else { return None };
                let is_open = |terms: &Terms, term: Term| match terms.node(term) {
                    Node::Symbol(symbol) if open.contains(symbol) => Some(*symbol),
                    _ => None,
                };
                let place = parts.iter().position(|(term, factor)| {
                    is_open(&self.terms, *term).is_some() && (factor.abs().is_one() || sort == Sort::Real)
                })?;
                let (term, factor) = &parts[place];
                let symbol = is_open(&self.terms, *term)?;
                let inverse = Rational::from(-factor.to_big().recip());
                let mut value = self.terms.constant(number(&(&constant * &inverse), symbol.sort)?);
                for (_, (part, factor)) in parts.iter().enumerate().filter(|(number, _)| *number != place) {
                    if !is_seen(&self.terms, *part) {
                        return None;
                    }
                    value = self.terms.add_scaled(value, *part, &(factor * &inverse));
                }
                Some((symbol, value))
            }
            _ => None,
        }
    }

    /// Conditions on what has been observed by now, as one. What cannot be said asks for the planned data. What equations say of `open`
    /// symbols is known from then on.
    fn condition(&mut self, conditions: Vec<Term>, mut open: FxHashSet<Symbol>) -> Expression {
        let mut out = vec![];
        let mut is_hidden = false;
        let conditions = self.each_reduced(conditions);
        open.retain(|symbol| !self.known.contains_key(&symbol.number));
        for condition in self.without_implied(conditions.clone()) {
            let condition = self.reduced(condition);
            if self.terms.is(condition, true) || self.held.contains(&condition) {
                continue;
            }
            if self.terms.symbols(condition).iter().any(|symbol| !self.seen.contains_key(symbol)) {
                self.about_hidden.push(condition);
                is_hidden = true;
                continue;
            }
            out.push(self.said_or_planned(condition));
            if let Some((symbol, value)) = self.solved(condition, &open) {
                self.known.insert(symbol.number, value);
                open.remove(&symbol);
            }
        }
        self.held.extend(conditions);
        if is_hidden {
            let conditions = self.each_reduced(self.about_hidden.clone());
            let all = self.terms.all(conditions);
            let possible = self.without_unseen(all);
            out.push(self.said_or_planned(possible));
        }
        Expression::all(out)
    }

    fn said_or_planned(&mut self, condition: Term) -> Expression {
        if let Some(said) = self.say(condition) {
            return said;
        }
        let mut symbols: Vec<Symbol> = self.terms.symbols(condition).into_iter().collect();
        symbols.sort_unstable();
        let mut out = vec![];
        for symbol in symbols {
            if let Some(seen) = self.seen.get(&symbol).cloned() {
                let value = Expression::Value(self.witness[symbol.number as usize].clone());
                out.push(Expression::equal(Expression::Seen(seen), value));
                self.fix(symbol.number as usize..symbol.number as usize + 1);
            }
        }
        Expression::all(out)
    }

    /// Conditions without those that follow from the others. Equations are never left out.
    fn without_implied(&mut self, conditions: Vec<Term>) -> Vec<Term> {
        if conditions.len() < 2 || self.store.ranges.len() > MAX_TIDIED || conditions.len() > MAX_COMPARED {
            return conditions;
        }
        let is_equation = |terms: &Terms, one: Term| matches!(terms.node(one), Node::IsZero(_) | Node::Same(..));
        let (equations, mut rest): (Vec<Term>, Vec<Term>) =
            conditions.into_iter().partition(|one| is_equation(&self.terms, *one));
        let mut number = 0;
        while number < rest.len() {
            let one = rest.remove(number);
            let mut known = self.store.clone();
            for other in equations.iter().chain(&rest) {
                known.assume(&mut self.terms, *other);
            }
            let left = known.apply(&mut self.terms, one);
            if known.decide(&self.terms, left) != Some(true) {
                rest.insert(number, one);
                number += 1;
            }
        }
        equations.into_iter().chain(rest).collect()
    }

    /// That some values of what nobody sees satisfy a condition.
    fn without_unseen(&mut self, condition: Term) -> Term {
        let mut unseen: Vec<Symbol> =
            self.terms.symbols(condition).into_iter().filter(|symbol| !self.seen.contains_key(symbol)).collect();
        unseen.sort_unstable();
        some(&unseen, condition, &mut self.terms, &self.store)
    }

    /// What the model may do at a gate; with the data of the planned event if it is that gate.
    fn alternative(&mut self, gate: usize, own: Option<OwnData<'_>>) -> Option<Allowed> {
        if !self.places.may_reach(gate) && self.places.is_all {
            return None;
        }
        let (data, planned) = self.spoken(gate, own);
        let is_composite = data.contains(&None);
        // What asks for all that is expected is expected, if that could be said.
        let planned = planned.filter(|planned| !is_composite && planned.iter().all(|one| self.is_said(*one)));
        let mut any: Vec<Lenience> = vec![];
        for moves in self.places.moves(gate, &data, &mut self.terms, &mut self.store) {
            let Some(moves) = moves else {
                any.push(Lenience::UNKNOWN);
                continue;
            };
            for step in moves {
                if planned.is_some_and(|planned| self.asks_for(step.when, planned)) {
                    continue;
                }
                let open = data.iter().enumerate().filter(|(_, given)| given.is_none());
                let composite: Vec<(usize, Term)> = open.map(|(place, _)| (place, step.data[place])).collect();
                any.push(self.allowing(step.when, gate, &composite));
            }
        }
        let when = Lenience::any(any);
        (!when.when.is(false)).then_some(Allowed { gate: Some(gate), when })
    }

    /// The data of an event in terms of what is observed of it, as far as it is made of simple values; with what is planned.
    fn spoken<'o>(&mut self, gate: usize, own: Option<OwnData<'o>>) -> (Vec<Option<Term>>, Option<&'o [Term]>) {
        let act = self.acts.len();
        let params = &self.system.gates[gate].params;
        let Some((data, composite, planned)) = own else {
            let mut data = vec![];
            for (name, ty) in params {
                let simple = is_simple(ty, self.definitions)
                    .then(|| fresh(std::slice::from_ref(ty), &mut self.terms, &mut self.store, self.definitions));
                let term = simple.and_then(Result::ok).map(|(data, _)| data[0]);
                if let Some(term) = term {
                    let place = Seen { act, name: name.clone(), path: vec![] };
                    name_seen(&self.terms, self.definitions, term, place, &mut self.seen);
                }
                data.push(term);
            }
            return (data, None);
        };
        let is_open = |name: &String| composite.iter().any(|(_, composite, _)| composite == name);
        let data = data.iter().zip(params).map(|(term, (name, _))| (!is_open(name)).then_some(*term)).collect();
        (data, Some(planned))
    }

    /// Whether a condition is about what was observed, and can be said.
    fn is_said(&self, condition: Term) -> bool {
        self.say(condition).is_some()
    }

    /// Whether a condition asks for all that others ask for, as far as it does not hold anyway.
    fn asks_for(&mut self, condition: Term, others: &[Term]) -> bool {
        let condition = self.reduced(condition);
        let parts = match self.terms.node(condition) {
            Node::And(parts) => parts.clone(),
            _ => vec![condition],
        };
        others.iter().all(|other| parts.contains(other) || self.held.contains(other) || self.terms.is(*other, true))
    }

    /// That the model allows something, with these values that are not simple.
    fn allowing(&mut self, when: Term, gate: usize, composite: &[(usize, Term)]) -> Lenience {
        let when = self.reduced(when);
        let when = self.relieved(when);
        let mut all = vec![];
        let mut is_exact = true;
        if !composite.is_empty() {
            let mut store = self.store.clone();
            if store.assume(&mut self.terms, when) == Assumed::Impossible {
                return Lenience::exactly(Expression::FALSE);
            }
            for (place, value) in composite {
                let value = self.reduced(*value);
                let determined = store.apply(&mut self.terms, value);
                let Some(said) = self.say(determined) else {
                    is_exact = false;
                    continue;
                };
                let name = self.system.gates[gate].params[*place].0.clone();
                let place = Seen { act: self.acts.len(), name, path: vec![] };
                all.push(Expression::equal(Expression::Seen(place), said));
            }
        }
        let possibly = self.possibly(when);
        all.push(possibly.when);
        Lenience { when: Expression::all(all), is_exact: is_exact && possibly.is_exact }
    }

    /// That something is possible with some values of what nobody sees.
    fn possibly(&mut self, when: Term) -> Lenience {
        let when = self.reduced(when);
        let when = self.relieved(when);
        let possible = self.without_unseen(when);
        if let Some(said) = self.say(possible) {
            return Lenience::exactly(said);
        }
        // What has no words is left out twice: before, because it may be what keeps a quantifier, and what still has one.
        let weaker = self.in_words(when, Hearing::Anything);
        let possible = self.without_unseen(weaker);
        let weaker = self.in_words(possible, Hearing::Seen);
        Lenience { when: self.say(weaker).unwrap_or(Expression::TRUE), is_exact: false }
    }

    /// A condition that holds wherever this one does, and consists of what can be said.
    fn in_words(&mut self, condition: Term, hearing: Hearing) -> Term {
        match self.terms.node(condition).clone() {
            Node::And(parts) => {
                let parts = parts.into_iter().map(|part| self.in_words(part, hearing)).collect();
                self.terms.all(parts)
            }
            Node::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.in_words(part, hearing)).collect();
                self.terms.any(parts)
            }
            _ if self.has_words(condition, hearing) => condition,
            _ => self.terms.bool(true),
        }
    }

    fn has_words(&self, condition: Term, hearing: Hearing) -> bool {
        match hearing {
            Hearing::Seen => self.say(condition).is_some(),
            Hearing::Anything => {
                let anywhere = Seen { act: 0, name: String::new(), path: vec![] };
                let all = self.terms.symbols(condition).into_iter().map(|symbol| (symbol, anywhere.clone())).collect();
                Saying::new(&self.terms, &all).term(condition).is_some()
            }
        }
    }

    /// That the model may refuse what is sent.
    fn refusal(&mut self, gate: usize, data: &[Term], sent: usize) -> Lenience {
        let results: Vec<Symbol> = data[sent..].iter().flat_map(|term| self.terms.symbols(*term)).collect();
        let ahead = self.places.ahead(&mut self.terms, &mut self.store);
        // Where places are missing, it may be one of these that refuses.
        if !ahead.is_all {
            return Lenience::UNKNOWN;
        }
        let mut any = vec![];
        // What a place asks for is asked for once.
        let mut anywhere = ahead.clone();
        anywhere.places.iter_mut().for_each(|place| place.when = self.terms.bool(true));
        let everywhere = anywhere.moves(gate, &given(data), &mut self.terms, &mut self.store);
        for (place, moves) in ahead.places.iter().zip(everywhere) {
            let Some(moves) = moves else { return Lenience::UNKNOWN };
            let moves = moves.into_iter().map(|step| step.when).collect();
            let taken = self.terms.any(moves);
            let taken = self.terms.exists(&results, taken);
            let not_taken = self.terms.not(taken);
            any.push(self.terms.and(place.when, not_taken));
        }
        let refused = self.terms.any(any);
        self.possibly(refused)
    }

    /// What must be refused here.
    fn attempt(&mut self, refused: &Refused) -> Attempt {
        let gate = self.system.joints[refused.joint].gate;
        let sent = given_to(self.system, refused);
        // Whatever it gives back, it was taken.
        let of_gate = self.system.joints[refused.joint].params.len();
        let mut data: Vec<Option<Term>> =
            sent.iter().map(|(_, value)| Some(self.terms.constant(value.clone()))).collect();
        data.resize(of_gate, None);
        let ahead = self.places.ahead(&mut self.terms, &mut self.store);
        let mut any = Some(vec![]).filter(|_| ahead.is_all);
        if let Some(gate) = gate.filter(|_| any.is_some()) {
            for moves in ahead.moves(gate, &data, &mut self.terms, &mut self.store) {
                match moves {
                    Some(moves) => any.iter_mut().for_each(|any| any.extend(moves.iter().map(|step| step.when))),
                    None => any = None,
                }
            }
        }
        let taken = any.map_or(Lenience::UNKNOWN, |any| {
            let any = self.terms.any(any);
            self.possibly(any)
        });
        Attempt { gate, given: sent, taken }
    }

    /// A condition without what holds anyway.
    fn relieved(&mut self, condition: Term) -> Term {
        let contrary = self.terms.not(condition);
        if self.held.contains(&condition) || self.held.contains(&contrary) {
            return self.terms.bool(self.held.contains(&condition));
        }
        match self.terms.node(condition).clone() {
            Node::And(parts) => {
                let parts = parts.into_iter().map(|part| self.relieved(part)).collect();
                let parts = self.without_implied(parts);
                self.terms.all(parts)
            }
            Node::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.relieved(part)).collect();
                self.terms.any(parts)
            }
            _ => condition,
        }
    }

    /// Places without what holds if the test got this far.
    fn relieve(&mut self) {
        let known = self.known.clone();
        self.places.substitute(&mut self.terms, &|symbol| known.get(&symbol.number).copied());
        let mut places = std::mem::take(&mut self.places.places);
        for place in &mut places {
            // Data that nobody sees is spoken of later.
            let is_seen = self.terms.symbols(place.when).iter().all(|symbol| self.seen.contains_key(symbol));
            if is_seen {
                place.when = self.relieved(place.when);
            }
        }
        self.places.places = places;
    }
}

/// Which symbols there are words for.
#[derive(Clone, Copy)]
enum Hearing {
    /// Those that were observed.
    Seen,
    /// All of them, as if they were observed.
    Anything,
}

/// Something that is sent or observed: its place, its name, and the planned value.
type Named<'s> = (&'s Spot, &'s String, &'s Value);

/// An observed value that is not made of simple ones: its place, its name, and the planned value.
type Composite<'s> = (&'s Spot, String, &'s Value);

/// Data of the planned event, those of its values that are not simple, and what it asks for.
type OwnData<'s> = (&'s [Term], &'s [Composite<'s>], &'s [Term]);

fn number(n: &Rational, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Int => n.is_integer().then(|| Value::Int(n.to_integer())),
        _ => Some(Value::real(n.to_big())),
    }
}

/// What is sent of an event that must be refused: not its result.
fn given_to(system: &StepSystem, refused: &Refused) -> Vec<(String, Value)> {
    let names = system.joints[refused.joint].params.iter().map(|(name, _)| name.clone());
    names.zip(refused.data.iter().cloned()).take(system.sent_to(refused.joint)).collect()
}

/// The acts of a run of which nothing but the plan is known: other data is neither right nor wrong.
pub(super) fn as_planned(system: &StepSystem, run: &Run, refused: Option<&(usize, Refused)>) -> Acts {
    let mut acts: Vec<Act> = vec![];
    let mut refusal = None;
    for number in 0..=run.steps.len() {
        if let Some((_, refused)) = refused.filter(|(after, _)| *after == number) {
            let (gate, given) = (system.joints[refused.joint].gate, given_to(system, refused));
            refusal = Some((acts.len(), Attempt { gate, given, taken: Lenience::UNKNOWN }));
        }
        let Some(step) = run.steps.get(number) else { break };
        let joint = &system.joints[step.joint];
        let Some(gate) = joint.gate else { continue };
        let sent = system.sent_to(step.joint);
        let named = joint.params.iter().map(|(name, _)| name.clone()).zip(step.data.iter().cloned());
        let (given, observed): (Vec<_>, Vec<_>) = named.enumerate().partition(|(place, _)| *place < sent);
        let observed: Vec<(String, Value)> = observed.into_iter().map(|(_, one)| one).collect();
        let act = acts.len();
        let equal = |(name, value): &(String, Value)| {
            let seen = Expression::Seen(Seen { act, name: name.clone(), path: vec![] });
            Expression::equal(seen, Expression::Value(value.clone()))
        };
        acts.push(Act {
            step: number + 1,
            gate: Some(gate),
            given: given.into_iter().map(|(_, (name, value))| (name, Expression::Value(value))).collect(),
            fits: Expression::TRUE,
            expected: Expression::all(observed.iter().map(equal)),
            observed,
            allowed: vec![],
            is_all: false,
            nothing: Lenience::UNKNOWN,
        });
    }
    (acts, Expression::TRUE, refusal)
}

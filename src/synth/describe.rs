//! What remains open in a test case, said as a person would: ranges, values, relations between inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{StepSystem, Style};
use crate::search::Recovered;
use crate::term::{
    Bound, Definitions, Node, Range, Rational, Sizes, Symbol, Symbolic, Term, Terms, Type, Value, Written,
};

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

/// Describes the data of a path.
pub fn describe(
    recovered: &Recovered,
    terms: &mut Terms,
    system: &StepSystem,
    definitions: &Definitions,
) -> Description {
    let mut places: Vec<(usize, String, Type, Term)> = vec![];
    for (slot, term) in system.open_slots().into_iter().zip(&recovered.opened) {
        places.push((0, system.slots[slot].name.clone(), system.slots[slot].ty.clone(), *term));
    }
    for (number, step) in recovered.steps.iter().enumerate() {
        let joint = &system.joints[step.joint];
        for ((name, types), term) in joint.params.iter().zip(recovered.data(step)).take(system.given_to(step.joint)) {
            let gate = joint.gate.map(|gate| system.gates[gate].name.as_str());
            let name = match (system.style, gate) {
                (Style::Gates, Some(gate)) => format!("{gate}.{name}"),
                _ => name.clone(),
            };
            places.push((number + 1, name, types[0].clone(), *term));
        }
    }
    // What a type asks for anyway is not said again.
    let mut by_type = FxHashSet::default();
    for (_, _, ty, term) in &places {
        asked_by_type(ty, *term, terms, definitions, &mut by_type);
    }
    let terms = &*terms;
    let written = Written { terms, definitions, names: FxHashMap::default() };
    let residual: Vec<Term> = recovered.store.residual.iter().copied().filter(|one| !by_type.contains(one)).collect();
    let mut related = FxHashSet::default();
    for condition in &residual {
        terms.each_symbol(*condition, &mut |symbol| {
            related.insert(symbol);
        });
    }
    let mut describer = Describer { terms, ranges: &recovered.store.ranges, written, related };
    for (step, name, _, term) in &places {
        let place = if *step == 0 { format!("initial {name}") } else { format!("{name}@{step}") };
        describer.name_leaves(*term, &place);
    }
    let mut out = Description::default();
    let mut told = vec![];
    for (step, name, ty, term) in &places {
        let text = describer.text(*term, ty, &mut told);
        out.inputs.push(Said { step: *step, name: name.clone(), text });
    }
    out.relations = residual.iter().filter_map(|condition| describer.relation(*condition)).collect();
    out
}

struct Describer<'a> {
    terms: &'a Terms,
    ranges: &'a [Range],
    written: Written<'a>,
    /// Symbols that relations speak of.
    related: FxHashSet<Symbol>,
}

/// The conditions that a type makes on a term.
fn asked_by_type(ty: &Type, term: Term, terms: &mut Terms, definitions: &Definitions, out: &mut FxHashSet<Term>) {
    let term = match *terms.node(term) {
        Node::If(_, inside, absent) if terms.value(absent) == Some(&Value::Absent) => inside,
        _ => term,
    };
    if let Ok(inside) = Symbolic::new(terms, definitions, &[]).contains(ty, term) {
        match terms.node(inside) {
            Node::And(parts) => out.extend(parts.iter().copied()),
            _ => {
                out.insert(inside);
            }
        }
    }
    if let (Type::Data(id), Node::Data(_, constructor, args)) = (ty, terms.node(term).clone()) {
        let fields = &definitions.types[*id].constructors[constructor as usize].fields;
        for ((_, ty), arg) in fields.iter().zip(args) {
            asked_by_type(ty, arg, terms, definitions, out);
        }
    }
}

impl Describer<'_> {
    /// Gives the symbols of an input the name of the place they are first seen at.
    fn name_leaves(&mut self, term: Term, place: &str) {
        match self.terms.node(term) {
            Node::Symbol(symbol) => {
                self.written.names.entry(*symbol).or_insert_with(|| place.to_owned());
            }
            Node::If(c, a, b) => {
                if let Node::Symbol(symbol) = self.terms.node(*c)
                    && self.terms.value(*b) == Some(&Value::Absent)
                {
                    self.written.names.entry(*symbol).or_insert_with(|| format!("{place} is present"));
                }
                self.name_leaves(*a, place);
                self.name_leaves(*b, place);
            }
            Node::Data(ty, constructor, args) => {
                let fields =
                    self.written.definitions.types.get(*ty).map(|ty| &ty.constructors[*constructor as usize].fields);
                for (number, arg) in args.iter().enumerate() {
                    let field = fields.map_or_else(|| number.to_string(), |fields| fields[number].0.clone());
                    let (name, step) = place.split_once('@').unwrap_or((place, ""));
                    let at = if step.is_empty() { String::new() } else { format!("@{step}") };
                    self.name_leaves(*arg, &format!("{name}.{field}{at}"));
                }
            }
            Node::List(elements) => {
                for (number, element) in elements.iter().enumerate() {
                    let (name, step) = place.split_once('@').unwrap_or((place, ""));
                    self.name_leaves(*element, &format!("{name}[{number}]@{step}"));
                }
            }
            _ => {}
        }
    }

    /// What is said of a term at a place of a type. A symbol is described where it stands first, and named elsewhere.
    fn text(&self, term: Term, ty: &Type, told: &mut Vec<Symbol>) -> String {
        match self.terms.node(term) {
            Node::Const(Value::Absent) => "absent".to_owned(),
            Node::Const(value) => self.value(value),
            Node::Symbol(symbol) if !told.contains(symbol) => {
                told.push(*symbol);
                self.range(&self.ranges[symbol.number as usize], ty)
            }
            Node::If(c, a, b) if self.terms.value(*b) == Some(&Value::Absent) => {
                let inner = self.text(*a, ty, told);
                match (self.terms.node(*c), inner.as_str()) {
                    (Node::Symbol(_), "_") => "_".to_owned(),
                    (Node::Symbol(_), _) => format!("absent or {inner}"),
                    _ => format!("{inner} if {}, else absent", self.written.term(*c)),
                }
            }
            Node::Data(id, constructor, args) => {
                let Some(data) = self.written.definitions.types.get(*id) else { return self.written.term(term) };
                let declared = &data.constructors[*constructor as usize];
                let parts: Vec<String> = (args.iter().zip(&declared.fields))
                    .map(|(arg, (field, ty))| {
                        let text = self.text(*arg, ty, told);
                        if data.is_record { format!("{field}: {text}") } else { text }
                    })
                    .collect();
                if parts.iter().all(|part| part == "_" || part.ends_with(": _")) && data.constructors.len() == 1 {
                    return "_".to_owned();
                }
                format!("{}({})", declared.name, parts.join(", "))
            }
            Node::If(..) => self.list(term).unwrap_or_else(|| self.written.term(term)),
            _ => self.written.term(term),
        }
    }

    /// What is said of a list whose length is open, if nothing is known of its elements.
    fn list(&self, term: Term) -> Option<String> {
        let (mut at, mut of_element) = (term, vec![]);
        let mut length = None;
        while let Node::If(c, list, rest) = self.terms.node(at) {
            if !matches!(self.terms.node(*list), Node::List(_) | Node::Const(Value::List(_))) {
                return None;
            }
            self.terms.each_symbol(*c, &mut |symbol| length = Some(symbol));
            self.terms.each_symbol(*list, &mut |symbol| of_element.push(symbol));
            at = *rest;
        }
        self.terms.each_symbol(at, &mut |symbol| of_element.push(symbol));
        let is_known = |symbol: &Symbol| {
            let range = &self.ranges[symbol.number as usize];
            self.related.contains(symbol)
                || matches!(range, Range::Number { low, high, .. } if low.is_some() || high.is_some())
        };
        let length = length.filter(|length| !self.related.contains(length))?;
        if !matches!(self.terms.node(at), Node::List(_)) || of_element.iter().any(is_known) {
            return None;
        }
        let Range::Number { low: Some((low, _)), high: Some((high, _)), .. } = &self.ranges[length.number as usize]
        else {
            return None;
        };
        let longest = Rational::from(Sizes::SMALL.length as i64);
        Some(match (low.is_zero(), *high == longest) {
            (true, true) => "_".to_owned(),
            (false, true) => format!("at least {low} elements"),
            (true, false) => format!("at most {high} elements"),
            (false, false) => format!("{low} to {high} elements"),
        })
    }

    fn value(&self, value: &Value) -> String {
        self.written.value(value)
    }

    fn range(&self, range: &Range, ty: &Type) -> String {
        match range {
            Range::Bool => "_".to_owned(),
            Range::Number { is_int, low, high, holes } => {
                let (type_low, type_high) = match ty {
                    Type::Int { low, high } => (known(low), known(high)),
                    _ => (None, None),
                };
                let low = low.clone().filter(|(end, _)| Some(end) != type_low.as_ref() || high.is_some());
                let high = high.clone().filter(|(end, _)| Some(end) != type_high.as_ref() || low.is_some());
                let full = matches!((&low, &high), (Some((a, _)), Some((b, _)))
                    if Some(a) == type_low.as_ref() && Some(b) == type_high.as_ref());
                let text = match (&low, &high) {
                    _ if full => "_".to_owned(),
                    (None, None) => "_".to_owned(),
                    (Some((a, true)), Some((b, true))) if *is_int => format!("{a}..{b}"),
                    (Some((a, inside)), None) => lower(a, *inside, *is_int),
                    (None, Some((b, inside))) => upper(b, *inside, *is_int),
                    (Some((a, a_in)), Some((b, b_in))) => {
                        format!("{} and {}", lower(a, *a_in, *is_int), upper(b, *b_in, *is_int))
                    }
                };
                let holes: Vec<String> = holes.iter().map(ToString::to_string).collect();
                match (holes.is_empty(), text.as_str()) {
                    (true, _) => text,
                    (false, "_") => format!("not {}", holes.join(", ")),
                    (false, _) => format!("{text} except {}", holes.join(", ")),
                }
            }
            Range::Text { holes } if holes.is_empty() => "_".to_owned(),
            Range::Text { holes } => {
                let holes: Vec<String> = holes.iter().map(|text| self.value(&Value::text(text))).collect();
                format!("not {}", holes.join(", "))
            }
            Range::Enum { ty, left } => {
                let all = &self.written.definitions.types[*ty].constructors;
                if left.len() == all.len() {
                    return "_".to_owned();
                }
                let names: Vec<&str> = left.iter().map(|member| all[*member as usize].name.as_str()).collect();
                names.join(" or ")
            }
        }
    }

    /// A condition between named values; none if it speaks of something without a name.
    fn relation(&self, condition: Term) -> Option<String> {
        let mut named = true;
        self.terms.each_symbol(condition, &mut |symbol| named &= self.written.names.contains_key(&symbol));
        named.then(|| self.written.term(condition))
    }
}

fn known(bound: &Option<Bound>) -> Option<Rational> {
    match bound {
        Some(Bound::Known(n)) => Some(n.clone().into()),
        _ => None,
    }
}

/// How round a whole number looks: zero most, then by its zeros at the end.
fn roundness(n: &Rational) -> usize {
    if n.is_zero() {
        return usize::MAX;
    }
    let text = n.to_integer().to_string();
    text.len() - text.trim_end_matches('0').len()
}

/// `>= 3` or `> 10`, whichever has the rounder number.
fn lower(end: &Rational, inside: bool, is_int: bool) -> String {
    let below = end - Rational::ONE;
    match inside {
        true if is_int && roundness(&below) > roundness(end) => format!("> {below}"),
        true => format!(">= {end}"),
        false => format!("> {end}"),
    }
}

fn upper(end: &Rational, inside: bool, is_int: bool) -> String {
    let above = end + Rational::ONE;
    match inside {
        true if is_int && roundness(&above) > roundness(end) => format!("< {above}"),
        true => format!("<= {end}"),
        false => format!("< {end}"),
    }
}

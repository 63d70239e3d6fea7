//! Names for the symbols of an open value, by where they stand in it.

use rustc_hash::FxHashMap;

use super::terms::{Node, Symbol, Term, Terms};
use super::ty::{Definitions, TypeId};
use super::value::Value;
use super::written::Named;

/// Where an open value stands: `order.price` in step 3, or before the first step.
#[derive(Clone, Debug)]
pub struct Stand {
    /// Name, and the way into it.
    pub name: String,
    /// The step, from one; zero for what is there before the first.
    pub step: usize,
}

impl Stand {
    /// `order.price@3`, `initial left`
    pub fn text(&self) -> String {
        match self.step {
            0 => format!("initial {}", self.name),
            step => format!("{}@{step}", self.name),
        }
    }

    fn inside(&self, part: &str) -> Stand {
        Stand { name: format!("{}{part}", self.name), step: self.step }
    }
}

/// Names the symbols of an open value that have no name yet.
pub fn name_symbols(
    terms: &Terms,
    definitions: &Definitions,
    term: Term,
    at: &Stand,
    names: &mut FxHashMap<Symbol, Named>,
) {
    match terms.node(term) {
        Node::Symbol(symbol) => {
            names.entry(*symbol).or_insert_with(|| Named::Value(at.text()));
        }
        Node::If(c, a, b) => {
            if let Some((symbol, named)) = shape(terms, definitions, term, at) {
                names.entry(symbol).or_insert(named);
            } else if let Node::Symbol(symbol) = terms.node(*c) {
                names.entry(*symbol).or_insert_with(|| Named::Value(at.text()));
            }
            for part in [*a, *b] {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || name_symbols(terms, definitions, part, at, names));
            }
        }
        Node::Data(Definitions::OPTION, _, args) => {
            for arg in args {
                name_symbols(terms, definitions, *arg, &at.inside(".value"), names);
            }
        }
        Node::Data(ty, constructor, args) => {
            let fields = &definitions.types[*ty].constructors[*constructor as usize].fields;
            for (arg, (field, _)) in args.iter().zip(fields) {
                name_symbols(terms, definitions, *arg, &at.inside(&format!(".{field}")), names);
            }
        }
        Node::List(parts) | Node::Set(parts) => {
            for (number, part) in parts.iter().enumerate() {
                name_symbols(terms, definitions, *part, &at.inside(&format!("[{number}]")), names);
            }
        }
        Node::Map(writes) => {
            for (number, (key, value)) in writes.iter().enumerate() {
                name_symbols(terms, definitions, *key, &at.inside(&format!(".key{number}")), names);
                if let Some(value) = value {
                    name_symbols(terms, definitions, *value, &at.inside(&format!(".value{number}")), names);
                }
            }
        }
        _ => {}
    }
}

/// The symbol that chooses between the forms of a value, with its name.
fn shape(terms: &Terms, definitions: &Definitions, term: Term, at: &Stand) -> Option<(Symbol, Named)> {
    let Node::If(c, a, b) = terms.node(term) else { return None };
    if let Node::Symbol(symbol) = terms.node(*c) {
        let words = match made_by(terms, *a) {
            _ if terms.value(*b) == Some(&Value::Absent) => ["absent", "present"],
            Some((Definitions::OPTION, 1)) => ["None", "Some"],
            _ => return None,
        };
        return Some((*symbol, Named::Shape(at.text(), words)));
    }
    let (symbol, _) = chosen_by(terms, *c)?;
    if made_by(terms, *a).is_none() {
        return Some((symbol, Named::Value(format!("size({})", at.text()))));
    }
    let mut names = vec![];
    let mut rest = term;
    // Cases stand in order; one that was decided has lost its place, and has no name.
    while let Node::If(c, case, others) = terms.node(rest)
        && let Some((own, number)) = chosen_by(terms, *c)
        && own == symbol
    {
        names.resize(number.max(names.len()), String::new());
        names.push(constructor(terms, definitions, *case)?);
        rest = *others;
    }
    names.push(constructor(terms, definitions, rest)?);
    Some((symbol, Named::Constructor(at.text(), names)))
}

/// A symbol, and the number it is compared with.
fn chosen_by(terms: &Terms, condition: Term) -> Option<(Symbol, usize)> {
    let Node::IsZero(sum) = terms.node(condition) else { return None };
    let (symbol, factor, constant) = terms.lone_symbol(*sum)?;
    let number = usize::try_from((-constant / factor).to_integer()).ok()?;
    Some((symbol, number))
}

/// The type and the constructor that made a value.
fn made_by(terms: &Terms, term: Term) -> Option<(TypeId, u32)> {
    match terms.node(term) {
        Node::Data(ty, constructor, _) | Node::Const(Value::Data(ty, constructor, _)) => Some((*ty, *constructor)),
        _ => None,
    }
}

fn constructor(terms: &Terms, definitions: &Definitions, term: Term) -> Option<String> {
    made_by(terms, term).map(|(ty, constructor)| definitions.constructor_name(ty, constructor).to_owned())
}

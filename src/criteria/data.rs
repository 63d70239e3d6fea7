//! Criteria of data: messages on channels and at gates, classes of what the environment sends.

use num_traits::Zero;

use super::{OfModel, is_present};
use crate::history::{Item, Wanted};
use crate::kernel::{Part, Source, Style};
use crate::term::{BinaryOp, Bound, Builtin, Definitions, Expr, Pattern, Type, Value};

/// Records inside records are looked into no deeper.
const MAX_DEPTH: usize = 3;

/// A class of values: what is said of a value, and the condition on it.
type Class = (String, Expr);

impl OfModel<'_> {
    /// Something is sent on every channel and happens at every gate; where a type has several constructors, each of them.
    pub(super) fn messages(&self) -> Vec<Item> {
        let mut items = vec![];
        let gates = self.list(Source::Gate);
        for (number, gate) in self.system.gates.iter().enumerate() {
            let before = items.len();
            for (place, (param, ty)) in gate.params.iter().enumerate() {
                let Some(list) = self.list(Source::Data(number, place)) else { continue };
                let name = match self.system.style {
                    Style::Lockstep => param.clone(),
                    Style::Gates => format!("{}.{param}", gate.name),
                };
                match constructors(&Expr::Slot(list), ty, &self.system.definitions) {
                    classes if !classes.is_empty() => items.extend(named(&name, classes)),
                    _ if self.system.style == Style::Lockstep => {
                        items.push(Item { name, wanted: Wanted::Condition(is_present(list)) });
                    }
                    _ => {}
                }
            }
            if let (Some(gates), true) = (gates, before == items.len()) {
                let value = self.lists.names.member(gates, number);
                items.push(Item { name: gate.name.clone(), wanted: Wanted::Element(gates, value) });
            }
        }
        for channel in self.system.ticks.iter().flat_map(|tick| &tick.channels) {
            let Some(list) = self.list(Source::Value(*channel, crate::kernel::Moment::After)) else { continue };
            let slot = &self.system.slots[*channel];
            match constructors(&Expr::Slot(list), &slot.ty, &self.system.definitions) {
                classes if classes.is_empty() => {
                    items.push(Item { name: slot.name.clone(), wanted: Wanted::Condition(is_present(list)) });
                }
                classes => items.extend(named(&slot.name, classes)),
            }
        }
        items
    }

    /// Every class of every value that the environment sends, by its type.
    pub(super) fn inputs(&self) -> Vec<Item> {
        let mut items = vec![];
        for (number, gate) in self.system.gates.iter().enumerate() {
            for (place, (param, ty)) in gate.params.iter().enumerate() {
                let Some(list) = self.list(Source::Data(number, place)) else { continue };
                let Some(sent) = self.sent(number, place) else { continue };
                let name = match self.system.style {
                    Style::Lockstep => param.clone(),
                    Style::Gates => format!("{}.{param}", gate.name),
                };
                let mut classes = vec![];
                of_type(&name, Expr::Slot(list), ty, &self.system.definitions, 0, &mut classes);
                for (name, class) in classes {
                    // No pattern fits what is absent, so that this asks for what `messages` does.
                    let is_pattern = matches!(&class, Expr::Test(value, _) if **value == Expr::Slot(list));
                    let present = (!is_pattern).then(|| is_present(list));
                    let wanted = Expr::all(sent.iter().cloned().chain(present).chain([class]));
                    items.push(Item { name, wanted: Wanted::Condition(wanted) });
                }
            }
        }
        items
    }

    /// In which steps at a gate the environment sends what is at a place of it: in all of them, or where a condition holds; none
    /// if the system does. Side by side, systems in lock-step may read and write what has one name.
    fn sent(&self, gate: usize, place: usize) -> Option<Option<Expr>> {
        let joints = (0..self.system.joints.len()).filter(|joint| self.system.joints[*joint].gate == Some(gate));
        let (sent, shown): (Vec<usize>, Vec<usize>) = joints.partition(|joint| place < self.system.sent_to(*joint));
        if shown.is_empty() {
            return (place < self.system.chosen_from(gate)).then_some(None);
        }
        let ticks = sent.iter().flat_map(|joint| &self.system.joints[*joint].parts).filter_map(|part| match part {
            Part::Tick(tick) => self.system.ticks[*tick].machines.first(),
            Part::Switch { .. } => None,
        });
        let fired = ticks.filter_map(|machine| self.list(Source::Fired(*machine)));
        Expr::any(fired.map(is_present)).map(Some)
    }
}

fn named(name: &str, classes: Vec<Class>) -> impl Iterator<Item = Item> {
    let item = move |(text, class): Class| (format!("{name}{text}"), Wanted::Condition(class));
    classes.into_iter().map(item).map(|(name, wanted)| Item { name, wanted })
}

/// The constructors of a type that has several; the truth values of a condition.
fn constructors(value: &Expr, ty: &Type, definitions: &Definitions) -> Vec<Class> {
    let fits = |text: &str, pattern: Pattern| (format!("={text}"), Expr::Test(Box::new(value.clone()), pattern));
    match ty {
        Type::Refined(_, inner) => constructors(value, inner, definitions),
        Type::Bool => [true, false]
            .map(|truth| fits(&truth.to_string(), Pattern::Equal(Box::new(Expr::Const(Value::Bool(truth))))))
            .to_vec(),
        Type::Option(_) => vec![
            fits("None", Pattern::Data(Definitions::OPTION, 0, vec![])),
            fits("Some", Pattern::Data(Definitions::OPTION, 1, vec![Pattern::Any])),
        ],
        Type::Data(id) if definitions.types[*id].constructors.len() > 1 => (definitions.types[*id].constructors.iter())
            .enumerate()
            .map(|(number, c)| fits(&c.name, Pattern::Data(*id, number as u32, vec![Pattern::Any; c.fields.len()])))
            .collect(),
        _ => vec![],
    }
}

/// The classes of the values of a type that something may have, with what is said of it.
pub fn classes_of(name: &str, value: &Expr, ty: &Type, definitions: &Definitions) -> Vec<(String, Expr)> {
    let mut out = vec![];
    of_type(name, value.clone(), ty, definitions, 0, &mut out);
    out
}

/// The classes of a type: constructors, ends of ranges and what is between them, signs, empty and not.
fn of_type(name: &str, value: Expr, ty: &Type, definitions: &Definitions, depth: usize, out: &mut Vec<Class>) {
    let compare = |op: BinaryOp, a: &Expr, b: &Expr| Expr::Binary(op, Box::new(a.clone()), Box::new(b.clone()));
    let less = |a: &Expr, b: &Expr| compare(BinaryOp::Less, a, b);
    let equal = |a: &Expr, b: &Expr| compare(BinaryOp::Equal, a, b);
    match ty {
        Type::Refined(_, inner) => of_type(name, value, inner, definitions, depth, out),
        Type::Int { low, high } => {
            let end = |bound: &Option<Bound>| match bound {
                Some(Bound::Known(n)) => Some(n.clone()),
                _ => None,
            };
            let constant = |n: &num_bigint::BigInt| Expr::Const(Value::Int(n.clone()));
            match (end(low), end(high)) {
                (Some(low), Some(high)) => {
                    out.push((format!("{name} == {low}"), equal(&value, &constant(&low))));
                    if &high - &low > 1.into() {
                        let inside =
                            compare(BinaryOp::And, &less(&constant(&low), &value), &less(&value, &constant(&high)));
                        out.push((format!("{low} < {name} < {high}"), inside));
                    }
                    if high > low {
                        out.push((format!("{name} == {high}"), equal(&value, &constant(&high))));
                    }
                }
                (low, high) => {
                    let middle = low.clone().or(high.clone()).unwrap_or_else(num_bigint::BigInt::zero);
                    if low.is_none() {
                        out.push((format!("{name} < {middle}"), less(&value, &constant(&middle))));
                    }
                    out.push((format!("{name} == {middle}"), equal(&value, &constant(&middle))));
                    if high.is_none() {
                        out.push((format!("{name} > {middle}"), less(&constant(&middle), &value)));
                    }
                }
            }
        }
        Type::Real => {
            let zero = Expr::Const(Value::real(num_rational::BigRational::zero()));
            out.push((format!("{name} < 0"), less(&value, &zero)));
            out.push((format!("{name} == 0"), equal(&value, &zero)));
            out.push((format!("{name} > 0"), less(&zero, &value)));
        }
        Type::Text => {
            let empty = Expr::Const(Value::text(""));
            out.push((format!("{name} == \"\""), equal(&value, &empty)));
            out.push((format!("{name} != \"\""), compare(BinaryOp::NotEqual, &value, &empty)));
        }
        Type::List(_) | Type::Set(_) | Type::Map(..) => {
            let size = Expr::Builtin(Builtin::Size, vec![value]);
            let number = |n: i32| Expr::Const(Value::int(n));
            out.push((format!("size({name}) == 0"), equal(&size, &number(0))));
            out.push((format!("size({name}) == 1"), equal(&size, &number(1))));
            out.push((format!("size({name}) > 1"), less(&number(1), &size)));
        }
        Type::Data(id) if definitions.types[*id].constructors.len() == 1 && depth < MAX_DEPTH => {
            for (number, (field, ty)) in definitions.types[*id].constructors[0].fields.iter().enumerate() {
                let inner = Expr::Field(Box::new(value.clone()), number);
                of_type(&format!("{name}.{field}"), inner, ty, definitions, depth + 1, out);
            }
        }
        _ => {
            let classes = constructors(&value, ty, definitions);
            out.extend(classes.into_iter().map(|(text, class)| (format!("{name}{text}"), class)));
        }
    }
}

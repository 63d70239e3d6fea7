//! One point for every class of every input: constructors, signs, ends of ranges and what is between them, empty and not.

use super::region::{Point, Region};
use crate::criteria::classes_of;
use crate::term::{Definitions, Expr, Symbolic};

/// What became of a class.
pub enum Class {
    /// A point of it.
    Point(Point),
    /// The region has none.
    Impossible,
    /// Nobody can tell.
    NotFound,
}

/// Classes as a person would name them, each with what became of it.
pub fn points(region: &mut Region, definitions: &Definitions, go_on: &mut dyn FnMut() -> bool) -> Vec<(String, Class)> {
    let mut out = vec![];
    for place in region.places.clone().into_iter().filter(|place| place.is_given) {
        for (text, class) in classes_of(&place.text(), &Expr::Slot(0), &place.ty, definitions) {
            if !go_on() {
                return out;
            }
            // A class is one of messages that are there.
            let mut symbolic = Symbolic::new(&mut region.terms, definitions, &[]);
            let is_present = symbolic.is_present(place.term);
            let slots = [symbolic.present(place.term).unwrap_or(place.term)];
            let condition = Symbolic::new(&mut region.terms, definitions, &slots).condition(&class, &mut vec![]);
            let Ok(condition) = condition else { continue };
            let (witness, doubts) = (region.witness.clone(), region.doubts);
            let store = region.narrowed(&[is_present, condition]);
            let point = store.and_then(|store| region.point(&store, &witness));
            let class = match point {
                Some(point) => Class::Point(point),
                None if region.doubts > doubts => Class::NotFound,
                None => Class::Impossible,
            };
            out.push((text, class));
        }
    }
    out
}

//! One point for every class of every input: constructors, signs, ends of ranges and what is between them, empty and not.

use super::region::{Point, Region};
use crate::criteria::classes_of;
use crate::term::{Definitions, Expr, Symbolic};

/// Classes as a person would name them, each with a point if there is one.
pub fn points(
    region: &mut Region,
    definitions: &Definitions,
    go_on: &mut dyn FnMut() -> bool,
) -> Vec<(String, Option<Point>)> {
    let mut out = vec![];
    for place in region.places.clone().into_iter().filter(|place| place.is_given) {
        for (text, class) in classes_of(&place.text(), &Expr::Slot(0), &place.ty, definitions) {
            if !go_on() {
                return out;
            }
            let slots = [place.term];
            let condition = Symbolic::new(&mut region.terms, definitions, &slots).condition(&class, &mut vec![]);
            let Ok(condition) = condition else { continue };
            let witness = region.witness.clone();
            let point = region.narrowed(&[condition]).and_then(|store| region.point(&store, &witness));
            out.push((text, point));
        }
    }
    out
}

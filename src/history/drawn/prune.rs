//! Places that another one makes superfluous: whatever meets the one meets the other.
//!
//! Among others, waiting for the first event again is of no use once it has happened. Who watches would keep both.

use super::compile::Tree;
use super::step::{Facts, Next, Outcome, Place};

/// More places are not compared with each other.
const MAX_PLACES: usize = 40;

/// Leaves out, wherever a step leads to several places, those that another of them makes superfluous.
pub(super) fn pruned(places: &[Place], trees: &mut [Tree], number: &dyn Fn(&Place) -> usize) {
    if places.len() > MAX_PLACES {
        return;
    }
    let may_cover = |a: &Place, b: &Place| {
        a.bound.iter().all(|variable| b.bound.contains(variable)) && (a.term.may_end(false) || !b.term.may_end(false))
    };
    let mut covers: Vec<Vec<bool>> = places.iter().map(|a| places.iter().map(|b| may_cover(a, b)).collect()).collect();
    // The greatest relation that every step keeps.
    loop {
        let mut changed = false;
        for a in 0..places.len() {
            for b in 0..places.len() {
                let kept = |a: &Next, b: &Next| covers[number(&a.place)][number(&b.place)] && has_values(a, b);
                if a != b && covers[a][b] && !covered(&trees[a], &trees[b], &mut Facts::default(), &kept) {
                    covers[a][b] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let is_covered = |a: &Next, b: &Next| covers[number(&a.place)][number(&b.place)] && has_values(a, b);
    trees.iter_mut().for_each(|tree| prune(tree, &is_covered));
}

/// Whether a way has the values of another one, as far as it needs them.
fn has_values(a: &Next, b: &Next) -> bool {
    a.place.bound.iter().zip(&a.values).all(|(variable, value)| {
        b.place.bound.iter().position(|other| other == variable).is_some_and(|place| b.values[place] == *value)
    })
}

/// Whether in every step one place leads to what covers all that the other leads to.
fn covered(a: &Tree, b: &Tree, facts: &mut Facts, covers: &dyn Fn(&Next, &Next) -> bool) -> bool {
    match (a, b) {
        (Tree::Leaf(Outcome::Met), Tree::Leaf(_)) => true,
        (Tree::Leaf(Outcome::Open(_)), Tree::Leaf(Outcome::Met)) => false,
        (Tree::Leaf(Outcome::Open(a)), Tree::Leaf(Outcome::Open(b))) => {
            b.iter().all(|b| a.iter().any(|a| covers(a, b)))
        }
        (Tree::Test(condition, yes, no), other) => match facts.is_true(condition) {
            Ok(true) => covered(yes, other, facts, covers),
            Ok(false) => covered(no, other, facts, covers),
            Err(_) => [(true, yes), (false, no)].into_iter().all(|(truth, branch)| {
                facts.0.push((condition.clone(), truth));
                let is_covered = covered(branch, other, facts, covers);
                facts.0.pop();
                is_covered
            }),
        },
        (other, Tree::Test(condition, yes, no)) => match facts.is_true(condition) {
            Ok(true) => covered(other, yes, facts, covers),
            Ok(false) => covered(other, no, facts, covers),
            Err(_) => [(true, yes), (false, no)].into_iter().all(|(truth, branch)| {
                facts.0.push((condition.clone(), truth));
                let is_covered = covered(other, branch, facts, covers);
                facts.0.pop();
                is_covered
            }),
        },
    }
}

fn prune(tree: &mut Tree, covers: &dyn Fn(&Next, &Next) -> bool) {
    match tree {
        Tree::Leaf(Outcome::Met) => {}
        Tree::Leaf(Outcome::Open(ways)) => {
            let mut number = 0;
            while number < ways.len() {
                // Of two that cover each other the first one stays.
                let here = &ways[number];
                let by = |(other, way): (usize, &Next)| {
                    other != number && covers(way, here) && (other < number || !covers(here, way))
                };
                if ways.iter().enumerate().any(by) {
                    ways.remove(number);
                } else {
                    number += 1;
                }
            }
        }
        Tree::Test(_, yes, no) => [yes, no].into_iter().for_each(|branch| prune(branch, covers)),
    }
}

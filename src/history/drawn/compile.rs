//! From places to rules: one for each.

use std::collections::{HashMap, HashSet};

use super::Drawing;
use super::prune::pruned;
use super::step::{Facts, Next, Outcome, Place, Stuck};
use crate::history::rule::{Clause, Formula, Rule, RuleUse, When};
use crate::term::Expr;

/// Most places of one chart.
const MAX_PLACES: usize = 4_000;
/// Most events of one chart, with every round of its loops.
const MAX_EVENTS: usize = 1_000;
/// Most clauses of all its rules.
const MAX_CLAUSES: usize = 200_000;

/// The rules of a chart or a pattern.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The rules, numbered from the one that was asked for. All look at the same lists.
    pub rules: Vec<Rule>,
    /// The rule to begin with; decided if nothing is left to watch.
    pub start: Result<usize, bool>,
    /// Variables whose values it needs.
    pub needs: Vec<usize>,
}

/// There are more places than anybody can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// What becomes of a place, by conditions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree<L = Outcome> {
    Leaf(L),
    Test(Expr, Box<Tree<L>>, Box<Tree<L>>),
}

/// Turns a chart or a pattern into rules that are numbered from `first`.
pub fn compile(drawing: &Drawing, first: usize) -> Result<Compiled, TooLarge> {
    let start = drawing.beginning();
    if start.term.weight() > MAX_EVENTS {
        return Err(TooLarge);
    }
    if drawing.whole.is_none() && start.term.may_end(true) {
        return Ok(Compiled { rules: vec![], start: Err(true), needs: vec![] });
    }
    let mut numbers: HashMap<Place, usize> = HashMap::from([(start.clone(), 0)]);
    let mut places = vec![start.clone()];
    let mut trees: Vec<Tree> = vec![];
    let mut leaves = 0;
    while trees.len() < places.len() {
        let place = places[trees.len()].clone();
        let tree = grown(drawing, &mut Facts::default(), &mut leaves, &|facts| drawing.step(&place, facts))?;
        each_next(&tree, &mut |next| {
            if !numbers.contains_key(&next.place) {
                numbers.insert(next.place.clone(), places.len());
                places.push(next.place.clone());
            }
        });
        if places.len() > MAX_PLACES {
            return Err(TooLarge);
        }
        trees.push(tree);
    }
    let at_once = grown(drawing, &mut Facts::default(), &mut leaves, &|facts| drawing.step_less(&start, facts))?;
    pruned(&places, &mut trees, &|place| numbers[place]);
    let alive = alive(&places, &trees, &numbers);
    if !alive.contains(&0) && at_once == Tree::Leaf(false) {
        return Ok(Compiled { rules: vec![], start: Err(false), needs: vec![] });
    }
    // Those that cannot be met any more, and those that nothing leads to, need no rule.
    let mut kept = vec![0];
    let mut reached = HashSet::from([0]);
    let mut done = 0;
    while done < kept.len() {
        each_next(&trees[kept[done]], &mut |next| {
            let number = numbers[&next.place];
            if alive.contains(&number) && reached.insert(number) {
                kept.push(number);
            }
        });
        done += 1;
    }
    let rule_of: HashMap<usize, usize> = kept.iter().enumerate().map(|(rule, place)| (*place, first + rule)).collect();
    let mut rules = vec![];
    for number in &kept {
        let (place, tree) = (&places[*number], &trees[*number]);
        let becomes = |outcome: &Outcome| match outcome {
            Outcome::Met => Formula::Decided(true),
            Outcome::Open(ways) => {
                let uses = ways.iter().filter_map(|next| {
                    let rule = *rule_of.get(&numbers[&next.place])?;
                    let args = next.values.iter().map(|value| drawing.in_rule(value, place)).collect();
                    Some(Formula::Use(RuleUse { rule, lists: (0..drawing.lists).collect(), args }))
                });
                let mut uses: Vec<Formula> = uses.collect();
                match uses.len() {
                    0 => Formula::Decided(false),
                    1 => uses.remove(0),
                    _ => Formula::Any(uses),
                }
            }
        };
        let mut clauses = vec![];
        let mut clause = |when: When, positive: &[Expr], becomes: Formula| {
            let guard = Expr::all(positive.iter().map(|condition| drawing.in_rule(condition, place)));
            clauses.push(Clause { when, guard, becomes });
        };
        if place.is_first {
            emit(&at_once, &mut vec![], &mut |positive, ends| clause(When::Stop, positive, Formula::Decided(*ends)));
        } else {
            clause(When::Stop, &[], Formula::Decided(place.term.may_end(false)));
        }
        emit(tree, &mut vec![], &mut |positive, outcome| clause(When::Element, positive, becomes(outcome)));
        let name = format!("{} {}", drawing.name, number + 1);
        rules.push(Rule { name, lists: drawing.lists, params: place.bound.len(), clauses });
    }
    Ok(Compiled { rules, start: Ok(first), needs: start.bound })
}

/// Asks for conditions until it is clear what becomes of a place.
fn grown<L: PartialEq>(
    drawing: &Drawing,
    facts: &mut Facts,
    leaves: &mut usize,
    outcome: &dyn Fn(&Facts) -> Result<L, Stuck>,
) -> Result<Tree<L>, TooLarge> {
    let found = outcome(facts);
    if drawing.is_too_much() {
        return Err(TooLarge);
    }
    match found {
        Ok(outcome) => {
            *leaves += 1;
            if *leaves > MAX_CLAUSES { Err(TooLarge) } else { Ok(Tree::Leaf(outcome)) }
        }
        Err(Stuck::TooMuch) => Err(TooLarge),
        Err(Stuck::Unknown(condition)) => {
            let mut branch = |truth: bool, leaves: &mut usize| {
                facts.0.push((condition.clone(), truth));
                let tree = grown(drawing, facts, leaves, outcome);
                facts.0.pop();
                tree
            };
            let (yes, no) = (branch(true, leaves)?, branch(false, leaves)?);
            Ok(if yes == no { yes } else { Tree::Test(condition, Box::new(yes), Box::new(no)) })
        }
    }
}

fn each_next(tree: &Tree, f: &mut dyn FnMut(&Next)) {
    match tree {
        Tree::Leaf(Outcome::Met) => {}
        Tree::Leaf(Outcome::Open(ways)) => ways.iter().for_each(f),
        Tree::Test(_, yes, no) => [yes, no].into_iter().for_each(|branch| each_next(branch, f)),
    }
}

fn may_meet(tree: &Tree) -> bool {
    match tree {
        Tree::Leaf(outcome) => *outcome == Outcome::Met,
        Tree::Test(_, yes, no) => may_meet(yes) || may_meet(no),
    }
}

/// Calls `f` with every leaf and the conditions that are true on the way to it. In this order the others need not be said:
/// whoever is there has passed all leaves where they are true.
fn emit<L>(tree: &Tree<L>, positive: &mut Vec<Expr>, f: &mut dyn FnMut(&[Expr], &L)) {
    match tree {
        Tree::Leaf(outcome) => f(positive, outcome),
        Tree::Test(condition, yes, no) => {
            positive.push(condition.clone());
            emit(yes, positive, f);
            positive.pop();
            emit(no, positive, f);
        }
    }
}

/// Places from which the end can be reached, as far as conditions allow everything.
fn alive(places: &[Place], trees: &[Tree], numbers: &HashMap<Place, usize>) -> HashSet<usize> {
    let mut before: Vec<Vec<usize>> = vec![vec![]; places.len()];
    for (number, tree) in trees.iter().enumerate() {
        each_next(tree, &mut |next| before[numbers[&next.place]].push(number));
    }
    let ends = (0..places.len()).filter(|n| places[*n].term.may_end(false) || may_meet(&trees[*n]));
    let mut open: Vec<usize> = ends.collect();
    let mut alive: HashSet<usize> = open.iter().copied().collect();
    while let Some(number) = open.pop() {
        open.extend(before[number].iter().copied().filter(|earlier| alive.insert(*earlier)));
    }
    alive
}

impl Drawing {
    /// An expression over elements and registers as one of a rule: elements first, then registers, then what it binds.
    fn in_rule(&self, expr: &Expr, place: &Place) -> Expr {
        let number = |local: usize| match local.checked_sub(self.variables) {
            Some(bound) => self.lists + place.bound.len() + bound,
            None => self.lists + place.bound.iter().position(|variable| *variable == local).expect("it is bound there"),
        };
        let moved = expr.renumber_locals(&number);
        moved.map_leaves(&mut |leaf| match leaf {
            Expr::Slot(list) => Some(Expr::Local(*list)),
            _ => None,
        })
    }
}

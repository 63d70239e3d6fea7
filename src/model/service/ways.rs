//! What lies between two moments in which a service waits: effects, conditions, ends of services that are run.

use super::*;

impl Build<'_> {
    /// Every way to go on from a state of the world into a part.
    pub(super) fn enter(&self, part: usize, world: World) -> Vec<Arrival> {
        let mut out = vec![];
        let mut steps = 0;
        self.enter_part(part, vec![], world, &mut steps, &mut out);
        if steps > MAX_ARRIVALS { vec![] } else { out }
    }

    pub(super) fn enter_part(
        &self,
        part: usize,
        conditions: Vec<Expr>,
        world: World,
        steps: &mut usize,
        out: &mut Vec<Arrival>,
    ) {
        let fresh = &self.parts[part].fresh;
        // The whole service begins once, with its variables as they are.
        let world = if part == 0 { world } else { after(&world, fresh, &|_| None) };
        match self.parts[part].nodes.first() {
            Some(first) => self.arrive(part, &first.tree.name.name, conditions, world, steps, out),
            None => self.arrive(part, END, conditions, world, steps, out),
        }
    }

    pub(super) fn arrive(
        &self,
        part: usize,
        node: &str,
        conditions: Vec<Expr>,
        world: World,
        steps: &mut usize,
        out: &mut Vec<Arrival>,
    ) {
        *steps += 1;
        if *steps > MAX_ARRIVALS {
            return;
        }
        let Some(known) = self.parts[part].nodes.iter().find(|known| known.tree.name.name == node) else {
            match self.parts[part].after {
                None => out.push(Arrival { conditions, world, state: self.machine.states.len() - 1 }),
                Some(After::Part(next)) => self.enter_part(next, conditions, world, steps, out),
                Some(After::Node(outer, at)) => {
                    let way = &self.parts[outer].nodes[at].ways[0];
                    self.follow(outer, way, conditions, world, &|_| None, steps, out);
                }
            }
            return;
        };
        let world = after(&world, &known.entry, &|_| None);
        match known.place {
            Place::State(state) => out.push(Arrival { conditions, world, state }),
            Place::Run(Some(first)) => self.enter_part(first, conditions, world, steps, out),
            Place::Run(None) => self.follow(part, &known.ways[0], conditions, world, &|_| None, steps, out),
        }
    }

    /// Every way to go on by a way, with the values that events have on it.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn follow(
        &self,
        part: usize,
        way: &Leading,
        conditions: Vec<Expr>,
        world: World,
        event: &dyn Fn(usize) -> Option<Expr>,
        steps: &mut usize,
        out: &mut Vec<Arrival>,
    ) {
        let effects_done = after(&world, &way.updates, event);
        let mut before = conditions;
        for (condition, node) in &way.cases {
            let condition = holds(seen(condition, &effects_done, event));
            let with = before.iter().cloned().chain([condition.clone()]).collect();
            self.arrive(part, node, with, effects_done.clone(), steps, out);
            before.push(not(condition));
        }
        self.arrive(part, &way.otherwise, before, effects_done, steps, out);
    }

    /// All ways of a way out of a node that has collected something; nothing if one of them never comes to wait.
    pub(super) fn leave(
        &self,
        part: usize,
        way: &Leading,
        collected: &[(usize, bool)],
        event: &dyn Fn(usize) -> Option<Expr>,
    ) -> Option<Vec<Arrival>> {
        let world = World::new((0..self.machine.vars.len()).map(Expr::Slot).collect());
        let (mut out, mut steps) = (vec![], 0);
        self.follow(part, way, vec![], world, event, &mut steps, &mut out);
        for arrival in &mut out {
            for given in collected.iter().filter_map(|(event, _)| self.given[*event]) {
                arrival.world.values[given] = self.machine.vars[given].init.clone().unwrap_or(Expr::TRUE);
            }
        }
        (steps <= MAX_ARRIVALS).then_some(out)
    }
}

/// An expression over the values that variables have after some effects, and over the values of events.
pub(super) fn seen(expr: &Expr, world: &World, event: &dyn Fn(usize) -> Option<Expr>) -> Expr {
    expr.map_leaves(&mut |leaf| match leaf {
        Expr::Slot(slot) if *slot >= EVENTS => event(slot - EVENTS),
        Expr::Slot(slot) => Some(world.values[*slot].clone()),
        _ => None,
    })
}

/// The values of all variables after some more effects.
fn after(world: &World, updates: &Updates, event: &dyn Fn(usize) -> Option<Expr>) -> World {
    let mut next = world.clone();
    for (var, value) in updates {
        let old = std::mem::replace(&mut next.values[*var], seen(value, world, event));
        if !matches!(old, Expr::Slot(_) | Expr::Const(_)) {
            next.overwritten.push(old);
        }
    }
    next
}

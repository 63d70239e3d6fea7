//! The nodes that no run to a goal avoids.
//!
//! As a relation this would be "reached while avoiding a node", with as many facts as there are nodes on a shortest run
//! times nodes in the graph. One sweep along a shortest run says the same in one look at every edge.

use super::graph::{Adjacency, Graph, Reach};

impl Graph {
    /// The nodes through which every run to a goal passes, in the order in which it does, so that each is nearer to the
    /// goals than the one before. An initial node that is the only one is among them, and so is a goal that is the only
    /// one. Empty if no run gets to a goal.
    pub fn must_pass(&self) -> Vec<u32> {
        let after = self.after();
        let reach = self.analyse_along(&after, &self.before());
        let run = self.shortest_run(&reach, &after);
        let mut sweep = Sweep::along(&run, self.nodes);
        let mut is_goal = vec![false; self.nodes];
        self.goals.iter().for_each(|goal| is_goal[*goal as usize] = true);
        let mut out = vec![];
        self.initial.iter().for_each(|node| sweep.meet(*node));
        for (position, node) in run.iter().enumerate() {
            while let Some(detour) = sweep.detours.pop() {
                sweep.leave(detour, &after, &is_goal);
            }
            // Whatever is before the node, on the run or on a detour, leads no further than to it.
            if sweep.furthest == position {
                out.push(*node);
            }
            sweep.leave(*node, &after, &is_goal);
        }
        out
    }

    /// One shortest run to a goal; empty if there is none.
    fn shortest_run(&self, reach: &Reach, after: &Adjacency) -> Vec<u32> {
        let nearest = |nodes: &mut dyn Iterator<Item = u32>| {
            nodes.filter_map(|node| Some((reach.distance(node)?, node))).min().map(|(_, node)| node)
        };
        let mut run = vec![];
        let mut next = nearest(&mut self.initial.iter().copied());
        while let Some(node) = next {
            run.push(node);
            next = if reach.distance(node) == Some(0) { None } else { nearest(&mut after.of(node)) };
        }
        run
    }
}

/// How far the nodes seen so far lead along a run without its later nodes.
struct Sweep {
    /// Position of each node on the run.
    positions: Vec<Option<usize>>,
    /// The end of the run: behind a goal.
    end: usize,
    /// Furthest position that was met.
    furthest: usize,
    /// Nodes beside the run that were met and not left yet.
    detours: Vec<u32>,
    met: Vec<bool>,
}

impl Sweep {
    fn along(run: &[u32], nodes: usize) -> Sweep {
        let mut positions = vec![None; nodes];
        run.iter().enumerate().for_each(|(position, node)| positions[*node as usize] = Some(position));
        Sweep { positions, end: run.len(), furthest: 0, detours: vec![], met: vec![false; nodes] }
    }

    fn meet(&mut self, node: u32) {
        match self.positions[node as usize] {
            Some(position) => self.furthest = self.furthest.max(position),
            None if self.met[node as usize] => {}
            None => {
                self.met[node as usize] = true;
                self.detours.push(node);
            }
        }
    }

    fn leave(&mut self, node: u32, after: &Adjacency, is_goal: &[bool]) {
        if is_goal[node as usize] {
            self.furthest = self.end;
        }
        after.of(node).for_each(|next| self.meet(next));
    }
}

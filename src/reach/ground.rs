//! Rules over numbered atoms, each of which holds or does not: a head holds if all of its body does.
//!
//! Takes one look at every mention of an atom (Dowling and Gallier 1984). In crepe a rule with two conditions that are
//! themselves being derived is tried anew, in every round, with everything derived so far: on a line of 9000 components,
//! each waiting for the one before, that took half a minute.

use super::graph::Adjacency;

/// Rules without variables.
#[derive(Debug, Default)]
pub struct GroundRules {
    /// For each rule its head, and how many atoms its body mentions.
    heads: Vec<(u32, u32)>,
    /// Atoms with the rules whose bodies mention them.
    mentions: Vec<(u32, u32)>,
}

impl GroundRules {
    /// Adds the rule `head <- body`.
    pub fn add(&mut self, head: u32, body: impl IntoIterator<Item = u32>) {
        let rule = self.heads.len() as u32;
        let before = self.mentions.len();
        self.mentions.extend(body.into_iter().map(|atom| (atom, rule)));
        self.heads.push((head, (self.mentions.len() - before) as u32));
    }

    /// Which of the atoms from 0 to `atoms - 1` hold in the least model.
    pub fn derive(&self, atoms: usize) -> Vec<bool> {
        let mentions = Adjacency::new(atoms, || self.mentions.iter().copied());
        let mut missing: Vec<u32> = self.heads.iter().map(|(_, mentions)| *mentions).collect();
        let mut holds = vec![false; atoms];
        let mut open: Vec<u32> =
            self.heads.iter().filter(|(_, mentions)| *mentions == 0).map(|(head, _)| *head).collect();
        while let Some(atom) = open.pop() {
            if std::mem::replace(&mut holds[atom as usize], true) {
                continue;
            }
            for rule in mentions.of(atom) {
                missing[rule as usize] -= 1;
                if missing[rule as usize] == 0 {
                    open.push(self.heads[rule as usize].0);
                }
            }
        }
        holds
    }
}

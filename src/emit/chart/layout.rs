//! Where lifelines stand: as close to each other as what is written between them allows.

/// What needs room, in any unit.
#[derive(Clone, Debug, Default)]
pub struct Room {
    lifelines: usize,
    /// From one lifeline to a later one.
    between: Vec<(usize, usize, usize)>,
    /// On the left of a lifeline.
    left: Vec<(usize, usize)>,
    /// On the right of a lifeline.
    right: Vec<(usize, usize)>,
    /// Of the whole chart.
    whole: usize,
}

impl Room {
    /// Lifelines with nothing between them.
    pub fn new(lifelines: usize) -> Room {
        Room { lifelines, ..Room::default() }
    }

    /// So much from one lifeline to another one.
    pub fn between(&mut self, a: usize, b: usize, width: usize) {
        if a != b {
            self.between.push((a.min(b), a.max(b), width));
        }
    }

    /// So much on the right of a lifeline, before the next one begins.
    pub fn beside(&mut self, at: usize, width: usize) {
        if at + 1 < self.lifelines {
            self.between(at, at + 1, width);
        } else {
            self.right.push((at, width));
        }
    }

    /// Boxes on some lifelines, from left to right, each as wide on both sides of it, with a gap between them.
    pub fn boxes(&mut self, boxes: &[(usize, usize)], gap: usize) {
        for pair in boxes.windows(2) {
            self.between(pair[0].0, pair[1].0, pair[0].1 + gap + pair[1].1);
        }
        for (at, half) in boxes {
            self.left.push((*at, *half));
            self.right.push((*at, *half));
        }
    }

    /// So much for the whole chart.
    pub fn whole(&mut self, width: usize) {
        self.whole = self.whole.max(width);
    }

    /// The places of the lifelines, and the width of everything.
    pub fn places(&self) -> (Vec<usize>, usize) {
        let mut at = vec![0; self.lifelines];
        for lifeline in 0..self.lifelines {
            let left = self.left.iter().filter(|(l, _)| *l == lifeline).map(|(_, width)| *width);
            let between = self.between.iter().filter(|(_, to, _)| *to == lifeline);
            let between = between.map(|(from, _, width)| at[*from] + width);
            at[lifeline] = left.chain(between).max().unwrap_or(0);
        }
        let right = self.right.iter().map(|(lifeline, width)| at[*lifeline] + width);
        let width = right.chain(at.iter().copied()).chain([self.whole]).max().unwrap_or(0);
        (at, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spans_several_lifelines_moves_the_last_one() {
        let mut room = Room::new(3);
        room.between(0, 1, 5);
        room.between(2, 0, 20);
        room.beside(2, 7);
        assert_eq!(room.places(), (vec![0, 5, 20], 27));
    }

    #[test]
    fn boxes_keep_their_distance() {
        let mut room = Room::new(2);
        room.boxes(&[(0, 4), (1, 6)], 2);
        assert_eq!(room.places(), (vec![4, 16], 22));
    }
}

//! Where the nodes of a graph stand and which way its edges take: in layers from top to bottom.
//!
//! Nodes stand in even layers. An edge takes a place of its own in every layer between its ends, and one of these places is as
//! large as its text. Edges turn only between layers, so that none crosses a node or a text; edges may cross each other.
//! Knows sizes and numbers only. Tested by drawings of models in which nothing overlaps.

use std::collections::VecDeque;

/// Width and height.
pub type Size = (f64, f64);
/// From the left and from the top.
pub type Point = (f64, f64);

/// An edge with the room its text needs. Its ends differ.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Where it begins.
    pub source: usize,
    /// Where it ends.
    pub target: usize,
    /// Its text.
    pub text: Size,
}

/// A finished layout.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Top left corner of each node.
    pub nodes: Vec<Point>,
    /// The middle of the text of each edge.
    pub texts: Vec<Point>,
    /// The way of each edge between its ends, from its source to its target: pairs of points above each other.
    pub ways: Vec<Vec<Point>>,
    /// Top and bottom of the layer of each node.
    pub layers: Vec<(f64, f64)>,
    /// Width and height of everything.
    pub size: Size,
}

/// Between neighbours in a layer.
const BESIDE: f64 = 22.0;
/// Between layers.
const BETWEEN: f64 = 26.0;
/// Room for an edge that passes a layer.
const PASSING: f64 = 4.0;
/// Sweeps over all layers.
const SWEEPS: usize = 12;
/// Places in all layers together: beyond that a drawing cannot be read.
const MAX_PLACES: usize = 3_000;

/// A node, or an edge that passes a layer.
struct Place {
    size: Size,
    middle: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

struct Layering {
    places: Vec<Place>,
    /// Places from left to right.
    layers: Vec<Vec<usize>>,
}

/// Lays out a graph from one of its nodes on. None if there is too much to draw.
pub fn layout(nodes: &[Size], edges: &[Edge], first: usize) -> Option<Layout> {
    let (ranks, order) = ranks(nodes.len(), edges, first);
    let span = |edge: &Edge| 2 * ranks[edge.source].abs_diff(ranks[edge.target]) - 1;
    if nodes.len() + edges.iter().map(span).sum::<usize>() > MAX_PLACES {
        return None;
    }
    let height = ranks.iter().max().map_or(0, |rank| 2 * rank + 1);
    let mut layering = Layering { places: vec![], layers: vec![vec![]; height] };
    layering.places = nodes.iter().map(|size| Place::new(*size)).collect();
    for node in order {
        layering.layers[2 * ranks[node]].push(node);
    }
    let chains: Vec<(Vec<usize>, usize)> = edges.iter().map(|edge| layering.chain(edge, &ranks)).collect();
    layering.sort();
    layering.spread();
    Some(layering.finished(nodes.len(), edges, &ranks, &chains))
}

/// The rank of each node, so that edges lead from one to another, and the order in which nodes are found.
fn ranks(nodes: usize, edges: &[Edge], first: usize) -> (Vec<usize>, Vec<usize>) {
    let mut found = vec![usize::MAX; nodes];
    let mut order = vec![];
    for start in [first].into_iter().chain(0..nodes) {
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            if found[node] != usize::MAX {
                continue;
            }
            found[node] = order.len();
            order.push(node);
            queue.extend(edges.iter().filter(|edge| edge.source == node).map(|edge| edge.target));
        }
    }
    // An edge goes down if its source was found first; this way there are no circles.
    let mut ranks = vec![0; nodes];
    for node in &order {
        for edge in edges.iter().filter(|edge| edge.source == *node || edge.target == *node) {
            let other = if edge.source == *node { edge.target } else { edge.source };
            if found[other] > found[*node] {
                ranks[other] = ranks[other].max(ranks[*node] + 1);
            }
        }
    }
    (ranks, order)
}

impl Place {
    fn new(size: Size) -> Place {
        Place { size, middle: 0.0, above: vec![], below: vec![] }
    }
}

impl Layering {
    /// The places of an edge from its upper end to its lower one, and which of them has the text.
    fn chain(&mut self, edge: &Edge, ranks: &[usize]) -> (Vec<usize>, usize) {
        let (upper, lower) = match ranks[edge.source] < ranks[edge.target] {
            true => (edge.source, edge.target),
            false => (edge.target, edge.source),
        };
        let (first, last) = (2 * ranks[upper] + 1, 2 * ranks[lower] - 1);
        // Texts stand between the layers of nodes, halfway.
        let halfway = (first + last) / 2;
        let with_text = if halfway % 2 == 0 { halfway - 1 } else { halfway };
        let mut chain = vec![];
        let mut before = upper;
        for layer in first..=last {
            let place = self.places.len();
            self.places.push(Place::new(if layer == with_text { edge.text } else { (PASSING, 0.0) }));
            self.layers[layer].push(place);
            self.join(before, place);
            chain.push(place);
            before = place;
        }
        self.join(before, lower);
        (chain, with_text - first)
    }

    fn join(&mut self, upper: usize, lower: usize) {
        self.places[upper].below.push(lower);
        self.places[lower].above.push(upper);
    }

    /// Puts each place near the middle of its neighbours, and keeps the order with the fewest crossings.
    fn sort(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            let layers: Vec<usize> =
                if down { (0..self.layers.len()).collect() } else { (0..self.layers.len()).rev().collect() };
            for layer in layers {
                let at = self.positions();
                let wish = |place: &usize| {
                    let near = if down { &self.places[*place].above } else { &self.places[*place].below };
                    mean(near.iter().map(|other| at[*other] as f64)).unwrap_or(at[*place] as f64)
                };
                let mut sorted: Vec<(f64, usize)> =
                    self.layers[layer].iter().map(|place| (wish(place), *place)).collect();
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.layers[layer] = sorted.into_iter().map(|(_, place)| place).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// The number of each place in its layer.
    fn positions(&self) -> Vec<usize> {
        let mut at = vec![0; self.places.len()];
        for layer in &self.layers {
            layer.iter().enumerate().for_each(|(number, place)| at[*place] = number);
        }
        at
    }

    fn crossings(&self) -> usize {
        let at = self.positions();
        let mut count = 0;
        for layer in &self.layers {
            let ends = layer.iter().map(|place| {
                let mut below: Vec<usize> = self.places[*place].below.iter().map(|other| at[*other]).collect();
                below.sort_unstable();
                below
            });
            let ends: Vec<usize> = ends.flatten().collect();
            count += (0..ends.len()).map(|i| ends[i + 1..].iter().filter(|end| **end < ends[i]).count()).sum::<usize>();
        }
        count
    }

    /// Moves places towards the middle of their neighbours, without changing their order.
    fn spread(&mut self) {
        for sweep in 0..2 * SWEEPS {
            let down = sweep % 2 == 0;
            let count = self.layers.len();
            for step in 0..count {
                let layer = if down { step } else { count - 1 - step };
                let wish = |place: &usize| {
                    let Place { above, below, middle, .. } = &self.places[*place];
                    let near: &mut dyn Iterator<Item = &usize> = match (sweep + 2 < 2 * SWEEPS, down) {
                        (true, true) => &mut above.iter(),
                        (true, false) => &mut below.iter(),
                        (false, _) => &mut above.iter().chain(below),
                    };
                    mean(near.map(|other| self.places[*other].middle)).unwrap_or(*middle)
                };
                let wishes: Vec<f64> = self.layers[layer].iter().map(wish).collect();
                let widths: Vec<f64> = self.layers[layer].iter().map(|place| self.places[*place].size.0).collect();
                for (place, middle) in self.layers[layer].iter().zip(apart(&wishes, &widths)) {
                    self.places[*place].middle = middle;
                }
            }
        }
    }

    fn finished(&self, nodes: usize, edges: &[Edge], ranks: &[usize], chains: &[(Vec<usize>, usize)]) -> Layout {
        let left = self.places.iter().map(|place| place.middle - place.size.0 / 2.0).fold(f64::INFINITY, f64::min);
        let right = self.places.iter().map(|place| place.middle + place.size.0 / 2.0).fold(0.0, f64::max);
        let mut bands = vec![];
        let mut y = 0.0;
        for layer in &self.layers {
            let height = layer.iter().map(|place| self.places[*place].size.1).fold(0.0, f64::max);
            bands.push((y, y + height));
            y += height + BETWEEN;
        }
        let x = |place: usize| (self.places[place].middle - left).round();
        let node = |node: usize| {
            let ((top, bottom), (width, height)) = (bands[2 * ranks[node]], self.places[node].size);
            (x(node) - (width / 2.0).round(), ((top + bottom - height) / 2.0).round())
        };
        let layer_of = |edge: &Edge, number: usize| 2 * ranks[edge.source].min(ranks[edge.target]) + 1 + number;
        let text = |(edge, (chain, number)): (&Edge, &(Vec<usize>, usize))| {
            let (top, bottom) = bands[layer_of(edge, *number)];
            (x(chain[*number]), ((top + bottom) / 2.0).round())
        };
        let way = |(edge, (chain, _)): (&Edge, &(Vec<usize>, usize))| {
            let band = |number: usize| bands[layer_of(edge, number)];
            let points = chain.iter().enumerate();
            let mut way: Vec<Point> =
                points.flat_map(|(number, place)| [(x(*place), band(number).0), (x(*place), band(number).1)]).collect();
            if ranks[edge.source] > ranks[edge.target] {
                way.reverse();
            }
            way
        };
        Layout {
            nodes: (0..nodes).map(node).collect(),
            texts: edges.iter().zip(chains).map(text).collect(),
            ways: edges.iter().zip(chains).map(way).collect(),
            layers: (0..nodes).map(|node| bands[2 * ranks[node]]).collect(),
            size: ((right - left).max(0.0).ceil() + 1.0, (y - BETWEEN).max(0.0)),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Middles as near to the wishes as can be, with their order and distances kept: the sum of the squares of the differences is
/// the least there is. Where wishes are too close to each other their places move as one.
fn apart(wishes: &[f64], widths: &[f64]) -> Vec<f64> {
    let mut offsets = vec![0.0];
    for pair in widths.windows(2) {
        offsets.push(offsets.last().copied().unwrap_or(0.0) + (pair[0] + pair[1]) / 2.0 + BESIDE);
    }
    let mut blocks: Vec<(f64, usize)> = vec![];
    for (wish, offset) in wishes.iter().zip(&offsets) {
        let mut block = (wish - offset, 1);
        while let Some((middle, count)) = blocks.last().copied().filter(|(middle, _)| *middle > block.0) {
            blocks.pop();
            let both = count + block.1;
            block = ((middle * count as f64 + block.0 * block.1 as f64) / both as f64, both);
        }
        blocks.push(block);
    }
    let starts = blocks.into_iter().flat_map(|(middle, count)| std::iter::repeat_n(middle, count));
    starts.zip(offsets).map(|(start, offset)| start + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_come_true_where_there_is_room() {
        assert_eq!(apart(&[0.0, 100.0], &[10.0, 10.0]), [0.0, 100.0]);
        // Both would stand at 50: they share the distance they need.
        assert_eq!(apart(&[50.0, 50.0], &[8.0, 10.0]), [50.0 - 15.5, 50.0 + 15.5]);
    }

    #[test]
    fn a_circle_goes_down_and_back() {
        let edge = |source, target| Edge { source, target, text: (20.0, 16.0) };
        let edges = [edge(0, 1), edge(1, 2), edge(2, 0)];
        assert_eq!(ranks(3, &edges, 0).0, [0, 1, 2]);
        let layout = layout(&[(40.0, 20.0); 3], &edges, 0).expect("it is small");
        assert!(layout.nodes[0].1 < layout.nodes[1].1 && layout.nodes[1].1 < layout.nodes[2].1);
        let up = &layout.ways[2];
        assert!(up.first().expect("a way").1 > up.last().expect("a way").1, "{up:?}");
    }
}

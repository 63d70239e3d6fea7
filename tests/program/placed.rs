//! What a chart means, by the reference: a way to place each of its events in a step, and its conditions between steps.
//!
//! Shares nothing with the program. Alternatives and rounds are chosen first, so that a chart is a partial order of events;
//! then all places are tried.

/// A part of a chart.
#[derive(Clone, Debug)]
pub enum Part {
    /// A message, by its number, and what it carries.
    Message(usize, Arg),
    /// Machine 0 fires its first or second transition.
    Fires(usize),
    /// Machine 0 is in its first or second state.
    State(usize),
    Tick,
    Any,
    Alt(Vec<Vec<Part>>),
    Opt(Vec<Part>),
    Loop(usize, Option<usize>, Vec<Part>),
    Par(Vec<Vec<Part>>),
    Not(Vec<Part>),
    /// `exactly`, or `among others`.
    Box(bool, Vec<Part>),
}

/// What a message carries.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    Value(i64),
    Anything,
    Variable(usize),
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    pub is_exact: bool,
    pub is_global: bool,
    pub parts: Vec<Part>,
}

/// A message: its name, who sends it and who receives it.
pub type Message = (&'static str, &'static str, &'static str);

/// What is seen of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The state of machine 0 before the first step.
    pub initial: usize,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub messages: Vec<Option<i64>>,
    pub fired: Option<usize>,
    pub state: usize,
}

impl Chart {
    pub fn text(&self, messages: &[Message]) -> String {
        let mut out = String::new();
        if self.is_exact {
            out.push_str("  exactly\n");
        }
        if self.is_global {
            out.push_str("  global order\n");
        }
        out.push_str("  some v0: Int\n  some v1: Int\n");
        self.parts.iter().for_each(|part| part.text(messages, &mut out));
        out
    }
}

impl Part {
    fn text(&self, messages: &[Message], out: &mut String) {
        let block = |head: &str, parts: &[Part], out: &mut String| {
            out.push_str(&format!("{head} {{\n"));
            parts.iter().for_each(|part| part.text(messages, out));
            out.push_str("}\n");
        };
        match self {
            Part::Message(number, arg) => {
                let (name, from, to) = messages[*number];
                let arg = match arg {
                    Arg::Value(n) => format!("({n})"),
                    Arg::Anything => String::new(),
                    Arg::Variable(v) => format!("(v{v})"),
                };
                out.push_str(&format!("{from} -> {to} : {name}{arg}\n"));
            }
            Part::Fires(n) => out.push_str(&format!("a fires t{n}\n")),
            Part::State(n) => out.push_str(&format!("a in S{n}\n")),
            Part::Tick => out.push_str("tick\n"),
            Part::Any => out.push_str("any\n"),
            Part::Alt(blocks) => {
                for (n, parts) in blocks.iter().enumerate() {
                    block(if n == 0 { "alt" } else { "or" }, parts, out);
                }
            }
            Part::Par(blocks) => {
                for (n, parts) in blocks.iter().enumerate() {
                    block(if n == 0 { "par" } else { "and" }, parts, out);
                }
            }
            Part::Opt(parts) => block("opt", parts, out),
            Part::Not(parts) => block("not", parts, out),
            Part::Box(true, parts) => block("exactly", parts, out),
            Part::Box(false, parts) => block("among others", parts, out),
            Part::Loop(low, Some(high), parts) => block(&format!("loop {low}..{high}"), parts, out),
            Part::Loop(low, None, parts) => block(&format!("loop {low}.."), parts, out),
        }
    }

    fn mentions(&self, messages: &[Message], out: &mut Vec<&'static str>) {
        match self {
            Part::Message(number, _) => out.extend([messages[*number].1, messages[*number].2]),
            Part::Fires(_) | Part::State(_) => out.push("a"),
            Part::Tick | Part::Any => {}
            Part::Alt(blocks) | Part::Par(blocks) => {
                blocks.iter().flatten().for_each(|part| part.mentions(messages, out));
            }
            Part::Opt(parts) | Part::Not(parts) | Part::Box(_, parts) | Part::Loop(_, _, parts) => {
                parts.iter().for_each(|part| part.mentions(messages, out));
            }
        }
    }
}

/// A chart whose alternatives and rounds are chosen.
#[derive(Clone, Debug)]
enum Node {
    Leaf(Part),
    Sequence(Vec<Node>),
    Strict(Vec<Node>),
    Par(Vec<Node>),
    Region(bool, Box<Node>),
}

fn chosen(part: &Part, rounds: usize) -> Vec<Node> {
    match part {
        Part::Alt(blocks) => blocks.iter().flat_map(|block| chosen_all(block, rounds)).collect(),
        Part::Opt(parts) => {
            let mut out = chosen_all(parts, rounds);
            out.push(Node::Sequence(vec![]));
            out
        }
        Part::Par(blocks) => {
            product(blocks.iter().map(|block| chosen_all(block, rounds)).collect()).into_iter().map(Node::Par).collect()
        }
        Part::Loop(low, high, parts) => {
            let body = chosen_all(parts, rounds);
            let mut out = vec![];
            for count in *low..=high.unwrap_or(rounds.max(*low)) {
                let ways = product(vec![body.clone(); count]).into_iter();
                out.extend(ways.map(|ways| if high.is_none() { Node::Strict(ways) } else { Node::Sequence(ways) }));
            }
            out
        }
        Part::Box(exact, parts) => {
            chosen_all(parts, rounds).into_iter().map(|node| Node::Region(*exact, Box::new(node))).collect()
        }
        leaf => vec![Node::Leaf(leaf.clone())],
    }
}

fn chosen_all(parts: &[Part], rounds: usize) -> Vec<Node> {
    product(parts.iter().map(|part| chosen(part, rounds)).collect()).into_iter().map(Node::Sequence).collect()
}

fn product(choices: Vec<Vec<Node>>) -> Vec<Vec<Node>> {
    choices.into_iter().fold(vec![vec![]], |done, next| {
        done.iter().flat_map(|d| next.iter().map(move |n| [&d[..], std::slice::from_ref(n)].concat())).collect()
    })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Step(usize),
    Moment(usize),
    Interval(usize, usize),
    /// An `any` that takes no time, and every `not`.
    Nowhere,
}

/// Leaves in order, which of them come before which, and regions with their leaves.
#[derive(Default)]
struct Flat {
    leaves: Vec<Part>,
    before: Vec<Vec<bool>>,
    /// Whether it is exact, and the leaves in it.
    regions: Vec<(bool, Vec<usize>)>,
}

struct Oracle<'r> {
    run: &'r Run,
    messages: &'r [Message],
    is_global: bool,
    one_event: bool,
    /// Messages between lifelines of the chart.
    between: Vec<usize>,
    variables: [i64; 2],
}

/// Whether a run contains a chart.
pub fn contains(chart: &Chart, messages: &[Message], one_event: bool, run: &Run) -> bool {
    let mut mentioned = vec![];
    chart.parts.iter().for_each(|part| part.mentions(messages, &mut mentioned));
    let drawn = |end: &str| mentioned.contains(&end);
    let between = (0..messages.len()).filter(|n| drawn(messages[*n].1) && drawn(messages[*n].2)).collect();
    let mut oracle = Oracle { run, messages, is_global: chart.is_global, one_event, between, variables: [0, 0] };
    let whole = if chart.is_exact { vec![Part::Box(true, chart.parts.clone())] } else { chart.parts.clone() };
    for values in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        oracle.variables = values;
        if oracle.occurs(&whole, 0, run.steps.len()) {
            return true;
        }
    }
    false
}

impl Oracle<'_> {
    /// Whether parts can be placed in the steps after `first` up to `last`, with conditions in the moments from `first` on.
    fn occurs(&self, parts: &[Part], first: usize, last: usize) -> bool {
        if last < first {
            return false;
        }
        chosen_all(parts, self.run.steps.len()).iter().any(|node| {
            let mut flat = Flat::default();
            self.flatten(node, &mut flat);
            let count = flat.leaves.len();
            for via in 0..count {
                for x in 0..count {
                    for y in 0..count {
                        flat.before[x][y] |= flat.before[x][via] && flat.before[via][y];
                    }
                }
            }
            self.place(&flat, &mut vec![], first, last)
        })
    }

    fn flatten(&self, node: &Node, flat: &mut Flat) -> Vec<usize> {
        match node {
            Node::Leaf(part) => {
                flat.leaves.push(part.clone());
                flat.before.iter_mut().for_each(|row| row.push(false));
                flat.before.push(vec![false; flat.leaves.len()]);
                vec![flat.leaves.len() - 1]
            }
            Node::Par(nodes) => nodes.iter().flat_map(|node| self.flatten(node, flat)).collect(),
            Node::Sequence(nodes) | Node::Strict(nodes) => {
                let mut earlier: Vec<usize> = vec![];
                for part in nodes {
                    let later = self.flatten(part, flat);
                    for x in &earlier {
                        for y in &later {
                            let related =
                                matches!(node, Node::Strict(_)) || self.share(&flat.leaves[*x], &flat.leaves[*y]);
                            flat.before[*x][*y] |= related;
                        }
                    }
                    earlier.extend(later);
                }
                earlier
            }
            Node::Region(exact, inner) => {
                let leaves = self.flatten(inner, flat);
                flat.regions.push((*exact, leaves.clone()));
                leaves
            }
        }
    }

    /// Whether two leaves share a lifeline.
    fn share(&self, x: &Part, y: &Part) -> bool {
        let lifelines = |part: &Part| match part {
            Part::Message(number, _) => Some(vec![self.messages[*number].1, self.messages[*number].2]),
            Part::Fires(_) | Part::State(_) => Some(vec!["a"]),
            _ => None,
        };
        match (lifelines(x), lifelines(y)) {
            (Some(x), Some(y)) if !self.is_global => x.iter().any(|one| y.contains(one)),
            _ => true,
        }
    }

    fn place(&self, flat: &Flat, places: &mut Vec<Place>, first: usize, last: usize) -> bool {
        let number = places.len();
        let Some(leaf) = flat.leaves.get(number) else { return self.is_right(flat, places, first, last) };
        let candidates: Vec<Place> = match leaf {
            Part::Message(..) | Part::Fires(_) => (first + 1..=last).map(Place::Step).collect(),
            Part::State(_) | Part::Tick => (first..=last).map(Place::Moment).collect(),
            Part::Any => {
                let pairs = (first..=last).flat_map(|m| (m..=last).map(move |n| Place::Interval(m, n)));
                pairs.chain([Place::Nowhere]).collect()
            }
            _ => vec![Place::Nowhere],
        };
        for place in candidates {
            let fits = self.holds(leaf, place)
                && (0..number).all(|x| {
                    (!flat.before[x][number] || ordered(places[x], place))
                        && !self.clash(&flat.leaves[x], places[x], leaf, place)
                });
            if fits {
                places.push(place);
                let found = self.place(flat, places, first, last);
                places.pop();
                if found {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a leaf is true to the run where it stands.
    fn holds(&self, leaf: &Part, place: Place) -> bool {
        match (leaf, place) {
            (Part::Message(number, arg), Place::Step(step)) => {
                let carried = self.run.steps[step - 1].messages[*number];
                match arg {
                    Arg::Anything => carried.is_some(),
                    Arg::Value(n) => carried == Some(*n),
                    Arg::Variable(v) => carried == Some(self.variables[*v]),
                }
            }
            (Part::Fires(n), Place::Step(step)) => self.run.steps[step - 1].fired == Some(*n),
            (Part::State(n), Place::Moment(0)) => self.run.initial == *n,
            (Part::State(n), Place::Moment(moment)) => self.run.steps[moment - 1].state == *n,
            _ => true,
        }
    }

    /// Two events of one step are on different lists; two ticks are two moments.
    fn clash(&self, x: &Part, at: Place, y: &Part, here: Place) -> bool {
        at == here
            && match (x, y) {
                (Part::Tick, Part::Tick) => true,
                (Part::Message(..) | Part::Fires(_), Part::Message(..) | Part::Fires(_)) if self.one_event => true,
                (Part::Message(x, _), Part::Message(y, _)) => x == y,
                (Part::Fires(_), Part::Fires(_)) => true,
                _ => false,
            }
    }

    /// What is said of whole stretches: nothing else in closed steps, and what must not happen.
    fn is_right(&self, flat: &Flat, places: &[Place], first: usize, last: usize) -> bool {
        let span = |leaves: &[usize]| {
            let steps = leaves.iter().filter_map(|leaf| match places[*leaf] {
                Place::Step(step) => Some(step),
                _ => None,
            });
            let steps: Vec<usize> = steps.collect();
            Some((*steps.iter().min()?, *steps.iter().max()?))
        };
        for step in first + 1..=last {
            let covers = |leaves: &[usize]| span(leaves).is_some_and(|(from, to)| from <= step && step <= to);
            // Regions inside a region come before it.
            let is_open = |number: usize, inside: &[usize]| {
                let boxed = flat.regions[..number]
                    .iter()
                    .any(|(exact, leaves)| !exact && leaves.iter().all(|leaf| inside.contains(leaf)) && covers(leaves));
                let any =
                    inside.iter().any(|leaf| matches!(places[*leaf], Place::Interval(m, n) if m < step && step <= n));
                boxed || any
            };
            let mut regions = flat.regions.iter().enumerate();
            let is_closed =
                regions.any(|(number, (exact, leaves))| *exact && covers(leaves) && !is_open(number, leaves));
            let other = |message: &usize| {
                self.run.steps[step - 1].messages[*message].is_some()
                    && !flat.leaves.iter().zip(places).any(|(leaf, place)| {
                        *place == Place::Step(step) && matches!(leaf, Part::Message(number, _) if number == message)
                    })
            };
            if is_closed && self.between.iter().any(other) {
                return false;
            }
        }
        (0..flat.leaves.len()).all(|number| match &flat.leaves[number] {
            Part::Not(parts) => {
                let before = (0..flat.leaves.len()).filter(|x| flat.before[*x][number]);
                let from = before.filter_map(|x| match places[x] {
                    Place::Step(at) | Place::Moment(at) | Place::Interval(_, at) => Some(at),
                    Place::Nowhere => None,
                });
                let after = (0..flat.leaves.len()).filter(|y| flat.before[number][*y]);
                let to = after.filter_map(|y| match places[y] {
                    Place::Step(at) => Some(at as i64 - 1),
                    Place::Interval(at, _) => Some(at as i64),
                    // Only events end it, and times in which the chart is open.
                    Place::Moment(_) | Place::Nowhere => None,
                });
                let (from, to) = (from.max().unwrap_or(first) as i64, to.min().unwrap_or(last as i64));
                from > to || !self.occurs(parts, from as usize, to as usize)
            }
            _ => true,
        })
    }
}

/// Whether what is placed first does not come after the other.
fn ordered(x: Place, y: Place) -> bool {
    let from = match x {
        Place::Nowhere => return true,
        Place::Step(at) | Place::Moment(at) | Place::Interval(_, at) => at,
    };
    match (x, y) {
        (_, Place::Nowhere) => true,
        (Place::Step(_), Place::Step(at)) => from <= at,
        (_, Place::Step(at)) => from < at,
        (_, Place::Moment(at) | Place::Interval(at, _)) => from <= at,
    }
}

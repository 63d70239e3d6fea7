//! Random patterns, and what they mean: straight from the reference, position by position, without automata.

use std::collections::{BTreeMap, BTreeSet};

/// The model that patterns are about: every event may happen at any time.
pub const MODEL: &str = "
sts M {
  in a(x: Int), b(x: Int), c(), d()
  initial location L
  L -> L : ?a(x)
  L -> L : ?b(x)
  L -> L : ?c
  L -> L : ?d
}
";

/// An event: its gate, and what it carries; nothing counts as 0.
pub type Event = (char, i64);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    /// Nothing is written.
    Nothing,
    Anything,
    Var(char),
    Value(i64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Symbol {
    gate: char,
    arg: Arg,
}

#[derive(Clone, Debug)]
enum P {
    Symbol(Symbol),
    Any,
    Sequence(Vec<P>),
    Choice(Vec<P>),
    Repeat(Box<P>, usize, Option<usize>),
    /// The pattern `Sub`, which has no parameter.
    Sub,
    /// The pattern `Given`, whose parameter is `w`.
    Given(Arg),
    /// A part with a variable `u` of its own.
    Some(Box<P>),
    /// A variable is at least so much.
    When(char, i64),
}

#[derive(Clone, Debug)]
struct Pattern {
    alphabet: Option<Vec<Symbol>>,
    body: P,
}

/// A pattern with the patterns that it uses.
#[derive(Clone, Debug)]
pub struct Patterns {
    outer: Pattern,
    sub: Pattern,
    given: Pattern,
}

/// What a variable stands for that is the parameter of a pattern.
type Given = Option<Arg>;

/// Values of variables.
type Values = BTreeMap<char, i64>;

fn meant(arg: Arg, given: Given) -> Arg {
    if arg == Arg::Var('w') { given.expect("a value for the parameter") } else { arg }
}

impl Symbol {
    fn text(&self) -> String {
        let gate = self.gate;
        match self.arg {
            Arg::Nothing => gate.to_string(),
            Arg::Anything => format!("{gate}(_)"),
            Arg::Var(name) => format!("{gate}({name})"),
            Arg::Value(value) => format!("{gate}({value})"),
        }
    }

    /// Whether an event is this one for values of the variables; a variable without a value gets it.
    fn fits(&self, event: Event, given: Given, values: &mut Values) -> bool {
        self.gate == event.0
            && match meant(self.arg, given) {
                Arg::Nothing | Arg::Anything => true,
                Arg::Var(name) => *values.entry(name).or_insert(event.1) == event.1,
                Arg::Value(value) => value == event.1,
            }
    }
}

impl P {
    fn text(&self) -> String {
        let all = |parts: &[P], between: &str| parts.iter().map(P::text).collect::<Vec<_>>().join(between);
        match self {
            P::Symbol(symbol) => symbol.text(),
            P::Any => "any".to_owned(),
            P::Sequence(parts) => format!("({})", all(parts, "; ")),
            P::Choice(parts) => format!("({})", all(parts, " | ")),
            P::Repeat(body, 0, None) => format!("({})*", body.text()),
            P::Repeat(body, 1, None) => format!("({})+", body.text()),
            P::Repeat(body, 0, Some(1)) => format!("({})?", body.text()),
            P::Repeat(body, low, None) => format!("({})[{low}..]", body.text()),
            P::Repeat(body, low, Some(high)) if low == high => format!("({})[{low}]", body.text()),
            P::Repeat(body, low, Some(high)) => format!("({})[{low}..{high}]", body.text()),
            P::Sub => "Sub".to_owned(),
            P::Given(Arg::Var(name)) => format!("Given({name})"),
            P::Given(Arg::Value(value)) => format!("Given({value})"),
            P::Given(_) => unreachable!(),
            P::Some(body) => format!("(some u: {})", body.text()),
            P::When(name, value) => format!("when {name} >= {value}"),
        }
    }

    /// Calls `f` with every part.
    fn each<'p>(&'p self, f: &mut dyn FnMut(&'p P)) {
        f(self);
        match self {
            P::Sequence(parts) | P::Choice(parts) => parts.iter().for_each(|part| part.each(f)),
            P::Repeat(body, ..) | P::Some(body) => body.each(f),
            _ => {}
        }
    }

    /// Whether events tell the value of a variable.
    fn binds(&self, name: char) -> bool {
        let mut binds = false;
        self.each(&mut |part| {
            binds |= match part {
                P::Symbol(symbol) => symbol.arg == Arg::Var(name),
                P::Given(arg) => *arg == Arg::Var(name),
                _ => false,
            }
        });
        binds
    }
}

/// How far a pattern has got: the next event, values of variables, and whether a condition waits for an event.
type At = (usize, Values, bool);

/// Where a pattern can end that begins somewhere, on a run.
struct Reading<'r> {
    patterns: &'r Patterns,
    run: &'r [Event],
    /// Whether an event is one of the alphabet.
    belongs: &'r dyn Fn(Event) -> bool,
    /// Whether events that do not belong to the alphabet may be passed.
    passes: bool,
}

impl Reading<'_> {
    fn ends(&self, p: &P, given: Given, at: &At) -> BTreeSet<At> {
        let from = |at: &At, parts: &[P]| {
            let mut now = BTreeSet::from([at.clone()]);
            for part in parts {
                now = now.iter().flat_map(|at| self.ends(part, given, at)).collect();
            }
            now
        };
        match p {
            P::Symbol(symbol) => self.taken(at, &|event, values| symbol.fits(event, given, values)),
            P::Any => self.taken(at, &|event, _| (self.belongs)(event)),
            P::Sequence(parts) => from(at, parts),
            P::Choice(parts) => parts.iter().flat_map(|part| self.ends(part, given, at)).collect(),
            P::Repeat(body, low, high) => {
                let mut now = BTreeSet::from([at.clone()]);
                let mut out = BTreeSet::new();
                // After as many rounds as there are events nothing new comes.
                for round in 0..=high.unwrap_or(low + self.run.len() + 1) {
                    if round >= *low {
                        out.extend(now.iter().cloned());
                    }
                    now = now.iter().flat_map(|at| self.ends(body, given, at)).collect();
                }
                out
            }
            P::Sub => self.ends(&self.patterns.sub.body, None, at),
            P::Given(arg) => self.ends(&self.patterns.given.body, Some(meant(*arg, given)), at),
            P::Some(body) => {
                let without = |(next, mut values, waits): At| {
                    values.remove(&'u');
                    (next, values, waits)
                };
                self.ends(body, given, &without(at.clone())).into_iter().map(without).collect()
            }
            P::When(name, least) => match meant(Arg::Var(*name), given) {
                Arg::Var(name) if at.1.get(&name).is_none_or(|value| value < least) => BTreeSet::new(),
                Arg::Value(value) if value < *least => BTreeSet::new(),
                _ => BTreeSet::from([(at.0, at.1.clone(), true)]),
            },
        }
    }

    /// One event, after some that are passed.
    fn taken(&self, (at, values, _): &At, fits: &dyn Fn(Event, &mut Values) -> bool) -> BTreeSet<At> {
        let mut out = BTreeSet::new();
        for next in *at..self.run.len() {
            let mut values = values.clone();
            if fits(self.run[next], &mut values) {
                out.insert((next + 1, values, false));
            }
            if !self.passes || (self.belongs)(self.run[next]) {
                break;
            }
        }
        out
    }
}

impl Patterns {
    pub fn text(&self) -> String {
        let alphabet = |pattern: &Pattern| match &pattern.alphabet {
            Some(symbols) => {
                format!("alphabet {{ {} }} ", symbols.iter().map(Symbol::text).collect::<Vec<_>>().join(", "))
            }
            None => String::new(),
        };
        let free = if self.has_variable() { "free v " } else { "" };
        format!(
            "pattern Sub for M {{ {}{} }}\npattern Given(w: Int) for M {{ {}{} }}\npattern Outer for M {{ {free}{}{} }}\n",
            alphabet(&self.sub),
            self.sub.body.text(),
            alphabet(&self.given),
            self.given.body.text(),
            alphabet(&self.outer),
            self.outer.body.text(),
        )
    }

    /// Whether the pattern has a free variable `v`.
    pub fn has_variable(&self) -> bool {
        self.outer.body.binds('v')
    }

    /// Every pattern that is used, with what its parameter stands for.
    fn used(&self) -> Vec<(&Pattern, Given)> {
        let mut out = vec![(&self.outer, None)];
        let mut done = 0;
        while done < out.len() {
            let (pattern, given) = out[done];
            done += 1;
            pattern.body.each(&mut |part| {
                let inner = match part {
                    P::Sub => (&self.sub, None),
                    P::Given(arg) => (&self.given, Some(meant(*arg, given))),
                    _ => return,
                };
                if !out.iter().any(|(pattern, known)| std::ptr::eq(*pattern, inner.0) && *known == inner.1) {
                    out.push(inner);
                }
            });
        }
        out
    }

    /// Events at which there is a match for a value of the variable: with them ends a part of what is seen that is as the
    /// pattern says. Everything that is declared or mentioned is seen.
    pub fn matches(&self, run: &[Event], v: i64) -> Vec<usize> {
        let values = Values::from([('v', v)]);
        let mut symbols: Vec<(Symbol, Given)> = vec![];
        for (pattern, given) in self.used() {
            symbols.extend(pattern.alphabet.iter().flatten().map(|symbol| (*symbol, given)));
            pattern.body.each(&mut |part| {
                if let P::Symbol(symbol) = part {
                    symbols.push((*symbol, given));
                }
            });
        }
        let is_seen = |event: Event| symbols.iter().any(|(s, given)| s.fits(event, *given, &mut values.clone()));
        let places: Vec<usize> = (0..run.len()).filter(|at| is_seen(run[*at])).collect();
        let seen: Vec<Event> = places.iter().map(|at| run[*at]).collect();
        let reading = Reading { patterns: self, run: &seen, belongs: &|_| true, passes: false };
        let ends: BTreeSet<usize> = (0..seen.len())
            .flat_map(|from| {
                let ends = reading.ends(&self.outer.body, None, &(from, values.clone(), false)).into_iter();
                ends.map(|(end, ..)| end).filter(move |end| *end > from)
            })
            .collect();
        ends.into_iter().map(|end| places[end - 1] + 1).collect()
    }

    /// Whether a run is as the pattern says: it takes all events of the alphabet, and may pass others.
    pub fn is_scenario(&self, run: &[Event]) -> bool {
        let mut alphabet: Vec<Symbol> = vec![];
        for (pattern, _) in self.used() {
            match &pattern.alphabet {
                Some(symbols) => alphabet.extend(symbols),
                None => pattern.body.each(&mut |part| {
                    if let P::Symbol(symbol) = part {
                        alphabet.push(Symbol { arg: Arg::Anything, ..*symbol });
                    }
                }),
            }
        }
        let belongs = |event: Event| {
            alphabet
                .iter()
                .any(|symbol| symbol.gate == event.0 && !matches!(symbol.arg, Arg::Value(value) if value != event.1))
        };
        let reading = Reading { patterns: self, run, belongs: &belongs, passes: true };
        let ends = reading.ends(&self.outer.body, None, &(0, Values::new(), false));
        ends.iter().any(|(end, _, waits)| !waits && run[*end..].iter().all(|event| !belongs(*event)))
    }
}

/// Draws by chance.
pub struct Dice(pub u64);

/// Names that a part may use.
#[derive(Clone, Copy)]
struct Names {
    variables: &'static [char],
    /// Whether there may be conditions and variables of parts.
    is_scenario: bool,
    /// Which other patterns may be used.
    sub: bool,
    given: bool,
}

impl Dice {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn symbol(&mut self, names: Names) -> Symbol {
        let gate = self.pick(&['a', 'a', 'b', 'b', 'c', 'd']);
        let arg = match self.below(6) {
            _ if gate > 'b' => Arg::Nothing,
            0 => Arg::Nothing,
            1 => Arg::Anything,
            2 => Arg::Value(1 + self.below(2) as i64),
            _ if names.variables.is_empty() => Arg::Value(1 + self.below(2) as i64),
            _ => Arg::Var(self.pick(names.variables)),
        };
        Symbol { gate, arg }
    }

    fn part(&mut self, depth: usize, names: Names) -> P {
        let kind = if depth == 0 { self.below(5) } else { self.below(14) };
        let parts = |dice: &mut Dice| (0..2 + dice.below(2)).map(|_| dice.part(depth - 1, names)).collect();
        match kind {
            0 => P::Any,
            1 if names.sub => P::Sub,
            2 if names.given && !names.variables.is_empty() && self.below(2) == 0 => {
                P::Given(Arg::Var(self.pick(names.variables)))
            }
            2 if names.given => P::Given(Arg::Value(1 + self.below(2) as i64)),
            5..=7 => P::Sequence(parts(self)),
            8 | 9 => P::Choice(parts(self)),
            10 | 11 => {
                let (low, high) =
                    self.pick(&[(0, None), (1, None), (0, Some(1)), (2, Some(2)), (1, Some(3)), (2, None)]);
                P::Repeat(Box::new(self.part(depth - 1, names)), low, high)
            }
            12 if names.is_scenario && !names.variables.contains(&'u') => {
                let variables: &'static [char] = if names.variables.contains(&'v') { &['u', 'v'] } else { &['u'] };
                let body = self.part(depth - 1, Names { variables, ..names });
                let first = P::Symbol(Symbol { gate: 'a', arg: Arg::Var('u') });
                P::Some(Box::new(if body.binds('u') { body } else { P::Sequence(vec![first, body]) }))
            }
            13 if names.is_scenario && !names.variables.is_empty() => {
                let name = self.pick(names.variables);
                P::Sequence(vec![self.part(depth - 1, names), P::When(name, 2), self.part(depth - 1, names)])
            }
            _ => P::Symbol(self.symbol(names)),
        }
    }

    fn pattern(&mut self, depth: usize, names: Names) -> Pattern {
        let body = self.part(depth, names);
        let known: &'static [char] = if names.variables == ['v'] && !body.binds('v') { &[] } else { names.variables };
        let names = Names { variables: known, ..names };
        let alphabet = (self.below(3) == 0).then(|| (0..1 + self.below(3)).map(|_| self.symbol(names)).collect());
        Pattern { alphabet, body }
    }

    pub fn patterns(&mut self, is_scenario: bool) -> Patterns {
        let names = Names { variables: &['v'], is_scenario, sub: true, given: true };
        let inner = Names { variables: &['w'], is_scenario, sub: false, given: false };
        let outer = loop {
            let outer = self.pattern(3, names);
            let mut looks = false;
            outer.body.each(&mut |part| looks |= matches!(part, P::When('v', _)));
            // A variable that no event tells has no type.
            if !looks || outer.body.binds('v') {
                break outer;
            }
        };
        Patterns {
            outer,
            sub: self.pattern(2, Names { variables: &[], given: true, ..inner }),
            given: self.pattern(2, inner),
        }
    }

    pub fn run(&mut self) -> Vec<Event> {
        let event = |dice: &mut Dice| match dice.below(6) {
            0 | 1 => ('a', 1 + dice.below(2) as i64),
            2 | 3 => ('b', 1 + dice.below(2) as i64),
            4 => ('c', 0),
            _ => ('d', 0),
        };
        (0..1 + self.below(5)).map(|_| event(self)).collect()
    }
}

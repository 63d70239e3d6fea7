//! A machine with one variable, and its runs.

use crate::sound::random::Random;

/// Longest runs that are enumerated.
pub const LONGEST: usize = 3;

/// What happened in a step, and what was so before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    pub gate: char,
    /// Its parameter, if it has one.
    pub data: Option<i64>,
    pub before: (usize, i64),
    pub after: (usize, i64),
    /// From one.
    pub clock: i64,
}

pub type Run = Vec<Step>;

/// A switch; each kind of guard and update is a number.
#[derive(Clone, Debug)]
struct Switch {
    source: usize,
    target: usize,
    gate: char,
    guard: usize,
    update: usize,
}

#[derive(Clone, Debug)]
pub struct Machine {
    start: i64,
    switches: Vec<Switch>,
}

/// Gates with the least and the greatest value of the parameter.
pub const GATES: [(char, Option<(i64, i64)>); 3] = [('a', Some((0, 2))), ('b', Some((0, 1))), ('c', None)];

impl Machine {
    pub fn random(random: &mut Random) -> Machine {
        let switch = |random: &mut Random| Switch {
            source: random.rng.usize(..2),
            target: random.rng.usize(..2),
            gate: random.one(&GATES).0,
            guard: if random.rng.bool() { 0 } else { random.rng.usize(..5) },
            update: random.rng.usize(..6),
        };
        let count = 2 + random.rng.usize(..4);
        let mut switches: Vec<Switch> = (0..count).map(|_| switch(random)).collect();
        // Something happens first.
        switches[0].source = 0;
        switches[0].guard = 0;
        Machine { start: random.rng.i64(0..3), switches }
    }

    pub fn text(&self) -> String {
        let mut out = String::from("fun ratio(n: Int): Int = 12 / n\nfun plus(a: Int, b: Int): Int = a + b\nsts M {\n");
        for (gate, bounds) in GATES {
            let param = bounds.map_or(String::new(), |(low, high)| format!("x: {low}..{high}"));
            out.push_str(&format!("  in {gate}({param})\n"));
        }
        out.push_str(&format!("  var v: Int = {}\n  initial location L0\n  location L1, Nowhere\n", self.start));
        for switch in &self.switches {
            let has_data = switch.gate != 'c';
            let x = if has_data { "x" } else { "1" };
            let event = if has_data { format!("?{}(x)", switch.gate) } else { format!("?{}", switch.gate) };
            let guard = match switch.guard {
                0 => String::new(),
                1 => " when v < 2".to_owned(),
                2 => format!(" when v != {x}"),
                3 => format!(" when {x} > 0"),
                _ => " when v > 0".to_owned(),
            };
            let update = match switch.update {
                0 => String::new(),
                1 | 2 => format!(" do v := {x}"),
                3 => " do v := v + 1".to_owned(),
                4 => " do v := 0".to_owned(),
                _ => format!(" do v := {x} - v"),
            };
            out.push_str(&format!("  L{} -> L{} : {event}{guard}{update}\n", switch.source, switch.target));
        }
        // Every event is known to the machine.
        out.push_str("  Nowhere -> Nowhere : ?a(x)\n  Nowhere -> Nowhere : ?b(x)\n");
        out.push_str("  Nowhere -> Nowhere : ?c\n}\n");
        out
    }

    fn steps(&self, before: (usize, i64), clock: i64) -> Vec<Step> {
        let mut out = vec![];
        for switch in self.switches.iter().filter(|switch| switch.source == before.0) {
            let bounds = GATES.iter().find(|(gate, _)| *gate == switch.gate).expect("a gate").1;
            let choices: Vec<Option<i64>> = match bounds {
                Some((low, high)) => (low..=high).map(Some).collect(),
                None => vec![None],
            };
            for data in choices {
                let (v, x) = (before.1, data.unwrap_or(1));
                let is_enabled = match switch.guard {
                    0 => true,
                    1 => v < 2,
                    2 => v != x,
                    3 => x > 0,
                    _ => v > 0,
                };
                let next = match switch.update {
                    0 => v,
                    1 | 2 => x,
                    3 => v + 1,
                    4 => 0,
                    _ => x - v,
                };
                let step = Step { gate: switch.gate, data, before, after: (switch.target, next), clock };
                if is_enabled && !out.contains(&step) {
                    out.push(step);
                }
            }
        }
        out
    }

    /// All runs, shorter ones first.
    pub fn runs(&self) -> Vec<Run> {
        let mut all: Vec<Run> = vec![vec![]];
        let mut last = vec![vec![]];
        for clock in 1..=LONGEST {
            let longer = |run: &Run| {
                let before = run.last().map_or((0, self.start), |step| step.after);
                let run = run.clone();
                self.steps(before, clock as i64).into_iter().map(move |step| [&run[..], &[step]].concat())
            };
            last = last.iter().flat_map(longer).collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    pub fn smaller(&self) -> Vec<Machine> {
        let mut out = vec![];
        for number in (0..self.switches.len()).filter(|_| self.switches.len() > 1) {
            let mut fewer = self.clone();
            fewer.switches.remove(number);
            out.push(fewer);
        }
        for number in 0..self.switches.len() {
            for change in [|switch: &mut Switch| switch.guard = 0, |switch: &mut Switch| switch.update = 0] {
                let mut simpler = self.clone();
                change(&mut simpler.switches[number]);
                let switch = &self.switches[number];
                let new = &simpler.switches[number];
                if (switch.guard, switch.update) != (new.guard, new.update) {
                    out.push(simpler);
                }
            }
        }
        out
    }
}

impl Step {
    /// The step as a line of a log, with the state after it or without.
    pub fn line(&self, is_recorded: bool) -> String {
        let data = self.data.map_or(String::new(), |data| format!("\"x\": {data}"));
        let state = match is_recorded {
            true => format!(", \"state\": {{\"M\": \"L{}\"}}, \"vars\": {{\"v\": {}}}", self.after.0, self.after.1),
            false => String::new(),
        };
        format!("{{\"gate\": \"{}\", \"data\": {{{data}}}{state}}}\n", self.gate)
    }
}

//! Random pairs from a seed.

use fastrand::Rng;

use super::*;

/// How the implementation is made.
#[derive(Clone, Copy)]
enum Made {
    /// The specification itself.
    Same,
    /// The specification with less: switches left out, guards made stronger.
    Less,
    /// The specification, to which more was added later.
    Earlier,
    /// The specification with one or two changes.
    Changed,
    /// A model of its own.
    Alone,
}

const MADE: [(Made, usize); 5] =
    [(Made::Same, 12), (Made::Less, 28), (Made::Earlier, 20), (Made::Changed, 25), (Made::Alone, 15)];

/// The pair of a seed.
pub fn pair(seed: u64) -> Pair {
    let mut random = Random(Rng::with_seed(seed));
    let made = random.made();
    let mut specification = random.sts();
    let completed = match random.0.usize(..10) {
        0..2 => Completed::No,
        2..4 => Completed::Chaos,
        _ => Completed::Ignores,
    };
    let entered = (completed == Completed::Chaos && random.one_in(2)).then(|| random.chaotic(&mut specification));
    let mut implementation = specification.clone();
    match made {
        Made::Same => {}
        Made::Less => {
            for _ in 0..random.0.usize(1..=3) {
                random.make_less(&mut implementation);
            }
        }
        Made::Earlier => {
            for _ in 0..random.0.usize(1..=3) {
                random.add_switch(&mut specification);
            }
        }
        Made::Changed => {
            for _ in 0..random.0.usize(1..=2) {
                random.change(&mut implementation);
            }
        }
        Made::Alone => implementation = random.sts_with(specification.inputs.clone(), specification.outputs.clone()),
    }
    if let Some(chaos) = entered {
        // Where the specification allows everything, the implementation often takes nothing.
        if random.one_in(2) {
            implementation.switches.retain(|s| s.target != chaos || s.source == chaos);
        }
    }
    if completed == Completed::No && !random.one_in(6) {
        random.enable(&mut implementation);
    }
    // Ranges may differ.
    if random.one_in(12) {
        random.widen(&mut specification);
    }
    if random.one_in(12) {
        random.widen(&mut implementation);
    }
    // A gate that one model does not use may be unknown to it.
    if random.one_in(10) {
        let one = if random.one_in(2) { &mut specification } else { &mut implementation };
        random.undeclare(one);
    }
    // What the specification begins with is known; an implementation may begin with anything.
    for variable in &mut specification.variables {
        variable.start = Some(variable.start.unwrap_or(0));
    }
    let is_universal = random.one_in(6);
    let depth = random.0.usize(..=4);
    Pair { implementation, specification, completed, is_universal, depth }
}

struct Random(Rng);

impl Random {
    fn one_in(&mut self, n: usize) -> bool {
        self.0.usize(..n) == 0
    }

    fn made(&mut self) -> Made {
        let mut at = self.0.usize(..MADE.iter().map(|(_, weight)| weight).sum::<usize>());
        for (made, weight) in MADE {
            if at < weight {
                return made;
            }
            at -= weight;
        }
        unreachable!("the weights have been summed")
    }

    fn gates(&mut self) -> Vec<Gate> {
        let parameters = [0, 0, 1, 1, 1, 2];
        (0..self.0.usize(1..=2)).map(|_| vec![1; parameters[self.0.usize(..parameters.len())]]).collect()
    }

    fn sts(&mut self) -> Sts {
        let (inputs, outputs) = (self.gates(), self.gates());
        self.sts_with(inputs, outputs)
    }

    fn sts_with(&mut self, inputs: Vec<Gate>, outputs: Vec<Gate>) -> Sts {
        let locations = self.0.usize(2..=4);
        let variables = (0..self.0.usize(..=2)).map(|_| {
            let top = if self.one_in(4) { 2 } else { 1 };
            Variable { top, start: (!self.one_in(12)).then(|| self.0.i64(0..=top)) }
        });
        let variables = variables.collect();
        let mut sts = Sts { inputs, outputs, locations, variables, switches: vec![], undeclared: vec![] };
        let switches = self.0.usize(locations..=locations * 2 + 2);
        for number in 0..switches {
            let source = if number < locations { number } else { self.0.usize(..locations) };
            let switch = self.switch(&sts, source);
            sts.switches.push(switch);
        }
        sts
    }

    fn event(&mut self, sts: &Sts) -> Event {
        match self.0.usize(..20) {
            0..3 => Event::Tau,
            3..11 => Event::In(self.0.usize(..sts.inputs.len())),
            _ => Event::Out(self.0.usize(..sts.outputs.len())),
        }
    }

    fn switch(&mut self, sts: &Sts, source: usize) -> Switch {
        let event = self.event(sts);
        let mut switch = Switch {
            source,
            target: self.0.usize(..sts.locations),
            event,
            arguments: vec![],
            guard: None,
            updates: vec![],
        };
        for (p, top) in sts.carries(event).iter().enumerate() {
            let argument = match self.0.usize(..10) {
                0..6 => Argument::Named,
                6 => Argument::Anything,
                7 => Argument::Is(Operand::Number(self.0.i64(0..=*top))),
                // A name to the left, or a variable.
                8 if p > 0 && switch.arguments[p - 1] == Argument::Named => Argument::Is(Operand::Parameter(p - 1)),
                _ if sts.variables.is_empty() => Argument::Named,
                8 => Argument::Is(Operand::After(self.0.usize(..sts.variables.len()))),
                _ => Argument::Is(Operand::Variable(self.0.usize(..sts.variables.len()))),
            };
            switch.arguments.push(argument);
        }
        if !self.one_in(3) {
            switch.guard = self.formula(sts, &switch, 2);
        }
        switch.updates = self.updates(sts, &switch);
        switch
    }

    /// Something that has a value in guard and updates.
    fn known(sts: &Sts, switch: &Switch) -> Vec<Operand> {
        let named = switch.arguments.iter().enumerate().filter(|(_, argument)| **argument == Argument::Named);
        named.map(|(p, _)| Operand::Parameter(p)).chain((0..sts.variables.len()).map(Operand::Variable)).collect()
    }

    /// A guard, if there is anything to compare.
    fn formula(&mut self, sts: &Sts, switch: &Switch, deepest: usize) -> Option<Formula> {
        let known = Random::known(sts, switch);
        if known.is_empty() {
            return None;
        }
        let kind = if deepest == 0 { 0 } else { self.0.usize(..10) };
        let formula = match kind {
            7 => Formula::Not(Box::new(self.formula(sts, switch, deepest - 1)?)),
            8 => Formula::And(
                Box::new(self.formula(sts, switch, deepest - 1)?),
                Box::new(self.formula(sts, switch, deepest - 1)?),
            ),
            9 => Formula::Or(
                Box::new(self.formula(sts, switch, deepest - 1)?),
                Box::new(self.formula(sts, switch, deepest - 1)?),
            ),
            _ => {
                let comparisons =
                    [Comparison::Equal, Comparison::Equal, Comparison::Different, Comparison::Less, Comparison::AtMost];
                let comparison = comparisons[self.0.usize(..comparisons.len())];
                let left = known[self.0.usize(..known.len())];
                let right = if self.one_in(2) {
                    Operand::Number(self.0.i64(0..=1))
                } else {
                    known[self.0.usize(..known.len())]
                };
                if self.one_in(2) {
                    Formula::Compare(comparison, left, right)
                } else {
                    Formula::Compare(comparison, right, left)
                }
            }
        };
        Some(formula)
    }

    fn updates(&mut self, sts: &Sts, switch: &Switch) -> Vec<(usize, Operand)> {
        let known = Random::known(sts, switch);
        let mut updates = vec![];
        for (v, variable) in sts.variables.iter().enumerate() {
            if self.one_in(2) {
                continue;
            }
            let operand = match self.0.usize(..8) {
                0..2 => Operand::Number(self.0.i64(0..=variable.top)),
                // May leave the range; then the switch is not enabled.
                2 => Operand::After(self.0.usize(..sts.variables.len())),
                3 => Operand::Other(self.0.usize(..sts.variables.len())),
                _ => known[self.0.usize(..known.len())],
            };
            updates.push((v, operand));
        }
        updates
    }

    fn add_switch(&mut self, sts: &mut Sts) {
        let source = self.0.usize(..sts.locations);
        let switch = self.switch(sts, source);
        let at = self.0.usize(..=sts.switches.len());
        sts.switches.insert(at, switch);
    }

    fn make_less(&mut self, sts: &mut Sts) {
        if sts.switches.is_empty() {
            return;
        }
        let at = self.0.usize(..sts.switches.len());
        let stronger = self.formula(sts, &sts.switches[at], 1);
        match stronger {
            Some(stronger) if !self.one_in(2) => {
                let guard = &mut sts.switches[at].guard;
                *guard = Some(match guard.take() {
                    Some(guard) => Formula::And(Box::new(guard), Box::new(stronger)),
                    None => stronger,
                });
            }
            _ => {
                sts.switches.remove(at);
            }
        }
    }

    fn change(&mut self, sts: &mut Sts) {
        if sts.switches.is_empty() {
            return self.add_switch(sts);
        }
        let at = self.0.usize(..sts.switches.len());
        match self.0.usize(..8) {
            0 => {
                sts.switches.remove(at);
            }
            1 => self.add_switch(sts),
            2 => sts.switches[at].target = self.0.usize(..sts.locations),
            3 => sts.switches[at].source = self.0.usize(..sts.locations),
            4 => sts.switches[at].updates = self.updates(sts, &sts.switches[at].clone()),
            5 if !sts.variables.is_empty() => {
                let v = self.0.usize(..sts.variables.len());
                sts.variables[v].start = Some(self.0.i64(0..=sts.variables[v].top));
            }
            _ => sts.switches[at].guard = self.formula(sts, &sts.switches[at].clone(), 2),
        }
    }

    /// Adds switches for all inputs to all locations.
    fn enable(&mut self, sts: &mut Sts) {
        for location in 0..sts.locations {
            for gate in 0..sts.inputs.len() {
                let event = Event::In(gate);
                let there: Vec<&Switch> =
                    sts.switches.iter().filter(|s| s.source == location && s.event == event).collect();
                let is_simple = |s: &&Switch| {
                    s.updates.is_empty() && s.guard.is_some() && s.arguments.iter().all(|a| *a == Argument::Named)
                };
                let guard = if there.is_empty() || !there.iter().all(is_simple) {
                    None
                } else {
                    let guards = there.iter().filter_map(|s| s.guard.clone());
                    guards.map(|g| Formula::Not(Box::new(g))).reduce(|l, r| Formula::And(Box::new(l), Box::new(r)))
                };
                let arguments = match guard {
                    Some(_) => vec![Argument::Named; sts.inputs[gate].len()],
                    None => vec![Argument::Anything; sts.inputs[gate].len()],
                };
                let target = if self.one_in(2) { location } else { self.0.usize(..sts.locations) };
                sts.switches.push(Switch { source: location, target, event, arguments, guard, updates: vec![] });
            }
        }
    }

    fn widen(&mut self, sts: &mut Sts) {
        for top in sts.inputs.iter_mut().chain(&mut sts.outputs).flatten() {
            if self.one_in(2) {
                *top = 2;
            }
        }
    }

    fn undeclare(&mut self, sts: &mut Sts) {
        let gates = (0..sts.inputs.len()).map(Event::In).chain((0..sts.outputs.len()).map(Event::Out));
        let unused: Vec<Event> = gates.filter(|event| !sts.switches.iter().any(|s| s.event == *event)).collect();
        if !unused.is_empty() {
            sts.undeclared.push(unused[self.0.usize(..unused.len())]);
        }
    }

    /// Adds a location in which everything is allowed, and an input that leads to it.
    fn chaotic(&mut self, sts: &mut Sts) -> usize {
        let (chaos, silent) = (sts.locations, sts.locations + 1);
        let plain = |source, target, event, parameters| Switch {
            source,
            target,
            event,
            arguments: vec![Argument::Anything; parameters],
            guard: None,
            updates: vec![],
        };
        for gate in 0..sts.inputs.len() {
            let parameters = sts.inputs[gate].len();
            sts.switches.push(plain(chaos, chaos, Event::In(gate), parameters));
            sts.switches.push(plain(silent, chaos, Event::In(gate), parameters));
        }
        for gate in 0..sts.outputs.len() {
            sts.switches.push(plain(chaos, chaos, Event::Out(gate), sts.outputs[gate].len()));
        }
        sts.switches.push(plain(chaos, silent, Event::Tau, 0));
        for _ in 0..self.0.usize(1..=3) {
            let gate = self.0.usize(..sts.inputs.len());
            let source = self.0.usize(..sts.locations);
            sts.switches.push(plain(source, chaos, Event::In(gate), sts.inputs[gate].len()));
        }
        sts.locations += 2;
        chaos
    }
}

//! Random models as plain data, and as text.

use fastrand::Rng;

/// Data; an absent message and `None` are numbers of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// From 0 to a number; none is in it if that is below 0.
    Int(i64),
    /// `Option<0..1>`.
    Option,
    /// `List<0..1>`; only of variables.
    List,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum V {
    Int(i64),
    Option(Option<i64>),
    List(Vec<i64>),
}

/// An expression; conditions are numbers from 0 to 1 here.
#[derive(Clone, Debug, PartialEq)]
pub enum E {
    Known(V),
    Var(usize),
    Param(usize),
    Add(Box<E>, Box<E>),
    Minus(Box<E>, Box<E>),
    Size(Box<E>),
    Head(Box<E>),
    Tail(Box<E>),
    Append(Box<E>, Box<E>),
    Some(Box<E>),
    /// `match o { None => a, Some(n) => n }`
    Match(Box<E>, Box<E>),
    Compare(&'static str, Box<E>, Box<E>),
    Not(Box<E>),
    And(Box<E>, Box<E>),
    Or(Box<E>, Box<E>),
    If(Box<E>, Box<E>, Box<E>),
}

/// What a gate carries, and who begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    pub is_input: bool,
    pub params: Vec<Ty>,
    /// The machine that has it.
    pub owner: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Tau,
    Gate(usize),
    /// The hidden gate between both machines.
    Meet,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    pub source: usize,
    pub target: usize,
    pub event: Event,
    pub guard: Vec<E>,
    pub updates: Vec<(usize, E)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    pub locations: usize,
    pub vars: Vec<(Ty, V)>,
    pub switches: Vec<Switch>,
}

/// One or two machines, over gates that both models of a question have.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub machines: Vec<Machine>,
    /// Whether both machines meet at a hidden gate that carries a number from 0 to 1.
    pub meets: bool,
}

pub const VARS: [&str; 3] = ["v", "w", "q"];
pub const PARAMS: [&str; 2] = ["x", "y"];

impl Gate {
    pub fn name(&self, number: usize) -> String {
        format!("{}{number}", if self.is_input { "in" } else { "out" })
    }
}

impl Ty {
    pub fn text(self) -> String {
        match self {
            Ty::Int(top) if top < 0 => "1..NONE".to_owned(),
            Ty::Int(top) => format!("0..{top}"),
            Ty::Option => "Option<0..1>".to_owned(),
            Ty::List => "List<0..1>".to_owned(),
        }
    }

    /// Its values, where they are few.
    pub fn values(self) -> Vec<V> {
        match self {
            Ty::Int(top) => (0..=top).map(V::Int).collect(),
            Ty::Option => vec![V::Option(None), V::Option(Some(0)), V::Option(Some(1))],
            Ty::List => unreachable!("lists are not sent"),
        }
    }

    pub fn contains(self, value: &V) -> bool {
        match (self, value) {
            (Ty::Int(top), V::Int(n)) => (0..=top).contains(n),
            (Ty::Option, V::Option(n)) => n.is_none_or(|n| (0..=1).contains(&n)),
            (Ty::List, V::List(all)) => all.iter().all(|n| (0..=1).contains(n)),
            _ => false,
        }
    }
}

impl V {
    pub fn text(&self) -> String {
        match self {
            V::Int(n) => n.to_string(),
            V::Option(None) => "None".to_owned(),
            V::Option(Some(n)) => format!("Some({n})"),
            V::List(all) => format!("{all:?}"),
        }
    }

    /// As data of a label.
    pub fn number(&self) -> i64 {
        match self {
            V::Int(n) | V::Option(Some(n)) => *n,
            V::Option(None) => -1,
            V::List(_) => unreachable!("lists are not sent"),
        }
    }
}

impl Switch {
    fn reads_params(&self) -> bool {
        self.guard.iter().chain(self.updates.iter().map(|(_, new)| new)).any(E::reads_params)
    }
}

impl E {
    fn reads_params(&self) -> bool {
        match self {
            E::Param(_) => true,
            E::Known(_) | E::Var(_) => false,
            E::Size(a) | E::Head(a) | E::Tail(a) | E::Some(a) | E::Not(a) => a.reads_params(),
            E::Add(a, b) | E::Minus(a, b) | E::Append(a, b) | E::Match(a, b) | E::Compare(_, a, b) => {
                a.reads_params() || b.reads_params()
            }
            E::And(a, b) | E::Or(a, b) => a.reads_params() || b.reads_params(),
            E::If(c, a, b) => c.reads_params() || a.reads_params() || b.reads_params(),
        }
    }

    pub fn text(&self) -> String {
        let two = |sign: &str, a: &E, b: &E| format!("({} {sign} {})", a.text(), b.text());
        match self {
            E::Known(value) => value.text(),
            E::Var(var) => VARS[*var].to_owned(),
            E::Param(param) => PARAMS[*param].to_owned(),
            E::Add(a, b) => two("+", a, b),
            E::Minus(a, b) => two("-", a, b),
            E::Size(a) => format!("size({})", a.text()),
            E::Head(a) => format!("head({})", a.text()),
            E::Tail(a) => format!("tail({})", a.text()),
            E::Append(a, b) => format!("append({}, {})", a.text(), b.text()),
            E::Some(a) => format!("Some({})", a.text()),
            E::Match(a, b) => format!("(match {} {{ None => {}, Some(n) => n }})", a.text(), b.text()),
            E::Compare(sign, a, b) => two(sign, a, b),
            E::Not(a) => format!("!{}", a.text()),
            E::And(a, b) => two("&&", a, b),
            E::Or(a, b) => two("||", a, b),
            E::If(c, a, b) => format!("(if {} then {} else {})", c.text(), a.text(), b.text()),
        }
    }
}

impl Model {
    pub fn text(&self, name: &str, gates: &[Gate]) -> String {
        let mut out = String::new();
        for (number, machine) in self.machines.iter().enumerate() {
            let own = if self.machines.len() == 1 { name.to_owned() } else { format!("{name}{number}") };
            out.push_str(&machine.text(&own, number, gates, self.meets));
        }
        if self.machines.len() == 2 {
            let hidden = if self.meets { " hide { meet }" } else { "" };
            out.push_str(&format!("system {name} = ({name}0 || {name}1){hidden}\n"));
        }
        out
    }

    /// Models that are a little smaller.
    pub fn smaller(&self) -> Vec<Model> {
        let mut out = vec![];
        for at in 0..self.machines.len() {
            let mut change = |f: &dyn Fn(&mut Machine)| {
                let mut changed = self.clone();
                f(&mut changed.machines[at]);
                if changed != *self {
                    out.push(changed);
                }
            };
            for number in 0..self.machines[at].switches.len() {
                change(&|machine| drop(machine.switches.remove(number)));
            }
            for (number, switch) in self.machines[at].switches.iter().enumerate() {
                for part in 0..switch.guard.len() {
                    change(&|machine| drop(machine.switches[number].guard.remove(part)));
                }
                for part in 0..switch.updates.len() {
                    change(&|machine| drop(machine.switches[number].updates.remove(part)));
                }
                change(&|machine| machine.switches[number].target = switch.source);
                // What the event carries is there only with the event.
                if !switch.reads_params() {
                    change(&|machine| machine.switches[number].event = Event::Tau);
                }
            }
        }
        out
    }
}

impl Machine {
    fn text(&self, name: &str, number: usize, gates: &[Gate], meets: bool) -> String {
        let mut out = format!("sts {name} {{\n");
        for (place, gate) in gates.iter().enumerate().filter(|(_, gate)| gate.owner == number) {
            let params: Vec<String> =
                gate.params.iter().zip(PARAMS).map(|(ty, name)| format!("{name}: {}", ty.text())).collect();
            let direction = if gate.is_input { "in" } else { "out" };
            out.push_str(&format!("  {direction} {}({})\n", gate.name(place), params.join(", ")));
        }
        if meets {
            out.push_str(&format!("  {} meet(x: 0..1)\n", if number == 0 { "out" } else { "in" }));
        }
        for ((ty, start), name) in self.vars.iter().zip(VARS) {
            out.push_str(&format!("  var {name}: {} = {}\n", ty.text(), start.text()));
        }
        out.push_str("  initial location L0\n");
        (1..self.locations).for_each(|location| out.push_str(&format!("  location L{location}\n")));
        for Switch { source, target, event, guard, updates } in &self.switches {
            let event = match *event {
                Event::Tau => "tau".to_owned(),
                Event::Meet => format!("{}meet(x)", if number == 0 { "!" } else { "?" }),
                Event::Gate(gate) => {
                    let mark = if gates[gate].is_input { "?" } else { "!" };
                    let params = &PARAMS[..gates[gate].params.len()];
                    format!("{mark}{}({})", gates[gate].name(gate), params.join(", "))
                }
            };
            out.push_str(&format!("  L{source} -> L{target} : {event}"));
            if !guard.is_empty() {
                let parts: Vec<String> = guard.iter().map(E::text).collect();
                out.push_str(&format!(" when {}", parts.join(" && ")));
            }
            if !updates.is_empty() {
                let parts: Vec<String> =
                    updates.iter().map(|(var, value)| format!("{} := {}", VARS[*var], value.text())).collect();
                out.push_str(&format!(" do {}", parts.join(", ")));
            }
            out.push('\n');
        }
        out + "}\n"
    }
}

/// Makes models.
pub struct Maker<'a> {
    pub random: &'a mut Rng,
    pub gates: Vec<Gate>,
}

impl Maker<'_> {
    fn one_in(&mut self, n: usize) -> bool {
        self.random.usize(..n) == 0
    }

    fn boxed(&mut self, ty: Ty, scope: &[(E, Ty)], depth: usize) -> Box<E> {
        Box::new(self.value(ty, scope, depth))
    }

    /// Something that has a name; its type is written there.
    fn named(&mut self, ty: Ty, scope: &[(E, Ty)]) -> Box<E> {
        let all: Vec<&E> = scope.iter().filter(|(_, known)| *known == ty).map(|(e, _)| e).collect();
        Box::new(all[self.random.usize(..all.len())].clone())
    }

    /// An expression of a shape.
    pub fn value(&mut self, ty: Ty, scope: &[(E, Ty)], depth: usize) -> E {
        let same = |one: &Ty| std::mem::discriminant(one) == std::mem::discriminant(&ty);
        let known: Vec<E> = scope.iter().filter(|(_, ty)| same(ty)).map(|(e, _)| e.clone()).collect();
        if !known.is_empty() && self.random.usize(..5) < if depth == 0 { 4 } else { 2 } {
            return known[self.random.usize(..known.len())].clone();
        }
        let has = |wanted: Ty| scope.iter().any(|(_, ty)| *ty == wanted);
        match ty {
            Ty::Int(_) if depth == 0 => E::Known(V::Int(self.random.i64(0..=1))),
            Ty::Int(_) => match self.random.usize(..9) {
                0..=1 => E::Add(self.boxed(ty, scope, depth - 1), self.boxed(ty, scope, depth - 1)),
                2 => E::Minus(Box::new(E::Known(V::Int(1))), self.boxed(ty, scope, depth - 1)),
                3 if has(Ty::List) => E::Size(self.named(Ty::List, scope)),
                4 if has(Ty::List) => E::Head(self.named(Ty::List, scope)),
                5 if has(Ty::Option) => E::Match(self.named(Ty::Option, scope), self.boxed(ty, scope, 0)),
                6 => E::If(
                    Box::new(self.condition(scope, depth - 1)),
                    self.boxed(ty, scope, depth - 1),
                    self.boxed(ty, scope, depth - 1),
                ),
                _ => E::Known(V::Int(self.random.i64(0..=1))),
            },
            Ty::Option => match self.random.usize(..3) {
                0 => E::Known(V::Option(None)),
                _ => E::Some(self.boxed(Ty::Int(1), scope, depth.saturating_sub(1))),
            },
            Ty::List => match self.random.usize(..4) {
                0 if has(Ty::List) => E::Tail(self.named(Ty::List, scope)),
                1..=2 if has(Ty::List) => E::Append(self.named(Ty::List, scope), self.boxed(Ty::Int(1), scope, 0)),
                _ => E::Known(V::List((0..self.random.usize(..2)).map(|_| self.random.i64(0..=1)).collect())),
            },
        }
    }

    pub fn condition(&mut self, scope: &[(E, Ty)], depth: usize) -> E {
        if depth > 0 && self.one_in(3) {
            let left = Box::new(self.condition(scope, depth - 1));
            return match self.random.usize(..3) {
                0 => E::Not(left),
                1 => E::And(left, Box::new(self.condition(scope, depth - 1))),
                _ => E::Or(left, Box::new(self.condition(scope, depth - 1))),
            };
        }
        let of: Vec<Ty> = scope.iter().map(|(_, ty)| *ty).collect();
        let ty = if of.is_empty() { Ty::Int(1) } else { of[self.random.usize(..of.len())] };
        let sign = match ty {
            Ty::Int(_) => ["==", "==", "!=", "<", "<="][self.random.usize(..5)],
            _ => ["==", "!="][self.random.usize(..2)],
        };
        let depth = self.random.usize(..2);
        let left = match ty {
            Ty::Int(_) => self.boxed(ty, scope, depth),
            _ => self.named(ty, scope),
        };
        let right = match ty {
            Ty::Int(_) if self.one_in(4) => Box::new(E::Known(V::Int(self.random.i64(0..=2)))),
            _ => self.boxed(ty, scope, 1),
        };
        E::Compare(sign, left, right)
    }

    pub fn model(&mut self, machines: usize, meets: bool) -> Model {
        let machines = (0..machines).map(|number| self.machine(number, meets)).collect();
        Model { machines, meets }
    }

    fn machine(&mut self, number: usize, meets: bool) -> Machine {
        let mut vars = vec![];
        for _ in 0..self.random.usize(..3) {
            let ty = [Ty::Int(1), Ty::Int(2), Ty::Option][self.random.usize(..3)];
            let values = ty.values();
            vars.push((ty, values[self.random.usize(..values.len())].clone()));
        }
        if vars.len() == 2 && self.one_in(3) {
            vars.push((Ty::List, V::List(vec![])));
        }
        let mut machine = Machine { locations: self.random.usize(1..=3), vars, switches: vec![] };
        for source in 0..machine.locations {
            let switch = self.switch(&machine, number, meets, source);
            machine.switches.push(switch);
        }
        for _ in 0..self.random.usize(1..5) {
            self.add(&mut machine, number, meets);
        }
        machine
    }

    fn switch(&mut self, machine: &Machine, number: usize, meets: bool, source: usize) -> Switch {
        let own: Vec<usize> = (0..self.gates.len()).filter(|gate| self.gates[*gate].owner == number).collect();
        let event = match self.random.usize(..10) {
            0..=1 => Event::Tau,
            2..=3 if meets => Event::Meet,
            _ if own.is_empty() => Event::Tau,
            _ => Event::Gate(own[self.random.usize(..own.len())]),
        };
        let target = self.random.usize(..machine.locations);
        let mut switch = Switch { source, target, event, guard: vec![], updates: vec![] };
        self.fill(machine, &mut switch);
        switch
    }

    fn scope(&self, machine: &Machine, event: Event) -> Vec<(E, Ty)> {
        let params = match event {
            Event::Tau => vec![],
            Event::Meet => vec![Ty::Int(1)],
            Event::Gate(gate) => self.gates[gate].params.clone(),
        };
        let vars = machine.vars.iter().enumerate().map(|(var, (ty, _))| (E::Var(var), *ty));
        vars.chain(params.into_iter().enumerate().map(|(param, ty)| (E::Param(param), ty))).collect()
    }

    /// New conditions and updates.
    fn fill(&mut self, machine: &Machine, switch: &mut Switch) {
        let scope = self.scope(machine, switch.event);
        switch.guard = (0..[0, 0, 1, 1, 2][self.random.usize(..5)]).map(|_| self.condition(&scope, 1)).collect();
        switch.updates.clear();
        for (var, (ty, _)) in machine.vars.iter().enumerate() {
            if self.one_in(2) {
                let value = self.value(*ty, &scope, 1);
                // Lists stay short.
                if *ty == Ty::List && matches!(value, E::Append(..)) {
                    let size = Box::new(E::Size(Box::new(E::Var(var))));
                    switch.guard.push(E::Compare("<", size, Box::new(E::Known(V::Int(2)))));
                }
                switch.updates.push((var, value));
            }
        }
    }

    fn add(&mut self, machine: &mut Machine, number: usize, meets: bool) {
        let source = self.random.usize(..machine.locations);
        let switch = self.switch(machine, number, meets, source);
        let at = self.random.usize(..=machine.switches.len());
        machine.switches.insert(at, switch);
    }

    /// A small change.
    pub fn change(&mut self, model: &mut Model) {
        let number = self.random.usize(..model.machines.len());
        let meets = model.meets;
        let machine = &mut model.machines[number];
        let at = self.random.usize(..machine.switches.len().max(1));
        match self.random.usize(..7) {
            _ if machine.switches.is_empty() => self.add(machine, number, meets),
            0 => drop(machine.switches.remove(at)),
            1 => self.add(machine, number, meets),
            2 => machine.switches[at].target = self.random.usize(..machine.locations),
            3 => machine.switches[at].source = self.random.usize(..machine.locations),
            _ => {
                let mut switch = machine.switches[at].clone();
                self.fill(machine, &mut switch);
                machine.switches[at] = switch;
            }
        }
    }

    /// Fewer switches, or stronger guards.
    pub fn make_less(&mut self, model: &mut Model) {
        let number = self.random.usize(..model.machines.len());
        let machine = &mut model.machines[number];
        if machine.switches.is_empty() {
            return;
        }
        let at = self.random.usize(..machine.switches.len());
        if self.one_in(2) {
            machine.switches.remove(at);
        } else {
            let scope = self.scope(machine, machine.switches[at].event);
            let condition = self.condition(&scope, 0);
            machine.switches[at].guard.push(condition);
        }
    }

    /// Adds to a model.
    pub fn make_more(&mut self, model: &mut Model) {
        let number = self.random.usize(..model.machines.len());
        self.add(&mut model.machines[number], number, model.meets);
    }

    /// Every input everywhere.
    pub fn enable(&mut self, model: &mut Model) {
        for (number, machine) in model.machines.iter_mut().enumerate() {
            for location in 0..machine.locations {
                for gate in 0..self.gates.len() {
                    if self.gates[gate].is_input && self.gates[gate].owner == number {
                        let event = Event::Gate(gate);
                        let (guard, updates) = (vec![], vec![]);
                        machine.switches.push(Switch { source: location, target: location, event, guard, updates });
                    }
                }
            }
        }
    }
}

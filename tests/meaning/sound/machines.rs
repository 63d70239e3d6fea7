//! Random machines over random data, as data that can be made smaller and as text.

// Each law uses what it needs.
#![allow(dead_code)]

use super::random::{Random, Scope, Ty};

/// A gate with its parameters.
#[derive(Clone, Debug)]
pub struct Gate {
    pub name: String,
    pub is_input: bool,
    pub params: Vec<(String, Ty)>,
}

/// A switch of a machine.
#[derive(Clone, Debug)]
pub struct Switch {
    pub source: usize,
    pub target: usize,
    /// A gate by number; none for an internal step.
    pub gate: Option<usize>,
    pub guard: Vec<String>,
    /// Variables by number, each at most once, with their new values.
    pub updates: Vec<(usize, String)>,
}

/// A machine: an `sts` called `M`, with locations `L0`, `L1` and so on, and switches `t0`, `t1` and so on.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Everything that stands before it.
    pub declarations: String,
    pub gates: Vec<Gate>,
    /// Names, types, initial values.
    pub vars: Vec<(String, Ty, String)>,
    pub locations: usize,
    pub switches: Vec<Switch>,
}

/// What kinds of data a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// All values can be listed, and there are few of them; one variable may grow up to a bound.
    Small,
    /// Any types.
    Wide,
}

impl Machine {
    /// A random machine.
    pub fn random(random: &mut Random, data: Data) -> Machine {
        let mut gates = vec![];
        for number in 0..random.rng.usize(1..4) {
            let count = random.rng.usize(..3);
            let params = (0..count).map(|place| (format!("p{place}"), param(random, data))).collect();
            gates.push(Gate { name: format!("g{number}"), is_input: number == 0 || random.rng.bool(), params });
        }
        let mut vars = vec![];
        for number in 0..random.rng.usize(1..4) {
            let ty = match data {
                Data::Small => random.small(false),
                Data::Wide => random.stored(1),
            };
            let value = random.value(&ty).expect("a type with values");
            vars.push((format!("v{number}"), ty, value));
        }
        let grows = random.rarely(2).then(|| grown(random, &mut vars));
        let locations = random.rng.usize(1..4);
        let mut switches = vec![];
        for _ in 0..random.rng.usize(1..6) {
            switches.push(switch(random, &gates, &vars, locations, grows.as_ref()));
        }
        Machine { declarations: String::new(), gates, vars, locations, switches }.with_declarations(random)
    }

    fn with_declarations(self, random: &Random) -> Machine {
        Machine { declarations: random.declarations(), ..self }
    }

    /// Names of its variables, for conditions over its lists.
    pub fn scope(&self) -> Scope {
        self.vars.iter().map(|(name, ty, _)| (name.clone(), ty.clone())).collect()
    }

    /// The declarations and the machine.
    pub fn text(&self) -> String {
        let mut out = self.declarations.clone();
        out.push_str("sts M {\n");
        for gate in &self.gates {
            let params: Vec<String> = gate.params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
            let direction = if gate.is_input { "in" } else { "out" };
            out.push_str(&format!("  {direction} {}({})\n", gate.name, params.join(", ")));
        }
        for (name, ty, value) in &self.vars {
            out.push_str(&format!("  var {name}: {ty} = {value}\n"));
        }
        out.push_str("  initial location L0\n");
        for location in 1..self.locations {
            out.push_str(&format!("  location L{location}\n"));
        }
        for (number, switch) in self.switches.iter().enumerate() {
            out.push_str(&format!("  {}\n", self.line(number, switch)));
        }
        out.push_str("}\n");
        out
    }

    fn line(&self, number: usize, switch: &Switch) -> String {
        let event = match switch.gate.map(|gate| &self.gates[gate]) {
            None => "tau".to_owned(),
            Some(gate) => {
                let names: Vec<&str> = gate.params.iter().map(|(name, _)| name.as_str()).collect();
                format!("{}{}({})", if gate.is_input { '?' } else { '!' }, gate.name, names.join(", "))
            }
        };
        let mut line = format!("L{} -> L{} : t{number} {event}", switch.source, switch.target);
        if !switch.guard.is_empty() {
            line.push_str(&format!(" when {}", switch.guard.join(" && ")));
        }
        if !switch.updates.is_empty() {
            let updates = switch.updates.iter().map(|(var, value)| format!("{} := {value}", self.vars[*var].0));
            line.push_str(&format!(" do {}", updates.collect::<Vec<_>>().join(", ")));
        }
        line
    }

    /// Machines that are a little smaller.
    pub fn smaller(&self) -> Vec<Machine> {
        let mut out = vec![];
        for number in 0..self.switches.len() {
            let mut fewer = self.clone();
            fewer.switches.remove(number);
            out.push(fewer);
        }
        for (number, switch) in self.switches.iter().enumerate() {
            let mut change = |f: &dyn Fn(&mut Switch)| {
                let mut changed = self.clone();
                f(&mut changed.switches[number]);
                out.push(changed);
            };
            for part in 0..switch.guard.len() {
                change(&|switch| drop(switch.guard.remove(part)));
            }
            for part in 0..switch.updates.len() {
                change(&|switch| drop(switch.updates.remove(part)));
            }
            if switch.target != switch.source {
                change(&|switch| switch.target = switch.source);
            }
        }
        out
    }
}

fn param(random: &mut Random, data: Data) -> Ty {
    match data {
        Data::Small => random.small(true),
        Data::Wide => random.stored(1),
    }
}

/// A variable that grows up to a bound: its number, the condition and the new value.
fn grown(random: &mut Random, vars: &mut Vec<(String, Ty, String)>) -> (usize, String, String) {
    let number = vars.len();
    let most = random.rng.usize(5..7);
    let element = crate::sound::random::number(random.rng.i64(0..2));
    match random.rng.usize(..3) {
        0 => {
            vars.push(("tree".to_owned(), Ty::Tree, "Leaf".to_owned()));
            (number, format!("depth(tree) < {most}"), format!("Node(tree, {element})"))
        }
        1 => {
            vars.push(("count".to_owned(), Ty::Int, "0".to_owned()));
            (number, format!("count < {most}"), "count + 1".to_owned())
        }
        _ => {
            vars.push(("queue".to_owned(), Ty::List(Box::new(Ty::Range(0, 1))), "[]".to_owned()));
            (number, format!("size(queue) < {most}"), format!("append(queue, {element})"))
        }
    }
}

fn switch(
    random: &mut Random,
    gates: &[Gate],
    vars: &[(String, Ty, String)],
    locations: usize,
    grows: Option<&(usize, String, String)>,
) -> Switch {
    let gate = (!random.rarely(6)).then(|| random.rng.usize(..gates.len()));
    let mut scope: Scope = vars.iter().map(|(name, ty, _)| (name.clone(), ty.clone())).collect();
    scope.extend(gate.iter().flat_map(|gate| gates[*gate].params.clone()));
    let mut guard = vec![];
    for _ in 0..random.rng.usize(..3) {
        let depth = random.rng.usize(1..4);
        guard.push(random.expr(&Ty::Bool, &scope, depth));
    }
    let mut updates: Vec<(usize, String)> = vec![];
    if let Some((var, condition, value)) = grows
        && random.rng.bool()
    {
        guard.push(format!("({condition})"));
        updates.push((*var, value.clone()));
    }
    for (var, (_, ty, _)) in vars.iter().enumerate() {
        let is_grown = grows.is_some_and(|(grown, ..)| *grown == var);
        if is_grown || !random.rarely(3) {
            continue;
        }
        let depth = random.rng.usize(1..4);
        updates.push((var, random.expr(&ty.base(), &scope, depth)));
    }
    Switch { source: random.rng.usize(..locations), target: random.rng.usize(..locations), gate, guard, updates }
}

/// The laws would say little of texts that are not models.
#[test]
fn random_machines_have_no_errors() {
    for question in 0..super::questions(200) {
        let data = if question % 2 == 0 { Data::Small } else { Data::Wide };
        let machine = Machine::random(&mut Random::new(super::seed(0, question)), data);
        crate::loaded::system(&machine.text(), "M");
    }
}

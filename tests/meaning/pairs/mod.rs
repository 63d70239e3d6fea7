//! Random pairs of small symbolic transition systems over the same gates, with a meaning of their own: plain data, a text in
//! the language, and in `oracle` conformance by its definition. Nothing here uses the program.

pub mod oracle;
pub mod random;
pub mod smaller;

use std::fmt::Write;

/// What a gate carries: the greatest value of each parameter. The least is 0.
pub type Gate = Vec<i64>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    Tau,
    In(usize),
    Out(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    Number(i64),
    Variable(usize),
    /// A parameter that the event gives a name.
    Parameter(usize),
    /// One more than a variable.
    After(usize),
    /// One minus a variable.
    Other(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    Equal,
    Different,
    Less,
    AtMost,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    Compare(Comparison, Operand, Operand),
    /// What scripts have no words for.
    Odd(Operand),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

/// What an event says of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    Named,
    Anything,
    Is(Operand),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    pub source: usize,
    pub target: usize,
    pub event: Event,
    pub arguments: Vec<Argument>,
    pub guard: Option<Formula>,
    /// Variables and their new values, each variable at most once.
    pub updates: Vec<(usize, Operand)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variable {
    pub top: i64,
    /// None for a variable that may start with any value.
    pub start: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Sts {
    pub inputs: Vec<Gate>,
    pub outputs: Vec<Gate>,
    pub locations: usize,
    pub variables: Vec<Variable>,
    pub switches: Vec<Switch>,
    /// Gates that only the other model declares.
    pub undeclared: Vec<Event>,
}

/// What the implementation does with an input that it does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    No,
    Ignores,
    Chaos,
}

/// A question about a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub implementation: Sts,
    pub specification: Sts,
    pub completed: Completed,
    /// Only inputs that no stable state of the specification refuses.
    pub is_universal: bool,
    /// Longest traces for the bounded question.
    pub depth: usize,
}

/// Names of input gates, output gates, variables, parameters in gates and parameters in events.
pub const INPUTS: [&str; 3] = ["a", "b", "c"];
pub const OUTPUTS: [&str; 3] = ["r", "s", "t"];
pub const VARIABLES: [&str; 2] = ["v", "w"];
pub const IN_GATES: [&str; 2] = ["m", "n"];
const IN_EVENTS: [&str; 2] = ["x", "y"];

impl Operand {
    pub fn value(self, variables: &[i64], data: &[i64]) -> i64 {
        match self {
            Operand::Number(n) => n,
            Operand::Variable(v) => variables[v],
            Operand::Parameter(p) => data[p],
            Operand::After(v) => variables[v] + 1,
            Operand::Other(v) => 1 - variables[v],
        }
    }

    fn text(self) -> String {
        match self {
            Operand::Number(n) => n.to_string(),
            Operand::Variable(v) => VARIABLES[v].to_owned(),
            Operand::Parameter(p) => IN_EVENTS[p].to_owned(),
            Operand::After(v) => format!("{} + 1", VARIABLES[v]),
            Operand::Other(v) => format!("1 - {}", VARIABLES[v]),
        }
    }
}

impl Formula {
    pub fn holds(&self, variables: &[i64], data: &[i64]) -> bool {
        match self {
            Formula::Compare(comparison, left, right) => {
                let (left, right) = (left.value(variables, data), right.value(variables, data));
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Different => left != right,
                    Comparison::Less => left < right,
                    Comparison::AtMost => left <= right,
                }
            }
            Formula::Odd(operand) => operand.value(variables, data).rem_euclid(2) == 1,
            Formula::Not(inner) => !inner.holds(variables, data),
            Formula::And(left, right) => left.holds(variables, data) && right.holds(variables, data),
            Formula::Or(left, right) => left.holds(variables, data) || right.holds(variables, data),
        }
    }

    fn text(&self) -> String {
        match self {
            Formula::Compare(comparison, left, right) => {
                let sign = match comparison {
                    Comparison::Equal => "==",
                    Comparison::Different => "!=",
                    Comparison::Less => "<",
                    Comparison::AtMost => "<=",
                };
                format!("{} {sign} {}", left.text(), right.text())
            }
            Formula::Odd(operand) => format!("({}) % 2 == 1", operand.text()),
            Formula::Not(inner) => format!("!({})", inner.text()),
            Formula::And(left, right) => format!("({}) && ({})", left.text(), right.text()),
            Formula::Or(left, right) => format!("({}) || ({})", left.text(), right.text()),
        }
    }

    /// The operands that occur.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Formula::Compare(_, left, right) => vec![*left, *right],
            Formula::Odd(operand) => vec![*operand],
            Formula::Not(inner) => inner.operands(),
            Formula::And(left, right) | Formula::Or(left, right) => [left.operands(), right.operands()].concat(),
        }
    }
}

impl Switch {
    /// All operands of arguments, guard and updates.
    pub fn operands(&self) -> Vec<Operand> {
        let arguments = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Is(operand) => Some(*operand),
            Argument::Named | Argument::Anything => None,
        });
        let guard = self.guard.iter().flat_map(Formula::operands);
        arguments.chain(guard).chain(self.updates.iter().map(|(_, operand)| *operand)).collect()
    }

    fn text(&self) -> String {
        let arguments = || {
            let of = |(p, argument): (usize, &Argument)| match argument {
                Argument::Named => IN_EVENTS[p].to_owned(),
                Argument::Anything => "_".to_owned(),
                Argument::Is(operand) => operand.text(),
            };
            self.arguments.iter().enumerate().map(of).collect::<Vec<_>>().join(", ")
        };
        let event = match self.event {
            Event::Tau => "tau".to_owned(),
            Event::In(gate) => format!("?{}({})", INPUTS[gate], arguments()),
            Event::Out(gate) => format!("!{}({})", OUTPUTS[gate], arguments()),
        };
        let guard = self.guard.as_ref().map_or(String::new(), |guard| format!(" when {}", guard.text()));
        let updates: Vec<String> =
            self.updates.iter().map(|(v, operand)| format!("{} := {}", VARIABLES[*v], operand.text())).collect();
        let updates = if updates.is_empty() { String::new() } else { format!(" do {}", updates.join(", ")) };
        format!("  L{} -> L{} : {event}{guard}{updates}\n", self.source, self.target)
    }
}

impl Sts {
    /// What an event carries.
    pub fn carries(&self, event: Event) -> &[i64] {
        match event {
            Event::Tau => &[],
            Event::In(gate) => &self.inputs[gate],
            Event::Out(gate) => &self.outputs[gate],
        }
    }

    pub fn text(&self, name: &str) -> String {
        let gate = |name: &str, tops: &Gate| {
            let parameters: Vec<String> =
                tops.iter().enumerate().map(|(p, top)| format!("{}: 0..{top}", IN_GATES[p])).collect();
            format!("{name}({})", parameters.join(", "))
        };
        let mut out = format!("sts {name} {{\n");
        for (number, tops) in self.inputs.iter().enumerate().filter(|(g, _)| !self.undeclared.contains(&Event::In(*g)))
        {
            let _ = writeln!(out, "  in {}", gate(INPUTS[number], tops));
        }
        for (number, tops) in
            self.outputs.iter().enumerate().filter(|(g, _)| !self.undeclared.contains(&Event::Out(*g)))
        {
            let _ = writeln!(out, "  out {}", gate(OUTPUTS[number], tops));
        }
        for (v, variable) in self.variables.iter().enumerate() {
            let start = variable.start.map_or("any".to_owned(), |n| n.to_string());
            let _ = writeln!(out, "  var {}: 0..{} = {start}", VARIABLES[v], variable.top);
        }
        out.push_str("  initial location L0\n");
        for location in 1..self.locations {
            let _ = writeln!(out, "  location L{location}");
        }
        for switch in &self.switches {
            out.push_str(&switch.text());
        }
        out.push_str("}\n");
        out
    }
}

impl Pair {
    /// What an event carries in either model. The gates are the same; where their ranges differ, the greater one counts.
    pub fn widest(&self, event: Event) -> Gate {
        let (left, right) = (self.implementation.carries(event), self.specification.carries(event));
        left.iter().zip(right).map(|(l, r)| *l.max(r)).collect()
    }

    pub fn text(&self) -> String {
        self.implementation.text("Impl") + &self.specification.text("Spec")
    }

    /// The text with the question.
    pub fn described(&self) -> String {
        let relation = if self.is_universal { "uioco" } else { "ioco" };
        format!("{relation}, completed: {:?}, depth {}\n{}", self.completed, self.depth, self.text())
    }
}

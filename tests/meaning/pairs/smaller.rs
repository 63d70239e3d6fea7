//! Pairs that are a little smaller than a given one.

use super::*;

/// All pairs with one thing less, the greatest steps first.
pub fn smaller(pair: &Pair) -> Vec<Pair> {
    let mut all = vec![];
    for depth in 0..pair.depth {
        all.push(Pair { depth, ..pair.clone() });
    }
    if pair.is_universal {
        all.push(Pair { is_universal: false, ..pair.clone() });
    }
    // The same switch may be in both.
    for (at, switch) in pair.implementation.switches.iter().enumerate() {
        if let Some(other) = pair.specification.switches.iter().position(|s| s == switch) {
            let mut next = pair.clone();
            next.implementation.switches.remove(at);
            next.specification.switches.remove(other);
            all.push(next);
        }
    }
    for (implementation, specification) in both(pair, without_gates) {
        all.push(Pair { implementation, specification, ..pair.clone() });
    }
    for one in smaller_sts(&pair.implementation) {
        all.push(Pair { implementation: one, ..pair.clone() });
    }
    for one in smaller_sts(&pair.specification) {
        all.push(Pair { specification: one, ..pair.clone() });
    }
    all
}

fn both(pair: &Pair, change: fn(&Sts) -> Vec<Option<Sts>>) -> Vec<(Sts, Sts)> {
    let (left, right) = (change(&pair.implementation), change(&pair.specification));
    left.into_iter().zip(right).filter_map(|(l, r)| Some((l?, r?))).collect()
}

/// The model without its last input, its last output, and without the last parameter of each gate, if they are not used.
fn without_gates(sts: &Sts) -> Vec<Option<Sts>> {
    let unused = |event: Event| !sts.undeclared.contains(&event) && !sts.switches.iter().any(|s| s.event == event);
    let mut all = vec![];
    let mut less = sts.clone();
    all.push((sts.inputs.len() > 1 && unused(Event::In(sts.inputs.len() - 1))).then(|| {
        less.inputs.pop();
        less
    }));
    let mut less = sts.clone();
    all.push((sts.outputs.len() > 1 && unused(Event::Out(sts.outputs.len() - 1))).then(|| {
        less.outputs.pop();
        less
    }));
    let events = (0..sts.inputs.len()).map(Event::In).chain((0..sts.outputs.len()).map(Event::Out));
    for event in events {
        let last = sts.carries(event).len().checked_sub(1);
        all.push(last.and_then(|last| {
            let mut less = sts.clone();
            match event {
                Event::In(gate) => less.inputs[gate].pop(),
                Event::Out(gate) => less.outputs[gate].pop(),
                Event::Tau => None,
            };
            for switch in less.switches.iter_mut().filter(|s| s.event == event) {
                if switch.arguments.pop() != Some(Argument::Anything)
                    || switch.operands().contains(&Operand::Parameter(last))
                {
                    return None;
                }
            }
            Some(less)
        }));
    }
    all
}

fn smaller_sts(sts: &Sts) -> Vec<Sts> {
    let mut all = vec![];
    if !sts.undeclared.is_empty() {
        all.push(Sts { undeclared: vec![], ..sts.clone() });
    }
    for at in 0..sts.switches.len() {
        let mut next = sts.clone();
        next.switches.remove(at);
        all.push(next);
    }
    // The last location becomes the first, or goes if nothing leads there.
    if sts.locations > 1 {
        for into in 0..sts.locations - 1 {
            let mut next = sts.clone();
            next.locations -= 1;
            for switch in &mut next.switches {
                for location in [&mut switch.source, &mut switch.target] {
                    *location = if *location == next.locations { into } else { *location };
                }
            }
            all.push(next);
        }
    }
    if let Some(last) = sts.variables.len().checked_sub(1) {
        let reads = |operand: &Operand| matches!(operand, Operand::Variable(v) | Operand::After(v) | Operand::Other(v) if *v == last);
        let is_used =
            sts.switches.iter().any(|s| s.operands().iter().any(reads) || s.updates.iter().any(|u| u.0 == last));
        if !is_used {
            let mut next = sts.clone();
            next.variables.pop();
            all.push(next);
        }
    }
    for (v, variable) in sts.variables.iter().enumerate() {
        if variable.start.is_none() {
            let mut next = sts.clone();
            next.variables[v].start = Some(0);
            all.push(next);
        }
        if variable.start == Some(1) {
            let mut next = sts.clone();
            next.variables[v].start = Some(0);
            all.push(next);
        }
        if variable.top > 1 && variable.start.is_none_or(|start| start <= 1) {
            let mut next = sts.clone();
            next.variables[v].top = 1;
            all.push(next);
        }
    }
    for (at, switch) in sts.switches.iter().enumerate() {
        for changed in smaller_switches(switch) {
            let mut next = sts.clone();
            next.switches[at] = changed;
            all.push(next);
        }
    }
    all
}

fn smaller_switches(switch: &Switch) -> Vec<Switch> {
    let mut all = vec![];
    if let Some(guard) = &switch.guard {
        all.push(Switch { guard: None, ..switch.clone() });
        let inner = match guard {
            Formula::Compare(..) | Formula::Odd(_) => vec![],
            Formula::Not(inner) => vec![inner],
            Formula::And(left, right) | Formula::Or(left, right) => vec![left, right],
        };
        all.extend(inner.into_iter().map(|g| Switch { guard: Some((**g).clone()), ..switch.clone() }));
    }
    for at in 0..switch.updates.len() {
        let mut next = switch.clone();
        next.updates.remove(at);
        all.push(next);
    }
    for (p, argument) in switch.arguments.iter().enumerate() {
        if *argument != Argument::Anything && !switch.operands().contains(&Operand::Parameter(p)) {
            let mut next = switch.clone();
            next.arguments[p] = Argument::Anything;
            all.push(next);
        }
    }
    if switch.target != switch.source {
        all.push(Switch { target: switch.source, ..switch.clone() });
    }
    if switch.event != Event::Tau && switch.arguments.is_empty() && !matches!(switch.event, Event::Out(_)) {
        all.push(Switch { event: Event::Tau, ..switch.clone() });
    }
    all
}

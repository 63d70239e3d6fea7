//! What models mean: their concrete states and steps. Shares nothing with the program.

use std::collections::BTreeMap;

use super::models::*;
use crate::pairs::oracle::{Label, Lts, Set};

/// States beyond which nothing is asked.
const MOST: usize = 100;

/// What each machine is, and its values.
type State = Vec<(usize, Vec<V>)>;

/// The value of an expression; none if it has none.
pub fn value(e: &E, vars: &[V], params: &[V]) -> Option<V> {
    let of = |e: &E| value(e, vars, params);
    let int = |e: &E| match of(e)? {
        V::Int(n) => Some(n),
        other => unreachable!("{other:?} is no number"),
    };
    let list = |e: &E| match of(e)? {
        V::List(all) => Some(all),
        other => unreachable!("{other:?} is no list"),
    };
    let truth = |e: &E| Some(int(e)? == 1);
    let said = |truth: bool| Some(V::Int(i64::from(truth)));
    match e {
        E::Known(value) => Some(value.clone()),
        E::Var(var) => Some(vars[*var].clone()),
        E::Param(param) => Some(params[*param].clone()),
        E::Add(a, b) => Some(V::Int(int(a)? + int(b)?)),
        E::Minus(a, b) => Some(V::Int(int(a)? - int(b)?)),
        E::Size(a) => Some(V::Int(list(a)?.len() as i64)),
        E::Head(a) => list(a)?.first().map(|n| V::Int(*n)),
        E::Tail(a) => Some(V::List(list(a)?.split_first()?.1.to_vec())),
        E::Append(a, b) => {
            let mut all = list(a)?;
            all.push(int(b)?);
            Some(V::List(all))
        }
        E::Some(a) => Some(V::Option(Some(int(a)?))),
        E::Match(a, b) => match of(a)? {
            V::Option(Some(n)) => Some(V::Int(n)),
            V::Option(None) => of(b),
            other => unreachable!("{other:?} is no option"),
        },
        E::Compare(sign, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            said(match *sign {
                "==" => a == b,
                "!=" => a != b,
                "<" => a < b,
                _ => a <= b,
            })
        }
        E::Not(a) => said(!truth(a)?),
        E::And(a, b) => {
            if truth(a)? {
                of(b)
            } else {
                said(false)
            }
        }
        E::Or(a, b) => {
            if truth(a)? {
                said(true)
            } else {
                of(b)
            }
        }
        E::If(c, a, b) => {
            if truth(c)? {
                of(a)
            } else {
                of(b)
            }
        }
    }
}

/// All data of some types.
pub fn rows(types: &[Ty]) -> Vec<Vec<V>> {
    types.iter().fold(vec![vec![]], |rows, ty| {
        let longer = |row: &Vec<V>| ty.values().into_iter().map(|v| [&row[..], &[v]].concat()).collect::<Vec<_>>();
        rows.iter().flat_map(longer).collect()
    })
}

/// The label of a gate with data.
pub fn label(gates: &[Gate], gate: usize, data: &[V]) -> Label {
    let data = data.iter().map(V::number).collect();
    if gates[gate].is_input { Label::In(gate, data) } else { Label::Out(gate, data) }
}

/// Where a switch leads one machine.
fn after(machine: &Machine, switch: &Switch, vars: &[V], params: &[V]) -> Option<(usize, Vec<V>)> {
    for part in &switch.guard {
        if value(part, vars, params)? != V::Int(1) {
            return None;
        }
    }
    let mut next = vars.to_vec();
    for (var, new) in &switch.updates {
        let new = value(new, vars, params)?;
        if !machine.vars[*var].0.contains(&new) {
            return None;
        }
        next[*var] = new;
    }
    Some((switch.target, next))
}

/// Steps of a state, each with its label; none for a hidden one.
fn steps(model: &Model, gates: &[Gate], state: &State) -> Vec<(Option<Label>, State)> {
    let mut out = vec![];
    let moves = |number: usize, event: Event, params: &[V]| -> Vec<(usize, Vec<V>)> {
        let (at, vars) = &state[number];
        let machine = &model.machines[number];
        let own = machine.switches.iter().filter(|switch| switch.source == *at && switch.event == event);
        own.filter_map(|switch| after(machine, switch, vars, params)).collect()
    };
    let with = |changes: Vec<(usize, (usize, Vec<V>))>| {
        let mut next = state.clone();
        changes.into_iter().for_each(|(number, to)| next[number] = to);
        next
    };
    for number in 0..model.machines.len() {
        out.extend(moves(number, Event::Tau, &[]).into_iter().map(|to| (None, with(vec![(number, to)]))));
        for (gate, described) in gates.iter().enumerate().filter(|(_, gate)| gate.owner == number) {
            for data in rows(&described.params) {
                let all = moves(number, Event::Gate(gate), &data).into_iter();
                out.extend(all.map(|to| (Some(label(gates, gate, &data)), with(vec![(number, to)]))));
            }
        }
    }
    if model.meets {
        for data in rows(&[Ty::Int(1)]) {
            for left in moves(0, Event::Meet, &data) {
                out.extend(
                    moves(1, Event::Meet, &data)
                        .into_iter()
                        .map(|right| (None, with(vec![(0, left.clone()), (1, right)]))),
                );
            }
        }
    }
    out
}

/// The states and steps of a model; none if there are many.
pub fn unfolded(model: &Model, gates: &[Gate]) -> Option<Lts> {
    let start: State = model
        .machines
        .iter()
        .map(|machine| (0, machine.vars.iter().map(|(_, start)| start.clone()).collect()))
        .collect();
    let mut numbers: BTreeMap<State, usize> = BTreeMap::from([(start.clone(), 0)]);
    let mut states = vec![start];
    let mut lts = Lts { initial: Set::from([0]), ..Lts::default() };
    let mut at = 0;
    while at < states.len() {
        let (mut internal, mut visible): (Set, BTreeMap<Label, Set>) = (Set::new(), BTreeMap::new());
        for (label, next) in steps(model, gates, &states[at].clone()) {
            let number = *numbers.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            match label {
                None => drop(internal.insert(number)),
                Some(label) => drop(visible.entry(label).or_default().insert(number)),
            }
        }
        lts.internal.push(internal);
        lts.steps.push(visible);
        lts.values.push(vec![]);
        at += 1;
        if states.len() > MOST {
            return None;
        }
    }
    Some(lts)
}

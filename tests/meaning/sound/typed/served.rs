//! Services: what is collected, remembered and sent is in its type, and all engines have the same steps.

use super::*;

/// Where something leads: effects, and a node; beyond the last one it is the end.
#[derive(Clone, Debug)]
struct Way(Vec<String>, usize);

/// A node of a service.
#[derive(Clone, Debug)]
enum Node {
    /// One of several events, each with its way.
    Choose(Vec<(usize, Way)>),
    /// Several events, with predicates and where these lead, one that is not corrected, and the way onwards.
    Collect(Vec<usize>, Vec<(String, Option<Way>)>, Option<usize>, Way),
}

#[derive(Clone, Debug)]
struct Service {
    /// Types of what events carry, if they carry something.
    events: Vec<Option<T>>,
    vars: Vec<(T, String)>,
    nodes: Vec<Node>,
}

impl Service {
    fn random(rng: &mut Rng, types: &Types) -> Service {
        let events = (0..rng.usize(1..4)).map(|_| (rng.usize(..6) > 0).then(|| T::random(rng, 1))).collect();
        let mut vars = vec![];
        for _ in 0..rng.usize(1..3) {
            let ty = T::random(rng, 2);
            let inner: Vec<Value> = values(&ty, types).into_iter().filter(|v| inside(&ty, v, types)).collect();
            vars.extend(rng.choice(&inner).map(|value| (ty.clone(), text(&ty, value))));
        }
        let mut service = Service { events, vars, nodes: vec![] };
        let count = rng.usize(1..3);
        service.nodes = (0..count).map(|_| service.node(rng, count)).collect();
        service
    }

    /// Variables, and these events.
    fn scope(&self, events: &[usize]) -> Scope {
        let mut scope: Scope = ["most", "TOP"].map(|name| (name.to_owned(), T::Int)).into();
        scope.extend(self.vars.iter().enumerate().map(|(number, (ty, _))| (format!("v{number}"), ty.clone())));
        let typed = |event: &usize| Some((format!("e{event}"), self.events[*event].clone()?));
        scope.extend(events.iter().filter_map(typed));
        scope
    }

    fn node(&self, rng: &mut Rng, count: usize) -> Node {
        let mut events: Vec<usize> = (0..self.events.len()).collect();
        rng.shuffle(&mut events);
        events.truncate(rng.usize(1..=events.len()));
        if rng.usize(..3) == 0 {
            return Node::Choose(events.into_iter().map(|event| (event, self.way(rng, &[event], count))).collect());
        }
        let mut predicates = vec![];
        for _ in 0..rng.usize(..3) {
            let event = rng.choice(&events).copied().expect("one event");
            let mut expressions = Expressions { rng, bound: 0 };
            let scope = self.scope(&events);
            // A predicate reads an event.
            let read = match &self.events[event] {
                None => format!("e{event}"),
                Some(ty) => {
                    let op = expressions.rng.choice(["==", "!="]).expect("an operator");
                    format!("(e{event} {op} {})", expressions.expr(&ty.base(), &scope, 2))
                }
            };
            let word = expressions.rng.choice(["&&", "||"]).expect("a word");
            let condition = format!("{read} {word} {}", expressions.expr(&T::Bool, &scope, 2));
            // What the condition reads besides is not known on the way.
            let way = (rng.usize(..3) == 0).then(|| self.way(rng, &[], count));
            predicates.push((condition, way));
        }
        let once = (rng.usize(..4) == 0).then(|| events[0]);
        let next = self.way(rng, &events, count);
        Node::Collect(events, predicates, once, next)
    }

    fn way(&self, rng: &mut Rng, events: &[usize], count: usize) -> Way {
        let scope = self.scope(events);
        let mut effects = vec![];
        for (number, (ty, _)) in self.vars.iter().enumerate() {
            let mut expressions = Expressions { rng, bound: 0 };
            if expressions.rng.bool() {
                let (place, ty) = expressions.place(&format!("v{number}"), ty, &scope);
                effects.push(format!("{place} := {}", expressions.expr(&ty.base(), &scope, 2)));
            }
        }
        Way(effects, rng.usize(..=count))
    }

    fn text(&self) -> String {
        let way = |Way(effects, target): &Way| {
            let effects = if effects.is_empty() { String::new() } else { format!(" do {}", effects.join(", ")) };
            let end = *target == self.nodes.len();
            if end { format!("{effects} -> end") } else { format!("{effects} -> n{target}") }
        };
        let mut out = format!("{DECLARATIONS}service M(most: Int = 2) {{\n");
        for (number, ty) in self.events.iter().enumerate() {
            let ty = ty.as_ref().map_or(String::new(), |ty| format!(": {ty}"));
            out.push_str(&format!("  event e{number}{ty}\n"));
        }
        for (number, (ty, value)) in self.vars.iter().enumerate() {
            out.push_str(&format!("  var v{number}: {ty} = {value}\n"));
        }
        for (number, node) in self.nodes.iter().enumerate() {
            let node = match node {
                Node::Choose(ways) => {
                    let ways: Vec<String> = ways.iter().map(|(event, to)| format!("e{event}{}", way(to))).collect();
                    format!("choose {{ {} }}", ways.join(", "))
                }
                Node::Collect(events, predicates, once, next) => {
                    let events: Vec<String> = events.iter().map(|event| format!("e{event}")).collect();
                    let predicate = |(condition, to): &(String, Option<Way>)| {
                        format!("{condition}{}", to.as_ref().map_or(String::new(), way))
                    };
                    let predicates: Vec<String> = predicates.iter().map(predicate).collect();
                    let once = once.map_or(String::new(), |event| format!(" once e{event}"));
                    let (events, predicates) = (events.join(", "), predicates.join(", "));
                    format!("collect {events} {{ {predicates} }}{once}{}", way(next))
                }
            };
            out.push_str(&format!("  node n{number}: {node}\n"));
        }
        out + "}\n"
    }

    fn smaller(&self) -> Vec<Service> {
        let mut out = vec![];
        let mut change = |f: &dyn Fn(&mut Service)| {
            let mut changed = self.clone();
            f(&mut changed);
            out.push(changed);
        };
        for (number, node) in self.nodes.iter().enumerate() {
            match node {
                Node::Choose(ways) => {
                    for place in (0..ways.len()).filter(|_| ways.len() > 1) {
                        change(&|s| {
                            if let Node::Choose(ways) = &mut s.nodes[number] {
                                drop(ways.remove(place))
                            }
                        });
                    }
                    for place in (0..ways.len()).filter(|place| !ways[*place].1.0.is_empty()) {
                        change(&|s| {
                            if let Node::Choose(ways) = &mut s.nodes[number] {
                                ways[place].1.0.clear()
                            }
                        });
                    }
                }
                Node::Collect(_, predicates, _, next) => {
                    for place in 0..predicates.len() {
                        change(&|s| {
                            if let Node::Collect(_, predicates, ..) = &mut s.nodes[number] {
                                predicates.remove(place);
                            }
                        });
                    }
                    if !next.0.is_empty() {
                        change(&|s| {
                            if let Node::Collect(.., next) = &mut s.nodes[number] {
                                next.0.clear()
                            }
                        });
                    }
                }
            }
        }
        out
    }

    /// Whether everything in a state is in its type: variables, and what has been collected.
    fn state(&self, system: &StepSystem, types: &Types, state: &State) -> Result<(), Broken> {
        for (slot, value) in system.slots.iter().zip(&state.values) {
            let number = || -> usize { slot.name[1..2].parse().expect("names have numbers") };
            let ty = match slot.name.as_str() {
                name if name.starts_with('v') => self.vars[number()].0.clone(),
                name if name.ends_with(".given") => match &self.events[number()] {
                    Some(ty) => T::Option(Box::new(ty.clone())),
                    None => T::Bool,
                },
                name => return Err(format!("a slot `{name}`")),
            };
            if !inside(&ty, value, types) {
                return Err(format!("{} is {value:?}, not in {ty}", slot.name));
            }
        }
        Ok(())
    }

    /// The event of a step, and whether all it does is in its types.
    fn step(&self, system: &StepSystem, types: &Types, step: &Step) -> Result<(), Broken> {
        let event = self.event(system, step.joint);
        if let (Some(ty), [value]) = (&self.events[event], &step.data[..])
            && !inside(ty, value, types)
        {
            return Err(format!("e{event} is {value:?}, not in {ty}"));
        }
        self.state(system, types, &step.next)
    }

    fn event(&self, system: &StepSystem, joint: usize) -> usize {
        let gate = system.joints[joint].gate.expect("no step is internal");
        system.gates[gate].name[1..].parse().expect("events have numbers")
    }

    /// What an event may carry, inside and outside of its type.
    fn data(&self, event: usize, types: &Types) -> Vec<Vec<Value>> {
        match &self.events[event] {
            Some(ty) => values(ty, types).into_iter().map(|value| vec![value]).collect(),
            None => vec![vec![]],
        }
    }

    /// What an event is called in a purpose that asks for it in one of the steps.
    fn pinned(&self, place: &str, event: usize, data: &[Value]) -> String {
        let mut out = format!("  {place}(gate) == e{event}\n");
        if let (Some(ty), [value]) = (&self.events[event], data) {
            out.push_str(&format!("  {place}(e{event}) == {}\n", text(ty, value)));
        }
        out
    }
}

fn judged(service: &Service, seed: u64, counted: &mut Counted) -> Result<(), Broken> {
    let system = system(&service.text(), "M");
    let types = Types::of(&system.definitions);
    let mut rng = Rng::with_seed(seed);
    let mut given = Given::default();
    for (number, ty) in service.events.iter().enumerate() {
        let values = ty.as_ref().map(|ty| values(ty, &types));
        given.names.extend(values.map(|values| (format!("e{number}.e{number}"), values)));
    }
    let mut state = system.initial_states(&Given::default(), None).map_err(|error| error.to_string())?.remove(0);
    service.state(&system, &types, &state)?;
    let mut before: Option<(String, bool)> = None;
    for taken in 0..5 {
        let mut listed: Vec<(usize, Step)> = vec![];
        for joint in (0..system.joints.len()).filter(|joint| system.at_source(*joint, &state)) {
            let event = service.event(&system, joint);
            for data in service.data(event, &types) {
                let steps = system.steps(joint, &state, &data).map_err(|limit| limit.to_string())?;
                counted.refused += usize::from(steps.is_empty());
                listed.extend(steps.into_iter().map(|step| (event, step)));
            }
        }
        counted.steps += listed.len();
        listed.iter().try_for_each(|(_, step)| service.step(&system, &types, step))?;
        for given in [&given, &Given::default()] {
            let Ok(found) = system.all_steps(&state, given, None) else { continue };
            found.iter().try_for_each(|step| service.step(&system, &types, step))?;
            if let Some((_, missing)) = listed.iter().find(|(_, step)| !found.contains(step)) {
                return Err(format!("a step is missing: {missing:?}"));
            }
        }
        let first = match &before {
            None => Some(String::new()),
            Some((first, true)) if taken == 1 => Some(first.clone()),
            Some(_) => None,
        };
        if let Some(first) = first {
            let event = rng.usize(..service.events.len());
            let data = rng.choice(service.data(event, &types)).expect("some data");
            let nexts: Vec<&Step> =
                listed.iter().filter(|(e, s)| *e == event && s.data == data).map(|(_, step)| step).collect();
            let mut pins = format!("{first}{}", service.pinned("last", event, &data));
            let mut is_possible = !nexts.is_empty();
            if !service.vars.is_empty() {
                let var = rng.usize(..service.vars.len());
                let slot = system.slots.iter().position(|slot| slot.name == format!("v{var}")).expect("a variable");
                let ty = &service.vars[var].0;
                let value = match rng.choice(&nexts) {
                    Some(step) if rng.bool() => step.next.values[slot].clone(),
                    _ => rng.choice(values(ty, &types)).expect("some value"),
                };
                if format!("{value:?}").len() < 2_000 {
                    pins.push_str(&format!("  last(v{var}) == {}\n", text(ty, &value)));
                    is_possible = nexts.iter().any(|step| step.next.values[slot] == value);
                }
            }
            let runs = ask(&service.text(), &pins, taken + 1, is_possible, counted)?;
            runs.iter().flat_map(|run| &run.steps).try_for_each(|step| service.step(&system, &types, step))?;
        }
        let Some((event, step)) = rng.choice(&listed).cloned() else { break };
        let ways = listed.iter().filter(|(e, other)| *e == event && other.data == step.data).count();
        before = Some((service.pinned("first", event, &step.data), ways == 1));
        state = step.next;
    }
    for given in [&given, &Given::default()] {
        if let Ok((_, steps, _)) = simulate(&system, &Trace::default(), 6, given, seed) {
            steps.iter().try_for_each(|step| service.step(&system, &types, step))?;
        }
    }
    Ok(())
}

#[test]
fn services_keep_values_in_their_types_and_engines_have_the_same_steps() {
    let numbers = (0..crate::sound::questions(6)).map(|question| 1 << 29 | question);
    upheld(numbers, Service::random, judged, Service::smaller, Service::text);
}

//! `tracewright simulate`

use serde_json::json;

use super::args::{Format, SimulateArgs};
use super::interactive;
use super::load::{initial_values, load, trace};
use super::outcome::{Failure, Outcome};
use super::{document, print, shown, warn};
use crate::emit::{Chart, ModelGraph, model_dot, run_json, run_table};
use crate::kernel::{Event, Given, Run, StepSystem, Trace};
use crate::search::{Halt, simulate};

pub fn run(args: &SimulateArgs) -> Result<Outcome, Failure> {
    super::no_test_code(&args.format)?;
    let (system, loaded) = load(&args.model.model)?.system()?;
    let (given, loaded) = loaded.given(&args.values, &system)?;
    let inputs = args.inputs.as_ref().map(|path| trace(path, &system)).transpose()?;
    if inputs.is_none() && args.steps.is_none() {
        if args.common.json {
            return Err(Failure::Usage("--json needs --inputs or --steps".to_owned()));
        }
        return interactive::run(&system, &loaded, given, args.seed);
    }
    let inputs = inputs.unwrap_or_default();
    let (run, halt) = simulated(&system, &inputs, args, given)?;
    let json = || {
        let mut out = json!({ "model": system.name, "seed": args.seed });
        if let (Some(out), serde_json::Value::Object(trace)) = (out.as_object_mut(), run_json(&run, &system)) {
            out.extend(trace);
            if let Some(halt) = &halt {
                out.insert("halted".into(), json!(halt.to_string()));
            }
        }
        format!("{out}\n")
    };
    if args.common.json {
        print(&json())?;
    } else {
        let formats = if args.format.is_empty() { vec![Format::Text] } else { args.format.clone() };
        for format in formats {
            print(&match (format, format.drawing()) {
                (_, Some(drawing)) => {
                    let chart = Chart::of_run(system.name.clone(), &run, &system, &system.lists(), &vec![]);
                    document(drawing.chart(&chart))
                }
                (Format::Json, None) => json(),
                (Format::Dot, None) => model_dot(&[ModelGraph::new(&system, [&run])]),
                (_, None) => shown(&run_table(&run, &system)),
            })?;
        }
    }
    Ok(match halt {
        None => Outcome::Wished,
        Some(halt) => {
            warn(&format!("after step {}: {halt}\n", run.steps.len()));
            match halt {
                Halt::NotEnabled(_) => Outcome::Negative,
                Halt::Deadlock => Outcome::Wished,
                Halt::NoValues(_) | Halt::Limit(_) => Outcome::Unknown,
            }
        }
    })
}

fn simulated(
    system: &StepSystem,
    inputs: &Trace,
    args: &SimulateArgs,
    mut given: Given,
) -> Result<(Run, Option<Halt>), Failure> {
    for (slot, value) in &inputs.initial {
        if system.slots[*slot].init.as_ref().is_some_and(|fixed| fixed != value) {
            let name = &system.slots[*slot].name;
            return Err(Failure::Usage(format!("the trace starts with another value of `{name}` than the model")));
        }
    }
    given.variables.extend(initial_values(inputs, system));
    if inputs.steps.iter().any(|step| step.event == Some(Event::Delta)) {
        return Err(Failure::Usage("the trace contains `delta`, which can be replayed but not simulated".to_owned()));
    }
    let steps = args.steps.unwrap_or(inputs.steps.len());
    let (initial, steps, halt) =
        simulate(system, inputs, steps, &given, args.seed).map_err(|error| Failure::Limit(error.to_string()))?;
    Ok((Run { initial, steps }, halt))
}

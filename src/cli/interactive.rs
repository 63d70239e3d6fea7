//! Step by step at the terminal: show what is possible, take a step, go back.

use std::io::{BufRead, Write};

use super::load::Loaded;
use super::outcome::{Failure, Outcome};
use crate::emit::{fired, label, run_table};
use crate::kernel::{Given, Run, State, Step, StepSystem, Style};
use crate::model;
use crate::search::Samples;
use crate::syntax;
use crate::term::Value;

const HELP: &str = "  N            take step N of the list
  NAME=VALUE   set an input for the next step (NAME= makes it absent)
  b            go back one step
  s            show the run so far
  q            quit
";

pub fn run(system: &StepSystem, loaded: &Loaded, given: Given, seed: u64) -> Result<Outcome, Failure> {
    let mut samples = Samples::new(seed);
    let limit = |error: crate::kernel::ChoiceError| Failure::Limit(error.to_string());
    let initials = system.initial_states(&given, Some(&mut samples)).map_err(limit)?;
    let Some(initial) = initials.into_iter().next() else {
        return Err(Failure::Limit("there is no initial state".to_owned()));
    };
    let mut session = Session { system, given, run: Run { initial, steps: vec![] }, inputs: vec![] };
    session.clear_inputs();
    say(&format!("{}\n{HELP}", system.name))?;
    let mut lines = std::io::stdin().lock().lines();
    loop {
        let options = session.options(&mut samples)?;
        session.show(&options)?;
        say("> ")?;
        let Some(Ok(line)) = lines.next() else { break };
        match line.trim() {
            "q" => break,
            "b" => {
                if session.run.steps.pop().is_none() {
                    say("this is the beginning\n")?;
                }
                session.clear_inputs();
            }
            "s" => say(&run_table(&session.run, system))?,
            "" | "?" | "h" => say(HELP)?,
            text => match (text.parse::<usize>(), text.split_once('=')) {
                (Ok(n), _) if (1..=options.len()).contains(&n) => {
                    session.run.steps.push(options[n - 1].clone());
                    session.clear_inputs();
                }
                (Ok(_), _) => say("there is no such step\n")?,
                (_, Some((name, value))) => session.set(name.trim(), value.trim(), loaded)?,
                _ => say(HELP)?,
            },
        }
    }
    say("\n")?;
    Ok(Outcome::Wished)
}

fn say(text: &str) -> Result<(), Failure> {
    super::print(&super::shown(text))?;
    let _ = std::io::stdout().flush();
    Ok(())
}

struct Session<'a> {
    system: &'a StepSystem,
    given: Given,
    run: Run,
    /// Inputs of the next step, for a lock-step system.
    inputs: Vec<Value>,
}

impl Session<'_> {
    fn state(&self) -> &State {
        self.run.steps.last().map_or(&self.run.initial, |step| &step.next)
    }

    fn clear_inputs(&mut self) {
        let count = self.system.ticks.first().map_or(0, |tick| tick.inputs.len());
        self.inputs = vec![Value::Absent; if self.system.style == Style::Lockstep { count } else { 0 }];
    }

    fn options(&self, samples: &mut Samples) -> Result<Vec<Step>, Failure> {
        let limit = |error: String| Failure::Limit(error);
        match self.system.style {
            Style::Lockstep => self.system.steps(0, self.state(), &self.inputs).map_err(|e| limit(e.to_string())),
            Style::Gates => {
                self.system.all_steps(self.state(), &self.given, Some(samples)).map_err(|e| limit(e.to_string()))
            }
        }
    }

    fn show(&self, options: &[Step]) -> Result<(), Failure> {
        let system = self.system;
        if options.is_empty() {
            say("no step is possible\n")?;
        }
        for (number, step) in options.iter().enumerate() {
            say(&format!("{:>3}  {}  [{}]\n", number + 1, label(step, system), fired(step, system)))?;
        }
        Ok(())
    }

    /// Sets an input from text in the syntax of the language.
    fn set(&mut self, name: &str, text: &str, loaded: &Loaded) -> Result<(), Failure> {
        let inputs = self.system.ticks.first().map_or(&[][..], |tick| &tick.inputs);
        let Some(number) = inputs.iter().position(|(n, ..)| n == name).filter(|_| !self.inputs.is_empty()) else {
            return say(&format!("there is no input `{name}`\n"));
        };
        if text.is_empty() {
            self.inputs[number] = Value::Absent;
            return Ok(());
        }
        let value = syntax::parse_expr(Default::default(), text)
            .and_then(|e| model::given_value(&loaded.checked, &e, &inputs[number].1).map_err(|r| r.0));
        match value {
            Ok(value) => {
                self.inputs[number] = value;
                Ok(())
            }
            Err(problems) => {
                let messages: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
                say(&format!("{}\n", messages.join("; ")))
            }
        }
    }
}

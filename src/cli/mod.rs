//! Arguments, progress and exit codes. Holds no logic: every command calls the library and says what came of it.

mod args;
mod check;
mod conform;
mod cover;
mod deliver;
mod examples;
mod explain;
mod explore;
mod format;
mod generate;
mod install;
mod interactive;
mod keep;
mod kept;
mod limits;
mod load;
mod monitor;
mod outcome;
mod property;
mod replay;
mod report;
mod simulate;
mod terminal;
mod test_code;
mod write;

use std::io::Write;

use clap::{CommandFactory, FromArgMatches};

use crate::emit::Drawing;
use args::{Cli, Command, CommonArgs, Format, ResultFormat, SearchArgs};
use outcome::{Failure, Outcome};
use terminal::{colour, document, shown};

/// Runs the command line and returns the exit code.
pub fn main() -> u8 {
    let json = std::env::args_os().any(|arg| arg == "--json");
    let command = Cli::command().color(terminal::asked_for());
    let cli = match command.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return outcome::usage(&error, json),
    };
    terminal::prepare(cli.color);
    // A panic is a bug, and must not look like an answer.
    let result =
        std::panic::catch_unwind(|| run(&cli)).unwrap_or_else(|_| Err(Failure::internal("the program stopped")));
    match result {
        Ok(outcome) => outcome.code(),
        Err(failure) => failure.report(json),
    }
}

fn run(cli: &Cli) -> Result<Outcome, Failure> {
    match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Gen(args) => generate::run(args),
        Command::Cover(args) => cover::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Explore(args) => explore::run(args),
        Command::Conform(args) => conform::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Monitor(args) => monitor::run(args),
        Command::Keep(args) => keep::run(args),
        Command::Fmt(args) => format::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Completions(args) => install::completions(args),
        Command::Man(args) => install::man(args),
    }
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(terminal::printed(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Io { path: "standard output".into(), reason: error.to_string() })
        }
        _ => Ok(()),
    }
}

/// Writes to standard error. What cannot be said there cannot be said anywhere.
fn warn(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// How many threads to work with.
fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// `1 step`, `2 steps`
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// How judgements are to be printed; `--json` is that and nothing else.
fn wanted(common: &CommonArgs, formats: &[ResultFormat]) -> Vec<ResultFormat> {
    match (common.json, formats.is_empty()) {
        (true, _) => vec![ResultFormat::Json],
        (false, true) => vec![ResultFormat::Text],
        (false, false) => formats.to_vec(),
    }
}

/// What is printed, in order. What is written into files is not.
fn formats(args: &SearchArgs) -> Vec<Format> {
    if args.format.is_empty() && args.template.is_none() {
        return vec![Format::Text];
    }
    let is_printed = |format: &&Format| args.out.is_none() || matches!(format, Format::Text | Format::Json);
    args.format.iter().filter(is_printed).copied().collect()
}

/// One run is no test: it was made for nothing.
fn no_test_code(formats: &[Format]) -> Result<(), Failure> {
    match formats.iter().any(|format| format.language().is_some()) {
        true => Err(Failure::Usage("test code is a --format of `gen` and `cover` only".to_owned())),
        false => Ok(()),
    }
}

/// How charts are to be drawn, each way once.
fn drawings(formats: &[Format]) -> Vec<Drawing> {
    let mut out: Vec<Drawing> = vec![];
    for drawing in formats.iter().filter_map(|format| format.drawing()) {
        if !out.contains(&drawing) {
            out.push(drawing);
        }
    }
    out
}

//! `tracewright completions` and `tracewright man`: what a package installs beside the program, from the definition of the flags.

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::{Cli, CompletionsArgs, ManArgs, ShellName};
use super::outcome::{Failure, Outcome};
use super::print;
use crate::model::near;

pub fn completions(args: &CompletionsArgs) -> Result<Outcome, Failure> {
    let shell = match args.shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = vec![];
    clap_complete::generate(shell, &mut Cli::command(), "tracewright", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Wished)
}

pub fn man(args: &ManArgs) -> Result<Outcome, Failure> {
    // Built, each command knows its full name and the flags that all of them have.
    let mut program = Cli::command();
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let near = near(name, program.get_subcommands().map(clap::Command::get_name));
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(Failure::Usage(format!("there is no command `{name}`{hint}")));
            }
        },
    };
    let mut page = vec![];
    let written = clap_mangen::Man::new(command).render(&mut page);
    written.map_err(Failure::internal)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Wished)
}

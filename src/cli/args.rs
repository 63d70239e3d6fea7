//! The one definition of every command and flag.

use clap::{Args, Parser, Subcommand};

/// Checks, runs and explores models of reactive systems, and judges recorded runs.
#[derive(Debug, Parser)]
#[command(name = "tracewright", version, disable_help_subcommand = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read and check a model: names, types, connections; warnings for what is suspicious.
    Check(CheckArgs),
    /// Run a model: on given inputs, at random, or step by step at the terminal.
    Simulate(SimulateArgs),
    /// Visit all reachable states: how many there are, how many transitions, which are dead ends.
    Explore(ExploreArgs),
    /// Does a recorded run belong to the model? If not: the step, what was allowed, which guard refused.
    Replay(ReplayArgs),
    /// Format models in the one style.
    Fmt(FmtArgs),
    /// What an error or warning means, and how to mend it.
    Explain(ExplainArgs),
}

/// The model meant.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// File, or `FILE#Name(arg, name: arg)` to say which model with which parameters.
    #[arg(value_name = "FILE")]
    pub model: String,
}

#[derive(Debug, Args)]
pub struct CommonArgs {
    /// Print one JSON object on standard output; everything else goes to standard error.
    #[arg(long)]
    pub json: bool,
}

/// Values for types that have too many.
#[derive(Debug, Args)]
pub struct ValueArgs {
    /// Values to use for a type, an input, or a gate's parameter: `Int=0..3`, `interval={1, 5}`, `rq.quant=[2]`.
    #[arg(long, value_name = "NAME=SET")]
    pub values: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Exit with 1 if there are warnings.
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Take inputs, or events at gates, from this trace. What it does not say is absent.
    #[arg(long, value_name = "TRACE")]
    pub inputs: Option<String>,
    /// Take this many steps; those that no trace describes are chosen at random.
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// Seed of random choices.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub values: ValueArgs,
}

#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Go at most this many steps deep.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Stop after this many states; without it, after 5,000,000.
    #[arg(long, value_name = "N")]
    pub states: Option<usize>,
    /// Print the graph in the language of Graphviz.
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Stop after this many seconds.
    #[arg(long, value_name = "S")]
    pub time: Option<f64>,
    /// Stop when the process uses this much memory.
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub values: ValueArgs,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Traces as JSON files.
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub values: ValueArgs,
}

#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Files to format in place.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Change nothing; exit with 1 if a file is not formatted.
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code such as E0201.
    #[arg(value_name = "CODE")]
    pub code: String,
    #[command(flatten)]
    pub common: CommonArgs,
}

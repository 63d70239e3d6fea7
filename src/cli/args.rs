//! The one definition of every command and flag.

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::examples;
use crate::confirm::Recheck;
use crate::conform::Engine;
use crate::emit::{Drawing, TestLanguage};
use crate::kernel::Completion;
use crate::synth::{self, Choice, Minimise};

/// Checks, runs and explores models of reactive systems, and judges recorded runs.
#[derive(Debug, Parser)]
#[command(name = "tracewright", version, disable_help_subcommand = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Colours: at a terminal and unless NO_COLOR is set, always, or never.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = ColorName::Auto, hide_possible_values = true)]
    pub color: ColorName,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorName {
    /// At a terminal, unless NO_COLOR is set.
    Auto,
    /// Also in a pipe.
    Always,
    /// Not at all.
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read and check a model: names, types, connections; warnings for what is suspicious.
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Find runs that meet a purpose, with real data; or prove that there are none.
    #[command(after_help = examples::GEN)]
    Gen(GenArgs),
    /// Find a suite that covers states, transitions, guards, your own items; say what cannot be covered, and why.
    #[command(after_help = examples::COVER)]
    Cover(CoverArgs),
    /// Run a model: on given inputs, at random, or step by step at the terminal.
    #[command(after_help = examples::SIMULATE)]
    Simulate(SimulateArgs),
    /// Visit all reachable states: how many there are, how many transitions, which are dead ends.
    #[command(after_help = examples::EXPLORE)]
    Explore(ExploreArgs),
    /// Does an implementation conform to a specification (sioco)? If not: a shortest trace that shows it.
    #[command(after_help = examples::CONFORM)]
    Conform(ConformArgs),
    /// Does a recorded run belong to the model? If not: the step, what was allowed, which guard refused.
    #[command(after_help = examples::REPLAY)]
    Replay(ReplayArgs),
    /// Which purposes does a recorded log meet, and does it belong to the model? Read as it comes, however long it is.
    #[command(after_help = examples::MONITOR)]
    Monitor(MonitorArgs),
    /// Keep sequences with what they were made for, so that `replay` can say whether they still fit.
    #[command(after_help = examples::KEEP)]
    Keep(KeepArgs),
    /// Format models in the one style.
    #[command(after_help = examples::FMT)]
    Fmt(FmtArgs),
    /// What an error or warning means, and how to mend it.
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    /// Completions of commands and flags for a shell.
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// The manual page of tracewright, or of one of its commands.
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: ShellName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// A command; without it, the page that lists them.
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
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
    /// Decide whether a property holds in every run: a proof, or a shortest run that breaks it. May be given several times.
    #[arg(long = "property", value_name = "PROPERTY", conflicts_with = "strict")]
    pub properties: Vec<String>,
    /// How to search, for --property.
    #[arg(long, value_name = "E", value_enum, default_value_t = EngineName::Auto)]
    pub engine: EngineName,
    /// Seed of the data, for --property.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub recheck: RecheckArgs,
}

#[derive(Debug, Args)]
pub struct GenArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// The purpose, with arguments if it has parameters: `off_at(7)`. Without it, every purpose that needs no argument.
    #[arg(short, long = "purpose", value_name = "PURPOSE")]
    pub purposes: Vec<String>,
    /// All test cases that differ in what fires, not only a shortest one.
    #[arg(long)]
    pub all: bool,
    /// At most this many cases for each purpose, or each of its classes.
    #[arg(long, value_name = "N")]
    pub max: Option<usize>,
    /// Which data a test case gets.
    #[arg(long, value_name = "D", default_value = "one", value_parser = data, long_help = DATA_HELP)]
    pub data: Choice,
    /// Negative tests as well: data just outside, refused events, events in the wrong order.
    #[arg(long)]
    pub negative: bool,
    /// How to search.
    #[arg(long, value_name = "E", value_enum, default_value_t = EngineName::Auto)]
    pub engine: EngineName,
    /// Look at runs of at most this many steps.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    #[command(flatten)]
    pub search: SearchArgs,
}

/// How sequences are searched for, and where they go.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Seed of the data.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub recheck: RecheckArgs,
    /// Work with this many threads; the answer is the same for any number.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Write one file per sequence, its charts, graphs and tests if they are asked for, and a manifest into this directory.
    #[arg(long, value_name = "DIR")]
    pub out: Option<String>,
    /// How to print what was found.
    #[arg(long, value_name = "F", value_enum)]
    pub format: Vec<Format>,
    /// Write a page for people into this file: model, answers, coverage, charts; it needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<String>,
    /// Make something of the tests by a template of your own.
    #[arg(long, value_name = "FILE")]
    pub template: Option<String>,
}

#[derive(Debug, Args)]
pub struct CoverArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// What is to be covered: a criterion (`transitions`, `pairs`, `switches(3)`, `mcdc`, ...), a block of items, or the
    /// constraints of a purpose; several together.
    #[arg(long, value_name = "CRITERION", required = true)]
    pub of: Vec<String>,
    /// What is made small first.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = MinimiseName::Sequences)]
    pub minimise: MinimiseName,
    /// How to search.
    #[arg(long, value_name = "E", value_enum, default_value_t = CoverEngine::Auto)]
    pub engine: CoverEngine,
    /// Sequences have at most this many steps.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    #[command(flatten)]
    pub search: SearchArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MinimiseName {
    /// Steps of all sequences together.
    Steps,
    /// The number of sequences: one, if one can cover everything.
    Sequences,
}

impl From<MinimiseName> for Minimise {
    fn from(name: MinimiseName) -> Minimise {
        match name {
            MinimiseName::Steps => Minimise::Steps,
            MinimiseName::Sequences => Minimise::Sequences,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverEngine {
    /// Chosen by the model.
    Auto,
    /// States whose data is open.
    Symbolic,
    /// Concrete states; for models with few values.
    Explicit,
}

impl From<CoverEngine> for synth::Engine {
    fn from(name: CoverEngine) -> synth::Engine {
        match name {
            CoverEngine::Auto => synth::Engine::Auto,
            CoverEngine::Symbolic => synth::Engine::Symbolic,
            CoverEngine::Explicit => synth::Engine::Explicit,
        }
    }
}

/// Whether proofs are confirmed.
#[derive(Debug, Args)]
pub struct RecheckArgs {
    /// Confirm proofs by a walk of the reference interpreter at any size, as far as time and memory allow.
    #[arg(long, conflicts_with = "no_recheck")]
    pub recheck: bool,
    /// Do not confirm proofs; without both flags this is done for models with at most 10000 states.
    #[arg(long)]
    pub no_recheck: bool,
}

impl From<&RecheckArgs> for Recheck {
    fn from(args: &RecheckArgs) -> Recheck {
        match (args.recheck, args.no_recheck) {
            (true, _) => Recheck::Always,
            (_, true) => Recheck::Never,
            _ => Recheck::Small,
        }
    }
}

/// What a search may use up.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Stop after this many seconds.
    #[arg(long, value_name = "S")]
    pub time: Option<f64>,
    /// Stop when the process uses this much memory; half of what the machine has if nothing is said.
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
}

const DATA_HELP: &str = "\
Which data a test case gets.

Possible values:
- one:        one sequence for each case, with data by the seed
- boundary:   the least and the greatest value of everything that is open, and both sides of what decided the path
- classes:    a value of every class of every input
- pairwise:   any two values of different inputs together
- random=N:   N sequences with data by the seed, all over what is possible
- exhaustive: all data there is";

/// Reads a choice of data.
fn data(text: &str) -> Result<Choice, String> {
    let known = [
        ("one", Choice::One),
        ("boundary", Choice::Boundary),
        ("classes", Choice::Classes),
        ("pairwise", Choice::Pairwise),
        ("exhaustive", Choice::Exhaustive),
    ];
    if let Some((_, choice)) = known.into_iter().find(|(name, _)| *name == text) {
        return Ok(choice);
    }
    match text.strip_prefix("random=").map(str::parse) {
        Some(Ok(count)) => Ok(Choice::Random(count)),
        Some(Err(_)) => Err("how many? `random=100`".to_owned()),
        None => Err("one, boundary, classes, pairwise, random=N or exhaustive".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Chosen by the question.
    Auto,
    /// States whose data is open.
    Symbolic,
    /// Concrete states; for models with few values.
    Explicit,
    /// One formula for each length.
    Unrolled,
    /// Proofs for all lengths; finds no runs.
    Induction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table of steps for each sequence.
    Text,
    /// One JSON object.
    Json,
    /// Sequence charts as text.
    Chart,
    /// Sequence charts in Mermaid.
    Mermaid,
    /// Sequence charts in PlantUML.
    Plantuml,
    /// Sequence charts, drawn.
    Svg,
    /// The model for Graphviz, with what the runs pass.
    Dot,
    /// Tests in Python, for pytest.
    Pytest,
    /// Tests in Rust, for cargo.
    Rust,
    /// Tests in JavaScript, for vitest.
    Vitest,
    /// Tests in Java, for JUnit 5.
    Junit5,
    /// Tests in Go, for `go test`.
    Go,
    /// Scenarios, for people who review.
    Gherkin,
    /// Tables in the manner of TTCN, for people who review.
    Table,
}

impl Format {
    /// How charts are drawn, if that is what it asks for.
    pub fn drawing(self) -> Option<Drawing> {
        match self {
            Format::Text | Format::Json | Format::Dot => None,
            Format::Chart => Some(Drawing::Text),
            Format::Mermaid => Some(Drawing::Mermaid),
            Format::Plantuml => Some(Drawing::Plantuml),
            Format::Svg => Some(Drawing::Svg),
            _ => None,
        }
    }

    /// The language of tests, if that is what it asks for.
    pub fn language(self) -> Option<TestLanguage> {
        match self {
            Format::Pytest => Some(TestLanguage::Pytest),
            Format::Rust => Some(TestLanguage::Rust),
            Format::Vitest => Some(TestLanguage::Vitest),
            Format::Junit5 => Some(TestLanguage::Junit5),
            Format::Go => Some(TestLanguage::Go),
            Format::Gherkin => Some(TestLanguage::Gherkin),
            Format::Table => Some(TestLanguage::Table),
            _ => None,
        }
    }
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
    /// How to print the run.
    #[arg(long, value_name = "F", value_enum)]
    pub format: Vec<Format>,
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
    /// Symbolic states over the data of the past, for all sequences of events up to `--depth`.
    #[arg(long, conflicts_with_all = ["dot", "states", "values"])]
    pub symbolic: bool,
    /// Count the executions of a service up to `--depth` events: `simple`, or `sets` of events at a time.
    #[arg(long, value_name = "A", value_enum, conflicts_with_all = ["dot", "symbolic", "states"])]
    pub algorithm: Option<AlgorithmArg>,
    /// With `--algorithm`: events whose order is seen, separated by commas.
    #[arg(long, value_name = "EVENTS", value_delimiter = ',', requires = "algorithm")]
    pub observe: Vec<String>,
    /// With `--algorithm`: decide this property, and observe its events; may be repeated.
    #[arg(long = "property", value_name = "P", requires = "algorithm")]
    pub properties: Vec<String>,
    /// With `--symbolic`: how much of it this run has seen; several together.
    #[arg(long, value_name = "TRACE", requires = "symbolic")]
    pub run: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub values: ValueArgs,
}

/// How the executions of a service are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum AlgorithmArg {
    /// Any missing event with any value.
    Simple,
    /// All values of a node at once, in one order unless that is observed.
    Sets,
}

/// How judgements are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
    /// A line for each, and why.
    Text,
    /// One JSON object.
    Json,
    /// JUnit XML: a test case for each.
    Junit,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConformFormat {
    /// The answer, and the trace that shows it.
    Text,
    /// One JSON object.
    Json,
    /// The trace as a sequence chart in text.
    Chart,
    /// The trace as a sequence chart in Mermaid.
    Mermaid,
    /// The trace as a sequence chart in PlantUML.
    Plantuml,
    /// The trace as a sequence chart, drawn.
    Svg,
    /// JUnit XML: one test case.
    Junit,
}

impl ConformFormat {
    /// How the chart is drawn, if that is what it asks for.
    pub fn drawing(self) -> Option<Drawing> {
        match self {
            ConformFormat::Text | ConformFormat::Json | ConformFormat::Junit => None,
            ConformFormat::Chart => Some(Drawing::Text),
            ConformFormat::Mermaid => Some(Drawing::Mermaid),
            ConformFormat::Plantuml => Some(Drawing::Plantuml),
            ConformFormat::Svg => Some(Drawing::Svg),
        }
    }
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Traces as JSON files, or folders of kept sequences.
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<String>,
    /// Replace each kept sequence that broke by the nearest one that fits.
    #[arg(long)]
    pub update: bool,
    /// Seed of the data of sequences that are searched for.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// What the model does with an input that it has no step for; without it, such a trace is rejected.
    #[arg(long, value_name = "HOW", value_enum)]
    pub complete: Option<CompletionName>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// How to print what became of the traces.
    #[arg(long, value_name = "F", value_enum)]
    pub format: Vec<ResultFormat>,
    #[command(flatten)]
    pub values: ValueArgs,
}

#[derive(Debug, Args)]
pub struct MonitorArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The log: a JSON object on each line, a trace, or a table with `--map`; `-` is standard input.
    #[arg(value_name = "LOG")]
    pub log: String,
    /// A purpose or property to judge it by, with arguments if it has parameters. Without it, all that need none.
    #[arg(short, long = "purpose", value_name = "PURPOSE")]
    pub purposes: Vec<String>,
    /// Decide formulas only by events that explain the verdict themselves.
    #[arg(long)]
    pub informative: bool,
    /// The run has ended where the log ends.
    #[arg(long)]
    pub stop: bool,
    /// Judge the purposes only, and do not ask whether the log belongs to the model.
    #[arg(long)]
    pub no_model: bool,
    /// The log is a table (CSV), and this file says what its columns mean.
    #[arg(long, value_name = "MAPPING")]
    pub map: Option<String>,
    /// Most bindings of the variables of a formula that may be open at once.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_open: usize,
    #[command(flatten)]
    pub common: CommonArgs,
    /// How to print the verdicts.
    #[arg(long, value_name = "F", value_enum)]
    pub format: Vec<ResultFormat>,
    #[command(flatten)]
    pub values: ValueArgs,
}

#[derive(Debug, Args)]
pub struct KeepArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Sequences as JSON files: what `gen` and `cover` print or write, or plain traces.
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<String>,
    /// What plain traces are kept for: a purpose, with arguments if it has parameters.
    #[arg(short, long = "purpose", value_name = "PURPOSE")]
    pub purpose: Option<String>,
    /// Keep them in this folder; without it, in the one beside the model that has its name and `.kept`.
    #[arg(long, value_name = "DIR")]
    pub out: Option<String>,
    /// Make each of them as short, and its data as simple, as its purpose allows.
    #[arg(long)]
    pub shrink: bool,
    /// Seed of the data of sequences that are searched for.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Debug, Args)]
pub struct ConformArgs {
    /// The implementation: a file, or `FILE#Name(arg, name: arg)`.
    #[arg(value_name = "IMPL")]
    pub implementation: String,
    /// The specification.
    #[arg(value_name = "SPEC")]
    pub specification: String,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Look at traces of at most this many interactions and silences.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// What the implementation does with an input that it has no step for.
    #[arg(long, value_name = "HOW", value_enum)]
    pub complete: Option<CompletionName>,
    /// Only inputs count that no state of the specification refuses.
    #[arg(long)]
    pub uioco: bool,
    /// How to decide.
    #[arg(long, value_name = "E", value_enum, default_value_t = ConformEngine::Auto)]
    pub engine: ConformEngine,
    /// Seed of the solver.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub recheck: RecheckArgs,
    /// How to print the answer.
    #[arg(long, value_name = "F", value_enum)]
    pub format: Vec<ConformFormat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConformEngine {
    /// One way after the other.
    Auto,
    /// Places whose data is open.
    Symbolic,
    /// Concrete states; for models with few values.
    Explicit,
    /// A relation that every step keeps; finds no counterexample.
    Induction,
}

impl From<ConformEngine> for Engine {
    fn from(name: ConformEngine) -> Engine {
        match name {
            ConformEngine::Auto => Engine::Auto,
            ConformEngine::Symbolic => Engine::Symbolic,
            ConformEngine::Explicit => Engine::Explicit,
            ConformEngine::Induction => Engine::Induction,
        }
    }
}

/// What happens with an input that a model has no step for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompletionName {
    /// Nothing.
    Ignore,
    /// Anything from then on.
    Chaos,
}

impl From<CompletionName> for Completion {
    fn from(name: CompletionName) -> Completion {
        match name {
            CompletionName::Ignore => Completion::Ignore,
            CompletionName::Chaos => Completion::Chaos,
        }
    }
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

//! Generated tests, run by the real runners against implementations that were written by hand (`tests/test_code/`).
//!
//! Each scenario is written once and judged by every runner. A right implementation passes, or is inconclusive where the model leaves it a choice;
//! wrong ones fail, and the message names the step, what was expected and what came. Runners are looked for in `.runners`, where `.ci/run` puts them, and
//! in the system; one that is not there is left out, unless `RUNNERS=required`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_tracewright");

/// Variables of the environment: `FAULT` makes an implementation a wrong one.
type Variables<'a> = &'a [(&'a str, &'a str)];

/// A text with all that somebody might forget to escape. Implementations get it as bytes, past all that is generated.
const TEXT: &str = "\"'\\\n\t\r é 🦀 */ // /* {% x %} {{ x }} {x} ${x} #{x} $x %s %d `x` \\u0041 \\x41 \\ <&> \"\"\" ''' \
                    \0\u{1}\u{7}\u{1b}\u{7f}\u{85}\u{2028}\u{202e}\u{10ffff}";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("test_code").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a writable folder");
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a command prints on both outputs, and whether it ended well.
fn output(command: &mut Command) -> (String, bool) {
    let output = command.output().expect("the command runs");
    let both = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&both).into_owned(), output.status.success())
}

/// Writes tests of a model into a folder.
fn generate(model: &Path, more: &[&str], format: &str, folder: &Path) {
    let mut command = Command::new(BINARY);
    command.arg("gen").arg(model).args(more).args(["--format", format, "--out"]).arg(folder);
    let (said, is_well) = output(&mut command);
    assert!(is_well, "{said}");
}

/// Who runs tests.
#[derive(Clone, Copy, Debug)]
enum Runner {
    Pytest,
    Cargo,
    Vitest,
    Junit,
    Go,
}

/// What a runner says of all tests of a folder.
struct Judged {
    said: String,
    is_well: bool,
    passed: usize,
    inconclusive: usize,
}

impl Runner {
    /// The format of its tests, and the folder of the implementations.
    fn format(self) -> &'static str {
        match self {
            Runner::Pytest => "pytest",
            Runner::Cargo => "rust",
            Runner::Vitest => "vitest",
            Runner::Junit => "junit5",
            Runner::Go => "go",
        }
    }

    /// Whether all it needs is there.
    fn is_there(self) -> bool {
        let answers = |command: &str, option: &str| Command::new(command).arg(option).output().is_ok();
        let is_there = match self {
            Runner::Pytest => root().join(".runners/python/pytest").exists(),
            Runner::Cargo => true,
            Runner::Vitest => root().join(".runners/node/node_modules/vitest").exists(),
            Runner::Junit => answers("javac", "-version") && junit_path().contains("junit-platform-console"),
            Runner::Go => answers("go", "version"),
        };
        let is_required = std::env::var("RUNNERS").is_ok_and(|value| value == "required");
        assert!(is_there || !is_required, "{self:?} is not there");
        if !is_there {
            println!("left out: {self:?} is not there");
        }
        is_there
    }

    /// Puts into a folder what it needs beside tests, and says where these go.
    fn prepare(self, folder: &Path) -> PathBuf {
        match self {
            Runner::Pytest | Runner::Junit => {}
            Runner::Cargo => {
                let manifest = "[package]\nname = \"judged\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n";
                write(folder, "Cargo.toml", manifest);
                ["src", "tests"].iter().for_each(|name| fs::create_dir(folder.join(name)).expect("a writable folder"));
                write(folder, "src/lib.rs", "");
                return folder.join("tests");
            }
            Runner::Vitest => {
                let modules = root().join(".runners/node/node_modules");
                std::os::unix::fs::symlink(modules, folder.join("node_modules")).expect("a link to the runner");
                write(folder, "package.json", "{\"type\": \"module\"}\n");
            }
            Runner::Go => write(folder, "go.mod", "module judged\n\ngo 1.19\n"),
        }
        folder.to_owned()
    }

    /// The implementation of a model, and the adapter that it takes the place of.
    fn adapter(self, model: &str) -> (String, String) {
        let stem = model.to_lowercase();
        let name = match self {
            Runner::Pytest => format!("{stem}_adapter.py"),
            Runner::Cargo => return (format!("{stem}_adapter.rs"), format!("{stem}_adapter/mod.rs")),
            Runner::Vitest => format!("{stem}.adapter.js"),
            Runner::Junit => format!("{model}Adapter.java"),
            Runner::Go => return (format!("{stem}_adapter_test.go"), format!("{stem}/adapter_test.go")),
        };
        (name.clone(), name)
    }

    fn run(self, folder: &Path, variables: Variables<'_>) -> Judged {
        let mut command = Command::new(match self {
            Runner::Pytest => "python3",
            Runner::Cargo => env!("CARGO"),
            Runner::Vitest => "node",
            Runner::Junit => "java",
            Runner::Go => "go",
        });
        let text: String = TEXT.bytes().map(|byte| format!("{byte:02x}")).collect();
        command.current_dir(folder).env("TEXT", text).envs(variables.iter().copied());
        match self {
            Runner::Pytest => {
                command.args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]).env("COLUMNS", "300");
                command.env("PYTHONPATH", root().join(".runners/python")).env("PYTHONDONTWRITEBYTECODE", "1");
            }
            Runner::Cargo => {
                command.args(["test", "--offline", "--quiet", "--tests", "--no-fail-fast", "--"]);
                command.args(["--nocapture", "--test-threads=1"]).env("CARGO_TARGET_DIR", folder.join("target"));
                command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0").env("RUST_BACKTRACE", "0");
            }
            Runner::Vitest => {
                command.arg(root().join(".runners/node/node_modules/vitest/vitest.mjs")).env("NO_COLOR", "1");
                command.args(["run", "--reporter=verbose", "--root"]).arg(folder);
            }
            Runner::Junit => {
                if !folder.join("classes").exists() {
                    let files = fs::read_dir(folder).expect("a readable folder").flatten().map(|file| file.path());
                    let files = files.filter(|file| file.extension().is_some_and(|end| end == "java"));
                    let mut compile = Command::new("javac");
                    compile
                        .args(["-J-XX:TieredStopAtLevel=1", "-cp", &junit_path(), "-d", "classes"])
                        .args(files)
                        .current_dir(folder);
                    let (said, is_well) = output(compile.envs(variables.iter().copied()));
                    assert!(is_well, "{said}");
                }
                command.args(["-XX:TieredStopAtLevel=1", "-cp", &format!("{}:classes", junit_path())]);
                command.args(["org.junit.platform.console.ConsoleLauncher", "--scan-classpath", "classes"]);
                command.args(["--disable-banner", "--disable-ansi-colors"]);
            }
            Runner::Go => {
                command.args(["test", "-v", "-count=1", "./..."]).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off");
            }
        }
        let (said, is_well) = output(&mut command);
        let (passed, inconclusive) = match self {
            Runner::Pytest => (counted(&said, " passed"), counted(&said, " skipped")),
            // Cargo has no way to skip a running test.
            Runner::Cargo => {
                let inconclusive = said.matches("inconclusive: ").count();
                (counted(&said, " passed").saturating_sub(inconclusive), inconclusive)
            }
            Runner::Vitest => {
                let tests = said.lines().find(|line| line.trim_start().starts_with("Tests ")).unwrap_or_default();
                (counted(tests, " passed"), counted(tests, " skipped"))
            }
            Runner::Junit => (counted(&said, " tests successful"), counted(&said, " tests aborted")),
            Runner::Go => (said.matches("--- PASS").count(), said.matches("--- SKIP").count()),
        };
        Judged { said, is_well, passed, inconclusive }
    }
}

/// The sum of all numbers that stand before some words.
fn counted(said: &str, words: &str) -> usize {
    let number =
        |(at, _): (usize, &str)| said[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok();
    said.match_indices(words).filter_map(number).sum()
}

/// JUnit 5 as Debian has it: the runner does not hold its parts, which stand beside it.
fn junit_path() -> String {
    let files = fs::read_dir("/usr/share/java").into_iter().flatten().flatten();
    let is_part = |name: &str| {
        let parts = ["junit-platform", "junit-jupiter", "opentest4j", "apiguardian", "picocli"];
        parts.iter().any(|part| name.starts_with(part))
    };
    let jars = files.filter(|file| is_part(&file.file_name().to_string_lossy())).map(|file| file.path());
    jars.map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

/// Tests in a folder of their own.
struct Suite {
    runner: Runner,
    folder: PathBuf,
}

impl Suite {
    /// Tests of what a file of models says, with the implementation of one of them; nothing if the runner is not there.
    fn new(runner: Runner, name: &str, model: &str, more: &[&str], implemented: Option<&str>) -> Option<Suite> {
        if !runner.is_there() {
            return None;
        }
        let folder = folder(&format!("{}_{name}", runner.format()));
        let tests = runner.prepare(&folder);
        write(&folder, "model.tw", model);
        generate(&folder.join("model.tw"), more, runner.format(), &tests);
        if let Some(implemented) = implemented {
            let (from, to) = runner.adapter(implemented);
            assert!(tests.join(&to).exists(), "an adapter was generated: {to}");
            let from = root().join("tests/test_code").join(runner.format()).join(from);
            fs::copy(from, tests.join(to)).expect("the implementation is copied");
        }
        Some(Suite { runner, folder })
    }

    /// That so many tests pass, and so many are inconclusive.
    fn passes(&self, passed: usize, inconclusive: usize) {
        let judged = self.runner.run(&self.folder, &[]);
        assert!(judged.is_well, "{}", judged.said);
        assert_eq!((judged.passed, judged.inconclusive), (passed, inconclusive), "{}", judged.said);
    }

    /// That a wrong implementation fails, with messages that name the step, what was expected and what came.
    fn is_noticed(&self, fault: &str, steps: &[&str]) -> Judged {
        let judged = self.runner.run(&self.folder, &[("FAULT", fault)]);
        assert!(!judged.is_well, "{}", judged.said);
        for step in steps {
            let is_named = |line: &str| line.contains(step) && line.contains("expected") && line.contains("got");
            assert!(judged.said.lines().any(is_named), "no such message of {step}\n{}", judged.said);
        }
        judged
    }

    /// That every test notices it.
    fn fails(&self, fault: &str, steps: &[&str]) {
        let judged = self.is_noticed(fault, steps);
        assert_eq!((judged.passed, judged.inconclusive), (0, 0), "{}", judged.said);
    }
}

/// What is asked of the supplier beside what its example holds.
const SUPPLIER_PURPOSES: &str = "
purpose quoted for Supplier { last(gate) == gq }
purpose confirmed for Supplier { last(gate) == confirm }
purpose twice for Supplier { length <= 10   count(2, ord) on gate   last(gate) == confirm }
";

/// Of the supplier's 23 tests four try a request while an answer is on its way, and whoever has answered already may take it.
fn a_supplier(runner: Runner) {
    let model = read(root().join("examples/supplier.tw")) + SUPPLIER_PURPOSES;
    let Some(suite) = Suite::new(runner, "supplier", &model, &["--negative"], Some("Supplier")) else { return };
    suite.passes(19, 4);
    // The model leaves it to the supplier whether an order is confirmed.
    let Judged { said, is_well, .. } = runner.run(&suite.folder, &[("ANSWER", "cancel")]);
    assert!(is_well && said.contains("inconclusive: step 5: the model may allow cancel("), "{said}");
    suite.is_noticed("greedy", &["step 2:"]);
    suite.is_noticed("forgetful", &["step 5:"]);
}

/// A lock-step system.
fn a_lamp(runner: Runner) {
    let model = read(root().join("examples/blinker.tw"));
    let purposes = ["-p", "shortest_off", "-p", "order", "-p", "off_at(9)"];
    let Some(suite) = Suite::new(runner, "lamp", &model, &purposes, Some("Blinking")) else { return };
    suite.passes(3, 0);
    suite.is_noticed("slow", &["step 8:"]);
    suite.is_noticed("dark", &["step 3:"]);
}

/// Values of all types, in a lock-step system. One that is written wrongly, or loses digits, leads to something else.
fn values(runner: Runner) {
    let escapes = [("\\", r"\\"), ("\"", "\\\""), ("\n", r"\n"), ("\t", r"\t"), ("\r", r"\r")];
    let text = escapes.iter().fold(TEXT.to_owned(), |text, (plain, escaped)| text.replace(plain, escaped));
    let purpose = format!("\npurpose texts for Values {{ length 1   first(str) == \"{text}\" }}\n");
    let model = read(root().join("tests/test_code/values.tw")) + &purpose;
    let purposes = ["large", "negative", "empty", "thirds", "sets", "coin", "texts"].map(|name| ["-p", name]).concat();
    let Some(suite) = Suite::new(runner, "values", &model, &purposes, Some("Values")) else { return };
    suite.passes(7, 0);
    // The model leaves it to the coin which side it shows.
    let Judged { said, is_well, inconclusive, .. } = runner.run(&suite.folder, &[("ANSWER", "tails")]);
    assert!(
        is_well && inconclusive == 1 && said.contains("inconclusive: step 1: the model may allow outputs("),
        "{said}"
    );
    for fault in ["rounded", "plain"] {
        suite.is_noticed(fault, &["step 1:"]);
    }
    // Where floating-point numbers stand for rational ones, what is no number is wrong.
    if matches!(runner, Runner::Pytest | Runner::Vitest) {
        suite.is_noticed("endless", &["step 1:"]);
    }
}

/// The tables of all tests, with one space between words.
fn judged_in(name: &str, model: &str, more: &[&str]) -> String {
    let folder = folder(&format!("table-{name}"));
    let path = folder.join("m.tw");
    fs::write(&path, model).expect("a file");
    let args = [&["gen", path.to_str().expect("a plain path"), "--format", "table"], more].concat();
    let output = Command::new(BINARY).args(&args).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("text");
    lines.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

/// A condition that tests cannot say is no reason to fail, and none to let silence pass.
#[test]
fn what_cannot_be_said_is_inconclusive() {
    let model = "sts Odd {
        in ask()  out ans(x: Int)  initial location A  location B
        A -> B : ?ask
        B -> A : !ans(x) when x % 2 == 1 }
        purpose p for Odd { last(gate) == ans }";
    let table = judged_in("odd", model, &[]);
    assert!(table.contains("2 ? ans(x=1) pass\n? ans possibly inconclusive\n? otherwise fail\n"), "{table}");
    // What else the condition asks for is asked for, also of what nobody sees.
    let model = "sts Odd {
        in ask()  out ans(x: Int)  var v: Int = 0  initial location A  location B, C
        A -> B : ?ask
        B -> C : tau do v := 3
        B -> C : tau do v := 9
        C -> A : !ans(x) when x % 2 == 1 && x > v }
        purpose p for Odd { last(gate) == ans }";
    let table = judged_in("odd_and_more", model, &[]);
    assert!(table.contains("? ans possibly x >= 4 || x >= 10 inconclusive\n"), "{table}");
    assert!(table.contains("? otherwise fail\n"), "{table}");
}

/// What an input gives back is the choice of the system: an input is refused only if it is refused with every result.
#[test]
fn another_result_is_no_refusal() {
    let model = "sts Res { in over(x: 0..9): Bool  initial location L  L -> L : ?over(x): r when r == (x > 4) }
        purpose big for Res { last(over.result) == true }";
    for more in [["--negative"].as_slice(), &["--data", "boundary"]] {
        let table = judged_in("result", model, more);
        assert!(!table.contains("? refused pass"), "{table}");
    }
}

/// A system that answers before it is told something else does nothing wrong, and is elsewhere then.
#[test]
fn what_comes_of_an_early_output_is_allowed() {
    let model = "sts Early {
        in ping(), stop()  out pong()  initial location A  location B, E
        A -> B : ?ping
        B -> A : !pong
        B -> A : ?stop
        A -> E : ?stop }
        purpose again for Early { length 3  first(gate) == ping  last(gate) == ping  member(gate, stop) }";
    let table = judged_in("early", model, &[]);
    assert!(table.contains("3 ! ping() pass\n? refused inconclusive\n"), "{table}");
}

/// Results, conditions on data of several types, and data that is sent back. Each test is for one mistake.
fn a_trade(runner: Runner) {
    let mistakes = ["greedy", "cheap", "same", "red", "false", "forgetful"];
    let Some(suite) = trade(runner, "trade", &["try", "fn", "struct"], &mistakes) else { return };
    suite.passes(9, 0);
    suite.fails("wrong", &["step 1:", "step 2:", "step 4:"]);
}

/// Data that no type of the model has is wrong, whatever its guards say; and so is an output that no transition has.
fn what_is_impossible(runner: Runner) {
    let mistakes = ["purple", "half", "nothing", "yes", "early"];
    let Some(suite) = trade(runner, "impossible", &[], &mistakes) else { return };
    suite.fails("wrong", &["step 2:"]);
}

fn trade(runner: Runner, name: &str, purposes: &[&str], mistakes: &[&str]) -> Option<Suite> {
    let model = read(root().join("tests/test_code/values.tw"));
    let asked = mistakes.iter().map(|mistake| format!("default(\"{mistake}\")"));
    let asked: Vec<String> = purposes.iter().map(|one| (*one).to_owned()).chain(asked).collect();
    let options: Vec<&str> = asked.iter().flat_map(|purpose| ["-p", purpose]).collect();
    Suite::new(runner, name, &model, &options, Some("Trade"))
}

/// Whatever models are called and say, all tests of a folder can be started: all that is missing is an implementation.
fn a_skeleton(runner: Runner) {
    let purpose = "\npurpose unseen for RobotArm { length 1   first(int) == \"\u{feff}\" }\n";
    let model = read(root().join("tests/test_code/names.tw")) + purpose;
    let Some(suite) = Suite::new(runner, "skeleton", &model, &[], None) else { return };
    let Judged { said, is_well, .. } = runner.run(&suite.folder, &[("LC_ALL", "C")]);
    // The first panic ends all tests in Go.
    let started = if matches!(runner, Runner::Go) { 1 } else { 4 };
    assert!(!is_well && said.matches("start the system").count() >= started, "{said}");
}

macro_rules! judged {
    ($($name:ident: $runner:ident $scenario:ident,)*) => {
        $(
            #[test]
            fn $name() {
                $scenario(Runner::$runner);
            }
        )*
    };
}

judged! {
    pytest_judges_a_supplier: Pytest a_supplier,
    pytest_judges_a_lamp: Pytest a_lamp,
    pytest_judges_values: Pytest values,
    pytest_judges_a_trade: Pytest a_trade,
    pytest_judges_what_is_impossible: Pytest what_is_impossible,
    pytest_starts_a_skeleton: Pytest a_skeleton,
    cargo_judges_a_supplier: Cargo a_supplier,
    cargo_judges_a_lamp: Cargo a_lamp,
    cargo_judges_values: Cargo values,
    cargo_judges_a_trade: Cargo a_trade,
    cargo_judges_what_is_impossible: Cargo what_is_impossible,
    cargo_starts_a_skeleton: Cargo a_skeleton,
    vitest_judges_a_supplier: Vitest a_supplier,
    vitest_judges_a_lamp: Vitest a_lamp,
    vitest_judges_values: Vitest values,
    vitest_judges_a_trade: Vitest a_trade,
    vitest_judges_what_is_impossible: Vitest what_is_impossible,
    vitest_starts_a_skeleton: Vitest a_skeleton,
    junit_judges_a_supplier: Junit a_supplier,
    junit_judges_a_lamp: Junit a_lamp,
    junit_judges_values: Junit values,
    junit_judges_a_trade: Junit a_trade,
    junit_judges_what_is_impossible: Junit what_is_impossible,
    junit_starts_a_skeleton: Junit a_skeleton,
    go_judges_a_supplier: Go a_supplier,
    go_judges_a_lamp: Go a_lamp,
    go_judges_values: Go values,
    go_judges_a_trade: Go a_trade,
    go_judges_what_is_impossible: Go what_is_impossible,
    go_starts_a_skeleton: Go a_skeleton,
}

/// An adapter belongs to the user: a second run replaces the tests, and leaves the adapter as it is.
#[test]
fn an_adapter_is_never_overwritten() {
    let folder = folder("kept_adapter");
    let lamp = root().join("examples/blinker.tw");
    generate(&lamp, &["-p", "order"], "pytest", &folder);
    write(&folder, "blinking_adapter.py", "# mine\n");
    write(&folder, "test_blinking.py", "# old\n");
    generate(&lamp, &["-p", "order"], "pytest", &folder);
    assert_eq!(read(folder.join("blinking_adapter.py")), "# mine\n");
    assert!(read(folder.join("test_blinking.py")).contains("def test_order("));
}

/// A model in which two observations are told to the system again.
const TWO: &str = "
sts Two {
  in wait(), back(a: Int, b: Int)
  out g1(x: Int), g(x: Int)
  var a: Int = 0, b: Int = 0, n: 0..9 = 0
  initial location Start
  location One, Between, Both
  Start -> One : ?wait
  One -> Between : !g1(x) do a := x
  Between -> Between : ?wait when n < 9 do n := n + 1
  Between -> Both : !g(x) when n == 9 do b := x
  Both -> Start : ?back(x, y) when x == a && y == b
}

purpose both for Two { last(gate) == back }
";

/// What is observed has a name of its own: `g1` in step 2, and `g` in step 12.
#[test]
fn what_is_observed_has_a_name_of_its_own() {
    let folder = folder("variables");
    write(&folder, "model.tw", TWO);
    write(&folder, "names.j2", "{% for step in tests[0].steps %}{{ step.variable or '' }} {% endfor %}");
    let mut command = Command::new(BINARY);
    command.arg("gen").arg(folder.join("model.tw")).arg("--template").arg(folder.join("names.j2"));
    let (said, is_well) = output(&mut command);
    assert!(is_well, "{said}");
    let names: Vec<&str> = said.split_whitespace().collect();
    assert!(names.len() == 2 && names[0] != names[1], "{names:?}");
}

/// What is wrong with a template is an error of the input, with its line, and nothing is printed.
#[test]
fn a_wrong_template_is_named_with_its_line() {
    let folder = folder("templates");
    for (text, line) in [("one\n{% for x in %}\n", 2), ("{{ model }}\n\n{{ tests[0].nonsense.more }}\n", 3)] {
        write(&folder, "t.j2", text);
        let mut command = Command::new(BINARY);
        command.arg("gen").arg(root().join("examples/blinker.tw"));
        command.args(["-p", "shortest_off", "--template"]).arg(folder.join("t.j2"));
        let output = command.output().expect("the command runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(&format!("t.j2:{line}: ")), "{said}");
    }
}

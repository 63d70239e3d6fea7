//! Generated tests, run by the real runners against implementations that were written by hand (`tests/test_code/`).
//!
//! A right implementation passes, or is inconclusive where the model leaves it a choice: of the supplier's 23 tests four try a request while an answer is on its
//! way, and whoever has answered already may take it. Two wrong ones fail, and the message names the
//! step, what was expected and what came. Runners are looked for in `.runners`, where `.ci/run` puts them; one that is not
//! there is left out, unless `RUNNERS=required`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_tracewright");

/// What is asked of the supplier beside what its example holds.
const SUPPLIER_PURPOSES: &str = "
purpose quoted for Supplier { last(gate) == gq }
purpose confirmed for Supplier { last(gate) == confirm }
purpose twice for Supplier { length <= 10   count(2, ord) on gate   last(gate) == confirm }
";

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

/// What a command prints on both outputs, and whether it ended well.
fn output(command: &mut Command) -> (String, bool) {
    let output = command.output().expect("the command runs");
    let both = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&both).into_owned(), output.status.success())
}

/// Writes the supplier's tests into a folder.
fn supplier(folder: &Path, format: &str) {
    let model = fs::read_to_string(root().join("examples/supplier.tw")).expect("the example is there");
    fs::write(folder.join("supplier.tw"), model + SUPPLIER_PURPOSES).expect("a writable folder");
    let model = folder.join("supplier.tw");
    let mut command = Command::new(BINARY);
    command.arg("gen").arg(model).args(["--negative", "--format", format, "--out"]).arg(folder);
    let (said, is_well) = output(&mut command);
    assert!(is_well, "{said}");
}

/// Writes the lamp's tests into a folder.
fn blinking(folder: &Path, format: &str) {
    let mut command = Command::new(BINARY);
    command.arg("gen").arg(root().join("examples/blinker.tw"));
    command.args(["-p", "shortest_off", "-p", "order", "-p", "off_at(9)", "--format", format, "--out"]).arg(folder);
    let (said, is_well) = output(&mut command);
    assert!(is_well, "{said}");
}

fn is_there(runner: &Path) -> bool {
    let there = runner.exists();
    let is_required = std::env::var("RUNNERS").is_ok_and(|value| value == "required");
    assert!(there || !is_required, "{} is not there", runner.display());
    if !there {
        println!("left out: {} is not there", runner.display());
    }
    there
}

/// Copies an implementation over the adapter that was generated.
fn implement(folder: &Path, from: &str, to: &str) {
    let to = folder.join(to);
    assert!(to.exists(), "an adapter was generated: {}", to.display());
    fs::copy(root().join("tests/test_code").join(from), to).expect("the implementation is copied");
}

/// That a failure names step, expected and actual.
fn names_the_step(said: &str, step: &str) {
    let line = said.lines().find(|line| line.contains(step) && line.contains("expected") && line.contains("got"));
    assert!(line.is_some(), "no line with `{step}`, what was expected and what came:\n{said}");
}

fn pytest(folder: &Path, variables: &[(&str, &str)]) -> (String, bool) {
    let mut command = Command::new("python3");
    command.args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]).current_dir(folder);
    command.env("PYTHONPATH", root().join(".runners/python")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("COLUMNS", "300");
    output(command.envs(variables.iter().copied()))
}

#[test]
fn pytest_judges_a_supplier() {
    if !is_there(&root().join(".runners/python/pytest")) {
        return;
    }
    let folder = folder("pytest_supplier");
    supplier(&folder, "pytest");
    implement(&folder, "pytest/supplier_adapter.py", "supplier_adapter.py");
    let (said, is_well) = pytest(&folder, &[]);
    assert!(is_well && said.contains("19 passed, 4 skipped"), "{said}");
    // The model leaves it to the supplier whether an order is confirmed.
    let (said, is_well) = pytest(&folder, &[("ANSWER", "cancel")]);
    assert!(is_well && said.contains("inconclusive: step 5: the model allows cancel("), "{said}");
    for (fault, step) in [("greedy", "step 2:"), ("forgetful", "step 5:")] {
        let (said, is_well) = pytest(&folder, &[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, step);
    }
}

#[test]
fn pytest_judges_a_lamp() {
    if !is_there(&root().join(".runners/python/pytest")) {
        return;
    }
    let folder = folder("pytest_blinking");
    blinking(&folder, "pytest");
    implement(&folder, "pytest/blinking_adapter.py", "blinking_adapter.py");
    let (said, is_well) = pytest(&folder, &[]);
    assert!(is_well && said.contains("3 passed"), "{said}");
    for fault in ["slow", "dark"] {
        let (said, is_well) = pytest(&folder, &[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, "step ");
    }
}

fn vitest(folder: &Path, variables: &[(&str, &str)]) -> (String, bool) {
    let mut command = Command::new("node");
    command.arg(root().join(".runners/node/node_modules/vitest/vitest.mjs"));
    command.args(["run", "--reporter=verbose", "--root"]).arg(folder).current_dir(folder).env("NO_COLOR", "1");
    output(command.envs(variables.iter().copied()))
}

/// A folder of tests from which vitest is found.
fn node_folder(name: &str) -> Option<PathBuf> {
    let modules = root().join(".runners/node/node_modules");
    is_there(&modules.join("vitest")).then(|| {
        let folder = folder(name);
        std::os::unix::fs::symlink(&modules, folder.join("node_modules")).expect("a link to the runner");
        fs::write(folder.join("package.json"), "{\"type\": \"module\"}\n").expect("a writable folder");
        folder
    })
}

#[test]
fn vitest_judges_a_supplier() {
    let Some(folder) = node_folder("vitest_supplier") else { return };
    supplier(&folder, "vitest");
    implement(&folder, "vitest/supplier.adapter.js", "supplier.adapter.js");
    let (said, is_well) = vitest(&folder, &[]);
    assert!(is_well && said.contains("19 passed | 4 skipped"), "{said}");
    let (said, is_well) = vitest(&folder, &[("ANSWER", "cancel")]);
    assert!(is_well && said.contains("inconclusive: step 5: the model allows cancel("), "{said}");
    for (fault, step) in [("greedy", "step 2:"), ("forgetful", "step 5:")] {
        let (said, is_well) = vitest(&folder, &[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, step);
    }
}

#[test]
fn vitest_judges_a_lamp() {
    let Some(folder) = node_folder("vitest_blinking") else { return };
    blinking(&folder, "vitest");
    implement(&folder, "vitest/blinking.adapter.js", "blinking.adapter.js");
    let (said, is_well) = vitest(&folder, &[]);
    assert!(is_well && said.contains("3 passed"), "{said}");
    for fault in ["slow", "dark"] {
        let (said, is_well) = vitest(&folder, &[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, "step ");
    }
}

/// A package of its own whose tests are those of a folder.
fn package(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::create_dir_all(folder.join("src")).expect("a writable folder");
    fs::create_dir_all(folder.join("tests")).expect("a writable folder");
    fs::write(folder.join("src/lib.rs"), "").expect("a writable folder");
    let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n");
    fs::write(folder.join("Cargo.toml"), manifest).expect("a writable folder");
    folder
}

fn cargo_test(folder: &Path, variables: &[(&str, &str)]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--offline", "--quiet", "--", "--nocapture", "--test-threads=1"]).current_dir(folder);
    command.env("CARGO_TARGET_DIR", folder.join("target"));
    output(command.envs(variables.iter().copied()))
}

#[test]
fn cargo_judges_a_supplier() {
    let folder = package("rust_supplier");
    supplier(&folder.join("tests"), "rust");
    implement(&folder.join("tests"), "rust/supplier_adapter.rs", "supplier_adapter/mod.rs");
    let (said, is_well) = cargo_test(&folder, &[]);
    assert!(is_well && said.contains("23 passed") && said.matches("inconclusive: ").count() == 4, "{said}");
    let (said, is_well) = cargo_test(&folder, &[("ANSWER", "cancel")]);
    assert!(is_well && said.contains("inconclusive: step 5: the model allows cancel("), "{said}");
    for (fault, step) in [("greedy", "step 2:"), ("forgetful", "step 5:")] {
        let (said, is_well) = cargo_test(&folder, &[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, step);
    }
}

#[test]
fn cargo_judges_a_lamp() {
    let folder = package("rust_blinking");
    blinking(&folder.join("tests"), "rust");
    implement(&folder.join("tests"), "rust/blinking_adapter.rs", "blinking_adapter/mod.rs");
    let (said, is_well) = cargo_test(&folder, &[]);
    assert!(is_well && said.contains("3 passed"), "{said}");
    for fault in ["slow", "dark"] {
        let (said, is_well) = cargo_test(&folder, &[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, "step ");
    }
}

fn go_test(folder: &Path, variables: &[(&str, &str)]) -> (String, bool) {
    let mut command = Command::new("go");
    command.args(["test", "-v", "-count=1", "."]).current_dir(folder).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off");
    output(command.envs(variables.iter().copied()))
}

#[test]
fn go_judges_a_supplier() {
    if Command::new("go").arg("version").output().is_err() {
        println!("left out: there is no go here");
        return;
    }
    let folder = folder("go_supplier");
    supplier(&folder, "go");
    implement(&folder, "go/supplier_adapter_test.go", "supplier_adapter_test.go");
    fs::write(folder.join("go.mod"), "module supplier\n\ngo 1.19\n").expect("a writable folder");
    let (said, is_well) = go_test(&folder, &[]);
    assert!(is_well && said.matches("--- PASS").count() == 19 && said.matches("--- SKIP").count() == 4, "{said}");
    let (said, is_well) = go_test(&folder, &[("ANSWER", "cancel")]);
    assert!(is_well && said.contains("inconclusive: step 5: the model allows cancel("), "{said}");
    for (fault, step) in [("greedy", "step 2:"), ("forgetful", "step 5:")] {
        let (said, is_well) = go_test(&folder, &[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, step);
    }
}

/// Where Debian puts the runner of JUnit 5 with all it needs.
const JUNIT: &str = "/usr/share/java/junit-platform-console-standalone.jar";

/// All that stands beside it: on Debian the runner does not hold its parts.
fn junit_path() -> String {
    let jars = fs::read_dir("/usr/share/java").expect("a folder of libraries").filter_map(Result::ok);
    let jars = jars.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        ["junit-platform", "junit-jupiter", "opentest4j", "apiguardian", "picocli"]
            .iter()
            .any(|one| name.starts_with(one))
    });
    jars.map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

#[test]
fn junit_judges_a_supplier() {
    if !Path::new(JUNIT).exists() || Command::new("javac").arg("-version").output().is_err() {
        println!("left out: there is no javac, or no JUnit 5 here");
        return;
    }
    let folder = folder("junit_supplier");
    supplier(&folder, "junit5");
    implement(&folder, "junit5/SupplierAdapter.java", "SupplierAdapter.java");
    let mut compile = Command::new("javac");
    compile.args(["-cp", &junit_path(), "-d", "classes", "SupplierTest.java", "SupplierAdapter.java"]);
    let (said, is_well) = output(compile.current_dir(&folder));
    assert!(is_well, "{said}");
    let run = |variables: &[(&str, &str)]| {
        let mut command = Command::new("java");
        let path = format!("{}:classes", junit_path());
        command.args(["-cp", &path, "org.junit.platform.console.ConsoleLauncher", "--disable-banner"]);
        command.args(["--select-class", "SupplierTest", "--disable-ansi-colors"]).current_dir(&folder);
        output(command.envs(variables.iter().copied()))
    };
    let (said, is_well) = run(&[]);
    assert!(is_well && said.contains("19 tests successful") && said.contains("4 tests aborted"), "{said}");
    let (said, is_well) = run(&[("ANSWER", "cancel")]);
    assert!(is_well && said.contains("inconclusive: step 5: the model allows cancel("), "{said}");
    for (fault, step) in [("greedy", "step 2:"), ("forgetful", "step 5:")] {
        let (said, is_well) = run(&[("FAULT", fault)]);
        assert!(!is_well, "{said}");
        names_the_step(&said, step);
    }
}

/// An adapter belongs to the user: a second run replaces the tests, and leaves the adapter as it is.
#[test]
fn an_adapter_is_never_overwritten() {
    let folder = folder("kept_adapter");
    supplier(&folder, "pytest");
    fs::write(folder.join("supplier_adapter.py"), "# mine\n").expect("a writable folder");
    fs::write(folder.join("test_supplier.py"), "# old\n").expect("a writable folder");
    supplier(&folder, "pytest");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("the file is there");
    assert_eq!(read("supplier_adapter.py"), "# mine\n");
    assert!(read("test_supplier.py").contains("def test_confirmed_1("));
}

/// Texts of any characters are literals of the language, and come back as they were.
#[test]
fn texts_of_any_characters_are_literals() {
    if !is_there(&root().join(".runners/python/pytest")) {
        return;
    }
    let folder = folder("texts");
    let text = r#"a\"b\\c\nd é 🦀 */ {% x %} '''"#;
    let model = format!(
        "component Echo {{\n  in say: String\n  out heard: String\n  initial state S\n  S -> S : echo when say?t do heard!t\n}}\n\
         purpose says for Echo {{ length 1   first(say) == \"{text}\" }}\n"
    );
    fs::write(folder.join("echo.tw"), model).expect("a writable folder");
    let mut command = Command::new(BINARY);
    command.arg("gen").arg(folder.join("echo.tw")).args(["--format", "pytest", "--out"]).arg(&folder);
    let (said, is_well) = output(&mut command);
    assert!(is_well, "{said}");
    let adapter = "class Refused(Exception):\n    pass\n\n\nclass Adapter:\n    def step(self, inputs):\n        \
                   assert inputs['say'].encode().hex() == WANTED\n        return {'heard': inputs['say']}\n\n    \
                   def close(self):\n        pass\n\n\n";
    let plain = "a\"b\\c\nd é 🦀 */ {% x %} '''";
    let hex: String = plain.bytes().map(|byte| format!("{byte:02x}")).collect();
    fs::write(folder.join("echo_adapter.py"), format!("WANTED = '{hex}'\n\n\n{adapter}")).expect("a writable folder");
    let (said, is_well) = pytest(&folder, &[]);
    assert!(is_well && said.contains("1 passed"), "{said}");
}

/// What is wrong with a template is an error of the input, with its line, and nothing is printed.
#[test]
fn a_wrong_template_is_named_with_its_line() {
    let folder = folder("templates");
    for (text, line) in [("one\n{% for x in %}\n", 2), ("{{ model }}\n\n{{ tests[0].nonsense.more }}\n", 3)] {
        let template = folder.join("t.j2");
        fs::write(&template, text).expect("a writable folder");
        let mut command = Command::new(BINARY);
        command
            .arg("gen")
            .arg(root().join("examples/blinker.tw"))
            .args(["-p", "shortest_off", "--template"])
            .arg(&template);
        let output = command.output().expect("the command runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(&format!("t.j2:{line}: ")), "{said}");
    }
}

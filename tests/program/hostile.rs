//! Whatever it is given, the program ends soon, with a clear message of bounded length, in bounded memory, and never with
//! a panic or a signal.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nobody waits longer for a message.
const MAX_TIME: Duration = Duration::from_secs(20);
/// Nobody reads a longer one.
const MAX_MESSAGE: usize = 20_000;
const MAX_MEMORY_KB: u64 = 1_000_000;
/// How often something is repeated that nobody repeats so often.
const MANY: usize = 100_000;

/// A folder of this name for the test that runs.
fn folder(name: &str) -> PathBuf {
    let test = std::thread::current().name().unwrap_or("test").to_owned();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(test).join(name);
    fs::create_dir_all(&folder).expect("a folder for the models");
    folder
}

/// A file with this content.
fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder(name).join("model.tw");
    fs::write(&path, content).expect("writable");
    path
}

/// The most memory the process has used so far, where the system says so.
fn memory_kb(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Runs a command within the limits and returns its exit code and what it printed.
fn run(command: &str, model: &Path, more: &[&str]) -> (i32, String) {
    let stem = format!("{}-{command}", model.file_stem().and_then(|s| s.to_str()).unwrap_or("model"));
    let outputs = ["out", "err"].map(|ending| folder_of(model).join(format!("{stem}.{ending}")));
    let [out, err] = outputs.each_ref().map(|path| File::create(path).expect("writable"));
    let mut process = Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .arg(command)
        .arg(model)
        .args(more)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .expect("the program starts");
    let start = Instant::now();
    let status = loop {
        let memory = memory_kb(process.id());
        let status = process.try_wait().expect("the program can be waited for");
        if status.is_none() && (memory > MAX_MEMORY_KB || start.elapsed() > MAX_TIME) {
            process.kill().and_then(|()| process.wait()).expect("the program can be stopped");
            panic!("{command} {}: {memory} KB after {:?}", model.display(), start.elapsed());
        }
        match status {
            Some(status) => break status,
            None => sleep(Duration::from_millis(5)),
        }
    };
    let text = outputs.iter().map(|path| String::from_utf8_lossy(&fs::read(path).expect("readable")).into_owned());
    let text: String = text.collect();
    let code = status.code().unwrap_or_else(|| panic!("{command} {}: {status}\n{text}", model.display()));
    assert!(!text.contains("panicked"), "{command} {}: {text}", model.display());
    assert!(text.len() < MAX_MESSAGE, "{command} {}: a message of {} bytes", model.display(), text.len());
    assert!(!text.trim().is_empty(), "{command} {}: no message", model.display());
    (code, text)
}

fn folder_of(model: &Path) -> PathBuf {
    let name = model.parent().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or("elsewhere");
    folder(&format!("{name}-output"))
}

/// Checks a model and expects an exit code and a part of the message.
#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, code: i32, part: &str) {
    expect(run("check", &file(name, content), &[]), code, part);
}

#[track_caller]
fn expect((found, text): (i32, String), code: i32, part: &str) {
    assert!(found == code && text.contains(part), "exit {found}, not {code} with {part:?}:\n{text}");
}

/// Checks, simulates and explores a model whose evaluation hits a limit.
#[track_caller]
fn evaluation_gives_up(name: &str, content: &str, part: &str) {
    let model = file(name, content);
    expect(run("check", &model, &[]), 0, "no findings");
    let values = ["--values", "Int=0..2"];
    expect(run("simulate", &model, &[&["--steps", "3"], &values[..]].concat()), 3, part);
    expect(run("explore", &model, &values), 3, part);
}

/// A component whose guard calls `f`.
fn guarded(functions: &str) -> String {
    format!(
        "{functions}\ncomponent C {{ in x: Int out y: Int var v: Int = 0 initial state S \
         S -> S : t when x?n && f(n) > 0 do v := f(v), y!v }}"
    )
}

#[test]
fn random_bytes() {
    let mut random = fastrand::Rng::with_seed(1);
    check("bytes", (0..1_000_000).map(|_| random.u8(..)).collect::<Vec<u8>>(), 2, "E0010");
}

#[test]
fn random_characters() {
    let mut random = fastrand::Rng::with_seed(2);
    let text: String = (0..1_000_000).map(|_| char::from(random.u8(9..127))).collect();
    check("characters", text, 2, "E0014");
}

#[test]
fn random_tokens() {
    const TOKENS: &str = "import const type where fun component system sts service purpose rule in out var initial state \
        location when do action tau hide rename for if then else match let with matches forall exists true false absent \
        any _ -> => := : ; , ... .. . == != <= >= < > = ++ + - * / % && ||| || | ! ? ( ) [ ] { } a b C 1 2.5 \"x\"";
    let tokens: Vec<&str> = TOKENS.split_whitespace().collect();
    for seed in 0..5 {
        let mut random = fastrand::Rng::with_seed(seed);
        let text: Vec<&str> = (0..200_000).map(|_| tokens[random.usize(..tokens.len())]).collect();
        check(&format!("tokens{seed}"), text.join(" "), 2, "E0001");
    }
}

#[test]
fn damaged_models() {
    let model = include_str!("../../examples/blinker.tw");
    let mut random = fastrand::Rng::with_seed(3);
    for number in 0..100 {
        let mut bytes = model.as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let (at, length) = (random.usize(..bytes.len() - 10), random.usize(1..10));
            match random.u8(..3) {
                0 => drop(bytes.drain(at..at + length)),
                1 => bytes[at] = random.u8(32..127),
                _ => {
                    let copy = bytes[at..at + length].to_vec();
                    let to = random.usize(..bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
        let (code, text) = run("check", &file(&format!("damaged{number}"), bytes), &[]);
        assert!(code == 0 || code == 2, "exit {code}\n{text}");
    }
}

#[test]
fn deep_nesting() {
    let nested = |open: &str, inside: &str, close: &str| {
        format!("const a = {}{inside}{}", open.repeat(MANY), close.repeat(MANY))
    };
    // Parentheses leave no trace in the tree.
    check("parentheses", nested("(", "1", ")"), 0, "no findings");
    check("open_parentheses", nested("(", "", ""), 2, "E0002");
    check("brackets", nested("[", "", "]"), 2, "E0008");
    check("braces", nested("{", "", "}"), 2, "E0008");
    check("minus", nested("-", "1", ""), 2, "E0008");
    check("not", nested("!", "true", ""), 2, "E0008");
    check("calls", nested("f(", "1", ")"), 2, "E0008");
    check("if", nested("if true then 1 else ", "1", ""), 2, "E0008");
    check("let", nested("let x = 1; ", "x", ""), 2, "E0008");
    check("match", nested("match 1 { _ => ", "1", " }"), 2, "E0008");
    check("sum", nested("1 + ", "1", ""), 2, "E0008");
    check("fields", nested("", "a", ".b"), 2, "E0008");
    check("types", format!("type T = {}Int{}", "List<".repeat(MANY), ">".repeat(MANY)), 2, "E0008");
    check("blocks", "component C {".repeat(MANY), 2, "E0001");
    check("closing", "}".repeat(MANY), 2, "E0001");
    let models = (0..MANY).map(|i| format!("m{i}: M")).collect::<Vec<_>>().join(" ||| ");
    check("composition", format!("sts M {{ in a() initial location l }}\nsystem S = {models}"), 2, "E0008");
}

#[test]
fn long_texts_are_read_in_time() {
    let terms = "a > ".repeat(150_000);
    let machine = "component A { in x: Int initial state S }\n";
    check("comparisons", format!("{machine}purpose p for A {{ {terms}a }}"), 2, "E0001");
    check("comparisons_in_a_chart", format!("{machine}msc p for A {{ when {terms}tick }}"), 2, "E0001");
    check("types", format!("{machine}msc p for A {{ {}some }}", "some n: List<Int> ".repeat(50_000)), 2, "E0001");
    check("matches", format!("{machine}property p for A {{ {} }}", "never match P(".repeat(30_000)), 2, "E0001");
    let model = file("beside", format!("{machine}msc p for A from \"beside.puml\""));
    let beside = format!("@startuml\n{}note over A : S\n@enduml\n", "/ ".repeat(MANY));
    fs::write(folder("beside").join("beside.puml"), beside).expect("writable");
    expect(run("check", &model, &[]), 2, "E0018");
}

#[test]
fn nesting_within_the_limit_is_typed_in_time() {
    check("lists", format!("const a = {}1{}", "[".repeat(400), "]".repeat(400)), 0, "no findings");
    check("sets", format!("const a = {}1{}", "{".repeat(400), "}".repeat(400)), 0, "no findings");
    check("conditions", format!("const a = {}1", "if true then 1 else ".repeat(400)), 0, "no findings");
}

#[test]
fn long_words() {
    check("name", format!("const {} = 1", "a".repeat(10_000_000)), 2, "E0007");
    check("number", format!("const a = {}", "9".repeat(10_000)), 2, "E0006");
    check("text", format!("const a = \"{}\"\nconst b: Int = a", "x".repeat(1_000_000)), 2, "E0201");
    check("too_large", " ".repeat(17 * 1024 * 1024), 2, "E0011");
}

#[test]
fn many_errors_end_in_one() {
    let text: String = (0..MANY).map(|i| format!("const a{i} = b{i}\n")).collect();
    check("unknown_names", text, 2, "E0014");
    check("quotes", "\"\n".repeat(MANY), 2, "E0014");
}

#[test]
fn long_chains_of_declarations() {
    let chain = |n: usize| (0..n).map(|i| format!("const a{i} = a{}\n", i + 1)).collect::<String>();
    check("constants", chain(20_000) + "const a20000 = 1", 0, "no findings");
    check("circle_of_constants", chain(20_000) + "const a20000 = a0", 2, "E0211");
    let aliases: String = (0..20_000).map(|i| format!("type T{i} = T{}\n", i + 1)).collect();
    check("aliases", aliases.clone() + "type T20000 = Int", 0, "no findings");
    check("circle_of_aliases", aliases + "type T20000 = T0", 2, "E0210");
}

#[test]
fn imports() {
    let place = folder("imports");
    let write = |name: &str, text: &str| fs::write(place.join(name), text).expect("writable");
    write("a.tw", "import \"b.tw\"");
    write("b.tw", "import \"a.tw\"");
    write("itself.tw", "import \"itself.tw\"");
    write("base.tw", "const B = 1");
    write("left.tw", "import \"base.tw\"\nconst L = B");
    write("right.tw", "import \"base.tw\"\nconst R = B");
    write("diamond.tw", "import \"left.tw\"\nimport \"right.tw\"\nconst D = L + R");
    expect(run("check", &place.join("a.tw"), &[]), 2, "E0013");
    expect(run("check", &place.join("itself.tw"), &[]), 2, "E0013");
    expect(run("check", &place.join("diamond.tw"), &[]), 0, "no findings");
    for i in 0..2000 {
        write(&format!("chain{i}.tw"), &format!("import \"chain{}.tw\"", i + 1));
    }
    expect(run("check", &place.join("chain0.tw"), &[]), 2, "E0012");
}

#[test]
fn what_is_no_model_file() {
    expect(run("check", &folder("directory"), &[]), 2, "E0012");
    expect(run("check", &folder("nothing").join("missing.tw"), &[]), 2, "E0012");
    let empty = file("empty", "");
    expect(run("check", &empty, &[]), 0, "no models");
    expect(run("simulate", &empty, &["--steps", "3"]), 2, "E0601");
    expect(run("explore", &empty, &[]), 2, "E0601");
    check("byte_order_mark", "\u{feff}", 0, "no models");
    check("nul", "const a\0 = 1\0", 2, "E0003");
    check("line_ends", "const a = 1\r\nconst b = c\r\n", 2, ":2:11");
}

#[test]
fn circles() {
    check("types", "type A = B\ntype B = List<A>", 2, "E0210");
    check("constants", "const a = b\nconst b = a", 2, "E0211");
    check("system", "system S { a: S }", 2, "E0408");
    check("composition", "system S = T\nsystem T = S", 2, "E0408");
}

#[test]
fn constants_without_end() {
    let endless = "fun f(n: Int): Int = f(n + 1)\n";
    check("recursion", format!("{endless}const c = f(0)"), 2, "E0217");
    check("refinement", format!("{endless}type T = Int where f(it) > 0\nconst c: T = 3"), 2, "E0217");
    let start = "component C { in x: Int var v: T = 3 initial state S S -> S : t when x?n && n == v }";
    check("initial", format!("{endless}type T = Int where f(it) > 0\n{start}"), 2, "E0603");
    let fib = "fun fib(n: Int): Int = if n < 2 then n else fib(n - 1) + fib(n - 2)\n";
    check("fib", format!("{fib}const c = fib(100)"), 2, "E0217");
    check("range", "const c = forall i in 0..1000000000000000000000000000000: i >= 0", 2, "E0217");
    check("ranges", "const c = forall i in 0..1000000: forall j in 0..1000000: i >= 0", 2, "E0217");
    check("lists", "const c = [[j for j in 0..1000000] for i in 0..1000000]", 2, "E0217");
    let copies = "fun g(l: List<Int>, n: Int): List<List<Int>> = \
        if n == 0 then [] else append(g(l, n - 1), append(l, n))\n";
    check("copies", format!("{copies}const c = g([j for j in 0..1000000], 9000)"), 2, "E0217");
    // Shared parts make a tree with 2 to the power of 1000 leaves.
    let tree = "type T = L | N(T, T)\nfun g(t: T, n: Int): T = if n == 0 then t else g(N(t, t), n - 1)\n";
    check("tree", format!("{tree}const c = g(L, 1000) == g(L, 1000)"), 2, "E0217");
    let deep = "type T = L | N(T)\nfun g(t: T, n: Int): T = if n == 0 then t else g(N(t), n - 1)\n";
    check("deep", format!("{deep}const c = g(L, 9000) == g(L, 9000)"), 2, "E0217");
    check("almost_deep", format!("{deep}const c = g(L, 1900) == g(L, 1900)"), 0, "no findings");
}

#[test]
fn steps_without_end() {
    let calls = "functions call each other";
    evaluation_gives_up("recursive_guard", &guarded("fun f(n: Int): Int = f(n + 1)"), calls);
    let doubling = "fun f(n: Int): Int = size(g([n]))\nfun g(l: List<Int>): List<Int> = g(l ++ l)";
    evaluation_gives_up("doubling_list", &guarded(doubling), "grows beyond");
    let appending = "fun f(n: Int): Int = size(g([n]))\nfun g(l: List<Int>): List<Int> = g(append(l, 1))";
    evaluation_gives_up("growing_list", &guarded(appending), "takes more than");
    let squaring = "fun f(n: Int): Int = g(n + 2)\nfun g(n: Int): Int = g(n * n)";
    evaluation_gives_up("growing_number", &guarded(squaring), "grows beyond");
    let range = "fun f(n: Int): Int = if exists i in 0..1000000000000000000000000000000: i == n then 1 else 0";
    evaluation_gives_up("range", &guarded(range), "grows beyond");
    let refined = "fun f(n: Int): Int = f(n + 1)\ntype T = Int where f(it) > 0\n\
        component C { in x: T initial state S S -> S : t when x?_ }";
    evaluation_gives_up("refined_input", refined, calls);
}

/// The calls are within their limit, and the value that they make is not: the answer is unknown.
#[test]
fn values_that_are_nested_too_deeply() {
    let up = "type T = Leaf | Node(T)\ntype U = End | More(List<U>)\n\
        fun up(n: Int): T = if n == 0 then Leaf else Node(up(n - 1))\n\
        fun more(n: Int): U = if n == 0 then End else More([more(n - 1)])\n";
    for (levels, made) in [(2001, "up(n) == Leaf"), (9000, "up(n) == Leaf"), (9000, "more(n) == End")] {
        let text = format!(
            "{up}sts M {{ in g(x: Int) var n: Int = {levels} initial location L location K \
             L -> K : t tau when {made} L -> L : u ?g(x) when {made} && x > n }}\n\
             purpose p for M {{ member(t) on fired }}\nproperty q for M {{ always state == L }}\n"
        );
        let model = file("nested", text);
        for engine in ["auto", "symbolic", "explicit", "unrolled", "induction"] {
            expect(run("gen", &model, &["-p", "p", "--engine", engine]), 3, "unknown");
            expect(run("check", &model, &["--property", "q", "--engine", engine]), 3, "unknown");
        }
        expect(run("simulate", &model, &["--steps", "1"]), 3, "levels deep");
    }
    check("nested_constant", format!("{up}const x: T = up(9000)"), 2, "E0217");
}

#[test]
fn values_of_traces_that_are_nested_too_deeply() {
    let model = "type N = Z | S(N)\nsts M { in g(x: N) var v: N = Z initial location A A -> A : t ?g(x) do v := x }\n";
    let model = file("nested_trace", model);
    for (levels, code) in [(2000, 0), (2001, 2)] {
        let value = format!("{}\"Z\"{}", "{\"S\":[".repeat(levels), "]}".repeat(levels));
        let trace = model.with_file_name("deep.json");
        fs::write(&trace, format!("{{\"steps\":[{{\"gate\":\"g\",\"data\":{{\"x\":{value}}}}}]}}")).expect("a file");
        let trace = trace.to_str().expect("a plain path");
        let part = if code == 2 { "levels deep" } else { "" };
        expect(run("replay", &model, &[trace]), code, part);
    }
}

/// Widths of formats end at 65,535.
#[test]
fn cells_that_are_wide() {
    let text = "fun l(n: Int): String = if n == 0 then \"\" else (let h = l(n / 2); if n % 2 == 0 then h ++ h else h ++ h ++ \"a\")\n\
        sts M { in g() var v: String = l(65536) initial location A A -> A : t ?g() }\n";
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(["simulate", file("wide_cell", text).to_str().expect("a plain path"), "--steps", "1"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.len() > 65536);
}

/// A polynomial of a degree that a solver takes minutes to look at, without looking at its limits.
#[test]
fn polynomials_of_a_high_degree() {
    for times in [10, 14, 15] {
        let text = format!(
            "fun sq(n: Int, k: Int): Int = if k == 0 then n else sq(n * n, k - 1)\n\
             sts M {{ in g(x: Int) initial location L location K L -> K : t ?g(x) when sq(x, {times}) == 7 }}\n\
             purpose p for M {{ member(t) on fired }}\nproperty q for M {{ always state == L }}\n"
        );
        let model = file("polynomial", text);
        expect(run("gen", &model, &[]), 3, "unknown");
        expect(run("check", &model, &["--property", "q"]), 3, "unknown");
    }
}

#[test]
fn a_state_that_grows_for_ever() {
    let tree = "type T = L | N(T)\ncomponent C { var v: T = L initial state S S -> S : t do v := N(v) }";
    expect(run("explore", &file("growing_tree", tree), &[]), 3, "levels deep");
    let number = "component C { var v: Int = 0 initial state S S -> S : t do v := v + 1 }";
    expect(run("explore", &file("growing_number_state", number), &["--time", "0.5"]), 3, "--time");
    let list = "component C { var v: List<Int> = [1] initial state S S -> S : t do v := v ++ v }";
    expect(run("explore", &file("growing_list_state", list), &[]), 3, "grows beyond");
    // Each list is a new one, so that a few thousand states fill the memory.
    let appended = "sts M { in a() var v: Bool = false, l: List<Bool> = [] initial location L \
        L -> L : ?a do l := append(l, true) }\npurpose p for M { last(v) }";
    let model = file("appended_list_state", appended);
    expect(run("gen", &model, &["-p", "p", "--engine", "explicit"]), 3, "elements together");
    expect(run("explore", &model, &["--memory", "300"]), 3, "--memory");
    // The rule remembers every value that the formula was about.
    let remembered = "sts M { in c() in b(x: 0..1) var v: Int = 0 initial location L L -> L : ?c do v := v + 1 }\n\
        purpose p for M { formula { for all x: !(H (X (b(x)))) until (v == x) } }";
    let model = file("remembered_values", remembered);
    expect(run("gen", &model, &["-p", "p", "--engine", "explicit"]), 3, "unknown");
}

#[test]
fn explosions() {
    let handshake = "sts M { out a(x: 0..1) initial location l l -> l : !a(x) l -> l : !a(x) }\n\
        system S = (|| i in 1..30: M)";
    let model = file("handshake", handshake);
    expect(run("check", &model, &[]), 0, "no findings");
    expect(run("simulate", &model, &["--steps", "3"]), 3, "the handshakes of this model");
    expect(run("explore", &model, &[]), 3, "the handshakes of this model");
    let sets = "component C { in x: Set<0..15>, y: Set<0..15>, z: Set<0..15> initial state S \
        S -> S : t when x?_ && y?_ && z?_ }";
    expect(run("explore", &file("sets", sets), &[]), 3, "combinations");
}

#[test]
fn many_instances() {
    let component = "component C { out x: Int initial state S S -> S : t do x!1 }\n";
    check("family", format!("{component}system S {{ c[i in 1..1000000000]: C }}"), 2, "E0412");
    let nested = "system S { c[i in 1..9000]: C }\nsystem T { s[i in 1..9000]: S }";
    check("nested_families", format!("{component}{nested}"), 2, "E0412");
    let doubling: String = (1..60).map(|i| format!("system S{i} {{ a: S{0} b: S{0} }}\n", i - 1)).collect();
    check("doubling", format!("{component}system S0 {{ a: C }}\n{doubling}"), 2, "E0412");
    let sts = "sts M { in a() initial location l l -> l : ?a() }\n";
    check("interleaved", format!("{sts}system S = (||| i in 1..1000000000: M)"), 2, "E0412");
    let model = file("just_fine", format!("{sts}system S = (||| i in 1..9000: M)"));
    expect(run("check", &model, &[]), 0, "no findings");
    expect(run("explore", &model, &[]), 0, "1 state,");
}

/// A model with an input and an output of numbers.
const NUMBERS: &str = "component A { in x: Int out y: Int initial state S state T \
    S -> T : go when x?n do y!n T -> S : back when x?absent }\n";

/// A model that takes numbers at six gates.
const CALLS: &str = "sts M { in a(n: Int), b(n: Int), c(n: Int), d(n: Int), e(n: Int), f(n: Int) initial location L \
    L -> L : ?a(n) L -> L : ?b(n) L -> L : ?c(n) L -> L : ?d(n) L -> L : ?e(n) L -> L : ?f(n) }\n";

#[test]
fn formulas_with_many_ways_to_be_true() {
    // A tree of tests with few parts, and more than a million ways through it.
    let pairs = |wrong: &str| {
        let pairs: Vec<String> = (0..20).map(|i| format!("(x > {i} && y > {i}{wrong})")).collect();
        format!("{NUMBERS}purpose p for A {{ formula {{ eventually ({}) }} }}\n", pairs.join(" || "))
    };
    let model = file("pairs", pairs(""));
    expect(run("check", &model, &[]), 0, "no findings");
    expect(run("gen", &model, &["-p", "p"]), 0, "found in 1 step");
    // What comes out is what went in.
    expect(run("gen", &file("no_pairs", pairs(" && x < y")), &["-p", "p"]), 1, "impossible");
}

#[test]
fn formulas_that_are_nested() {
    for operator in ["R", "W", "U", "S"] {
        let nested = (0..26).fold("x?1".to_owned(), |inner, i| format!("(x?{i} {operator} {inner})"));
        let (code, text) =
            run("check", &file(operator, format!("{NUMBERS}purpose p for A {{ formula {{ {nested} }} }}\n")), &[]);
        assert!(code == 0 || code == 2 && text.contains("E0735"), "exit {code}:\n{text}");
    }
}

#[test]
fn formulas_for_all_values() {
    let answered = |gates: &[(&str, &str)]| {
        let parts = gates.iter().map(|(asks, answers)| format!("({asks}(x) -> eventually {answers}(x))"));
        parts.collect::<Vec<_>>()
    };
    let three = answered(&[("a", "b"), ("c", "d"), ("e", "f")]);
    for (name, formula) in [
        ("conjunction", three.iter().map(|part| format!("always {part}")).collect::<Vec<_>>().join(" && ")),
        ("inside", format!("always ({})", three.join(" && "))),
        ("disjunction", three.iter().map(|part| format!("always {part}")).collect::<Vec<_>>().join(" || ")),
    ] {
        let text = format!("{CALLS}purpose p for M {{ formula {{ for all x: {formula} }} }}\n");
        let (code, text) = run("check", &file(name, text), &[]);
        assert!(code == 0 || code == 2 && text.contains("E0735"), "{name}: exit {code}:\n{text}");
    }
}

#[test]
fn patterns_with_many_rounds() {
    let pattern = |body: &str| format!("{CALLS}pattern P for M {{ {body} }}\npurpose p for M {{ match P }}\n");
    check("rounds_in_rounds", pattern("((a[1000])[1000])[1000]"), 2, "E1010");
    check("rounds_of_nothing", pattern("(((a?)[1000])[1000])[1000]"), 2, "E1010");
    check("rounds", pattern("a[1000]"), 0, "no findings");
    let doubling = |between: &str| {
        let doubling: String =
            (1..60).map(|i| format!("pattern P{i} for M {{ P{0} {between} P{0} }}\n", i - 1)).collect();
        format!("{CALLS}pattern P0 for M {{ a }}\n{doubling}")
    };
    for (name, between) in [("doubling", ";"), ("choices", "|")] {
        check(
            &format!("{name}_matched"),
            format!("{}purpose p for M {{ match P59 }}\n", doubling(between)),
            2,
            "E1010",
        );
        check(name, doubling(between), 2, "E1010");
    }
    let many: Vec<String> = (0..5_000).map(|i| format!("a({i})")).collect();
    let alphabet = format!("alphabet {{ {} }} a(1); any; a(2)", many.join(", "));
    check("many_symbols", pattern(&alphabet), 2, "E1010");
}

#[test]
fn charts_with_many_rounds() {
    let chart = |body: &str| format!("{NUMBERS}msc C for A {{ {body} }}\n");
    check("rounds", chart("loop 1000 { env -> A : x(3) }"), 0, "no findings");
    check("some_rounds", chart("loop 0..998 { env -> A : x } A -> env : y(3)"), 0, "no findings");
    let written = "env -> A : x(3)\n".repeat(1_000);
    check("written", chart(&written), 0, "no findings");
    check("more_rounds", chart("loop 1000 { env -> A : x(3) } A -> env : y(3)"), 2, "E1010");
    check("open_rounds", chart("exactly loop 1000 { any } env -> A : x(3)"), 2, "E1010");
    check("rounds_in_rounds", chart("exactly loop 100 { loop 100 { any } } env -> A : x(3)"), 2, "E1010");
    for body in [
        "exactly loop 499 { any } env -> A : x(3)",
        "loop 500 { alt { env -> A : x(3) } or { } }",
        "loop 300 { par { env -> A : x(3) } and { A -> env : y(3) } }",
        "loop 400.. { any }",
    ] {
        let (code, text) = run("check", &file("whatever", chart(body)), &[]);
        assert!(code == 0 || code == 2 && text.contains("E1010"), "{body}: exit {code}:\n{text}");
    }
}

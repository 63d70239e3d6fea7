//! Coverage of the examples: how many items there are, what cannot be covered and why, and the fewest steps.

use serde_json::Value as Json;

use crate::binary::tracewright;

/// What `cover` says of a model.
fn covered(model: &str, of: &[&str], more: &[&str]) -> Json {
    let mut args = vec!["cover", model, "--json"];
    of.iter().for_each(|one| args.extend(["--of", one]));
    args.extend(more);
    let output = tracewright(&args);
    output.succeeds();
    serde_json::from_str(&output.stdout).expect("JSON")
}

fn count(answer: &Json, field: &str) -> usize {
    answer[field].as_array().expect("a list").len()
}

fn number(answer: &Json, field: &str) -> usize {
    answer[field].as_u64().expect("a number") as usize
}

/// Asserts steps that are known to be the fewest, in so many sequences.
fn assert_best(answer: &Json, steps: usize, sequences: usize) {
    assert_eq!(
        (number(answer, "steps"), &answer["optimal"], number(answer, "lower_bound"), count(answer, "suite")),
        (steps, &Json::Bool(true), steps, sequences),
        "{answer:#}"
    );
    assert_eq!(count(answer, "unknown"), 0, "{answer:#}");
}

/// Everything that is listed as covered is covered by some sequence, and nothing else is.
fn assert_adds_up(answer: &Json) {
    let names = |list: &Json| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
    };
    let suite = answer["suite"].as_array().expect("a suite");
    let mut by_sequences: Vec<String> = suite.iter().flat_map(|trace| names(&trace["covers"])).collect();
    let mut covered = names(&answer["covered"]);
    by_sequences.sort();
    by_sequences.dedup();
    covered.sort();
    assert_eq!(by_sequences, covered);
    let steps: usize = suite.iter().map(|trace| count(trace, "steps")).sum();
    assert_eq!(steps, number(answer, "steps"));
    assert_eq!(
        count(answer, "items"),
        count(answer, "covered") + count(answer, "impossible") + count(answer, "unknown")
    );
}

#[test]
fn stopwatch_rolls_over() {
    for (model, everything, both) in
        [("Stopwatch", 6011, 12011), ("Stopwatch(10, 6)", 71, 131), ("Stopwatch(5, 3)", 26, 41)]
    {
        let model = format!("examples/stopwatch.tw#{model}");
        let answer = covered(&model, &["everything"], &[]);
        assert_eq!((count(&answer, "items"), count(&answer, "covered")), (12, 12));
        assert_best(&answer, everything, 1);
        assert_adds_up(&answer);
        assert_eq!(answer["stats"]["solver_calls"], 0);
        assert_best(&covered(&model, &["both_modes"], &[]), both, 1);
    }
}

#[test]
fn stopwatch_by_a_purpose() {
    let output = tracewright(&["gen", "examples/stopwatch.tw", "-p", "everything", "--json"]);
    output.succeeds();
    let answer: Json = serde_json::from_str(&output.stdout).expect("JSON");
    let purpose = &answer["purposes"][0];
    assert_eq!((&purpose["answer"], &purpose["optimal"]), (&Json::from("found"), &Json::Bool(true)));
    assert_eq!(number(&purpose["cases"][0], "length"), 6011);
}

/// The five sizes, with the fewest steps of one sequence and of any number of them, and how many pairs and triples can be
/// covered.
const INRES: [(&str, usize, usize, usize, usize); 5] = [
    ("Inres(1, 1)", 27, 26, 28, 56),
    ("Inres(2, 1)", 28, 27, 29, 61),
    ("Inres(3, 2)", 31, 30, 29, 64),
    ("Inres(5, 3)", 35, 34, 29, 64),
    ("Inres(10, 5)", 44, 43, 29, 64),
];

#[test]
fn inres_transitions() {
    for (model, one, several, ..) in INRES {
        let model = format!("examples/inres.tw#{model}");
        for engine in ["auto", "explicit", "symbolic"] {
            let answer = covered(&model, &["transitions"], &["--engine", engine]);
            assert_eq!((count(&answer, "items"), count(&answer, "covered")), (14, 14));
            assert_best(&answer, one, 1);
            assert_adds_up(&answer);
        }
        let answer = covered(&model, &["transitions"], &["--minimise", "steps"]);
        assert_best(&answer, several, 2);
        assert_adds_up(&answer);
    }
}

#[test]
fn inres_pairs_and_triples() {
    for ((model, _, _, pairs, triples), (tour, greedy)) in
        INRES.into_iter().zip([(53, 111), (56, 128), (59, 149), (66, 167), (85, 209)])
    {
        let model = format!("examples/inres.tw#{model}");
        let answer = covered(&model, &["pairs"], &[]);
        assert_eq!((count(&answer, "items"), count(&answer, "covered")), (29, pairs));
        assert_best(&answer, tour, 1);
        let answer = covered(&model, &["triples"], &[]);
        assert_eq!((count(&answer, "items"), count(&answer, "covered")), (65, triples));
        assert!(number(&answer, "steps") <= greedy, "{}", answer["steps"]);
        assert_adds_up(&answer);
        let suite = covered(&model, &["triples"], &["--minimise", "steps"]);
        assert!(number(&suite, "steps") <= number(&answer, "steps"));
        assert_adds_up(&suite);
    }
    let answer = covered("examples/inres.tw#Inres(5, 3)", &["triples"], &[]);
    assert_eq!(answer["impossible"][0]["item"], "(t4,t5,t11)");
    assert_eq!(answer["impossible"][0]["proof"]["kind"], "exhaustion");
}

#[test]
fn inres_with_open_data() {
    for (criterion, items, one, several) in
        [("transitions", 14, 27, 26), ("pairs", 29, 54, 53), ("triples", 65, 144, 137)]
    {
        let answer = covered("examples/inres_open.tw", &[criterion], &[]);
        assert_eq!((count(&answer, "items"), count(&answer, "covered")), (items, items));
        assert_best(&answer, one, 1);
        assert_adds_up(&answer);
        let answer = covered("examples/inres_open.tw", &[criterion], &["--minimise", "steps"]);
        assert_eq!((number(&answer, "steps"), &answer["optimal"]), (several, &Json::Bool(true)));
    }
}

#[test]
fn blinker() {
    let model = "examples/blinker.tw";
    let answer = covered(model, &["transitions"], &[]);
    assert_eq!(count(&answer, "covered"), 8);
    assert_best(&answer, 9, 1);
    // The first interval stays: no single sequence has a timer that is set to 0 and one that ticks.
    let answer = covered(model, &["pairs"], &["--minimise", "steps"]);
    assert_eq!((count(&answer, "items"), count(&answer, "covered")), (12, 11));
    assert_eq!(answer["impossible"][0]["item"], "d.(receive,receive)");
    assert_best(&answer, 15, 2);
    assert_adds_up(&answer);
    let answer = covered(model, &["mcdc(t)"], &[]);
    assert_eq!((count(&answer, "items"), count(&answer, "covered")), (6, 6));
    assert_best(&answer, 4, 1);
    let answer = covered(model, &["mcdc"], &[]);
    assert_eq!((count(&answer, "items"), count(&answer, "covered")), (16, 16));
    assert_best(&answer, 10, 1);
}

#[test]
fn event_flow_of_the_counter() {
    let answer = covered("examples/counter.tw", &["event_flow"], &[]);
    assert_eq!((count(&answer, "items"), count(&answer, "covered"), count(&answer, "impossible")), (64, 20, 44));
    let by_data: Vec<&str> = (answer["impossible"].as_array().expect("a list").iter())
        .filter(|one| one["proof"]["kind"] != "control")
        .map(|one| one["item"].as_str().expect("a name"))
        .collect();
    assert_eq!(by_data, ["on -> decrOpen"]);
    assert_adds_up(&answer);
}

#[test]
fn ring_of_thirty() {
    let answer = covered("examples/token_ring.tw#Ring", &["transitions"], &[]);
    assert_eq!((count(&answer, "items"), count(&answer, "covered")), (118, 118));
    assert_best(&answer, 234, 1);
    // Not even one state for each pair of stations and loads.
    assert!(answer["stats"]["states"].as_u64() < Some(10_000));
}

#[test]
fn symbolic_states() {
    for (depth, states) in [1, 2, 5, 11, 21].into_iter().enumerate() {
        let answer = covered("examples/supplier.tw", &[&format!("symbolic_states({depth})")], &[]);
        assert_eq!((count(&answer, "items"), count(&answer, "covered")), (states, states));
        assert!(number(&answer, "lower_bound") <= number(&answer, "steps"));
        assert_adds_up(&answer);
    }
    // The condition under which the supplier is silent needs data of its own.
    let answer = covered("examples/supplier.tw", &["symbolic_states(2)"], &[]);
    assert_eq!(count(&answer, "suite"), 2);
    let both = covered("examples/supplier.tw", &["transitions", "symbolic_states(3)"], &[]);
    assert_eq!(count(&both, "covered"), count(&both, "items"));
    assert_adds_up(&both);
    // Ticks are observed in two halves.
    let answer = covered("examples/blinker.tw", &["symbolic_states(4)"], &[]);
    assert_eq!(count(&answer, "covered"), count(&answer, "items"));
    let output = tracewright(&["cover", "examples/supplier.tw", "--of", "symbolic_states"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("[E0718]") && output.stderr.contains("takes a number"), "{}", output.stderr);
}

/// However far a model without end is looked at, what no run covers is proved, and what is there is covered as well as can be.
#[test]
fn impossible_in_a_model_without_end() {
    let model = format!("{}/twice.tw", env!("CARGO_TARGET_TMPDIR"));
    let text = "sts Twice {
        in inc(), ask()
        out right(), wrong()
        var x: Int = 0, y: Int = 0
        initial location Idle
        location Asked
        Idle -> Idle : ?inc do x := x + 1, y := y + 2
        Idle -> Asked : ?ask
        Asked -> Idle : ok !right when y == 2 * x
        Asked -> Idle : bad !wrong when y != 2 * x
    }";
    std::fs::write(&model, text).expect("a file");
    let answer = covered(&model, &["transitions"], &[]);
    assert_best(&answer, 3, 1);
    let impossible = answer["impossible"].as_array().expect("a list");
    let proofs: Vec<_> = impossible.iter().map(|one| (&one["item"], &one["proof"]["kind"])).collect();
    assert_eq!(proofs, [(&Json::from("bad"), &Json::from("induction"))]);
}

#[test]
fn criteria_together() {
    let both = covered("examples/inres.tw", &["transitions", "pairs"], &[]);
    let pairs = covered("examples/inres.tw", &["pairs"], &[]);
    assert_eq!(count(&both, "items"), 14 + count(&pairs, "items"));
    assert_eq!(both["steps"], pairs["steps"]);
    // What is asked for twice is one item.
    let twice = covered("examples/inres.tw", &["transitions", "switches(0)"], &[]);
    assert_eq!(count(&twice, "items"), 14);
}

#[test]
fn threads_and_seeds_make_no_difference_to_what_is_covered() {
    let mut known: Option<Json> = None;
    for threads in ["1", "2", "5"] {
        let mut answer = covered("examples/blinker.tw", &["pairs", "mcdc"], &["--threads", threads]);
        answer["stats"] = Json::Null;
        assert_eq!(*known.get_or_insert_with(|| answer.clone()), answer, "{threads} threads");
    }
    let one = covered("examples/inres_open.tw", &["pairs"], &["--seed", "1"]);
    let two = covered("examples/inres_open.tw", &["pairs"], &["--seed", "2"]);
    assert_eq!((&one["covered"], &one["steps"]), (&two["covered"], &two["steps"]));
}

#[test]
fn bounds_are_not_proofs() {
    let output = tracewright(&["cover", "examples/inres.tw", "--of", "transitions", "--depth", "3", "--json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let answer: Json = serde_json::from_str(&output.stdout).expect("JSON");
    assert!(count(&answer, "covered") > 0 && count(&answer, "unknown") > 0);
    let unknown = answer["unknown"].as_array().expect("a list");
    assert!(unknown.iter().all(|one| one["answer"] == "not-found"), "{unknown:?}");
    assert_adds_up(&answer);
}

#[test]
fn criteria_that_have_no_meaning() {
    for (of, code) in [
        ("trasitions", "E07"),
        ("switches", "E0718"),
        ("switches(nobody)", "E0718"),
        ("switches(9)", "E0718"),
        ("mcdc(nobody)", "E0719"),
        ("pairs(", "E00"),
    ] {
        let output = tracewright(&["cover", "examples/blinker.tw", "--of", of]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{of}: {}", output.stderr);
        assert!(
            output.stderr.contains(&format!("[{code}")) && output.stderr.contains("--of"),
            "{of}: {}",
            output.stderr
        );
    }
    // There are too many of them, and that is said before anything is searched.
    let output = tracewright(&["cover", "examples/inres.tw", "--of", "switches(8)"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("more than 1000 tuples"), "{}", output.stderr);
    // All in one pass.
    let output = tracewright(&["cover", "examples/blinker.tw", "--of", "mcdc(nobody)", "--of", "switches"]);
    assert!(output.stderr.contains("E0718") && output.stderr.contains("E0719"), "{}", output.stderr);
}

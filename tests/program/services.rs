//! Services: executions of a known one, properties, values that are chosen, coverage, as the commands say it.

use serde_json::Value as Json;

use crate::binary::tracewright;

const TELLER: &str = "examples/teller.tw#Teller";

fn answered(args: &[&str]) -> (Json, i32) {
    let output = tracewright(args);
    let json = serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    (json, output.code)
}

fn executions(algorithm: &str, depth: usize) -> Json {
    let depth = depth.to_string();
    let (answer, code) = answered(&["explore", TELLER, "--depth", &depth, "--algorithm", algorithm, "--json"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["complete"], true);
    answer
}

/// Counts that were computed by hand-written exhaustive drivers.
#[test]
fn executions_of_the_teller() {
    let simple = [1, 4, 8, 20, 80, 272, 584, 824, 1592, 2936, 4664, 10712];
    let sets = [1, 4, 4, 10, 64, 64, 76, 184, 184, 220, 556, 664];
    for depth in 1..=12 {
        assert_eq!(executions("simple", depth)["executions"], simple[depth - 1], "simple, {depth}");
        assert_eq!(executions("sets", depth)["executions"], sets[depth - 1], "sets, {depth}");
    }
}

/// None of them is written out: there are more than a machine could count.
#[test]
fn many_executions_are_counted() {
    for algorithm in ["simple", "sets"] {
        let counted = executions(algorithm, 40);
        let digits = counted["executions"].to_string().len();
        assert!(digits > 8, "{counted}");
    }
}

#[test]
fn order_counts_where_it_is_observed() {
    let (none, _) = answered(&["explore", TELLER, "--depth", "7", "--algorithm", "sets", "--json"]);
    let args = ["explore", TELLER, "--depth", "7", "--algorithm", "sets", "--observe", "tgt,amt", "--json"];
    let (both, _) = answered(&args);
    // Two deposits that succeed come in two orders each, with four events that may follow.
    assert_eq!(none["executions"], 76);
    assert_eq!(both["observable"], serde_json::json!(["amt", "tgt"]));
    assert!(both["executions"].as_u64() > none["executions"].as_u64(), "{both}");
}

#[test]
fn a_target_account_may_be_given_for_a_transfer() {
    for (model, property) in [("Teller", "d"), ("TellerWithoutDeposits", "d_without_deposits")] {
        let (answer, code) =
            answered(&["check", "--json", &format!("examples/teller.tw#{model}"), "--property", property]);
        let answer = &answer["properties"][0];
        assert_eq!((answer["answer"].as_str(), code), (Some("broken"), 1), "{answer}");
        let steps = answer["counterexample"]["sequence"]["steps"].as_array().expect("steps");
        let gates: Vec<&str> = steps.iter().filter_map(|step| step["gate"].as_str()).collect();
        assert_eq!(gates.len(), 5);
        assert_eq!((gates[0], gates[3], gates[4]), ("startService", "startTransfer", "tgt"));
    }
}

#[test]
fn what_holds_of_the_teller_is_proved_for_all_depths() {
    for property in ["a", "b", "c"] {
        let (answer, code) = answered(&["check", "--json", TELLER, "--property", property]);
        let answer = &answer["properties"][0];
        assert_eq!((answer["answer"].as_str(), code), (Some("holds"), 0), "{answer}");
        assert!(!answer["proofs"].as_array().expect("proofs").is_empty());
    }
}

/// The teller with no values given, and something more; the path of the file.
fn teller_without_values(file: &str, more: &str) -> String {
    let text = std::fs::read_to_string("examples/teller.tw").expect("the example");
    let without: String =
        text.lines().filter(|line| !line.starts_with("data ")).map(|line| format!("{line}\n")).collect();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&path, format!("{without}{more}")).expect("writable");
    path.display().to_string()
}

/// An amount above what is in the account, where a deposit has left something.
#[test]
fn an_amount_above_the_balance_is_chosen_after_a_deposit() {
    let purpose = "purpose too_much for Teller {
  before(completed.dep, violated.wd.enough)
  member(src.given == Some(checking) && violated.wd.enough && balance[checking] > 0)
}
";
    let path = teller_without_values("teller_too_much.tw", purpose);
    let (answer, code) = answered(&["gen", &path, "-p", "too_much", "--json"]);
    assert_eq!(code, 0, "{answer}");
    let steps = answer["purposes"][0]["cases"][0]["sequence"]["steps"].as_array().expect("steps").clone();
    let amounts: Vec<i64> = steps.iter().filter_map(|step| step["data"]["amt"].as_i64()).collect();
    let [deposited, wanted] = amounts[..] else { panic!("two amounts: {amounts:?}") };
    assert!(0 < deposited && deposited < wanted, "{amounts:?}");
}

/// Nobody says which amounts and accounts there are.
#[test]
fn values_are_chosen_from_the_predicates() {
    let model = format!("{}#Teller", teller_without_values("teller_without_data.tw", ""));
    let (answer, code) = answered(&["explore", &model, "--depth", "12", "--algorithm", "sets", "--json"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["chosen"], serde_json::json!(["amt"]));
    let predicates = answer["predicates"].as_array().expect("predicates");
    assert_eq!(predicates.len(), 11);
    for predicate in predicates {
        assert_eq!(
            (&predicate["violated"], &predicate["satisfied"]),
            (&Json::Bool(true), &Json::Bool(true)),
            "{predicate}"
        );
    }
    assert_eq!(answer["nodes"]["missed"], serde_json::json!([]));
}

/// Without outputs everything would conform.
#[test]
fn services_are_not_compared() {
    let output = tracewright(&["conform", TELLER, TELLER, "--complete", "ignore"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.stderr.contains("cannot be compared yet"), "{output:?}");
}

/// A choice has no predicates to choose values from.
#[test]
fn values_of_choices_are_needed() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("choice_of_numbers.tw");
    std::fs::write(&path, "service S { event n: Nat node ask: choose { n -> end } }").expect("writable");
    let path = path.to_str().expect("a plain path");
    let (answer, code) = answered(&["explore", path, "--depth", "2", "--algorithm", "sets", "--json"]);
    assert_eq!((answer["errors"][0]["code"].as_str(), code), (Some("E0607"), 2), "{answer}");
    let args = ["explore", path, "--depth", "2", "--algorithm", "sets", "--json", "--values", "n=0..4"];
    assert_eq!(answered(&args).0["executions"], 5);
}

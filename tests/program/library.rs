//! The library as another crate sees it: answers and errors print as the commands print them.

use std::panic::catch_unwind;

use tracewright::{Model, assert_replays, json};

use crate::binary;

/// What a command prints on standard output.
fn printed(args: &[&str]) -> String {
    binary::tracewright(args).stdout
}

#[test]
fn answers_print_as_the_commands_print_them() {
    let blinker = Model::read("examples/blinker.tw").expect("an example");
    for purpose in ["order", "off_at(7)", "wrong_order", "classes"] {
        let found = blinker.generate(purpose).expect("a purpose");
        assert_eq!(found.to_string(), printed(&["gen", "examples/blinker.tw", "-p", purpose]));
        let json = printed(&["gen", "examples/blinker.tw", "-p", purpose, "--json"]);
        assert_eq!(found.to_json()["purposes"], serde_json::from_str::<serde_json::Value>(&json).unwrap()["purposes"]);
        for sequence in found.sequences() {
            assert_replays!(&blinker, &sequence);
        }
    }
    let (wrong, spec) = ("examples/quiescence.tw#Wrong", "examples/quiescence.tw#Spec");
    let compared =
        Model::read(wrong).expect("a model").conform(&Model::read(spec).expect("a model")).expect("an answer");
    assert_eq!(compared.to_string(), printed(&["conform", wrong, spec]));
    assert_eq!((compared.conforms(), compared.to_json()["conforms"].as_bool()), (Some(false), Some(false)));
}

#[test]
fn errors_print_as_the_commands_print_them() {
    for model in
        ["missing.tw", "examples/blinker.tw#Blinkin", "tests/wrong/two_errors_at_once.tw", "examples/blinker.tw#("]
    {
        let error = Model::read(model).and_then(|model| model.name()).expect_err("no model");
        let command = binary::tracewright(&["simulate", model, "--steps", "1"]);
        assert_eq!(format!("{error}\n"), command.stderr, "{model}");
    }
    let blinker = Model::read("examples/blinker.tw").expect("an example");
    let error = blinker.generate("ordr").err().expect("no such purpose");
    let [message] = &error.messages()[..] else { panic!("{error}") };
    assert_eq!((message.file.as_str(), message.line, message.column), ("purpose", 1, 1));
    assert_eq!(message.help.as_deref(), Some("did you mean `order`?"));
    assert!(blinker.replay(&json!({"steps": [{"inputs": {"intervall": 1}}]})).is_err());
}

#[test]
fn findings_are_those_of_check() {
    let text = "sts A {\n  initial location B\n  location C\n}\n";
    let findings = Model::parse(text).expect("a model").check().expect("findings");
    let codes: Vec<(&str, usize)> = findings.iter().map(|finding| (finding.code.as_str(), finding.line)).collect();
    assert_eq!(codes, [("W0101", 3)]);
}

#[test]
fn an_assertion_says_what_replay_says() {
    let early = json!({"steps": [{"inputs": {"set": 2}}, {"inputs": {"set": null}, "fired": {"Timer": "timeout"}}]});
    let failed = catch_unwind(|| assert_replays!("examples/blinker.tw#Timer", &early)).expect_err("it fails");
    let message = failed.downcast_ref::<String>().expect("a message");
    assert!(message.starts_with("the trace is no run of the model\ntrace: rejected at step 2\n"), "{message}");
    assert!(message.contains("`timeout` of `Timer` needs `t == 0` (t is 2) (examples/blinker.tw:"), "{message}");
    let missing = catch_unwind(|| assert_replays!("missing.tw", &early)).expect_err("it fails");
    assert!(missing.downcast_ref::<String>().expect("a message").contains("missing.tw"));
}

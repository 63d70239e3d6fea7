//! Laws of the printer: what it prints reads as the same tree with the same comments, and printing again changes nothing.

use std::fs;
use std::path::Path;

use tracewright::syntax::tree::File;
use tracewright::syntax::{FileId, parse_file, print_file};

/// Names and texts of all models next to the code.
fn models() -> Vec<(String, String)> {
    let mut out = vec![];
    for folder in ["examples", "tests/listings"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("a readable folder").path();
            if path.extension().is_some_and(|e| e == "tw") {
                out.push((path.display().to_string(), fs::read_to_string(&path).expect("a readable file")));
            }
        }
    }
    assert!(!out.is_empty());
    out
}

fn read(text: &str) -> File {
    let (file, errors) = parse_file(FileId(0), text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    file
}

#[test]
fn models_keep_their_meaning() {
    for (name, source) in models() {
        let tree = read(&source);
        let printed = print_file(&tree, &source);
        let again = read(&printed);
        assert_eq!(again, tree, "{name}\n{printed}");
        assert_eq!(print_file(&again, &printed), printed, "{name}");
    }
}

//! Data of test cases: claims about the examples. Each sequence that is counted here was replayed before it was printed.

mod binary;

use std::collections::{BTreeMap, BTreeSet};

use binary::tracewright;
use serde_json::Value as Json;

/// The cases of a purpose with some choice of data, and what was noted.
fn cases(model: &str, purpose: &str, data: &str, more: &[&str]) -> (Vec<Json>, Vec<String>) {
    let mut args = vec!["gen", model, "-p", purpose, "--data", data, "--json"];
    args.extend(more);
    let output = tracewright(&args);
    output.succeeds();
    let answer: Json = serde_json::from_str(&output.stdout).expect("JSON");
    let purpose = &answer["purposes"][0];
    let notes = purpose["notes"].as_array().map(|notes| notes.iter().map(text).collect());
    (purpose["cases"].as_array().expect("a list").clone(), notes.unwrap_or_default())
}

fn text(json: &Json) -> String {
    json.as_str().expect("a text").to_owned()
}

/// The event of a step: the data of its gate, or its inputs.
fn event(case: &Json, step: usize) -> &Json {
    let step = &case["sequence"]["steps"][step];
    if step["data"].is_object() { &step["data"] } else { &step["inputs"] }
}

fn number(json: &Json) -> i64 {
    json.as_i64().unwrap_or_else(|| panic!("{json} is a number"))
}

#[test]
fn boundaries_of_the_blinker() {
    let (cases, _) = cases("examples/blinker.tw", "shortest_off", "boundary", &[]);
    let of = |case: &Json| (event(case, 0)["interval"].clone(), case["leaves_at"].clone());
    let all: Vec<(Json, Json)> = cases.iter().map(of).collect();
    // Below zero the timer never runs out, above it runs out later: in both cases not in step 3.
    let expected = [(0, Json::Null), (-1, 3.into()), (1, 3.into())];
    assert_eq!(all, expected.map(|(interval, leaves)| (interval.into(), leaves)));
    for case in &cases {
        let reasons = case["reasons"].as_array().expect("a list");
        assert!(reasons.iter().any(|reason| text(reason).contains("t.timeout")), "{reasons:?}");
    }
}

#[test]
fn a_thousand_orders() {
    let (cases, notes) = cases("examples/orders.tw", "taken", "random=1000", &["--seed", "5"]);
    assert_eq!((cases.len(), notes.len()), (1000, 0));
    let (mut numbers, mut names, mut lengths) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
    for case in &cases {
        let order = event(case, 0);
        numbers.insert(number(&order["n"]));
        *names.entry(text(&order["who"])).or_insert(0) += 1;
        lengths.insert(order["items"].as_array().expect("a list").len());
    }
    assert_eq!(numbers, (2..=10).collect());
    assert_eq!(lengths, (0..=5).collect());
    assert!(names.values().all(|times| *times <= 3), "{names:?}");
    let again = self::cases("examples/orders.tw", "taken", "random=1000", &["--seed", "5"]).0;
    assert_eq!(again, cases, "the same seed gives the same thousand");
    let other = self::cases("examples/orders.tw", "taken", "random=1000", &["--seed", "6"]).0;
    assert_ne!(other, cases, "another seed gives another one");
}

#[test]
fn chance_is_even_where_inputs_depend_on_each_other() {
    let (cases, _) = cases("examples/orders.tw", "sent", "random=2000", &["--seed", "3"]);
    assert_eq!(cases.len(), 2000);
    // The triangle of all pairs in four parts by its halves, three of which have points.
    let (mut counts, mut sizes) = (BTreeMap::new(), BTreeMap::new());
    let part = |d: i64, amt: i64| (d > 50, amt > 50);
    for d in 0..=100 {
        for amt in 0..=d {
            *sizes.entry(part(d, amt)).or_insert(0.0) += 1.0;
        }
    }
    for case in &cases {
        let (d, amt) = (number(&event(case, 0)["d"]), number(&event(case, 1)["amt"]));
        assert!(0 <= amt && amt <= d && d <= 100);
        *counts.entry(part(d, amt)).or_insert(0.0) += 1.0;
    }
    let all: f64 = sizes.values().sum();
    let distance: f64 = sizes
        .iter()
        .map(|(part, size)| {
            let expected = 2000.0 * size / all;
            (counts.get(part).copied().unwrap_or(0.0) - expected).powi(2) / expected
        })
        .sum();
    // Two degrees of freedom: beyond this once in ten thousand times.
    assert!(distance < 18.4, "{distance}: {counts:?} of {sizes:?}");
}

#[test]
fn boundaries_of_a_relation() {
    let (cases, _) = cases("examples/orders.tw", "sent", "boundary", &[]);
    let inside: BTreeSet<(i64, i64)> = (cases.iter())
        .filter(|case| case["leaves_at"].is_null())
        .map(|case| (number(&event(case, 0)["d"]), number(&event(case, 1)["amt"])))
        .collect();
    for corner in [(0, 0), (100, 0), (100, 100)] {
        assert!(inside.contains(&corner), "{corner:?} of {inside:?}");
    }
    let refused: BTreeSet<(String, i64)> = (cases.iter())
        .filter(|case| !case["refused"].is_null())
        .map(|case| {
            let data = case["refused"]["data"].as_object().expect("data");
            (text(&case["refused"]["gate"]), number(data.values().next().expect("a value")))
        })
        .collect();
    let expected = [("deposit", -1), ("deposit", 101), ("transfer", -1), ("transfer", 1)];
    assert_eq!(refused, expected.map(|(gate, n)| (gate.to_owned(), n)).into());
}

#[test]
fn records_out_of_order() {
    let (cases, _) = cases("examples/orders.tw", "ten", "random=20", &["--seed", "2"]);
    assert_eq!(cases.len(), 20);
    let mut known = BTreeSet::new();
    for case in &cases {
        let records: Vec<&Json> = (0..10).map(|step| &event(case, step)["record"]).collect();
        let ids: BTreeSet<i64> = records.iter().map(|record| number(&record["id"])).collect();
        assert_eq!(ids.len(), 10, "ids are unique");
        let amounts: Vec<i64> = records.iter().map(|record| number(&record["amount"])).collect();
        assert!(amounts.iter().all(|amount| *amount > 100) && !amounts.is_sorted(), "{amounts:?}");
        for record in &records {
            let name = text(&record["name"]);
            let is_name = name.chars().next().is_some_and(|c| c.is_ascii_uppercase())
                && name.chars().skip(1).all(|c| c.is_ascii_lowercase())
                && (3..=9).contains(&name.len());
            assert!(is_name, "{name}");
        }
        assert!(known.insert(format!("{records:?}")), "no two are alike");
    }
}

#[test]
fn pairs_of_six_fields() {
    let (cases, notes) = cases("examples/orders.tw", "filled", "pairwise", &[]);
    let fields = ["a", "b", "c", "d", "e", "f"];
    let of_case = |case: &Json| fields.map(|field| event(case, 0)[field].to_string());
    let rows: Vec<[String; 6]> = cases.iter().map(of_case).collect();
    let values = |field: usize| match field {
        2 | 5 => ["\"Red\"", "\"Green\"", "\"Blue\""],
        _ => ["0", "1", "2"],
    };
    // By hand: a <= b leaves out three pairs, two reds one, 2 + 2 one.
    let impossible = |i: usize, x: &str, j: usize, y: &str| match (i, j) {
        (0, 1) => x > y,
        (2, 5) => x == "\"Red\"" && y == "\"Red\"",
        (3, 4) => x == "2" && y == "2",
        _ => false,
    };
    let mut missing = 0;
    for i in 0..6 {
        for j in i + 1..6 {
            for x in values(i) {
                for y in values(j) {
                    let is_there = rows.iter().any(|row| row[i] == x && row[j] == y);
                    assert_eq!(is_there, !impossible(i, x, j, y), "{} = {x}, {} = {y}", fields[i], fields[j]);
                    missing += usize::from(!is_there);
                }
            }
        }
    }
    assert_eq!((notes.len(), missing), (5, 5), "{notes:?}");
    assert!(notes.iter().all(|note| note.starts_with("impossible: ")), "{notes:?}");
    // Without constraints the fewest are 12.
    assert!(rows.len() <= 18, "{} sequences", rows.len());
}

#[test]
fn all_of_a_small_case() {
    let (cases, _) = cases("examples/orders.tw", "filled", "exhaustive", &[]);
    // 6 of 9 for a and b, 8 of 9 for c and f, 8 of 9 for d and e.
    assert_eq!(cases.len(), 6 * 8 * 8);
    let output = tracewright(&["gen", "examples/orders.tw", "-p", "taken", "--data", "exhaustive"]);
    assert_eq!(output.code, 3, "{}", output.stdout);
    assert!(output.stdout.contains("order.who@1 has too many values"), "{}", output.stdout);
}

#[test]
fn hard_data() {
    let model = format!("{}/hard.tw", env!("CARGO_TARGET_TMPDIR"));
    let models = "
        fun mix(x: Int, n: Nat): Int = if n == 0 then x else mix((x * 31 + 17) % 1009, n - 1)
        fun total(xs: List<Int>): Int = if size(xs) == 0 then 0 else head(xs) + total(tail(xs))
        sts Product { in go(x: Int, y: Int)  initial location A  location B
          A -> B : p ?go(x, y) when x * y == 391 && x > 1 && y > x }
        sts Hash { in go(x: Int)  initial location A  location B  A -> B : h ?go(x) when mix(x, 5) == 77 && x > 1000 }
        sts Sum { in go(xs: List<Int>)  initial location A  location B
          A -> B : s ?go(xs) when total(xs) == 12 && size(xs) >= 3 }
        purpose product for Product { member(p) on fired }
        purpose hash for Hash { member(h) on fired }
        purpose sum for Sum { member(s) on fired }";
    std::fs::write(&model, models).expect("a file");
    let (product, _) = cases(&model, "product", "one", &[]);
    assert_eq!((&event(&product[0], 0)["x"], &event(&product[0], 0)["y"]), (&17.into(), &23.into()));
    let mix = |x: i64| (0..5).fold(x, |x, _| (x * 31 + 17) % 1009);
    let (hash, _) = cases(&model, "hash", "random=10", &[]);
    assert!(hash.len() == 10 && hash.iter().all(|case| mix(number(&event(case, 0)["x"])) == 77));
    let (sum, _) = cases(&model, "sum", "random=10", &[]);
    for case in &sum {
        let xs: Vec<i64> = event(case, 0)["xs"].as_array().expect("a list").iter().map(number).collect();
        assert!(xs.len() >= 3 && xs.iter().sum::<i64>() == 12, "{xs:?}");
    }
    assert_eq!(sum.len(), 10);
}

/// The data of a case that was refused or taken, as text, with whether it was taken.
fn chosen(case: &Json) -> (String, bool) {
    let is_taken = case["refused"].is_null();
    let event = if is_taken { event(case, 0) } else { &case["refused"]["data"] };
    let values = event.as_object().expect("data").values();
    (values.map(ToString::to_string).collect::<Vec<_>>().join(" "), is_taken)
}

#[test]
fn boundaries_of_rational_numbers() {
    let model = format!("{}/rational.tw", env!("CARGO_TARGET_TMPDIR"));
    let models = "
        sts Half { in go(x: Real)  initial location A  location B  A -> B : h ?go(x) when x >= 0.5 && x < 2.0 }
        sts Narrow { in go(x: Real)  initial location A  location B  A -> B : n ?go(x) when x > 0.0 && x < 0.001 }
        sts Between { in go(x: Real, y: Real)  initial location A  location B
          A -> B : b ?go(x, y) when x < y && y <= 1.0 && x >= 0.0 }
        purpose half for Half { member(h) on fired }
        purpose narrow for Narrow { member(n) on fired }
        purpose between for Between { member(b) on fired }";
    std::fs::write(&model, models).expect("a file");
    let data = |purpose: &str| cases(&model, purpose, "boundary", &[]).0.iter().map(chosen).collect::<BTreeSet<_>>();
    let expected = |all: &[(&str, bool)]| {
        all.iter().map(|(x, is_taken)| (format!("\"{x}\""), *is_taken)).collect::<BTreeSet<(String, bool)>>()
    };
    let half =
        [("1/2", true), ("51/100", true), ("199/100", true), ("49/100", false), ("2/1", false), ("201/100", false)];
    assert_eq!(data("half"), expected(&half));
    let narrow = data("narrow");
    for edge in [("1/10000", true), ("9/10000", true), ("0/1", false), ("-1/100", false), ("1/1000", false)] {
        assert!(narrow.is_superset(&expected(&[edge])), "{edge:?} of {narrow:?}");
    }
    // The least and the greatest number are named as such only if they are attained.
    let (cases, _) = cases(&model, "between", "boundary", &[]);
    let reasons: Vec<String> =
        cases.iter().flat_map(|case| case["reasons"].as_array().expect("a list")).map(text).collect();
    for reason in ["least go.x@1", "greatest go.y@1", "go.x@1 near its greatest", "go.y@1 near its least"] {
        assert!(reasons.iter().any(|known| known == reason), "{reason} of {reasons:?}");
    }
    for side in ["go.x@1 == go.y@1 - 0.01, where `b` fires", "go.x@1 == go.y@1, where `b` no longer fires"] {
        assert!(reasons.iter().any(|known| known.starts_with(side)), "{side} of {reasons:?}");
    }
}

#[test]
fn boundaries_by_constructors() {
    let model = format!("{}/constructors.tw", env!("CARGO_TARGET_TMPDIR"));
    let models = "
        type Shape = Dot | Circle(r: Nat) | Square(side: Int)
        sts Draw { in draw(s: Shape, o: Option<Int>)  initial location A  location B
          A -> B : d ?draw(s, o) when match s { Circle(r) => r > 3, Dot => true, Square(x) => false } }
        purpose drawn for Draw { member(d) on fired }";
    std::fs::write(&model, models).expect("a file");
    let (cases, _) = cases(&model, "drawn", "boundary", &[]);
    let reasons = |case: &Json| case["reasons"].as_array().expect("a list").iter().map(text).collect::<Vec<_>>();
    let shapes = |reason: &str| -> BTreeSet<String> {
        let with = cases.iter().filter(|case| reasons(case).iter().any(|known| known.starts_with(reason)));
        with.map(|case| {
            let data = if case["refused"].is_null() { event(case, 0) } else { &case["refused"]["data"] };
            data["s"].to_string()
        })
        .collect()
    };
    let only = |shape: &str| BTreeSet::from([shape.to_owned()]);
    assert_eq!(shapes("draw.s@1 is Square, where `d` no longer fires"), only(r#"{"Square":[0]}"#));
    // What only a circle has is looked at in a circle.
    assert_eq!(shapes("draw.s.r@1 == 4, where `d` fires"), only(r#"{"Circle":[4]}"#));
    assert_eq!(shapes("draw.s.r@1 == 3, where `d` no longer fires"), only(r#"{"Circle":[3]}"#));
    let all: BTreeSet<String> = cases.iter().flat_map(&reasons).collect();
    assert!(all.contains("draw.s@1 is Dot") && all.contains("draw.s@1 is Circle"), "{all:?}");
    assert!(!all.iter().any(|reason| reason.contains("kind")), "{all:?}");
}

//! Data of test cases: claims about the examples. Each sequence that is counted here was replayed before it was printed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::binary::tracewright;

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

/// A file with a model, for a test with this name.
fn written(test: &str, model: &str) -> String {
    let path = format!("{}/pools_{test}.tw", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, model).expect("a file");
    path
}

/// The distance between how often something was counted and what its weights ask for.
fn distance<K: Ord + std::fmt::Debug>(counts: &BTreeMap<K, f64>, weights: &BTreeMap<K, f64>) -> f64 {
    let (all, weight): (f64, f64) = (counts.values().sum(), weights.values().sum());
    assert!(counts.keys().all(|key| weights.contains_key(key)), "{counts:?}");
    let off = |(key, part): (&K, &f64)| {
        let expected = all * part / weight;
        (counts.get(key).copied().unwrap_or(0.0) - expected).powi(2) / expected
    };
    weights.iter().map(off).sum()
}

const POOLED_ORDERS: &str = "
    type Colour = Red | Green | Blue
    sts Orders {
      in order(who: String, n: Int, c: Colour, key: 0..999999)
      initial location A  location B
      A -> B : order ?order(who, n, c, key) when 2 <= n && n <= 10
    }
    purpose taken for Orders { member(order) on fired }
    data who { \"Ada\", \"Bo\": 3 }
    data order.n { 1: 100, 2: 5, 3..9, 10: 2 }
    data n { 9 }
    data Colour { Blue: 3, Red }
";

#[test]
fn weights_of_pools_are_kept() {
    let model = written("weights", POOLED_ORDERS);
    let (cases, notes) = cases(&model, "taken", "random=2000", &["--seed", "11"]);
    assert_eq!((cases.len(), notes), (2000, vec![]));
    let (mut numbers, mut names, mut colours) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for case in &cases {
        let order = event(case, 0);
        *numbers.entry(number(&order["n"])).or_insert(0.0) += 1.0;
        *names.entry(text(&order["who"])).or_insert(0.0) += 1.0;
        *colours.entry(text(&order["c"])).or_insert(0.0) += 1.0;
    }
    // 1 weighs most, but is impossible: the rest is as if it were not there.
    let of_number = |n: i64| {
        if n == 2 {
            5.0
        } else if n == 10 {
            2.0
        } else {
            1.0
        }
    };
    // Beyond these once in ten thousand times, for 8 degrees of freedom and for one.
    assert!(distance(&numbers, &(2..=10).map(|n| (n, of_number(n))).collect()) < 31.8, "{numbers:?}");
    let weights = |of: [(&str, f64); 2]| of.map(|(name, weight)| (name.to_owned(), weight)).into();
    assert!(distance(&names, &weights([("Ada", 1.0), ("Bo", 3.0)])) < 15.1, "{names:?}");
    assert!(distance(&colours, &weights([("Blue", 3.0), ("Red", 1.0)])) < 15.1, "{colours:?}");
    let again = self::cases(&model, "taken", "random=2000", &["--seed", "11"]).0;
    assert_eq!(again, cases, "the same seed gives the same data");
    let other = self::cases(&model, "taken", "random=2000", &["--seed", "12"]).0;
    assert_ne!(other, cases, "another seed gives other data");
}

#[test]
fn one_sequence_has_the_first_values_that_fit() {
    let model = written("one", POOLED_ORDERS);
    for engine in ["auto", "symbolic", "unrolled"] {
        let (cases, notes) = cases(&model, "taken", "one", &["--engine", engine]);
        let order = event(&cases[0], 0);
        let found = (text(&order["who"]), number(&order["n"]), text(&order["c"]), number(&order["key"]));
        assert_eq!(found, ("Ada".to_owned(), 2, "Blue".to_owned(), 0), "{engine}");
        assert!(notes.is_empty() && cases[0]["case"].is_null(), "{notes:?}");
    }
    // With seeds, by weight: three times as many Bos as Adas.
    let who = |seed: u32| text(&event(&cases(&model, "taken", "one", &["--seed", &seed.to_string()]).0[0], 0)["who"]);
    let bos = (1..=40).filter(|seed| who(*seed) == "Bo").count();
    assert!((20..=38).contains(&bos), "{bos}");
}

#[test]
fn concrete_searches_prefer_pools_too() {
    let model = "
        sts Door { in open(code: 0..9)  initial location A  location B
          A -> B : open ?open(code) when code > 3 }
        purpose opened for Door { member(open) on fired }
        data code { 2, 7, 5 }";
    let model = written("explicit", model);
    for engine in ["symbolic", "explicit", "unrolled"] {
        let (cases, _) = cases(&model, "opened", "one", &["--engine", engine]);
        assert_eq!(event(&cases[0], 0)["code"], 7, "{engine}");
        assert_eq!(cases[0]["constraints"], serde_json::json!(["open.code@1: 4..9"]), "{engine}");
    }
}

#[test]
fn pools_keep_relations() {
    let model = "
        sts Transfer {
          in deposit(d: Int), transfer(amt: Int), again(b: Int)
          var balance: Int = 0
          initial location A  location B, C, D
          A -> B : deposit ?deposit(d) when 0 <= d && d <= 100 do balance := d
          B -> C : transfer ?transfer(amt) when 0 <= amt && amt <= balance
          C -> D : again ?again(b) when b == balance + 1
        }
        purpose sent for Transfer { member(transfer) on fired }
        purpose checked for Transfer { member(again) on fired }
        data d { 10, 50, 200, 7 }
        data amt { 5, 20, 60 }
        data again.b { 51, 8, 3 }";
    let model = written("relations", model);
    let (cases, notes) = cases(&model, "sent", "random=50", &[]);
    let pairs: BTreeSet<(i64, i64)> =
        cases.iter().map(|case| (number(&event(case, 0)["d"]), number(&event(case, 1)["amt"]))).collect();
    // By hand: 200 cannot be deposited, and no more is transferred than there is.
    assert_eq!(pairs, [(7, 5), (10, 5), (50, 5), (50, 20)].into());
    assert_eq!((cases.len(), notes), (4, vec!["no more than 4 different ones were met".to_owned()]));
    // One input determines another one, and each has its pool: 10 fits the first, but then nothing fits the last.
    let (cases, notes) = self::cases(&model, "checked", "random=50", &[]);
    for case in &cases {
        let (d, b) = (number(&event(case, 0)["d"]), number(&event(case, 2)["b"]));
        assert!([10, 50, 7].contains(&d) && b == d + 1, "{d} {b}");
    }
    assert_eq!(cases.len(), 4);
    assert!(notes.contains(&"again.b@3: sometimes no value of the pool `again.b` fits".to_owned()), "{notes:?}");
}

#[test]
fn where_no_value_of_a_pool_fits_there_are_others_and_a_note() {
    let model = "
        sts Door { in open(code: Int, key: Int)  initial location A  location B
          A -> B : open ?open(code, key) when 100 <= code && code <= 199 }
        purpose opened for Door { member(open) on fired }
        data code { 1, 2 }
        data key { 77 }";
    let model = written("nothing", model);
    for data in ["one", "random=20"] {
        let (cases, notes) = cases(&model, "opened", data, &[]);
        assert_eq!(notes, ["open.code@1: no value of the pool `code` fits"]);
        assert_eq!(cases.len(), if data == "one" { 1 } else { 20 });
        for case in &cases {
            assert!((100..=199).contains(&number(&event(case, 0)["code"])) && event(case, 0)["key"] == 77);
        }
    }
}

#[test]
fn the_only_value_that_fits_is_found_among_many() {
    let model = "
        sts Lock { in turn(code: Int, twice: Int)  initial location A  location B
          A -> B : turn ?turn(code, twice) when twice == 2 * code && (code == 5001 || code == 40 || twice == 90) }
        purpose opened for Lock { member(turn) on fired }
        data code { 60..9999, 1..59 }";
    let model = written("many", model);
    let (cases, notes) = cases(&model, "opened", "one", &[]);
    assert_eq!((number(&event(&cases[0], 0)["code"]), notes), (5001, vec![]), "the first that fits");
    let model = written("few", &std::fs::read_to_string(model).expect("a file").replace("60..9999", "60..5000"));
    assert_eq!(number(&event(&self::cases(&model, "opened", "one", &[]).0[0], 0)["code"]), 40);
}

#[test]
fn pools_of_types_reach_into_values() {
    let model = "
        type Name = String where it matches \"[A-Z][a-z]*\"
        type Line = { name: Name, amount: Int, tags: Set<String> }
        type Tree = Leaf | Fork(left: Tree, name: Name, right: Tree)
        sts Shop { in lines(ls: List<Line>, tree: Tree, best: Option<Line>)  initial location A  location B
          A -> B : lines ?lines(ls, tree, best) when size(ls) >= 2 && ls[1].amount > 5 }
        purpose shopped for Shop { member(lines) on fired }
        data Name { \"Ada\", \"Bo\" }
        data Int { 3, 9 }
        data String { \"x\", \"y\", \"Z\" }";
    let model = written("parts", model);
    let (cases, notes) = cases(&model, "shopped", "random=100", &["--seed", "3"]);
    assert_eq!((cases.len(), notes), (100, vec![]));
    let line = |line: &Json| {
        assert!(["Ada", "Bo"].contains(&text(&line["name"]).as_str()), "{line}");
        assert!([3, 9].contains(&number(&line["amount"])), "{line}");
        assert!(
            line["tags"].as_array().expect("a set").iter().all(|tag| ["x", "y", "Z"].contains(&text(tag).as_str()))
        );
    };
    fn names(tree: &Json, out: &mut Vec<String>) {
        if let Some(fork) = tree["Fork"].as_array() {
            names(&fork[0], out);
            out.push(text(&fork[1]));
            names(&fork[2], out);
        }
    }
    let (mut in_trees, mut bests, mut seconds) = (vec![], 0, BTreeSet::new());
    for case in &cases {
        let lines = event(case, 0);
        lines["ls"].as_array().expect("a list").iter().for_each(line);
        seconds.insert(number(&lines["ls"][1]["amount"]));
        if let Some(best) = lines["best"]["Some"].as_array() {
            line(&best[0]);
            bests += 1;
        }
        names(&lines["tree"], &mut in_trees);
    }
    assert_eq!(seconds, [9].into(), "3 is not above 5");
    assert!(bests > 0 && in_trees.len() > 20, "{bests} {in_trees:?}");
    assert!(in_trees.iter().all(|name| ["Ada", "Bo"].contains(&name.as_str())), "{in_trees:?}");
}

#[test]
fn pools_of_whole_values() {
    let model = "
        type Line = { name: String, amount: 1..9 }
        type Tree = Leaf | Fork(left: Tree, right: Tree)
        sts Shop { in lines(ls: List<Line>, extra: Line, tree: Tree, n: Int)  initial location A  location B
          A -> B : lines ?lines(ls, extra, tree, n) when size(ls) < 3 }
        purpose shopped for Shop { member(lines) on fired }
        data lines.ls { [], [Line(name: \"a\", amount: 1), Line(name: \"b\", amount: 2)] }
        data Line { Line(name: \"c\", amount: 3), Line(name: \"d\", amount: 4): 2 }
        data tree { Fork(left: Fork(left: Leaf, right: Leaf), right: Leaf) }";
    let model = written("whole", model);
    for data in ["one", "random=40", "pairwise"] {
        let (cases, notes) = cases(&model, "shopped", data, &[]);
        assert!(notes.is_empty(), "{notes:?}");
        let seen = |part: &str| cases.iter().map(|case| event(case, 0)[part].to_string()).collect::<BTreeSet<_>>();
        let lists = ["[]", r#"[{"name":"a","amount":1},{"name":"b","amount":2}]"#].map(str::to_owned);
        let extras = [r#"{"name":"c","amount":3}"#, r#"{"name":"d","amount":4}"#].map(str::to_owned);
        if data == "one" {
            assert_eq!((seen("ls"), seen("extra")), ([lists[0].clone()].into(), [extras[0].clone()].into()));
        } else {
            assert_eq!((seen("ls"), seen("extra")), (lists.into(), extras.into()), "{data}");
        }
        let tree = r#"{"Fork":[{"Fork":[{"Leaf":[]},{"Leaf":[]}]},{"Leaf":[]}]}"#;
        assert_eq!(seen("tree").into_iter().collect::<Vec<_>>(), [tree]);
    }
}

#[test]
fn pairs_of_pools() {
    let model = "
        type Colour = Red | Green | Blue
        sts Form { in fill(a: Int, b: Int, c: Colour)  initial location A  location B
          A -> B : fill ?fill(a, b, c) when a <= b && a < 40 && !(c == Red && a == 1) }
        purpose filled for Form { member(fill) on fired }
        data a { 1, 20, 30, 40 }
        data b { 5, 30 }";
    let model = written("pairs", model);
    let (cases, notes) = cases(&model, "filled", "pairwise", &[]);
    let rows: BTreeSet<(i64, i64, String)> = (cases.iter())
        .map(|case| event(case, 0))
        .map(|form| (number(&form["a"]), number(&form["b"]), text(&form["c"])))
        .collect();
    let of_two: BTreeSet<(i64, i64)> = rows.iter().map(|(a, b, _)| (*a, *b)).collect();
    assert_eq!(of_two, [(1, 5), (1, 30), (20, 30), (30, 30)].into(), "{rows:?}");
    let with_colour: BTreeSet<(i64, &str)> = rows.iter().map(|(a, _, c)| (*a, c.as_str())).collect();
    assert_eq!(with_colour.len(), 3 * 3 - 1, "{rows:?}");
    assert_eq!(
        notes,
        ["impossible: fill.a@1 = 20 with fill.b@1 = 5", "impossible: fill.a@1 = 30 with fill.b@1 = 5"]
            .into_iter()
            .chain(["impossible: fill.a@1 = 1 with fill.c@1 = Red"])
            .collect::<Vec<_>>()
    );
}

#[test]
fn pools_change_neither_answers_nor_other_choices_of_data() {
    let without = "
        sts Door { in open(code: 0..9)  initial location A  location B
          A -> B : open ?open(code) when code > 3 }
        purpose opened for Door { member(open) on fired }
        purpose never for Door { member(open.code == 3)   expect impossible }";
    let with = written("with", &format!("{without} data code {{ 3, 7 }}"));
    let without = written("without", without);
    for data in ["boundary", "classes", "exhaustive"] {
        assert_eq!(cases(&with, "opened", data, &[]), cases(&without, "opened", data, &[]), "{data}");
    }
    let answer = |model: &str| tracewright(&["gen", model, "-p", "never"]).stdout;
    assert_eq!(answer(&with), answer(&without));
    let size = |model: &str| tracewright(&["explore", model]).stdout;
    assert_eq!(size(&with), size(&without));
}

#[test]
fn pools_do_not_decide_what_is_there() {
    let model = "
        component Lamp(most: Nat = 3) {
          in level: Int, other: Int
          var bright: Int = 0, start: Int = any
          initial state Off
          state On
          Off -> On : light when level?n && n <= most && n > 0 do bright := n
        }
        component Many { in x: Int  initial state S  S -> S : x when x?n && n > 0 }
        system Two { a: Lamp  b: Lamp  m[i in 1..2]: Many
          in level -> a.level  in other -> a.other  in l2 -> b.level  in o2 -> b.other
          for i in 1..2 { in x[i] -> m[i].x } }
        purpose lit for Lamp { length 3   last(fired) == light }
        purpose both for Two { member(light) on a.fired   member(light) on b.fired }
        data level { 5 }
        data other { 8 }
        data start { 4 }
        data b.start { 6 }
        data l2 { 7, 2 }
        data x { 9 }";
    let model = written("there", model);
    let (lit, notes) = cases(&model, "lit", "random=30", &[]);
    for case in &lit {
        let level = number(&event(case, 2)["level"]);
        assert!((1..=3).contains(&level), "{level}");
        assert!((0..3).all(|step| event(case, step)["other"].is_null() || event(case, step)["other"] == 8));
        assert_eq!(case["sequence"]["initial"]["vars"]["start"], 4);
    }
    assert!(lit.iter().any(|case| event(case, 0)["level"] == 5), "too bright, so that it stays off");
    assert!(notes.contains(&"level@3: no value of the pool `level` fits".to_owned()), "{notes:?}");
    let (both, _) = cases(&model, "both", "random=10", &[]);
    for case in &both {
        let initial = &case["sequence"]["initial"]["vars"];
        assert_eq!((&initial["a.start"], &initial["b.start"]), (&4.into(), &6.into()));
        let inputs = event(case, 0);
        assert_eq!(inputs["l2"], 2);
        assert!(["x[1]", "x[2]"].iter().all(|x| inputs[x].is_null() || inputs[x] == 9), "{inputs}");
    }
}

#[test]
fn pools_at_gates_that_two_machines_share() {
    let model = "
        type Small = 0..50
        sts Sender { out send(k: Int)  initial location A  location B  A -> B : send !send(k) when k > 10 }
        sts Taker { in send(k: Small)  initial location A  location B  A -> B : take ?send(k) when k < 40 }
        system Both = s: Sender || t: Taker rename { send -> pass }
        system All = Sender || Taker
        purpose passed for All { member(take) on Taker.fired }
        data Small { 5, 45, 33 }";
    let (cases, _) = cases(&written("shared", model), "passed", "one", &[]);
    assert_eq!(event(&cases[0], 0)["k"], 33);
}

#[test]
fn imports_bring_their_pools() {
    written(
        "imported",
        "sts Door { in open(code: Int)  initial location A  location B  A -> B : open ?open(code) }
        data code { 12 }",
    );
    let model = written("importing", "import \"pools_imported.tw\" purpose opened for Door { member(open) on fired }");
    assert_eq!(event(&cases(&model, "opened", "one", &[]).0[0], 0)["code"], 12);
}

#[test]
fn simulations_prefer_pools() {
    let model = "
        sts Shop { in order(who: String, n: Int), pay(amt: Int)
          var known: Int = any
          initial location A  location B
          A -> B : order ?order(who, n)
          B -> A : pay ?pay(amt) when amt > 1 }
        data who { \"Ada\", \"Bo\": 9 }
        data n { 40, 50 }
        data amt { 1 }
        data known { 6 }";
    let model = written("simulated", model);
    let (mut bos, mut orders) = (0, 0);
    for seed in 1..=10 {
        let output = tracewright(&["simulate", &model, "--steps", "20", "--seed", &seed.to_string(), "--json"]);
        output.succeeds();
        let run: Json = serde_json::from_str(&output.stdout).expect("JSON");
        assert_eq!(run["initial"]["vars"]["known"], 6);
        for step in run["steps"].as_array().expect("a list") {
            let data = &step["data"];
            if step["gate"] == "order" {
                assert!([40, 50].contains(&number(&data["n"])), "{data}");
                orders += 1;
                bos += usize::from(text(&data["who"]) == "Bo");
            } else {
                assert!(number(&data["amt"]) > 1, "no value of the pool fits, so that others are taken");
            }
        }
    }
    assert!(orders == 100 && (75..=99).contains(&bos), "{bos} of {orders}");
    let output = tracewright(&["simulate", &model, "--steps", "1", "--values", "n={3}", "--json"]);
    assert!(output.stdout.contains("\"n\":3"), "values of the command line come first: {}", output.stdout);
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

#[test]
fn boundaries_of_the_blinker_by_class() {
    let blinker = std::fs::read_to_string("examples/blinker.tw").expect("the example");
    let purpose = "purpose by_class for Blinking { last(b.state) == Off   classes interval { -1, 0, 1, 2..10, > 10 } }";
    let path = format!("{}/blinker_classes.tw", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, format!("{blinker}\n{purpose}\n")).expect("a file");
    let output = tracewright(&["gen", &path, "-p", "by_class", "--data", "boundary", "--json"]);
    // Below zero the lamp never goes out: that class has no case, which is said, and the others have theirs.
    assert_eq!(output.code, 1, "{}", output.stderr);
    let answer: Json = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(answer["purposes"][0]["conflict"].as_array().map(Vec::len), Some(1), "class -1");
    let mut of_class: BTreeMap<String, BTreeSet<(i64, bool)>> = BTreeMap::new();
    for case in answer["purposes"][0]["cases"].as_array().expect("a list") {
        let known = of_class.entry(text(&case["class"])).or_default();
        let first =
            case["sequence"]["steps"].as_array().expect("a list").iter().find(|s| !s["inputs"]["interval"].is_null());
        if let Some(step) = first {
            known.insert((number(&step["inputs"]["interval"]), case["leaves_at"].is_null()));
        }
        let reasons = case["reasons"].as_array().expect("a list");
        assert!(!reasons.is_empty() || known.len() == 1, "only what was found first has no reason: {case}");
    }
    let values = |class: &str| of_class.get(class).cloned().unwrap_or_default();
    let classes: Vec<&str> = of_class.keys().map(String::as_str).collect();
    assert_eq!(classes, ["0", "1", "2..10", "> 10"]);
    // Both sides of what decides: the timer runs out in that very step, neither earlier nor later.
    assert!(values("0").is_superset(&[(-1, false), (0, true), (1, false)].into()), "{of_class:?}");
    assert!(values("1").is_superset(&[(0, false), (1, true), (2, false)].into()), "{of_class:?}");
    assert!(values("2..10").is_superset(&[(1, false), (2, true), (3, false)].into()), "{of_class:?}");
    assert!(values("> 10").is_superset(&[(10, false), (11, true), (12, false)].into()), "{of_class:?}");
}

#[test]
fn negative_tests_are_refused_by_the_model() {
    let (model, purpose) = ("examples/orders.tw#Transfer", "sent");
    let output = tracewright(&["gen", model, "-p", purpose, "--negative", "--json"]);
    output.succeeds();
    let answer: Json = serde_json::from_str(&output.stdout).expect("JSON");
    let cases = answer["purposes"][0]["cases"].as_array().expect("a list");
    let mut refused: BTreeSet<(usize, String, String)> = BTreeSet::new();
    for (number, case) in cases.iter().enumerate().skip(1) {
        let event = &case["refused"];
        assert!(event.is_object() && case["meets"] == (case["length"] == 3), "{case}");
        let mut trace = case["sequence"].clone();
        let steps = trace["steps"].as_array_mut().expect("a list");
        refused.insert((steps.len(), text(&event["gate"]), event["data"].to_string()));
        steps.push(event.clone());
        let path = format!("{}/refused_{number}.json", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&path, trace.to_string()).expect("a file");
        let replayed = tracewright(&["replay", model, &path, "--json"]);
        let replayed: Json = serde_json::from_str(&replayed.stdout).expect("JSON");
        let step = number_of_steps(case) + 1;
        assert_eq!((&replayed["traces"][0]["accepted"], &replayed["traces"][0]["step"]), (&false.into(), &step.into()));
    }
    // Nothing can be transferred before a deposit, nor deposited twice; and nothing comes in while the system has to answer.
    for (after, gate) in [(0, "transfer"), (1, "deposit"), (2, "deposit"), (2, "transfer")] {
        assert!(refused.iter().any(|(steps, name, _)| (*steps, name.as_str()) == (after, gate)), "{gate}: {refused:?}");
    }
    for data in [r#"{"d":-1}"#, r#"{"d":101}"#, r#"{"amt":-1}"#, r#"{"amt":1}"#] {
        assert!(refused.iter().any(|(_, _, known)| known == data), "{data}: {refused:?}");
    }
}

fn number_of_steps(case: &Json) -> usize {
    case["sequence"]["steps"].as_array().expect("a list").len()
}

#[test]
fn events_in_the_wrong_order() {
    let model = format!("{}/order.tw", env!("CARGO_TARGET_TMPDIR"));
    let models = "
        sts Login { in name(n: Nat), pin(p: Nat)  var known: Nat = 0, done: Bool = false
          initial location A
          A -> A : name ?name(n) when n > 0 do known := n
          A -> A : pin ?pin(p) when p == known && known > 0 && !done do done := true }
        component Light { in on: Bool, off: Bool  initial state Dark  state Lit
          Dark -> Lit : on when on?true  Lit -> Dark : off when off?true }
        purpose entered for Login { member(pin) on fired }
        purpose lit for Light { length 2   last(fired) == off }";
    std::fs::write(&model, models).expect("a file");
    let reasons = |purpose: &str| -> Vec<(String, Json)> {
        let output = tracewright(&["gen", &model, "-p", purpose, "--negative", "--json"]);
        let answer: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
        let cases = answer["purposes"][0]["cases"].as_array().expect("a list").clone();
        let reasons = |case: &Json| case["reasons"].as_array().expect("a list").iter().map(text).collect::<Vec<_>>();
        cases.iter().flat_map(|case| reasons(case).into_iter().map(|reason| (reason, case.clone()))).collect()
    };
    // Which data is refused depends on the data before, and so does what comes too early or a second time.
    let login = reasons("entered");
    let of = |start: &str| login.iter().find(|(reason, _)| reason.starts_with(start)).map(|(_, case)| case);
    let early = of("nothing at `pin` is taken here").expect("no name, no pin");
    assert_eq!((number_of_steps(early), &early["refused"]["gate"]), (0, &"pin".into()));
    let light = reasons("lit");
    let exchanged = light.iter().find(|(reason, _)| reason == "inputs of steps 1 and 2 exchanged").expect("exchanged");
    assert_eq!(exchanged.1["leaves_at"], 1, "{light:?}");
}

#[test]
fn all_sets_of_few_values() {
    let model = "sts M { in put(s: Set<0..2>, t: Set<0..2>)  initial location A  location B
          A -> B : go ?put(s, t) when !(1 in s) && (0 in t) }
        purpose p for M { member(go) on fired }";
    let (cases, notes) = cases(&written("sets", model), "p", "exhaustive", &[]);
    assert_eq!((cases.len(), notes), (16, vec![]));
}

#[test]
fn pairs_with_a_record_of_few_values() {
    let model = "type Point = { x: 0..1, y: 0..2 }
        sts M { in put(p: Point, b: Bool)  initial location A  location B
          A -> B : go ?put(p, b) when p.x <= p.y }
        purpose p for M { member(go) on fired }";
    let (cases, _) = cases(&written("few_records", model), "p", "pairwise", &[]);
    let pairs: BTreeSet<String> = cases.iter().map(|case| event(case, 0).to_string()).collect();
    assert_eq!(pairs.len(), 10, "{pairs:?}");
}

//! Laws of values: what is written can be read back, as JSON and as text; division is Euclid's.

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::prelude::*;
use tracewright::model::{self, Checked, given_value};
use tracewright::syntax::{FileId, Sources, parse_expr};
use tracewright::term::{Definitions, Env, Extent, Fuel, Shown, Type, Value, extent, from_json, to_json};

const TYPES: &str = "type Colour = Red | Green
type Person = { name: String, age: Int }
type Tree = Leaf | Node(left: Tree, value: Int, right: Tree)
";

fn checked() -> Checked {
    let (sources, errors) = Sources::from_text("types.tw", TYPES);
    assert!(errors.is_empty());
    let (checked, problems) = model::check(&sources);
    assert!(problems.is_empty(), "{problems:?}");
    checked
}

fn option(value: Option<Value>) -> Value {
    match value {
        None => Value::Data(Definitions::OPTION, 0, [].into()),
        Some(value) => Value::Data(Definitions::OPTION, 1, [value].into()),
    }
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = Just(Value::Data(2, 0, [].into())).boxed();
    leaf.prop_recursive(3, 16, 2, |inner| {
        (inner.clone(), any::<i64>(), inner)
            .prop_map(|(left, n, right)| Value::Data(2, 1, [left, Value::int(n), right].into()))
    })
}

/// A type and one of its values.
fn typed() -> impl Strategy<Value = (Type, Value)> {
    // Small numbers, and some beyond what other programs read exactly.
    let number = prop_oneof![any::<i8>().prop_map(BigInt::from), any::<i128>().prop_map(BigInt::from)];
    let int = number.clone().prop_map(|n| (Type::INT, Value::Int(n)));
    let real = (number, 1..1000i64).prop_map(|(n, d)| (Type::Real, Value::real(BigRational::new(n, d.into()))));
    let text = any::<String>().prop_map(|text| (Type::Text, Value::text(&text)));
    let colour = (0..2u32).prop_map(|c| (Type::Data(0), Value::Data(0, c, [].into())));
    let person = (any::<String>(), any::<i64>())
        .prop_map(|(name, age)| (Type::Data(1), Value::Data(1, 0, [Value::text(&name), Value::int(age)].into())));
    let tree = tree().prop_map(|tree| (Type::Data(2), tree));
    let flat =
        prop_oneof![any::<bool>().prop_map(|b| (Type::Bool, Value::Bool(b))), int, real, text, colour, person, tree];
    prop_oneof![
        3 => flat.clone(),
        1 => (flat.clone(), 0..3usize).prop_map(|((ty, value), n)| {
            (Type::List(Box::new(ty)), Value::List(Arc::new(vec![value; n])))
        }),
        1 => (flat.clone(), any::<bool>()).prop_map(|((ty, value), some)| {
            (Type::Option(Box::new(ty)), option(some.then_some(value)))
        }),
        1 => (flat.clone(), flat).prop_map(|((key, k), (element, v))| {
            (Type::Map(Box::new(key), Box::new(element)), Value::Map(Arc::new([(k, v)].into())))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn json_reads_back((ty, value) in typed()) {
        let definitions = checked().definitions;
        let json = to_json(&value, &definitions);
        // Through text, as it would go through a file.
        let json: serde_json::Value = serde_json::from_str(&json.to_string()).expect("JSON");
        prop_assert_eq!(from_json(&json, &ty, &definitions), Ok(value));
    }

    #[test]
    fn only_absent_is_null((ty, value) in typed()) {
        let definitions = checked().definitions;
        prop_assert!(!to_json(&value, &definitions).is_null());
        prop_assert!(from_json(&serde_json::Value::Null, &ty, &definitions).is_err());
        prop_assert!(to_json(&Value::Absent, &definitions).is_null());
    }

    #[test]
    fn text_reads_back((ty, value) in typed()) {
        let checked = checked();
        let text = Shown { value: &value, definitions: &checked.definitions }.to_string();
        let expr = parse_expr(FileId(0), &text).map_err(|e| TestCaseError::fail(format!("{text}: {e:?}")))?;
        let read = given_value(&checked, &expr, &ty).map_err(|e| TestCaseError::fail(format!("{text}: {e:?}")))?;
        prop_assert_eq!(read, value);
    }

    #[test]
    fn division_is_euclids(a in any::<i64>(), b in any::<i64>().prop_filter("not zero", |b| *b != 0)) {
        let value = |text: String| {
            let expr = parse_expr(FileId(0), &text).expect("an expression");
            given_value(&checked(), &expr, &Type::INT).expect("a value")
        };
        let (quotient, rest) = (value(format!("({a}) / ({b})")), value(format!("({a}) % ({b})")));
        prop_assert_eq!(&quotient, &Value::int(i128::from(a).div_euclid(b.into())));
        prop_assert_eq!(&rest, &Value::int(i128::from(a).rem_euclid(b.into())));
    }
}

#[test]
fn types_count_as_endless_only_where_that_is_certain() {
    const ENDLESS: [&str; 17] = [
        "Int",
        "Nat",
        "Real",
        "String",
        "Above",
        "Other",
        "Even",
        "Big",
        "0..200000",
        "List<Bool>",
        "List<Square>",
        "Set<Int>",
        "Map<Int, Bool>",
        "Map<Bool, Int>",
        "Option<Int>",
        "Chain",
        "{ name: String, is_on: Bool }",
    ];
    const UNTOLD: [&str; 9] =
        ["Odd", "Far", "Square", "Letter", "Unequal", "Map<Square, Bool>", "Option<Letter>", "Rows", "Map<Bool, Four>"];
    const LISTED: [(&str, usize); 5] = [("Bool", 2), ("Four", 1), ("Nobody", 0), ("Option<Four>", 2), ("Set<Four>", 2)];
    let types = "type Above = Int where it > 3 && it != 5
type Other = Real where it != 0.0
type Four = Int where 3 < it && it < 5
const TEN: Int = 10
type Even = Int where it % 2 == 0
type Big = Even where it > TEN && it % 3 == 1
type Odd = Even where it % 4 == 1
type Far = Int where it % 7 == it
type Nobody = Nat where it < 0
type Square = Int where it == it * it
type Letter = String where it matches \"a\"
type Unequal = Int where it != it
type Chain = End | Link(next: Chain)
type Rows = One(of: Square) | Two(of: Odd, n: Int)
";
    let all = ENDLESS.iter().chain(&UNTOLD).copied().chain(LISTED.map(|(text, _)| text));
    let fields = all.enumerate().map(|(number, text)| match text.strip_prefix('{') {
        Some(_) => (format!("type Row{number} = {text}\n"), format!("f{number}: Row{number}")),
        None => (String::new(), format!("f{number}: {text}")),
    });
    let (rows, fields): (Vec<String>, Vec<String>) = fields.unzip();
    let text = format!("{types}{}type Probe = {{ {} }}\n", rows.concat(), fields.join(", "));
    let (sources, errors) = Sources::from_text("types.tw", &text);
    assert!(errors.is_empty());
    let (checked, problems) = model::check(&sources);
    assert!(problems.is_empty(), "{problems:?}");
    let definitions = &checked.definitions;
    let probe = definitions.types.iter().find(|ty| ty.name == "Probe").expect("it is declared");
    let fuel = Fuel::new();
    let env = Env { definitions, slots: &[], fuel: &fuel };
    let extents: Vec<Extent> = probe.constructors[0].fields.iter().map(|(_, ty)| extent(ty, env)).collect();
    let (endless, others) = extents.split_at(ENDLESS.len());
    let (untold, listed) = others.split_at(UNTOLD.len());
    for (text, found) in ENDLESS.iter().zip(endless) {
        assert_eq!(*found, Extent::Endless, "{text}");
    }
    for (text, found) in UNTOLD.iter().zip(untold) {
        assert_eq!(*found, Extent::Untold, "{text}");
    }
    for ((text, count), found) in LISTED.iter().zip(listed) {
        assert!(matches!(found, Extent::Listed(values) if values.len() == *count), "{text}: {found:?}");
    }
}

//! Quantifiers over open values: what elimination says is what trying all values says, and what it leaves goes to the solver.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use tracewright::solve::{Solver, Verdict, Z3};
use tracewright::term::{Range, Sort, Store, Symbol, Term, Terms, Value};

use crate::binary;

/// A condition over x and y, which are bound, and u and v, which are free; all of them small.
#[derive(Clone, Debug)]
enum Condition {
    AtMost(Vec<i64>, i64),
    Equal(Vec<i64>, i64),
    Flag(bool),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    /// x * y == u + k: nothing that elimination knows of.
    Product(i64),
}

/// Numbers x, y, u, v, and the bound truth value b.
type Values = ([i64; 4], bool);

fn sum(factors: &[i64], values: &[i64; 4]) -> i64 {
    factors.iter().zip(values).map(|(factor, value)| factor * value).sum()
}

impl Condition {
    fn holds(&self, values: &Values) -> bool {
        match self {
            Condition::AtMost(factors, k) => sum(factors, &values.0) <= *k,
            Condition::Equal(factors, k) => sum(factors, &values.0) == *k,
            Condition::Flag(truth) => values.1 == *truth,
            Condition::Not(inner) => !inner.holds(values),
            Condition::And(a, b) => a.holds(values) && b.holds(values),
            Condition::Or(a, b) => a.holds(values) || b.holds(values),
            Condition::Product(k) => values.0[0] * values.0[1] == values.0[2] + k,
        }
    }

    fn term(&self, terms: &mut Terms, symbols: &[Symbol; 5]) -> Term {
        let linear = |terms: &mut Terms, factors: &[i64], k: i64| {
            let mut total = terms.int(-k);
            for (factor, symbol) in factors.iter().zip(symbols) {
                let (factor, symbol) = (terms.int(*factor), terms.symbol(*symbol));
                let part = terms.multiply(factor, symbol);
                total = terms.add(total, part);
            }
            (total, terms.int(0))
        };
        match self {
            Condition::AtMost(factors, k) => {
                let (total, zero) = linear(terms, factors, *k);
                terms.at_most(total, zero)
            }
            Condition::Equal(factors, k) => {
                let (total, zero) = linear(terms, factors, *k);
                terms.equal(total, zero)
            }
            Condition::Flag(truth) => {
                let flag = terms.symbol(symbols[4]);
                if *truth { flag } else { terms.not(flag) }
            }
            Condition::Not(inner) => {
                let inner = inner.term(terms, symbols);
                terms.not(inner)
            }
            Condition::And(a, b) => {
                let (a, b) = (a.term(terms, symbols), b.term(terms, symbols));
                terms.and(a, b)
            }
            Condition::Or(a, b) => {
                let (a, b) = (a.term(terms, symbols), b.term(terms, symbols));
                terms.or(a, b)
            }
            Condition::Product(k) => {
                let [x, y, u, ..] = symbols.map(|symbol| terms.symbol(symbol));
                let (product, k) = (terms.multiply(x, y), terms.int(*k));
                let other = terms.add(u, k);
                terms.equal(product, other)
            }
        }
    }
}

fn condition(with_products: bool) -> impl Strategy<Value = Condition> {
    let factors = || prop::collection::vec(-2..=2i64, 4);
    let linear = prop_oneof![
        4 => (factors(), -3..=3i64).prop_map(|(factors, k)| Condition::AtMost(factors, k)),
        2 => (factors(), -3..=3i64).prop_map(|(factors, k)| Condition::Equal(factors, k)),
        1 => any::<bool>().prop_map(Condition::Flag),
    ];
    let leaf = if with_products {
        prop_oneof![2 => linear, 1 => (-2..=2i64).prop_map(Condition::Product)].boxed()
    } else {
        linear.boxed()
    };
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|c| Condition::Not(Box::new(c))),
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Condition::And(Box::new(a), Box::new(b))),
            2 => (inner.clone(), inner).prop_map(|(a, b)| Condition::Or(Box::new(a), Box::new(b))),
        ]
    })
}

const SMALL: std::ops::RangeInclusive<i64> = -2..=2;

fn symbols() -> [Symbol; 5] {
    [0, 1, 2, 3, 4].map(|number| Symbol { number, sort: if number == 4 { Sort::Bool } else { Sort::Int } })
}

/// The condition, and that the bound numbers are small: quantified.
fn quantified(condition: &Condition, terms: &mut Terms) -> Term {
    let symbols = symbols();
    let mut parts = vec![condition.term(terms, &symbols)];
    let (low, high) = (terms.int(*SMALL.start()), terms.int(*SMALL.end()));
    for symbol in &symbols[..2] {
        let symbol = terms.symbol(*symbol);
        parts.extend([terms.at_most(low, symbol), terms.at_most(symbol, high)]);
    }
    let all = terms.all(parts);
    terms.exists(&[symbols[0], symbols[1], symbols[4]], all)
}

/// Whether some small values of the bound symbols will do.
fn some(condition: &Condition, u: i64, v: i64) -> bool {
    SMALL
        .flat_map(|x| SMALL.map(move |y| (x, y)))
        .any(|(x, y)| [false, true].into_iter().any(|flag| condition.holds(&([x, y, u, v], flag))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Where elimination leaves no quantifier, it says exactly what trying all values says.
    #[test]
    fn elimination_is_exact(condition in condition(false)) {
        let mut terms = Terms::new();
        let exists = quantified(&condition, &mut terms);
        if terms.has_quantifier(exists) {
            return Ok(());
        }
        for u in SMALL {
            for v in SMALL {
                let values = [0, 0, u, v].map(Value::int);
                let said = terms.value_under(exists, &values);
                prop_assert_eq!(said, Some(Value::Bool(some(&condition, u, v))), "u = {}, v = {}", u, v);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// What keeps its quantifier is decided by the solver, which agrees or does not know.
    #[test]
    fn the_solver_decides_the_rest(condition in condition(true), u in SMALL, v in SMALL) {
        let mut terms = Terms::new();
        let exists = quantified(&condition, &mut terms);
        let [_, _, a, b, _] = symbols().map(|symbol| terms.symbol(symbol));
        let (u_is, v_is) = (terms.int(u), terms.int(v));
        let at = [terms.equal(a, u_is), terms.equal(b, v_is)];
        let mut solver = Z3::new(0);
        match solver.check(&terms, &[exists, at[0], at[1]]) {
            Verdict::Satisfiable(_) => prop_assert!(some(&condition, u, v)),
            Verdict::Unsatisfiable(_) => prop_assert!(!some(&condition, u, v)),
            Verdict::Unknown(_) => {}
        }
    }
}

/// Elimination gets to the end for most conditions of the kind that guards are made of.
#[test]
fn most_linear_conditions_are_eliminated() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut eliminated = 0;
    for _ in 0..500 {
        let tree = condition(false).new_tree(&mut runner).expect("a condition");
        let mut terms = Terms::new();
        let exists = quantified(&tree.current(), &mut terms);
        eliminated += usize::from(!terms.has_quantifier(exists));
    }
    assert!(eliminated >= 300, "{eliminated} of 500");
}

/// A range of a symbol is enough to see what a bound means: over the naturals `q <= 0` is `q == 0`.
#[test]
fn a_bound_at_the_end_of_a_range_is_an_equation() {
    let (mut terms, mut store) = (Terms::new(), Store::default());
    let q = store.add(Range::Number {
        is_int: true,
        low: Some((num_bigint::BigInt::from(0).into(), true)),
        high: None,
        holes: Default::default(),
    });
    let (q, zero) = (terms.symbol(q), terms.int(0));
    let (bound, equation) = (terms.at_most(q, zero), terms.equal(q, zero));
    assert_eq!(store.simplified(&mut terms, bound), equation);
}

/// Silence that no elimination reaches: an output whose data is a square. The specification is silent for all other numbers.
#[test]
fn silence_with_a_quantifier_is_decided_or_unknown() {
    let text = |name: &str, guard: &str| {
        format!(
            "sts {name} {{\n  in ask(n: 0..20)\n  out root(r: Nat)\n  var w: 0..20 = 0\n  initial location l\n  \
             location m\n  l -> m : ?ask(n) do w := n\n  m -> l : !root(r) when {guard}\n  m -> m : ?ask(n)\n}}\n"
        )
    };
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("quantifiers");
    std::fs::create_dir_all(&folder).expect("a folder for models");
    let file = folder.join("roots.tw");
    let models =
        text("Spec", "r * r == w") + &text("Same", "w == r * r && r <= w") + &text("Wrong", "r * r == w && r != 3");
    std::fs::write(&file, models).expect("writable");
    let name = |model: &str| format!("{}#{model}", file.display());
    let answer = |model: &str| {
        let output = binary::tracewright(&["conform", "--json", &name(model), &name("Spec"), "--time", "20"]);
        let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        (json["conforms"].clone(), output.code)
    };
    // Never the other way round.
    assert!([(true.into(), 0), (true.into(), 3), (serde_json::Value::Null, 3)].contains(&answer("Same")));
    assert!([(false.into(), 1), (serde_json::Value::Null, 3)].contains(&answer("Wrong")));
}

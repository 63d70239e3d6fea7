@ABOUT@#![allow(dead_code, unused_variables, clippy::all)]

mod @NAME@_adapter;

use @NAME@_adapter::Adapter;

/// What a value is at first sight.
pub enum Kind {
    Bool,
    Int,
    Real,
    Text,
    OneOf(&'static [&'static str]),
    Record(&'static [(&'static str, Kind)]),
    Optional(&'static Kind),
    List(&'static Kind),
    Set(&'static Kind),
    Map(&'static Kind, &'static Kind),
    Made(&'static [(&'static str, &'static [Kind])]),
    Any,
}

/// What is observed at each gate.
const OBSERVED: &[(&str, &[(&str, Kind)])] = &[
@OBSERVED@];

impl Kind {
    fn has(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Any, _) | (Kind::Bool, Value::Bool(_)) | (Kind::Text, Value::Text(_)) => true,
            (Kind::Optional(_), Value::Absent) => true,
            (Kind::Optional(kind), value) => kind.has(value),
            (Kind::OneOf(names), Value::Text(text)) => names.contains(&text.as_str()),
            (Kind::Record(kinds), Value::Record(data)) => fits_kinds(kinds, data),
            (Kind::List(kind), Value::List(all)) | (Kind::Set(kind), Value::Set(all)) => {
                all.iter().all(|one| kind.has(one))
            }
            (Kind::Map(key, kind), Value::Map(pairs)) => pairs.iter().all(|(k, v)| key.has(k) && kind.has(v)),
            (Kind::Made(constructors), Value::Made(name, args)) => {
                let kinds = constructors.iter().find(|(known, _)| known == name).map(|(_, kinds)| *kinds);
                let fits = |kinds: &[Kind]| kinds.len() == args.len() && kinds.iter().zip(args).all(|(kind, one)| kind.has(one));
                kinds.is_some_and(fits)
            }
            (Kind::Int | Kind::Real, Value::Int(_)) => true,
            (Kind::Int, Value::Real(n, d)) => n % d == 0,
            (Kind::Int, Value::Digits(digits)) => !digits.contains('/'),
            (Kind::Real, Value::Real(..) | Value::Digits(_)) => true,
            _ => false,
        }
    }
}

/// Whether data has the names and the kinds that the model says.
fn fits_kinds(kinds: &[(&str, Kind)], data: &Data) -> bool {
    let is_there = |(name, kind): &(&str, Kind)| data.get(*name).is_some_and(|value| kind.has(value));
    kinds.len() == data.len() && kinds.iter().all(is_there)
}

/// A value of the model. Enumerations are words.
#[derive(Clone, Debug)]
pub enum Value {
    Absent,
    Bool(bool),
    Int(i128),
    /// A numerator and a denominator above zero.
    Real(i128, i128),
    /// A number that is too long for the others: `-12345` or `1/12345`.
    Digits(String),
    Text(String),
    Record(Data),
    Made(String, Vec<Value>),
    List(Vec<Value>),
    Set(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// Values by name.
pub type Data = std::collections::BTreeMap<String, Value>;

/// The system refuses what it is given.
#[derive(Clone, Copy, Debug)]
pub struct Refused;

impl Value {
    /// A field of a record.
    pub fn field(&self, name: &str) -> Value {
        match self {
            Value::Record(fields) => get(fields, name),
            _ => Value::Absent,
        }
    }

    fn fraction(&self) -> Option<(Whole, Whole)> {
        match self {
            Value::Int(n) => Some((Whole::new(&n.to_string()), Whole::new("1"))),
            Value::Real(n, d) => Some((Whole::new(&n.to_string()), Whole::new(&d.to_string()))),
            Value::Digits(digits) => {
                let (n, d) = digits.split_once('/').unwrap_or((digits, "1"));
                Some((Whole::new(n), Whole::new(d)))
            }
            _ => None,
        }
    }
}

/// A whole number of any length: whether it is below zero, and its digits from the last to the first, none for zero.
#[derive(Clone, PartialEq)]
struct Whole(bool, Vec<u32>);

impl Whole {
    fn new(digits: &str) -> Whole {
        let plain = digits.trim_start_matches('-');
        Whole::of(digits.starts_with('-'), plain.chars().rev().filter_map(|c| c.to_digit(10)).collect())
    }

    /// Carries what is too much for one digit.
    fn of(is_negative: bool, mut digits: Vec<u32>) -> Whole {
        let mut place = 0;
        while place < digits.len() {
            let carry = digits[place] / 10;
            digits[place] %= 10;
            if carry > 0 && place + 1 == digits.len() {
                digits.push(0);
            }
            if carry > 0 {
                digits[place + 1] += carry;
            }
            place += 1;
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Whole(is_negative && !digits.is_empty(), digits)
    }

    fn times(&self, other: &Whole) -> Whole {
        let mut out = Whole(false, vec![]);
        for (shift, factor) in other.1.iter().enumerate() {
            let digits = vec![0; shift].into_iter().chain(self.1.iter().map(|digit| digit * factor)).collect();
            out = out.plus(&Whole::of(false, digits));
        }
        Whole::of(self.0 != other.0, out.1)
    }

    fn plus(&self, other: &Whole) -> Whole {
        let digit = |of: &Whole, place: usize| of.1.get(place).copied().unwrap_or(0);
        let places = self.1.len().max(other.1.len());
        if self.0 == other.0 {
            return Whole::of(self.0, (0..places).map(|place| digit(self, place) + digit(other, place)).collect());
        }
        // The shorter one is taken away from the longer one, with ten borrowed for each place.
        let is_longer = self.1.len() > other.1.len() || self.1.len() == other.1.len() && self.1.iter().rev().ge(other.1.iter().rev());
        let (long, short) = if is_longer { (self, other) } else { (other, self) };
        let mut borrowed = 0;
        let digits = (0..places).map(|place| {
            let sum = 10 + digit(long, place) - digit(short, place) - borrowed;
            borrowed = 1 - sum / 10;
            sum % 10
        });
        Whole::of(long.0, digits.collect())
    }

    fn text(&self) -> String {
        let digits: String = self.1.iter().rev().map(u32::to_string).collect();
        match digits.is_empty() {
            true => "0".to_owned(),
            false => format!("{}{digits}", if self.0 { "-" } else { "" }),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        fn among<T: PartialEq>(some: &[T], all: &[T]) -> bool {
            some.iter().all(|one| all.contains(one))
        }
        match (self, other) {
            (Value::Absent, Value::Absent) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Record(a), Value::Record(b)) => a == b,
            (Value::Made(a, x), Value::Made(b, y)) => a == b && x == y,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Set(a), Value::Set(b)) => among(a, b) && among(b, a),
            (Value::Map(a), Value::Map(b)) => among(a, b) && among(b, a),
            _ => self.partial_cmp(other) == Some(std::cmp::Ordering::Equal),
        }
    }
}

impl PartialOrd for Value {
    /// Only numbers are below or above each other.
    fn partial_cmp(&self, other: &Value) -> Option<std::cmp::Ordering> {
        let ((a, b), (c, d)) = (self.fraction()?, other.fraction()?);
        let minus = Whole::new("-1");
        let difference = a.times(&d).plus(&c.times(&b).times(&minus));
        Some(match difference {
            Whole(_, digits) if digits.is_empty() => std::cmp::Ordering::Equal,
            Whole(true, _) => std::cmp::Ordering::Less,
            Whole(false, _) => std::cmp::Ordering::Greater,
        })
    }
}

/// A whole number.
pub fn int(n: i128) -> Value {
    Value::Int(n)
}

/// A text, or a name of an enumeration.
pub fn word(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// Values by name.
pub fn data(pairs: &[(&str, Value)]) -> Data {
    pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}

/// A value by its name; absent if there is none.
pub fn get(data: &Data, name: &str) -> Value {
    data.get(name).cloned().unwrap_or(Value::Absent)
}

/// A number made of others; absent if one of them is none.
fn combined(numbers: &[Value], f: fn((Whole, Whole), (Whole, Whole)) -> (Whole, Whole)) -> Value {
    let all: Option<Vec<(Whole, Whole)>> = numbers.iter().map(Value::fraction).collect();
    let Some((n, d)) = all.and_then(|all| all.into_iter().reduce(f)) else { return Value::Absent };
    let (n, d) = (n.text(), d.text());
    match (n.parse(), d.parse()) {
        (Ok(n), Ok(1)) => Value::Int(n),
        (Ok(n), Ok(d)) => Value::Real(n, d),
        _ => Value::Digits(if d == "1" { n } else { format!("{n}/{d}") }),
    }
}

/// A sum.
pub fn plus(numbers: &[Value]) -> Value {
    combined(numbers, |(a, b), (c, d)| (a.times(&d).plus(&c.times(&b)), b.times(&d)))
}

/// A product.
pub fn times(numbers: &[Value]) -> Value {
    combined(numbers, |(a, b), (c, d)| (a.times(&c), b.times(&d)))
}

fn shown(name: &str, data: &Data) -> String {
    fn plain(value: &Value) -> String {
        match value {
            Value::Absent => "absent".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Real(n, d) => format!("{n}/{d}"),
            Value::Digits(text) => text.clone(),
            Value::Text(text) => format!("{text:?}"),
            Value::Record(fields) => shown("", fields),
            Value::Made(name, args) => format!("{name}({})", list(args)),
            Value::List(elements) => format!("[{}]", list(elements)),
            Value::Set(elements) => format!("{{{}}}", list(elements)),
            Value::Map(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("{}: {}", plain(k), plain(v))).collect();
                format!("{{{}}}", pairs.join(", "))
            }
        }
    }
    fn list(values: &[Value]) -> String {
        values.iter().map(plain).collect::<Vec<_>>().join(", ")
    }
    let parts: Vec<String> = data.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
    format!("{name}({})", parts.join(", "))
}

type Rule<'a> = &'a dyn Fn(&Data) -> bool;

/// What is as planned, and what the model allows instead.
struct Rules<'a> {
    when: Option<Rule<'a>>,
    says: &'a str,
    fits: bool,
    otherwise: &'a [(&'a str, Rule<'a>)],
    others: bool,
    lenient: bool,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules { when: None, says: "", fits: true, otherwise: &[], others: false, lenient: false }
    }
}

/// The model allows what was seen, but it is not what was planned: no verdict.
struct Inconclusive(String);

/// Runs a test with a fresh system. Cargo cannot skip a running test: an inconclusive one says so, and ends.
fn run(initial: Data, test: impl FnOnce(&mut Adapter) -> Result<(), Inconclusive>) {
    if let Err(Inconclusive(why)) = test(&mut Adapter::start(initial)) {
        println!("inconclusive: {why}");
    }
}

fn meets(holds: bool, says: &str) -> Result<(), Inconclusive> {
    match holds {
        true => Ok(()),
        false => Err(Inconclusive(format!("the system did nothing wrong, but the purpose needs {says}"))),
    }
}

fn wanted(name: &str, planned: &Data, rules: &Rules<'_>) -> String {
    let with = if rules.says.is_empty() { String::new() } else { format!(" with {}", rules.says) };
    format!("{}{with}", shown(name, planned))
}

/// What was observed, if it is as planned. A plan and what came are a gate and its data.
fn judge(
    (step, on): (usize, &str),
    (gate, planned): (&str, Data),
    rules: Rules<'_>,
    (name, data): (&str, Data),
) -> Result<Data, Inconclusive> {
    let kinds = OBSERVED.iter().find(|(known, _)| *known == name).map(|(_, kinds)| *kinds);
    if kinds.is_some_and(|kinds| fits_kinds(kinds, &data)) {
        if name == gate && rules.when.map_or(data == planned, |when| when(&data)) {
            return Ok(data);
        }
        if rules.others || rules.otherwise.iter().any(|(other, one)| *other == name && one(&data)) {
            return Err(Inconclusive(format!("step {step}: the model may allow {}", shown(name, &data))));
        }
    }
    panic!("step {step}: {on}expected {}, got {}", wanted(gate, &planned, &rules), shown(name, &data))
}

/// Something that must be refused was done.
fn attempt(step: usize, what: String, refused: bool, rules: Rules<'_>) -> Result<(), Inconclusive> {
    match (refused, rules.lenient) {
        (true, _) => Ok(()),
        (false, true) => Err(Inconclusive(format!("step {step}: the model may take {what} here"))),
        (false, false) => panic!("step {step}: expected {what} to be refused, and it was taken"),
    }
}
@STYLE@@TESTS@

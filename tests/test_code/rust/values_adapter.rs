//! Turns values of all types. FAULT makes it a wrong one, TEXT is the text that is heard in front of one that is not empty.

use super::{Data, Refused, Value, data, get, int, word};

pub struct Adapter {
    fault: String,
    base: Value,
}

impl Adapter {
    pub fn start(initial: Data) -> Adapter {
        Adapter { fault: std::env::var("FAULT").unwrap_or_default(), base: get(&initial, "base") }
    }

    pub fn step(&mut self, inputs: &Data) -> Result<Data, Refused> {
        let given = |name: &str| get(inputs, name);
        let mut number = match given("int") {
            // A coin, which shows the other side if that is the ANSWER.
            Value::Absent => {
                let coin = match given("bool") {
                    Value::Bool(coin) => Value::Bool(coin != std::env::var("ANSWER").is_ok()),
                    other => other,
                };
                return Ok(data(&[("new_bool", coin)]));
            }
            Value::Int(n) => n.to_string(),
            Value::Digits(digits) => digits,
            other => panic!("not a whole number: {other:?}"),
        };
        let (Value::Real(n, d), Value::Bool(flag), Value::Text(colour), Value::Text(mut text)) =
            (given("float"), given("bool"), given("enum"), given("str"))
        else {
            panic!("values of other kinds: {inputs:?}");
        };
        let (Value::List(mut list), Value::Set(mut set), Value::Map(mut map), Value::Set(mut parts)) =
            (given("list"), given("set"), given("map"), given("parts"))
        else {
            panic!("values of other kinds: {inputs:?}");
        };
        if self.fault == "rounded" {
            number = format!("{:.0}", number.parse::<f64>().unwrap());
        }
        if self.fault == "plain" {
            text = text.replace(|c: char| !(' '..='~').contains(&c), "?");
        }
        let whole = given("struct");
        let sides = [("left", whole.field("right")), ("right", whole.field("left")), ("weight", whole.field("weight"))];
        let next_colour =
            ["Green", "Blue", "Red"][["Red", "Green", "Blue"].iter().position(|one| *one == colour).unwrap()];
        let option = match given("nil") {
            Value::Made(name, _) if name == "None" => Value::Made("Some".to_owned(), vec![whole_number(&number)]),
            _ => Value::Made("None".to_owned(), vec![]),
        };
        list.reverse();
        list.push(self.base.clone());
        set.push(whole_number(&number));
        map.retain(|(key, _)| *key != word(&text));
        map.push((word(&text), whole_number(&number)));
        parts.push(whole.field("left"));
        let front = if text.is_empty() { String::new() } else { decoded(&std::env::var("TEXT").unwrap()) };
        Ok(data(&[
            ("new_int", next(&number)),
            ("new_float", Value::Real(2 * n + d, 2 * d)),
            ("new_bool", Value::Bool(!flag)),
            ("new_enum", word(next_colour)),
            ("new_struct", Value::Record(data(&sides))),
            ("new_union", turned(given("union"))),
            ("new_nil", option),
            ("new_list", Value::List(list)),
            ("new_set", Value::Set(set)),
            ("new_map", Value::Map(map)),
            ("new_str", word(&(front + &text))),
            ("new_parts", Value::Set(parts)),
        ]))
    }
}

fn whole_number(digits: &str) -> Value {
    digits.parse().map_or_else(|_| Value::Digits(digits.to_owned()), Value::Int)
}

/// The next number, digit by digit.
fn next(digits: &str) -> Value {
    let magnitude = digits.trim_start_matches('-');
    let (from, to, step) = if magnitude == digits { ('9', '0', 1) } else { ('0', '9', -1) };
    let kept = magnitude.trim_end_matches(from);
    let carried = to.to_string().repeat(magnitude.len() - kept.len());
    let (front, last) = kept.split_at(kept.len().saturating_sub(1));
    let changed = last.parse::<i8>().unwrap_or(0) + step;
    let sign = if magnitude == digits { "" } else { "-" };
    whole_number(&format!("{sign}{front}{changed}{carried}"))
}

fn decoded(hex: &str) -> String {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    String::from_utf8((0..hex.len()).step_by(2).map(byte).collect()).unwrap()
}

fn turned(shape: Value) -> Value {
    let Value::Made(name, mut parts) = shape else { panic!("not a shape: {shape:?}") };
    match name.as_str() {
        "Dot" => Value::Made("Circle".to_owned(), vec![int(1)]),
        "Circle" => Value::Made("Box".to_owned(), vec![parts.remove(0), int(2)]),
        "Box" => Value::Made(name, parts.into_iter().rev().collect()),
        _ => Value::Made(name, parts.into_iter().rev().map(turned).collect()),
    }
}

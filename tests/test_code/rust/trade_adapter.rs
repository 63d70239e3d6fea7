//! A trader who chooses what to offer. With FAULT he makes the mistake that he is asked for.

use std::collections::VecDeque;

use super::{Data, Refused, Value, data, get, int, word};

const BIG: &str = "1000000000000000000000000000000000000000000";

pub struct Adapter {
    is_wrong: bool,
    mistake: String,
    offered: Option<(Value, Data)>,
    outputs: VecDeque<(String, Data)>,
}

impl Adapter {
    pub fn start(_: Data) -> Adapter {
        let is_wrong = std::env::var("FAULT").is_ok();
        Adapter { is_wrong, mistake: String::new(), offered: None, outputs: VecDeque::new() }
    }

    pub fn send(&mut self, gate: &str, given: &Data) -> Result<Data, Refused> {
        match gate {
            "class" => {
                let number = digits(&get(given, "new"));
                let rounded = || format!("{:.0}", number.parse::<f64>().unwrap());
                let number = if self.is_wrong { rounded() } else { number };
                return Ok(data(&[("result", next(&number))]));
            }
            "func" => {
                let part = get(given, "def");
                let (Value::Text(name), Value::List(mut tags)) = (part.field("name"), part.field("tags")) else {
                    panic!("not a part: {part:?}");
                };
                if !self.is_wrong {
                    tags.push(word(&name));
                }
                let part = data(&[("name", word(&format!("{name}!"))), ("tags", Value::List(tags))]);
                return Ok(data(&[("result", Value::Record(part))]));
            }
            "lambda" => {
                let Value::Text(name) = get(given, "static") else { panic!("not a text: {given:?}") };
                if self.is_wrong {
                    self.mistake = name.clone();
                }
                let offer = self.offer(&name, &digits(&get(given, "limit")));
                self.outputs.push_back(offer);
            }
            "self" => {
                let Some((number, good)) = self.offered.take() else { return Err(Refused) };
                if get(given, "await") != number || get(given, "null") != Value::Record(good.clone()) {
                    return Err(Refused);
                }
                let Value::Real(n, d) = get(&good, "price") else { panic!("not a price: {good:?}") };
                let shown = if self.mistake == "forgetful" { number } else { next(&digits(&number)) };
                let last = data(&[("void", shown), ("package", Value::Real(n + d, d))]);
                self.outputs.push_back(("final".to_owned(), last));
            }
            "async" => {
                let number = if self.is_wrong { next(BIG) } else { Value::Digits(BIG.to_owned()) };
                self.outputs.push_back(list(number));
            }
            _ => return Err(Refused),
        }
        Ok(Data::new())
    }

    /// Offers as much as it may: a fifth less than it is asked for.
    fn offer(&mut self, name: &str, limit: &str) -> (String, Data) {
        let most = format!("4{}", limit.strip_prefix('5').unwrap());
        let mut good =
            data(&[("name", word(&format!("{name}é"))), ("colour", word("Blue")), ("price", Value::Real(2, 3))]);
        let mut offer =
            data(&[("goto", Value::Digits(most.clone())), ("throws", Value::Bool(true)), ("extends", int(1 << 64))]);
        self.offered = Some((get(&offer, "goto"), good.clone()));
        match self.mistake.as_str() {
            "greedy" => offer.insert("goto".to_owned(), next(&most)),
            "cheap" => good.insert("price".to_owned(), Value::Real(1, 3)),
            "same" => good.insert("name".to_owned(), word(name)),
            "red" => good.insert("colour".to_owned(), word("Red")),
            "false" => offer.insert("throws".to_owned(), Value::Bool(false)),
            // Data of another kind.
            "purple" => good.insert("colour".to_owned(), word("Purple")),
            "half" => offer.insert("extends".to_owned(), Value::Real(1, 2)),
            "nothing" => offer.insert("extends".to_owned(), Value::Absent),
            "yes" => offer.insert("throws".to_owned(), word("yes")),
            "early" => return list(Value::Digits(BIG.to_owned())),
            _ => None,
        };
        offer.insert("yield".to_owned(), Value::Record(good));
        ("default".to_owned(), offer)
    }

    pub fn receive(&mut self) -> Option<(String, Data)> {
        self.outputs.pop_front()
    }
}

fn list(number: Value) -> (String, Data) {
    let reals = Value::List(vec![Value::Real(1, 2), Value::Real(1, 3)]);
    ("this".to_owned(), data(&[("switch", Value::Made("Some".to_owned(), vec![number])), ("super", reals)]))
}

fn digits(number: &Value) -> String {
    match number {
        Value::Int(n) => n.to_string(),
        Value::Digits(digits) => digits.clone(),
        other => panic!("not a whole number: {other:?}"),
    }
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
    let digits = format!("{sign}{front}{changed}{carried}");
    digits.parse().map_or_else(|_| Value::Digits(digits.clone()), Value::Int)
}

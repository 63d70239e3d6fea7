//! A system that walks along a graph; what it does is in the driver.

use super::*;
use crate::driver::System;

/// One system, fresh for each test.
pub struct Adapter {
    system: System,
    labels: Vec<(&'static str, Data)>,
}

impl Adapter {
    pub fn start(_: Data) -> Adapter {
        Adapter { system: System::start(), labels: labels() }
    }

    pub fn send(&mut self, gate: &str, data: &Data) -> Result<Data, Refused> {
        let sent = (gate, canonical(&Value::Record(data.clone())));
        let is_sent = |(gate, data): &(&'static str, Data)| sent == (*gate, canonical(&Value::Record(data.clone())));
        let label = self.labels.iter().position(is_sent);
        if self.system.send(label) { Ok(Data::new()) } else { Err(Refused) }
    }

    pub fn receive(&mut self) -> Option<(String, Data)> {
        let (gate, data) = self.labels[self.system.receive()?].clone();
        Some((gate.to_owned(), data))
    }
}

/// A text that is equal for two values only if they are the same value of a model: it does not rest on how tests compare values.
fn canonical(value: &Value) -> String {
    let each = |values: &[Value]| values.iter().map(canonical).collect::<Vec<_>>();
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts.join(",")
    };
    match value {
        Value::Absent => "absent".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(n) => format!("{n}/1"),
        Value::Real(n, d) => {
            let divisor = (1..=*d).rev().find(|k| n % k == 0 && d % k == 0).unwrap_or(1);
            format!("{}/{}", n / divisor, d / divisor)
        }
        Value::Digits(digits) => digits.clone(),
        Value::Text(text) => format!("{text:?}"),
        Value::Record(fields) => {
            format!("{{{}}}", sorted(fields.iter().map(|(name, one)| format!("{name}={}", canonical(one))).collect()))
        }
        Value::Made(name, args) => format!("{name}({})", each(args).join(",")),
        Value::List(all) => format!("[{}]", each(all).join(",")),
        Value::Set(all) => format!("set({})", sorted(each(all))),
        Value::Map(pairs) => {
            format!("map({})", sorted(pairs.iter().map(|(k, v)| format!("{}:{}", canonical(k), canonical(v))).collect()))
        }
    }
}

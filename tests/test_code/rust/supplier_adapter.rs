//! A supplier that works: it chooses reference numbers and quantities of its own. FAULT makes it a wrong one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};

use super::{Data, Refused, Value, data, get, int};

static NUMBERS: AtomicI64 = AtomicI64::new(4711);

#[derive(PartialEq)]
enum Phase {
    Idle,
    Quoted,
    Stuck,
}

pub struct Adapter {
    fault: String,
    answer: String,
    phase: Phase,
    reference: i128,
    outputs: VecDeque<(String, Data)>,
}

impl Adapter {
    pub fn start(_: Data) -> Adapter {
        Adapter {
            fault: std::env::var("FAULT").unwrap_or_default(),
            answer: std::env::var("ANSWER").unwrap_or("confirm".to_owned()),
            phase: Phase::Idle,
            reference: 0,
            outputs: VecDeque::new(),
        }
    }

    pub fn send(&mut self, gate: &str, given: &Data) -> Result<Data, Refused> {
        match gate {
            "rq" if self.phase == Phase::Idle => {
                let Value::Int(asked) = get(given, "quant") else { return Err(Refused) };
                self.reference = NUMBERS.fetch_add(17, Ordering::SeqCst).into();
                self.phase = if asked == 0 { Phase::Stuck } else { Phase::Quoted };
                if asked > 0 {
                    // Never more than half of what was asked for; a wrong one offers all of it.
                    let quant = if self.fault == "greedy" { asked } else { asked / 2 };
                    let quote = [("ref", int(self.reference)), ("prod", get(given, "prod")), ("quant", int(quant))];
                    self.outputs.push_back(("gq".to_owned(), data(&quote)));
                }
            }
            "ord" if self.phase == Phase::Quoted && get(given, "ref") == int(self.reference) => {
                let wrong = if self.fault == "forgetful" { 1 } else { 0 };
                self.outputs.push_back((self.answer.clone(), data(&[("ref", int(self.reference + wrong))])));
                self.phase = Phase::Idle;
            }
            _ => return Err(Refused),
        }
        Ok(Data::new())
    }

    pub fn receive(&mut self) -> Option<(String, Data)> {
        self.outputs.pop_front()
    }
}

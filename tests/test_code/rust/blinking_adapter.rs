//! A lamp that blinks, as one object. FAULT makes it a wrong one.

use super::{Data, Refused, Value, data, get};

pub struct Adapter {
    fault: String,
    interval: Option<i128>,
    is_on: bool,
    // What is on its way: it arrives one step after it was sent.
    pulse: Option<bool>,
    set: Option<i128>,
    timeout: bool,
    left: Option<i128>,
    last: Option<bool>,
}

impl Adapter {
    pub fn start(_: Data) -> Adapter {
        Adapter {
            fault: std::env::var("FAULT").unwrap_or_default(),
            interval: None,
            is_on: false,
            pulse: None,
            set: None,
            timeout: false,
            left: None,
            last: None,
        }
    }

    pub fn step(&mut self, inputs: &Data) -> Result<Data, Refused> {
        let (pulse, set, timeout) = (self.pulse.take(), self.set.take(), self.timeout);
        self.timeout = false;
        match (self.interval, get(inputs, "interval")) {
            (None, Value::Int(interval)) => {
                self.interval = Some(interval);
                self.switch(true);
            }
            (Some(_), _) if timeout => self.switch(!self.is_on),
            _ => {}
        }
        match self.left {
            None => self.left = set.map(|set| set + if self.fault == "slow" { 1 } else { 0 }),
            Some(0) => {
                self.left = None;
                self.timeout = true;
            }
            Some(left) if left > 0 => self.left = Some(left - 1),
            Some(_) => {}
        }
        // The lamp shows what was stored before this step.
        let shown = self.last.map(|lamp| lamp && self.fault != "dark");
        self.last = pulse.or(self.last);
        Ok(data(&[("lamp", shown.map_or(Value::Absent, Value::Bool))]))
    }

    fn switch(&mut self, is_on: bool) {
        self.is_on = is_on;
        self.pulse = Some(is_on);
        self.set = self.interval;
    }
}

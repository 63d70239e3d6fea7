
/// Applies inputs, and judges the outputs.
fn tick(sut: &mut Adapter, step: usize, inputs: Data, planned: Data, rules: Rules<'_>) -> Result<Data, Inconclusive> {
    let Ok(mut seen) = sut.step(&inputs) else {
        panic!("step {step}: expected {} to be taken, and it was refused", shown("inputs", &inputs));
    };
    for (name, _) in OBSERVED[0].1 {
        seen.entry(name.to_string()).or_insert(Value::Absent);
    }
    let on = format!("on {} ", shown("inputs", &inputs));
    judge((step, &on), ("outputs", planned), rules, ("outputs", seen))
}

/// Applies inputs that must be refused.
fn refuse(sut: &mut Adapter, step: usize, inputs: Data, rules: Rules<'_>) -> Result<(), Inconclusive> {
    attempt(step, shown("inputs", &inputs), sut.step(&inputs).is_err(), rules)
}

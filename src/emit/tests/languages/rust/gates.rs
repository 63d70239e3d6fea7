
/// Gives the system an input, and judges its result if it has one.
fn send(
    sut: &mut Adapter,
    step: usize,
    gate: &str,
    data: Data,
    planned: Data,
    rules: Rules<'_>,
) -> Result<Data, Inconclusive> {
    if !rules.fits {
        return Err(Inconclusive(format!("step {step}: {} does not fit what the system chose before", shown(gate, &data))));
    }
    match sut.send(gate, &data) {
        Err(Refused) if rules.lenient => {
            Err(Inconclusive(format!("step {step}: the model may refuse {} here", shown(gate, &data))))
        }
        Err(Refused) => panic!("step {step}: expected {} to be taken, and it was refused", shown(gate, &data)),
        Ok(_) if planned.is_empty() => Ok(Data::new()),
        Ok(result) => judge((step, ""), (gate, planned), rules, (gate, result)),
    }
}

/// Waits for an output, and judges it.
fn expect(sut: &mut Adapter, step: usize, gate: &str, planned: Data, rules: Rules<'_>) -> Result<Data, Inconclusive> {
    match sut.receive() {
        None if rules.lenient => Err(Inconclusive(format!("step {step}: the model may say nothing here"))),
        None => panic!("step {step}: expected {}, got no output", wanted(gate, &planned, &rules)),
        Some((name, data)) => judge((step, ""), (gate, planned), rules, (&name, data)),
    }
}

/// Gives the system an input that it must refuse.
fn refuse(sut: &mut Adapter, step: usize, gate: &str, data: Data, rules: Rules<'_>) -> Result<(), Inconclusive> {
    attempt(step, shown(gate, &data), sut.send(gate, &data).is_err(), rules)
}



def send(sut, step, gate, data, planned, fits=True, lenient=False, **rules):
    """Gives the system an input, and judges its result if it has one."""
    if not fits:
        inconclusive(f"step {step}: {shown(gate, data)} does not fit what the system chose before")
    try:
        result = sut.send(gate, data)
    except Refused:
        if lenient:
            inconclusive(f"step {step}: the model may refuse {shown(gate, data)} here")
        pytest.fail(f"step {step}: expected {shown(gate, data)} to be taken, and it was refused")
    if not planned:
        return {}
    return judge(step, "", (gate, planned), (gate, {name: result for name in planned}), **rules)


def expect(sut, step, gate, planned, lenient=False, says=None, **rules):
    """Waits for an output, and judges it."""
    actual = sut.receive()
    if actual is None:
        if lenient:
            inconclusive(f"step {step}: the model may say nothing here")
        condition = f" with {says}" if says else ""
        pytest.fail(f"step {step}: expected {shown(gate, planned)}{condition}, got no output")
    return judge(step, "", (gate, planned), (actual[0], actual[1] or {}), says=says, **rules)


def refuse(sut, step, gate, data, lenient=False):
    """Gives the system an input that it must refuse."""
    attempt(step, shown(gate, data), lambda: sut.send(gate, data), lenient)

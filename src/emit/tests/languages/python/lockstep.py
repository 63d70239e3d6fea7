

def tick(sut, step, inputs, planned, **rules):
    """Applies inputs, and judges the outputs. Absent is None."""
    try:
        actual = sut.step(inputs) or {}
    except Refused:
        pytest.fail(f"step {step}: expected {shown('inputs', inputs)} to be taken, and it was refused")
    seen = {**dict.fromkeys(OBSERVED["outputs"]), **actual}
    return judge(step, f"on {shown('inputs', inputs)} ", ("outputs", planned), ("outputs", seen), **rules)


def refuse(sut, step, inputs, lenient=False):
    """Applies inputs that must be refused."""
    attempt(step, shown("inputs", inputs), lambda: sut.step(inputs), lenient)

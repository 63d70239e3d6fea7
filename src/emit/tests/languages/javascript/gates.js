
// Gives the system an input, and judges its result if it has one.
async function send(ctx, sut, step, gate, data, planned, rules = {}) {
  const { fits = true, lenient = false } = rules;
  if (!fits) inconclusive(ctx, `step ${step}: ${shown(gate, data)} does not fit what the system chose before`);
  const actual = await taken(() => sut.send(gate, data));
  if (actual === null) {
    if (lenient) inconclusive(ctx, `step ${step}: the model may refuse ${shown(gate, data)} here`);
    assert.fail(`step ${step}: expected ${shown(gate, data)} to be taken, and it was refused`);
  }
  const names = Object.keys(planned);
  if (names.length === 0) return {};
  return judge(ctx, step, "", gate, planned, rules, gate, { [names[0]]: actual.result });
}

// Waits for an output, and judges it.
async function expect(ctx, sut, step, gate, planned, rules = {}) {
  const actual = await sut.receive();
  if (actual === null || actual === undefined) {
    if (rules.lenient) inconclusive(ctx, `step ${step}: the model may say nothing here`);
    assert.fail(`step ${step}: expected ${wanted(gate, planned, rules)}, got no output`);
  }
  return judge(ctx, step, "", gate, planned, rules, actual.gate, actual.data ?? {});
}

// Gives the system an input that it must refuse.
async function refuse(ctx, sut, step, gate, data, rules = {}) {
  await attempt(ctx, step, shown(gate, data), () => sut.send(gate, data), rules);
}

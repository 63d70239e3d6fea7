
// Applies inputs, and judges the outputs. Absent is null.
async function tick(ctx, sut, step, inputs, planned, rules = {}) {
  const actual = await taken(() => sut.step(inputs));
  if (actual === null) assert.fail(`step ${step}: expected ${shown("inputs", inputs)} to be taken, and it was refused`);
  const seen = { ...Object.fromEntries(Object.keys(OBSERVED.outputs).map((name) => [name, null])), ...actual.result };
  return judge(ctx, step, `on ${shown("inputs", inputs)} `, "outputs", planned, rules, "outputs", seen);
}

// Applies inputs that must be refused.
async function refuse(ctx, sut, step, inputs, rules = {}) {
  await attempt(ctx, step, shown("inputs", inputs), () => sut.step(inputs), rules);
}

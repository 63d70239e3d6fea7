// How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in.
@INTERFACE@
// The system refuses what it is given.
export class Refused extends Error {}

// One system, fresh for each test. Methods may be async.
export class Adapter {
  constructor(initial) {
    throw new Error("start the system");
  }

  // Applies inputs (an object; absent is null), and returns the outputs of the same step, in the same way.
  step(inputs) {}

  // Ends the system.
  close() {}
}

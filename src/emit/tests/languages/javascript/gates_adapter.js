// How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in.
@INTERFACE@
// The system refuses what it is given.
export class Refused extends Error {}

// One system, fresh for each test. Methods may be async.
export class Adapter {
  constructor(initial) {
    throw new Error("start the system");
  }

  // Gives the system an input, returns its result if it has one; throws Refused if it is not taken.
  send(gate, data) {}

  // The next output as { gate, data }, or null if there is none for so long that there will be none.
  receive() {}

  // Ends the system.
  close() {}
}

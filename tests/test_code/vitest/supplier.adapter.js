// A supplier that works: it chooses reference numbers and quantities of its own. FAULT makes it a wrong one.
export class Refused extends Error {}

let numbers = 4711;

export class Adapter {
  constructor() {
    this.fault = process.env.FAULT ?? "";
    this.outputs = [];
    this.phase = "idle";
  }

  send(gate, data) {
    if (gate === "rq" && this.phase === "idle") {
      numbers += 17;
      this.ref = numbers;
      if (data.quant === 0) {
        this.phase = "stuck";
        return;
      }
      // Never more than half of what was asked for; a wrong one offers all of it.
      const quant = this.fault === "greedy" ? data.quant : Math.floor(data.quant / 2);
      this.outputs.push({ gate: "gq", data: { ref: this.ref, prod: data.prod, quant } });
      this.phase = "quoted";
    } else if (gate === "ord" && this.phase === "quoted" && data.ref === this.ref) {
      const ref = this.fault === "forgetful" ? this.ref + 1 : this.ref;
      this.outputs.push({ gate: process.env.ANSWER ?? "confirm", data: { ref } });
      this.phase = "idle";
    } else {
      throw new Refused(gate);
    }
  }

  receive() {
    return this.outputs.shift() ?? null;
  }

  close() {}
}

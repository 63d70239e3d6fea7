// A trader who chooses what to offer. With FAULT he makes the mistake that he is asked for.
import { isDeepStrictEqual } from "node:util";

export class Refused extends Error {}

const BIG = 10n ** 42n;

export class Adapter {
  constructor() {
    this.isWrong = process.env.FAULT !== undefined;
    this.outputs = [];
  }

  send(gate, data) {
    switch (gate) {
      case "class":
        return (this.isWrong ? BigInt(Number(data.new)) : data.new) + 1n;
      case "func": {
        const { name, tags } = data.def;
        return { name: `${name}!`, tags: this.isWrong ? tags : [...tags, name] };
      }
      case "lambda":
        this.mistake = this.isWrong ? data.static : "";
        this.outputs.push(this.offer(data.static, data.limit));
        break;
      case "self": {
        if (!isDeepStrictEqual([data.await, data.null], this.offered)) throw new Refused(gate);
        const [number, good] = this.offered;
        const late = this.mistake === "forgetful" ? 0n : 1n;
        this.outputs.push({ gate: "final", data: { void: number + late, package: good.price + 1 } });
        break;
      }
      case "async": {
        const number = this.isWrong ? BIG + 1n : BIG;
        this.outputs.push({ gate: "this", data: { switch: { tag: "Some", args: [number] }, super: [1 / 2, 1 / 3] } });
        break;
      }
      default:
        throw new Refused(gate);
    }
  }

  offer(name, limit) {
    const good = { name: `${name}é`, colour: "Blue", price: 2 / 3 };
    const offer = { goto: limit - BIG, yield: good, throws: true, extends: 2n ** 64n };
    if (this.mistake === "greedy") offer.goto += 1n;
    if (this.mistake === "cheap") good.price = 1 / 3;
    if (this.mistake === "same") good.name = name;
    if (this.mistake === "red") good.colour = "Red";
    if (this.mistake === "false") offer.throws = false;
    // Data of another kind.
    if (this.mistake === "purple") good.colour = "Purple";
    if (this.mistake === "half") offer.extends = 1 / 2;
    if (this.mistake === "nothing") offer.extends = null;
    if (this.mistake === "yes") offer.throws = "yes";
    if (this.mistake === "early") {
      return { gate: "this", data: { switch: { tag: "Some", args: [BIG] }, super: [1 / 2, 1 / 3] } };
    }
    this.offered = [offer.goto, good];
    return { gate: "default", data: offer };
  }

  receive() {
    return this.outputs.shift() ?? null;
  }

  close() {}
}

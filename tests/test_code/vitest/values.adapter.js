// Turns values of all types. FAULT makes it a wrong one, TEXT is the text that is heard in front of one that is not empty.
export class Refused extends Error {}

const COLOURS = ["Red", "Green", "Blue"];

export class Adapter {
  constructor(initial) {
    this.fault = process.env.FAULT ?? "";
    this.base = initial.base;
  }

  step(inputs) {
    // A coin, which shows the other side if that is the ANSWER.
    if (inputs.int === null) {
      return { new_bool: inputs.bool === null || process.env.ANSWER === undefined ? inputs.bool : !inputs.bool };
    }
    let { int: number, str: text } = inputs;
    if (this.fault === "rounded") number = BigInt(Number(number));
    if (this.fault === "plain") text = text.replace(/[^ -~]/g, "?");
    const { left, right, weight } = inputs.struct;
    return {
      new_int: next(number),
      new_float: this.fault === "endless" ? Infinity : inputs.float + 0.5,
      new_bool: !inputs.bool,
      new_enum: COLOURS[(COLOURS.indexOf(inputs.enum) + 1) % 3],
      new_struct: { left: right, right: left, weight },
      new_union: turned(inputs.union),
      new_nil: inputs.nil.tag === "None" ? { tag: "Some", args: [number] } : { tag: "None", args: [] },
      new_list: [...inputs.list.toReversed(), this.base],
      new_set: new Set([...inputs.set, number]),
      new_map: new Map([...inputs.map, [text, number]]),
      new_str: (text === "" ? "" : Buffer.from(process.env.TEXT, "hex").toString()) + text,
      new_parts: new Set([...inputs.parts, left]),
    };
  }

  close() {}
}

// Numbers are of two kinds.
function next(number) {
  return typeof number === "bigint" ? number + 1n : number + 1;
}

function turned({ tag, args }) {
  switch (tag) {
    case "Dot":
      return { tag: "Circle", args: [1] };
    case "Circle":
      return { tag: "Box", args: [args[0], 2] };
    case "Box":
      return { tag: "Box", args: args.toReversed() };
    case "Both":
      return { tag: "Both", args: args.toReversed().map(turned) };
  }
}

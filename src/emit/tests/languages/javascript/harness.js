@ABOUT@import { expect as assert, test } from "vitest";
import { Adapter, Refused } from "./@NAME@.adapter.js";

function isNumber(n) {
  return typeof n === "bigint" || Number.isFinite(n);
}

function isWhole(n) {
  return typeof n === "bigint" || Number.isInteger(n);
}

const isBool = (value) => typeof value === "boolean";
const isText = (value) => typeof value === "string";
const isAny = () => true;
const oneOf = (...names) => (value) => names.includes(value);
const record = (kinds) => (value) => value !== null && typeof value === "object" && fitsKinds(kinds, value);
const optional = (kind) => (value) => value === null || kind(value);
const listOf = (kind) => (value) => Array.isArray(value) && value.every((one) => kind(one));
const setOf = (kind) => (value) => value instanceof Set && [...value].every((one) => kind(one));
const mapOf = (key, kind) => (value) => value instanceof Map && [...value].every(([k, v]) => key(k) && kind(v));

const madeOf = (constructors) => (value) => {
  if (value === null || typeof value !== "object" || !isText(value.tag)) return false;
  if (!Object.hasOwn(constructors, value.tag)) return false;
  const [kinds, args] = [constructors[value.tag], value.args];
  return Array.isArray(args) && args.length === kinds.length && kinds.every((kind, n) => kind(args[n]));
};

// Whether data has the names and the kinds that the model says.
function fitsKinds(kinds, data) {
  const names = Object.keys(kinds);
  const isThere = (name) => Object.hasOwn(data, name) && kinds[name](data[name]);
  return Object.keys(data).length === names.length && names.every(isThere);
}

// What is observed at each gate.
const OBSERVED = {
@OBSERVED@};

// Numbers with fractions are only the nearest ones: two are equal if they differ by less than this part of them, or hardly at all.
const NEAR = 1e-9;
const NOTHING = 1e-12;

// Less than, equal to or greater than zero. Whole numbers are compared exactly.
function compare(a, b) {
  if (!isNumber(a) || !isNumber(b)) throw new TypeError(`${plain(a)} and ${plain(b)} are not both numbers`);
  if (!isWhole(a) || !isWhole(b)) {
    const [x, y] = [Number(a), Number(b)];
    return Math.abs(x - y) <= NOTHING + NEAR * Math.max(Math.abs(x), Math.abs(y)) ? 0 : x - y;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

// Whether two values are equal, part by part.
function same(a, b) {
  if (isNumber(a) && isNumber(b)) return compare(a, b) === 0;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  if ([Set, Map, Array].some((kind) => a instanceof kind !== b instanceof kind)) return false;
  if (a instanceof Set || a instanceof Map) return a.size === b.size && among([...a], [...b]);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

function among(some, all) {
  return some.every((one) => all.some((other) => same(one, other)));
}

// Whole numbers stay exact.
function combined(numbers, first, operation) {
  if (!numbers.every(isNumber)) throw new TypeError("not a number");
  return numbers.every(isWhole)
    ? numbers.map(BigInt).reduce(operation, BigInt(first))
    : numbers.map(Number).reduce(operation, first);
}

function plus(...numbers) {
  return combined(numbers, 0, (a, b) => a + b);
}

function times(...numbers) {
  return combined(numbers, 1, (a, b) => a * b);
}

// Whether a condition holds; data of another kind than the model's meets none.
function holds(condition, e) {
  try {
    return condition(e);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function plain(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Set) return `Set(${[...value].map(plain).join(", ")})`;
  if (value instanceof Map) return `Map(${[...value].map(plain).join(", ")})`;
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  if (value !== null && typeof value === "object") return `{${fields(value)}}`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function fields(data) {
  return Object.entries(data).map(([key, value]) => `${key}=${plain(value)}`).join(", ");
}

function shown(name, data) {
  return `${name}(${fields(data)})`;
}

function wanted(gate, planned, { says }) {
  return shown(gate, planned) + (says ? ` with ${says}` : "");
}

function inconclusive(ctx, why) {
  ctx.skip(`inconclusive: ${why}`);
}

function meets(ctx, holds, says) {
  if (!holds) inconclusive(ctx, `the system did nothing wrong, but the purpose needs ${says}`);
}

// What does an action give? Nothing if the system refuses.
async function taken(action) {
  try {
    return { result: await action() };
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

// What was observed, if it is as planned.
function judge(ctx, step, on, gate, planned, rules, name, data) {
  const { when, otherwise = [], others = false } = rules;
  if (Object.hasOwn(OBSERVED, name) && fitsKinds(OBSERVED[name], data)) {
    if (name === gate && (when ? holds(when, data) : same(data, planned))) return data;
    if (others || otherwise.some(([other, one]) => other === name && holds(one, data))) {
      inconclusive(ctx, `step ${step}: the model may allow ${shown(name, data)}`);
    }
  }
  assert.fail(`step ${step}: ${on}expected ${wanted(gate, planned, rules)}, got ${shown(name, data)}`);
}

// Does something that must be refused.
async function attempt(ctx, step, what, action, { lenient = false }) {
  if ((await taken(action)) === null) return;
  if (lenient) inconclusive(ctx, `step ${step}: the model may take ${what} here`);
  assert.fail(`step ${step}: expected ${what} to be refused, and it was taken`);
}
@STYLE@@TESTS@

// The valid values of each field of a link. Links are untrusted.
import type { Dim3, ScalarKind } from '../src/base/launch.ts';
import { bufferTypes, patternNames } from './program/inputs.ts';
import { maxSteps } from './program/limits.ts';
import {
  type AppState,
  type InputSpec,
  initialState,
  maxBlock,
  maxCount,
  maxGrid,
  maxShared,
  type Pattern,
} from './state.ts';

/** A function that returns the value for a field of the state, or undefined if it is invalid. */
type Check<T> = (value: unknown) => T | undefined;

/**
 * The maximum number of inputs in a link, and the maximum number of characters of a name or of
 * typed values.
 */
const maxInputs = 1024;
const maxName = 1024;
const maxValue = 20_000;

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const oneOf =
  <const T extends string>(...list: readonly T[]): Check<T> =>
  (value) =>
    list.find((item) => item === value);

const text =
  (maxLength: number): Check<string> =>
  (value) =>
    typeof value === 'string' && value.length <= maxLength ? value : undefined;

/** Returns a check that accepts a whole number and limits it to the range. */
const whole =
  (least: number, most: number): Check<number> =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) ? Math.min(Math.max(value, least), most) : undefined;

/**
 * Returns a check that accepts an integer, or a list of one to three integers, and limits each to
 * the range 1 to `most`. If the product of the integers exceeds `most`, the result contains only
 * the first.
 */
const sizes =
  (most: number): Check<Dim3> =>
  (value) => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (list.length > 3) return undefined;
    // `item` is undefined for an invalid value. The sizes of missing axes are 1.
    const [x, y = 1, z = 1] = list.map((item) => whole(1, most)(item) ?? 0);
    if (x === undefined || x * y * z < 1) return undefined;
    return x * y * z <= most ? [x, y, z] : [Math.min(x, most), 1, 1];
  };

const bits: Check<number> = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff ? value : undefined;

const pattern = oneOf<Pattern>(...patternNames.map(([name]) => name));
const specValue = text(maxValue);
const specAs = oneOf('buffer', 'scalar');
const specType = oneOf<ScalarKind>(...bufferTypes);
const specCount = whole(1, maxCount);

/** Accepts an object with a valid pattern and value. Returns only its known properties. */
const inputSpec: Check<InputSpec> = (value) => {
  if (!isRecord(value)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [name, typed] = [pattern(fields.get('pattern')), specValue(fields.get('value'))];
  if (name === undefined || typed === undefined) return undefined;
  const [as, type, count] = [specAs(fields.get('as')), specType(fields.get('type')), specCount(fields.get('count'))];
  return {
    pattern: name,
    value: typed,
    ...(as === undefined ? {} : { as }),
    ...(type === undefined ? {} : { type }),
    ...(count === undefined ? {} : { count }),
  };
};

const inputs: Check<ReadonlyMap<string, InputSpec>> = (value) => {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).slice(0, maxInputs);
  return new Map(
    entries.flatMap(([name, given]) => {
      const spec = name.length <= maxName ? inputSpec(given) : undefined;
      return spec ? [[name, spec] as const] : [];
    }),
  );
};

/** A check for each field. The type requires a check for every field. */
const schema: { readonly [K in keyof AppState]: Check<NonNullable<AppState[K]>> } = {
  view: oneOf('playground', 'validate', 'bench', 'litmus'),
  text: text(Number.POSITIVE_INFINITY),
  cuda: text(Number.POSITIVE_INFINITY),
  inputs,
  runs: bits,
  entry: text(maxName),
  block: sizes(maxBlock),
  grid: sizes(maxGrid),
  shared: whole(0, maxShared),
  step: whole(0, maxSteps - 1),
  cta: whole(0, maxGrid - 1),
  warp: whole(0, maxBlock / 32 - 1),
  format: oneOf('auto', 'unsigned', 'signed', 'hex', 'float'),
  plan: oneOf('auto', '4', '8', '16', '32', '64', '128', '0'),
  float: oneOf('exact', 'fast'),
  query: text(maxName),
  seed: bits,
};

/**
 * Returns the state in the document of a link. Fields that are missing or invalid have their
 * initial values. Returns undefined if the document is not an object.
 */
export function stateOf(document: unknown): AppState | undefined {
  if (!isRecord(document)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(document));
  const field = <K extends keyof AppState>(name: K): AppState[K] =>
    schema[name](fields.get(name)) ?? initialState[name];
  return {
    view: field('view'),
    text: field('text'),
    cuda: field('cuda'),
    inputs: field('inputs'),
    runs: field('runs'),
    entry: field('entry'),
    block: field('block'),
    grid: field('grid'),
    shared: field('shared'),
    step: field('step'),
    cta: field('cta'),
    warp: field('warp'),
    format: field('format'),
    plan: field('plan'),
    float: field('float'),
    query: field('query'),
    seed: field('seed'),
  };
}

/**
 * Returns the document for a state. The document does not contain fields with their initial values.
 */
export function documentOf(state: AppState): object {
  const plain = (value: unknown): unknown => (value instanceof Map ? Object.fromEntries(value) : value);
  const initial = new Map<string, unknown>(Object.entries(initialState));
  const fields = Object.entries(state).map(([name, value]) => [name, plain(value)] as const);
  return Object.fromEntries(
    fields.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(plain(initial.get(name)))),
  );
}

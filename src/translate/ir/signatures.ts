// The argument types that each operation requires.
import { cellValues } from './memory.ts';
import { type Attributes, helperArguments, type OpName, stepTypes } from './operations.ts';
import { isFloat, isMatrixType, matrixWords, shapeOf, type Type, widthOf } from './types.ts';

/** Returns a description of the error in an operation's arguments; undefined if they are valid. */
type Signature<Op extends OpName> = (types: readonly Type[], attrs: Attributes[Op]) => string | undefined;

const isInteger = (type: Type | undefined): boolean => type !== undefined && !isFloat(type);
const isFloating = (type: Type | undefined): boolean => type !== undefined && isFloat(type);

const fits = (types: readonly Type[], expected: readonly Type[]): string | undefined =>
  types.length === expected.length && types.every((type, index) => type === expected[index])
    ? undefined
    : `requires (${expected.join(', ')})`;

/** Requires `count` arguments of one type for which `test` holds. */
const alike =
  (count: number, test: (type: Type | undefined) => boolean, what: string) =>
  (types: readonly Type[]): string | undefined =>
    types.length === count && types.every((type) => type === types[0]) && test(types[0])
      ? undefined
      : `requires ${count} arguments of one ${what} type`;

const integers = alike(2, isInteger, 'integer');
const integer = alike(1, isInteger, 'integer');
const floats = (count: number) => alike(count, isFloating, 'float');

/** Requires values of one integer type, followed by i32 positions or amounts. */
const withWords =
  (values: number, words: number) =>
  (types: readonly Type[]): string | undefined => {
    const value = types[0];
    if (value === undefined || !isInteger(value)) return 'requires an integer as the first argument';
    return fits(types, [...Array<Type>(values).fill(value), ...Array<Type>(words).fill('i32')]);
  };

const resized =
  (test: (from: number, to: number) => boolean, what: string) =>
  ([from, ...rest]: readonly Type[], { to }: { readonly to: Type }): string | undefined =>
    from !== undefined && rest.length === 0 && !isFloat(from) && !isFloat(to) && test(widthOf(from), widthOf(to))
      ? undefined
      : `requires an integer ${what}`;

const nothing = (types: readonly Type[]): string | undefined => fits(types, []);
const anything = (): undefined => undefined;
const isAddress = (type: Type | undefined): boolean => type === 'i32' || type === 'i64';

/** Requires the index, then `values` arguments of the element's type. */
const access =
  (values: (attrs: never) => number) =>
  (
    types: readonly Type[],
    attrs: Attributes['load'] | Attributes['store'] | Attributes['atomic'],
  ): string | undefined => {
    const rest = attrs.place.indexed ? types.slice(1) : types;
    if (attrs.place.indexed && !isAddress(types[0])) return 'requires an index of type i32 or i64';
    return fits(rest, Array<Type>(values(attrs as never)).fill(attrs.type));
  };

/** Requires a left, a right and a result matrix that fit. */
function product(types: readonly Type[]): string | undefined {
  const [a, b, c] = types.map((type) => (isMatrixType(type) ? shapeOf(type) : undefined));
  const fits =
    types.length === 3 &&
    a?.role === 'left' &&
    b?.role === 'right' &&
    c?.role === 'result' &&
    a.of === b.of &&
    a.columns === b.rows &&
    a.rows === c.rows &&
    b.columns === c.columns;
  return fits ? undefined : 'requires a left, a right and a result matrix that fit';
}

const table: { readonly [Op in OpName]: Signature<Op> } = {
  iadd: integers,
  isub: integers,
  imul: integers,
  umulhi: integers,
  smulhi: integers,
  udiv: integers,
  sdiv: integers,
  urem: integers,
  srem: integers,
  and: integers,
  or: integers,
  xor: integers,
  shl: withWords(1, 1),
  lshr: withWords(1, 1),
  ashr: withWords(1, 1),
  shlw: withWords(1, 1),
  lshrw: withWords(1, 1),
  ashrw: withWords(1, 1),
  umin: integers,
  umax: integers,
  smin: integers,
  smax: integers,
  popcount: integer,
  clz: integer,
  bitreverse: integer,
  ubfe: withWords(1, 2),
  sbfe: withWords(1, 2),
  bfi: withWords(2, 2),
  icmp: integers,
  select: (types) =>
    types.length === 3 && types[0] === 'i1' && types[1] === types[2]
      ? undefined
      : 'requires an i1 and two values of one type',
  zext: resized((from, to) => from < to, 'narrower than its result'),
  sext: resized((from, to) => from < to, 'narrower than its result'),
  trunc: resized((from, to) => from > to, 'wider than its result'),
  bitcast: ([from, ...rest], { to }) =>
    from !== undefined && rest.length === 0 && widthOf(from) === widthOf(to)
      ? undefined
      : 'requires a value of the same width',
  join: integers,
  split: integer,
  fadd: floats(2),
  fsub: floats(2),
  fmul: floats(2),
  fdiv: floats(2),
  ffma: floats(3),
  fsqrt: floats(1),
  fneg: floats(1),
  fabs: floats(1),
  fmin: floats(2),
  fmax: floats(2),
  fsaturate: floats(1),
  fflush: floats(1),
  fcanonical: floats(1),
  fcmp: floats(2),
  fclass: floats(1),
  fapprox: floats(1),
  fdivapprox: floats(2),
  fintegral: floats(1),
  ftoi: floats(1),
  itof: integer,
  ftof: floats(1),
  native: (types) => (types.every((type) => type === 'f32') ? undefined : 'requires f32 arguments'),
  helper: (types, attrs) => fits(types, helperArguments(attrs)),
  steps: (types, { type, calls, results }) => {
    const width = stepTypes(type).length;
    const inputs = types.length / width;
    const isKnown = (register: number, before: number): boolean => register < inputs + before;
    if (!calls.every(({ registers }, step) => registers.every((register) => isKnown(register, step))))
      return 'a call reads a register without a value';
    if (!results.every((register) => isKnown(register, calls.length))) return 'a result is not a register';
    return fits(types, Array.from({ length: inputs }, () => stepTypes(type)).flat());
  },
  symbol: nothing,
  load: access(() => 0),
  store: access(({ count }: Attributes['store']) => count),
  atomic: access(({ op }: Attributes['atomic']) => (op === 'cas' ? 2 : 1)),
  half: (types, { op, place }) => {
    if (place.indexed && !isAddress(types[0])) return 'requires an index of type i32 or i64';
    return fits(place.indexed ? types.slice(1) : types, Array<Type>(1 + cellValues(op)).fill('i32'));
  },
  cell: (types, { op, type, place }) => {
    const words = Array<Type>((cellValues(op) * widthOf(type)) / 32).fill('i32');
    if (place.indexed && !isAddress(types[0])) return 'requires an index of type i32 or i64';
    return fits(place.indexed ? types.slice(1) : types, words);
  },
  cvta: (types) => (types.length === 1 && isAddress(types[0]) ? undefined : 'requires an address of type i32 or i64'),
  isspacep: (types) =>
    types.length === 1 && isAddress(types[0]) ? undefined : 'requires an address of type i32 or i64',
  fence: nothing,
  special: nothing,
  warp: anything,
  barrier: (types, { kind, counted }) => {
    if (kind === 'yield') return fits(types, types.length > 0 ? ['i32'] : []);
    if (kind === 'cluster.arrive' || kind === 'cluster.wait') return fits(types, []);
    const words: Type[] = counted ? ['i32', 'i32'] : ['i32'];
    return fits(types, kind.startsWith('red') ? [...words, 'i1'] : words);
  },
  'matrix-load': (types, { place }) => fits(types, place.indexed ? ['i32'] : []),
  'matrix-fill': nothing,
  'matrix-multiply': product,
  'matrix-select': ([condition, a, b]) =>
    condition === 'i1' && a !== undefined && isMatrixType(a) && a === b ? undefined : 'requires two matrices',
  'matrix-pack': (types, { type }) => fits(types, Array<Type>(matrixWords(type)).fill('i32')),
  'matrix-unpack': ([type, ...others]) =>
    type !== undefined && isMatrixType(type) && others.length === 0 ? undefined : 'requires a matrix',
  message: (types) => (types.length > 0 && types.every((type) => type === 'i32') ? undefined : 'requires words'),
  call: anything,
};

export const argumentError = <Op extends OpName>(
  op: Op,
  types: readonly Type[],
  attrs: Attributes[Op],
): string | undefined => table[op](types, attrs);

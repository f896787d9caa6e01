// Known differences between NVIDIA's compiler and the manual. The fuzzer generates kernels with
// these differences, and judges such kernels by the manual on every executor except the native one.
// docs/lab-notes/native-compiler.md has a row and a kernel for each difference; `elect.sync` is in
// print/warp.ts.
import { departsAsVideo } from '../../suites/rows/video-departures.ts';
import { registerCounts } from './registers.ts';
import type { LaneStatement, Source } from './tree.ts';

type Departure = (statement: LaneStatement) => boolean;

/**
 * Comparisons under a guard. Native code also writes results in lanes whose guard is false:
 * predicates of `testp`, f32 results of `set`, and the upper half of the results of `set` for
 * 16-bit sources.
 */
const guardedComparison: Departure = ({ template: { family, lines }, guard }) =>
  guard !== undefined &&
  (family.startsWith('testp.f') || /^set\.\S+(?:\.f32\.\w+|\.b?f16\.\w+|16|16x2) /.test(lines[0] ?? ''));

/**
 * For `set` with 16-bit float sources and results, native code leaves copies of the result in both
 * halves of the word, and omits the extension.
 */
const setHalf: Departure = ({ template: { lines } }) => /^set\.\S+\.b?f16\.b?f16 /.test(lines[0] ?? '');

/**
 * The minimum or maximum of a value and itself. The optimizer folds min(x, x) to x, although a NaN
 * must become the canonical NaN. It does not fold with .ftz, .NaN or .xorsign.
 */
const extremeOfOne: Departure = ({
  template: {
    lines,
    sources: [name = 'f'],
  },
  sources: [a, b],
}) =>
  /^m(?:in|ax)\.(?:f32|f64|b?f16|b?f16x2) /.test(lines[0] ?? '') &&
  isRegister(a) &&
  isRegister(b) &&
  isSame(a, b, registerCounts[name]);

/** Native code does not reduce positions and lengths of 64-bit fields modulo 256. */
const wideField: Departure = ({ template: { lines, temporaries }, sources }) =>
  /^bf[ei]\.[usb]64/.test(lines[0] ?? '') && temporaries.length === 0 && sources.slice(-2).some(isRegister);

/**
 * The optimizer folds a signed field with constants beyond the word, for instance position 255 and
 * length 1, to all ones.
 */
const fieldBeyondWord: Departure = ({ template: { lines }, sources: [, position, length] }) =>
  lines[0]?.startsWith('bfe.s32 ') === true && (position?.constant ?? 0) > 31 && length?.constant !== undefined;

/** Native code uses only the low 16 bits of constant amounts of 16-bit shifts. */
const shortShift: Departure = ({ template: { lines }, sources: [, amount] }) =>
  /^sh[lr]\.[usb]16/.test(lines[0] ?? '') && (amount?.constant ?? 0) > 0xffff;

/** In native atomic sums, a signaling NaN in global memory stays signaling. */
const signallingSum: Departure = ({ template: { lines } }) =>
  lines.some((line) => /^(?:atom|red)\S*\.add\.f64 /.test(line) && !line.includes('.shared')) &&
  !lines.some((line) => line.startsWith('cvt.rn.f64.s32'));

/** ptxas 13 expands video instructions on single parts, sometimes incorrectly. */
const videoPart: Departure = ({ template: { family, lines } }) => {
  const [opcode = '', destination = ''] = lines[0]?.split(/[ ,]/) ?? [];
  const [word = '', ...modifiers] = opcode.split('.');
  const types = modifiers.filter((modifier) => /^[us]32$/.test(modifier));
  return family === 'video' && departsAsVideo(word, types, modifiers, destination.split('.')[1]);
};

/**
 * Native code ignores the guard of `stackrestore`, so lanes with a false guard receive an undefined
 * stack.
 */
const guardedStack: Departure = ({ template: { lines }, guard }) =>
  guard !== undefined && lines.some((line) => line.startsWith('stackrestore'));

/**
 * ptxas emits an illegal instruction for a copy that has a cache policy and whose destination is a
 * variable plus an index.
 */
const policedCopy: Departure = ({ template: { lines } }) =>
  lines.some((line) => /^cp\.async\.c[ag]\./.test(line) && line.includes('L2::cache_hint'));

const departures: readonly Departure[] = [
  guardedStack,
  policedCopy,
  signallingSum,
  videoPart,
  guardedComparison,
  setHalf,
  extremeOfOne,
  wideField,
  fieldBeyondWord,
  shortShift,
];

function isRegister(source: Source | undefined): source is Source {
  return source !== undefined && source.constant === undefined;
}

const isSame = (a: Source, b: Source, count: number): boolean => a.register % count === b.register % count;

/** Whether native code is known to differ from the manual for this statement. */
export function departsNatively(statement: LaneStatement): boolean {
  return departures.some((departs) => departs(statement));
}

/**
 * Facts about a kernel. Native code may miscompile a kernel if certain pairs of facts are true for
 * it. A fact does not record which instruction wrote a register.
 */
export type Fact =
  | 'computes doubles'
  | 'stores part of wide'
  | 'computes halves'
  | 'stores part of half'
  | 'multiplies unrounded'
  | 'adds unrounded'
  | 'takes words apart'
  | 'adds shared pairs';

const facts: Readonly<Record<Fact, (statement: LaneStatement) => boolean>> = {
  // A selection by `selp.f64` counts as a computation.
  'computes doubles': ({ template: { family, lines, results } }) =>
    results.includes('d') && [family, ...lines].some((text) => /\.f64\b/.test(text)),
  'stores part of wide': ({ template: { lines, sources } }) =>
    sources.includes('d') && lines.some((line) => /^st\.\S*(?:8|16|32) /.test(line)),
  'computes halves': ({ template: { family, results } }) => results.includes('h') && /\.(?:b?f16|half)\b/.test(family),
  'stores part of half': ({ template: { lines, sources } }) =>
    sources.includes('h') && lines.some((line) => /^st\.\S*8 /.test(line)),
  'multiplies unrounded': ({ template: { lines } }) => lines.some((line) => /^mul(?:\.ftz|\.sat)*\.b?f\d/.test(line)),
  'adds unrounded': ({ template: { lines } }) => lines.some((line) => /^(?:add|sub)(?:\.ftz|\.sat)*\.b?f\d/.test(line)),
  'takes words apart': ({ template: { lines } }) =>
    lines.some((line) => /^(?:mov\.b64 \{|cvt\.\S*32\.[us]64 )/.test(line)),
  'adds shared pairs': ({ template: { lines } }) => lines.some(addsSharedPair),
};

/**
 * Whether a line adds a pair in shared memory. Generic addresses count, too, because they may point
 * to shared memory.
 */
export const addsSharedPair = (line: string): boolean =>
  /^(?:atom|red)\S*\.add\.noftz\.b?f16x2 /.test(line) && !line.includes('.global');

const together: readonly (readonly [Fact, Fact])[] = [
  // Native code stores a part of an f64 result, or a byte of an f16 result, as if the whole result
  // had been converted to an integer.
  ['computes doubles', 'stores part of wide'],
  ['computes halves', 'stores part of half'],
  // The manual permits a compiler to contract the two operations into one.
  ['multiplies unrounded', 'adds unrounded'],
  // Native code uses a wrong operand for the upper sum.
  ['takes words apart', 'adds shared pairs'],
];

const factNames: readonly Fact[] = [
  'computes doubles',
  'stores part of wide',
  'computes halves',
  'stores part of half',
  'multiplies unrounded',
  'adds unrounded',
  'takes words apart',
  'adds shared pairs',
];

export const factsOf = (statement: LaneStatement): Fact[] => factNames.filter((name) => facts[name](statement));

/** Whether native code may be wrong because of a pair of facts about the kernel. */
export const departsTogether = (found: ReadonlySet<Fact>): boolean =>
  together.some(([first, second]) => found.has(first) && found.has(second));

/**
 * Whether native code loses updates if several threads perform the operation on a word of another
 * block's shared memory.
 */
export const losesRemoteUpdates = (operation: string): boolean => operation === 'max.s64';

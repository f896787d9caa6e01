// What NVIDIA's compiler is known not to do as the manual says. Kernels with it are generated, and judged by the manual on every executor but the
// native one. docs/lab-notes/native-compiler.md has a row for each, and the kernel that shows it; `elect.sync` is in print/warp.ts.
import { departsAsVideo } from '../../suites/rows/video-departures.ts';
import { registerCounts } from './registers.ts';
import type { LaneStatement, Source } from './tree.ts';

type Departure = (statement: LaneStatement) => boolean;

/**
 * Results are written in lanes that the guard leaves out, too: predicates of `testp`, what `set` gives as f32, and the upper half of what
 * it gives for 16-bit sources.
 */
const guardedComparison: Departure = ({ template: { family, lines }, guard }) =>
  guard !== undefined &&
  (family.startsWith('testp.f') || /^set\.\S+(?:\.f32\.\w+|\.b?f16\.\w+|16|16x2) /.test(lines[0] ?? ''));

/** Of what `set` gives as 16 bits of floating point for such sources, the word has copies in both halves, and extending is left out. */
const setHalf: Departure = ({ template: { lines } }) => /^set\.\S+\.b?f16\.b?f16 /.test(lines[0] ?? '');

/** The optimizer takes min(x, x) for x, though a NaN should become the canonical one. With .ftz, .NaN or .xorsign it does not. */
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

/** Positions and lengths of 64-bit fields are not taken modulo 256. */
const wideField: Departure = ({ template: { lines, temporaries }, sources }) =>
  /^bf[ei]\.[usb]64/.test(lines[0] ?? '') && temporaries.length === 0 && sources.slice(-2).some(isRegister);

/** The optimizer takes a signed field by constants beyond the word, as that of 255 and 1, for all ones. */
const fieldBeyondWord: Departure = ({ template: { lines }, sources: [, position, length] }) =>
  lines[0]?.startsWith('bfe.s32 ') === true && (position?.constant ?? 0) > 31 && length?.constant !== undefined;

/** Of constant amounts of 16-bit shifts only the low 16 bits count. */
const shortShift: Departure = ({ template: { lines }, sources: [, amount] }) =>
  /^sh[lr]\.[usb]16/.test(lines[0] ?? '') && (amount?.constant ?? 0) > 0xffff;

/** A signalling NaN in global memory stays one. */
const signallingSum: Departure = ({ template: { lines } }) =>
  lines.some((line) => /^(?:atom|red)\S*\.add\.f64 /.test(line) && !line.includes('.shared')) &&
  !lines.some((line) => line.startsWith('cvt.rn.f64.s32'));

/** Of video instructions on single parts ptxas 13 makes others, which it does not always do right. */
const videoPart: Departure = ({ template: { family, lines } }) => {
  const [opcode = '', destination = ''] = lines[0]?.split(/[ ,]/) ?? [];
  const [word = '', ...modifiers] = opcode.split('.');
  const types = modifiers.filter((modifier) => /^[us]32$/.test(modifier));
  return family === 'video' && departsAsVideo(word, types, modifiers, destination.split('.')[1]);
};

/** `stackrestore` ignores its guard: lanes that it leaves out get a stack from nowhere. */
const guardedStack: Departure = ({ template: { lines }, guard }) =>
  guard !== undefined && lines.some((line) => line.startsWith('stackrestore'));

/** Of copies with a cache policy to a variable and an index ptxas makes instructions that are none. */
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

/** Whether native code is known to give something else than the manual. */
export function departsNatively(statement: LaneStatement): boolean {
  return departures.some((departs) => departs(statement));
}

/** What a kernel has of two things that native code gets wrong together. Which instruction wrote a register is not followed. */
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
  // A selection by `selp.f64` counts.
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

/** By a generic address, too. */
export const addsSharedPair = (line: string): boolean =>
  /^(?:atom|red)\S*\.add\.noftz\.b?f16x2 /.test(line) && !line.includes('.global');

const together: readonly (readonly [Fact, Fact])[] = [
  // What f64 arithmetic wrote is stored in parts as if it was converted to an integer, and so is a byte of what f16 arithmetic wrote.
  ['computes doubles', 'stores part of wide'],
  ['computes halves', 'stores part of half'],
  // The manual lets a compiler make one operation of the two.
  ['multiplies unrounded', 'adds unrounded'],
  // The upper sum takes another operand.
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

/** Whether native code may be wrong by what comes together in a kernel. */
export const departsTogether = (found: ReadonlySet<Fact>): boolean =>
  together.some(([first, second]) => found.has(first) && found.has(second));

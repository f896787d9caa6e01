// What NVIDIA's hardware and compiler do not do as the manual says, at any optimizer level. Kernels with it are generated, and judged by the
// manual on every executor but the native one. docs/native-compiler.md has a row for each; `elect.sync` is in print-warp.ts.
import { registerCounts } from './registers.ts';
import type { LaneStatement, Source } from './tree.ts';

type Departure = (statement: LaneStatement) => boolean;

/// Results are written in lanes that the guard leaves out, too.
const guardedComparison: Departure = ({ template: { family }, guard }) =>
  guard !== undefined && ['set', 'set.bool', 'set.f32', 'set.bool.f32', 'testp.f32'].includes(family);

/// ptxas takes min(x, x) for x, though a NaN should become the canonical one.
const extremeOfOne: Departure = ({ template: { family }, sources: [a, b] }) =>
  (family === 'min.f32' || family === 'max.f32') && isRegister(a) && isRegister(b) && isSame(a, b);

/// Positions and lengths of 64-bit fields are not taken modulo 256.
const wideField: Departure = ({ template: { lines, temporaries }, sources }) =>
  /^bf[ei]\.[usb]64/.test(lines[0] ?? '') && temporaries.length === 0 && sources.slice(-2).some(isRegister);

/// 16-bit shifts by constants above 255 take their low bits.
const shortShift: Departure = ({ template: { lines }, sources: [, amount] }) =>
  /^sh[lr]\.[usb]16/.test(lines[0] ?? '') && (amount?.constant ?? 0) > 255;

const departures: readonly Departure[] = [guardedComparison, extremeOfOne, wideField, shortShift];

function isRegister(source: Source | undefined): source is Source {
  return source !== undefined && source.constant === undefined;
}

const isSame = (a: Source, b: Source): boolean => a.register % registerCounts.f === b.register % registerCounts.f;

/// Whether the hardware is known to give something else than the manual.
export function departsNatively(statement: LaneStatement): boolean {
  return departures.some((departs) => departs(statement));
}

// Resolves variables: their sizes, alignments and initial bytes.
import { maxSharedBytes } from '../../base/dim3.ts';
import type { Initializer, Span, StateSpace, Variable } from '../ast.ts';
import { convertConstant } from '../constants.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { Reporter } from '../diagnostics/reporter.ts';
import type { RawValue, RawVariable } from '../syntax.ts';
import { bytesOf } from '../types.ts';

interface SpaceLimit {
  readonly bytes: number;
  readonly text: string;
}

/**
 * The maximum size of variables in each state space. These are limits of the hardware; for global
 * memory, it is a limit of this implementation. With these limits, sizes and offsets are exact and
 * can be allocated.
 */
const spaceLimits: Readonly<Record<StateSpace, SpaceLimit>> = {
  shared: { bytes: maxSharedBytes, text: '227 KiB a block' },
  local: { bytes: 512 * 1024, text: '512 KiB a thread' },
  const: { bytes: 64 * 1024, text: '64 KiB' },
  global: { bytes: 256 * 2 ** 20, text: '256 MiB' },
  param: { bytes: 1024 * 1024, text: '1 MiB' },
};

function extentProduct(dimensions: readonly (number | undefined)[]): number {
  return dimensions.reduce<number>((product, extent) => product * (extent ?? 1), 1);
}

const littleEndian = (value: number, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** at) % 256);

type AddressValue = Extract<RawValue, { kind: 'address' }>;

/** Joins the bytes of an address (`0xFF(s), 0xFF00(s), …`) into one address without masks. */
function addressRuns(
  addresses: readonly { offset: number; value: AddressValue; size: number }[],
  functionAt: (name: string) => number | undefined,
  reporter: Reporter,
): Initializer[] {
  const found: Initializer[] = [];
  for (let at = 0; at < addresses.length; ) {
    const first = addresses[at];
    if (first === undefined) break;
    const { value, offset } = first;
    let bytes = first.size;
    let end = at + 1;
    if (value.byte !== undefined) {
      for (; end < addresses.length; end++, bytes++) {
        const next = addresses[end];
        const run = end - at;
        if (next?.value.byte !== run || next.offset !== offset + run || next.value.symbol.text !== value.symbol.text)
          break;
      }
      if (value.byte !== 0 || first.size !== 1)
        reporter.report(diagnostics().unsupportedInitializer(value.span, 'a part of an address'));
    }
    const { symbol, generic } = value;
    const known = functionAt(symbol.text);
    if (known !== undefined) found.push({ kind: 'bytes', offset, bytes: littleEndian(known, bytes) });
    else found.push({ kind: 'address', offset, symbol: symbol.text, addend: Number(value.addend), generic, bytes });
    at = end;
  }
  return found;
}

function resolveInitializers(
  raw: RawVariable,
  elements: number,
  functionAt: (name: string) => number | undefined,
  reporter: Reporter,
): Initializer[] {
  const size = bytesOf(raw.type);
  const addresses: { offset: number; value: AddressValue; size: number }[] = [];
  const constants: { offset: number; bits: bigint }[] = [];
  let end = 0;
  const fail = (span: Span, why: string) => reporter.report(diagnostics().initializerType(span, why));
  for (const { index, value } of raw.values) {
    const length = value.kind === 'string' ? value.text.length : 1;
    if (index + length > elements) {
      reporter.report(diagnostics().tooManyValues(value.span, raw.name.text));
      break;
    }
    end = Math.max(end, (index + length) * size);
    if (value.kind === 'address') addresses.push({ offset: index * size, value, size });
    else if (value.kind === 'string') {
      if (size !== 1) fail(value.span, 'a string needs elements of one byte');
      else
        for (let at = 0; at < length; at++)
          constants.push({ offset: index + at, bits: BigInt(value.text.charCodeAt(at) & 0xff) });
    } else {
      const converted = convertConstant(value.value, raw.type);
      if ('mismatch' in converted) fail(value.span, converted.mismatch);
      else constants.push({ offset: index * size, bits: converted.bits });
    }
  }
  // A variable that is too large has already been reported.
  if (end === 0 || end > spaceLimits.global.bytes) return [];
  const bytes = new Uint8Array(end);
  for (const { offset, bits } of constants) {
    for (let at = 0; at < size; at++) bytes[offset + at] = Number((bits >> BigInt(8 * at)) & 0xffn);
  }
  return [{ kind: 'bytes', offset: 0, bytes }, ...addressRuns(addresses, functionAt, reporter)];
}

function checkVariable(raw: RawVariable, elements: number, open: boolean, reporter: Reporter): void {
  const { name, space, type } = raw;
  if (type === 'pred') reporter.report(diagnostics().predicateVariable(raw.span));
  if (raw.vector * bytesOf(type) > 16) reporter.report(diagnostics().vectorOf(raw.span, type));
  const sized = raw.values.length > 0 || raw.external || space === 'param';
  if (open && !sized) reporter.report(diagnostics().openArray(name.span, name.text));
  const bytes = elements * bytesOf(type);
  const limit = spaceLimits[space === 'reg' ? 'param' : space];
  if (!Number.isSafeInteger(bytes)) reporter.report(diagnostics().tooLarge(name.span, name.text));
  else if (bytes > limit.bytes) {
    reporter.report(diagnostics().tooMuchMemory(name.span, name.text, bytes, space, limit.text));
  }
  const first = raw.values[0];
  if (first !== undefined && space !== 'global' && space !== 'const')
    reporter.report(diagnostics().initializerSpace(first.value.span, space));
}

/** Resolves a declaration into a variable. `space` must not be `reg`. */
export function resolveVariable(
  raw: RawVariable,
  space: StateSpace,
  reporter: Reporter,
  functionAt: (name: string) => number | undefined = () => undefined,
): Variable {
  const size = bytesOf(raw.type);
  const open = raw.dimensions[0] === undefined && raw.dimensions.length > 0;
  const inner = extentProduct(raw.dimensions.slice(open ? 1 : 0)) * raw.vector;
  const last = raw.values.at(-1);
  const used = last === undefined ? 0 : last.index + (last.value.kind === 'string' ? last.value.text.length : 1);
  const elements = open ? Math.ceil(used / Math.max(inner, 1)) * inner : inner;
  checkVariable(raw, elements, open, reporter);
  return {
    name: raw.name.text,
    space,
    type: raw.type,
    bytes: elements * size,
    align: Math.max(raw.align ?? 0, size * raw.vector),
    array: raw.dimensions.length > 0 || raw.vector > 1,
    external: raw.external,
    ...(raw.pointer ? { pointer: raw.pointer } : {}),
    initializers: resolveInitializers(raw, elements, functionAt, reporter),
    span: raw.name.span,
  };
}

// Run-time functions as messages to the host, which formats printed text and reports failed
// assertions.
import { missing } from '../../base/invariants.ts';
import { argumentWords, parseFormat, wordsOfArguments } from '../../base/printf/parse.ts';
import { builtInFunction, type ReportName, type ServiceName } from '../../isa/services.ts';
import type { Span, Variable } from '../../ptx/ast.ts';
import { initialBytes } from '../../ptx/initial-bytes.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { FaultKind } from '../ir/attributes.ts';
import type { VariableAddress } from '../ir/memory.ts';
import type { Value } from '../ir/nodes.ts';
import type { ServiceCall, Work } from './expand-calls.ts';
import { readPassed, writePassed } from './pass-values.ts';
import type { Registers } from './registers.ts';
import { typeOf } from './types.ts';

/** The maximum number of argument words that one call prints. */
const maxPrinted = 256;
/** The maximum number of formats that a call can select from. */
const maxFormats = 64;

type ServiceBuild = (registers: Registers, args: readonly Value[], span: Span) => readonly Value[];

const services: Readonly<Record<ServiceName | ReportName, ServiceBuild>> = {
  vprintf: buildPrint,
  __assertfail: buildAssert,
  'tensor fault': buildReport('tensor-fault'),
  'rank fault': buildReport('rank-fault'),
};

export function buildService(registers: Registers, { frame, call, service, span }: ServiceCall): void {
  const declared = builtInFunction(service);
  registers.b.span = span;
  registers.frame = frame;
  const places = (type: (typeof declared.params)[number] | undefined) =>
    type === undefined ? [] : [{ offset: 0, type: typeOf(type) }];
  const args = call.args.flatMap((item, index) => readPassed(registers, item, places(declared.params[index])));
  const results = services[service](registers, args, span);
  call.results.forEach((item, index) => {
    writePassed(registers, item, places(declared.results[index]), results.slice(index, index + 1));
  });
}

const word = ({ b }: Registers, value: Value | undefined): Value => (value ? b.resize(value, 'i32') : b.i32(0));

/** Builds the indexes of the block and the thread. */
function threadIndexes(registers: Registers, span: Span): readonly Value[] {
  const places = ['%ctaid', '%tid'].flatMap((name) => ['x', 'y', 'z'].map((axis) => `${name}.${axis}`));
  return places.map((name) => registers.read({ kind: 'special', name, type: 'u32', span }, 'i32'));
}

/** Reports a fault of a call. */
export function buildFault(
  registers: Registers,
  { frame, fault, value, span }: Extract<Work, { kind: 'fault' }>,
): void {
  registers.b.span = span;
  registers.frame = frame;
  const told = typeof value === 'number' ? registers.b.i32(value) : word(registers, registers.readRegister(value));
  registers.b.emit('message', { kind: fault }, [...threadIndexes(registers, span), told]);
}

function buildAssert(registers: Registers, [message, file, line, fn]: readonly Value[], span: Span): readonly Value[] {
  const rest = [message, file, line, fn].map((value) => word(registers, value));
  registers.b.emit('message', { kind: 'assert' }, [...threadIndexes(registers, span), ...rest]);
  return [];
}

function buildReport(kind: FaultKind): ServiceBuild {
  return (registers, args, span) => {
    const told = args.map((value) => word(registers, value));
    registers.b.emit('message', { kind }, [...threadIndexes(registers, span), ...told]);
    return [];
  };
}

interface Format {
  readonly address: VariableAddress;
  /** The size of the printed arguments in words, and the number of arguments. */
  readonly words: number;
  readonly count: number;
}

function buildPrint(registers: Registers, [format, list]: readonly Value[], span: Span): readonly Value[] {
  const { b, graph } = registers;
  if (format === undefined || list === undefined) return missing('an argument of vprintf');
  const variables = graph.module.variables.filter(isText);
  const formats = addressesOf(format)?.map(formatAt) ?? variables.map((variable) => formatAt({ variable, offset: 0 }));
  const words = formats.reduce((most, own) => Math.max(most, own.words), 0);
  if (words > maxPrinted || formats.length > maxFormats) {
    refuse(
      compileDiagnostics.notSupported(
        `a printf with more than ${maxPrinted} words of arguments or ${maxFormats} formats`,
      ),
      span,
    );
  }
  const given = Array.from({ length: words }, (_, index): Value => {
    const place = { root: { kind: 'address', space: 'generic' }, unit: 1, offset: 4 * index, indexed: true } as const;
    return b.value('load', { place, type: 'i32', order: 'weak', scope: undefined, count: 1 }, [list]);
  });
  b.emit('message', { kind: 'print' }, [word(registers, format), ...given]);
  return [countOf(registers, format, formats)];
}

/** Builds the number of arguments of the format that the call passes. */
function countOf({ b }: Registers, format: Value, [first, ...rest]: readonly Format[]): Value {
  return rest.reduce(
    (count, own) => {
      if (own.count === first?.count) return count;
      const address = b.value('symbol', own.address, []);
      const generic = b.value('cvta', { space: 'global', direction: 'to-generic' }, [address]);
      return b.select(b.icmp('eq', format, generic), b.i32(own.count), count);
    },
    b.i32(first?.count ?? 0), // Absent: the module contains no text.
  );
}

/**
 * Returns the variables of the module to which an address may refer; undefined if the definition of
 * the address does not show this.
 */
function addressesOf(value: Value): readonly VariableAddress[] | undefined {
  if (value.kind !== 'result') return undefined;
  const { inst } = value;
  if (inst.op === 'symbol') return [inst.attrs];
  const [a, b, c] = inst.args;
  if (inst.op === 'cvta' && a) return addressesOf(a);
  if (inst.op !== 'select' || b === undefined || c === undefined) return undefined;
  const [then, otherwise] = [addressesOf(b), addressesOf(c)];
  return then && otherwise ? [...then, ...otherwise] : undefined;
}

const isText = ({ space, type, initializers }: Variable): boolean =>
  (space === 'global' || space === 'const') && /^[bsu]8$/.test(type) && initializers.length > 0;

function formatAt(address: VariableAddress): Format {
  const { variable, offset } = address;
  const bytes = initialBytes(variable);
  const end = bytes.indexOf(0, offset);
  const text = Array.from(bytes.subarray(offset, end === -1 ? bytes.length : end), (byte) => String.fromCharCode(byte));
  const pieces = parseFormat(text.join(''));
  return { address, words: wordsOfArguments(pieces), count: argumentWords(pieces).length };
}

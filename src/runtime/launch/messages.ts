// Reads the status buffer of a shader: whether it trapped, a failed assertion, and printed text.
import { blocksText } from '../../base/cluster.ts';
import type { Dim3 } from '../../base/launch.ts';
import { assertionText, decodeText, nothingPrinted, type Printed } from '../../base/printed.ts';
import { formatPieces } from '../../base/printf/format.ts';
import { parseFormat, wordsOfArguments } from '../../base/printf/parse.ts';
import { tensorFaultText } from '../../base/tensor-faults.ts';
import type { Diagnostic, Source, Span } from '../../ptx/ast.ts';
import { statusCodes, statusPlaces } from '../../translate/emit/program/status.ts';
import type { MessageSite, WgslProgram } from '../../translate/index.ts';
import { GpuError } from '../device/job.ts';
import { KernelError } from './kernel-error.ts';

/**
 * The maximum length of a string. Longer strings are cut, because they probably lack a terminator.
 */
const maxString = 2 ** 16;

/**
 * The buffers to read after a launch: the status buffer, and the heap if the kernel can access it.
 */
export interface LeftBehind {
  readonly status: Uint8Array | undefined;
  readonly heap: Uint8Array | undefined;
}

interface Message {
  readonly site: MessageSite;
  readonly words: readonly number[];
}

/** The end of the error message of a launch that trapped without recording a place. */
export const trapText = 'trapped';

/**
 * Returns the text that the kernel printed. Throws `KernelError` for a failed assertion, and
 * `GpuError` 'validation' if the shader reported a trap or lanes that wait for each other forever.
 */
export function readMessages(program: WgslProgram, source: Source, left: LeftBehind): Printed {
  if (program.status === undefined || left.status === undefined) return nothingPrinted;
  const words = new Uint32Array(left.status.slice().buffer);
  const messages = [...messagesIn(words, program.status.sites)];
  const code = words[statusPlaces.code];
  const strings = left.heap ? new Strings(left.heap, 0) : new Strings(program.status.strings, program.heapStart);
  if (code === statusCodes.trap) {
    throw failureOf(messages, source, strings) ?? new GpuError('validation', `${program.kernel} ${trapText}`);
  }
  if (code === statusCodes.deadlock) {
    const hint = '`lanewise check` reports which lanes';
    throw new GpuError('validation', `${program.kernel}: lanes wait for each other forever; ${hint}`);
  }
  return {
    texts: messages.flatMap((message) =>
      message.site.kind === 'print' ? [printedText(message, source, strings)] : [],
    ),
    dropped: words[statusPlaces.dropped] ?? 0,
  };
}

function* messagesIn(words: Uint32Array, sites: readonly MessageSite[]): Generator<Message> {
  const end = statusPlaces.messages + Math.min(words[statusPlaces.used] ?? 0, words.length);
  for (let at = statusPlaces.messages; at < end; ) {
    const site = sites[words[at] ?? 0];
    // A message that did not fit was counted, but not written.
    if (site === undefined || at + 1 + site.words > words.length) return;
    yield { site, words: [...words.subarray(at + 1, at + 1 + site.words)] };
    at += 1 + site.words;
  }
}

/**
 * Reads strings at their addresses in the heap. If the kernel cannot access the heap, the strings
 * are those from before the launch. Otherwise they are those from after the launch.
 */
class Strings {
  private readonly bytes: Uint8Array;
  /** The address of the first byte. */
  private readonly start: number;

  constructor(bytes: Uint8Array, start: number) {
    this.bytes = bytes;
    this.start = start;
  }

  /**
   * Returns the bytes of a string, one character for each. Returns undefined for memory that no
   * longer exists after the launch.
   */
  at(pointer: number): string | undefined {
    const address = pointer - this.start;
    if (address < 0 || address >= this.bytes.length) return undefined;
    const end = this.bytes.indexOf(0, address);
    const last = Math.min(end === -1 ? this.bytes.length : end, address + maxString);
    let text = '';
    for (let at = address; at < last; at++) text += String.fromCharCode(this.bytes[at] ?? 0);
    return text;
  }
}

function printedText({ site, words: [format = 0, ...words] }: Message, source: Source, strings: Strings): string {
  const pieces = parseFormat(strings.at(format) ?? '');
  const text = formatPieces(pieces, words.slice(0, wordsOfArguments(pieces)), (address) => {
    const found = strings.at(Number(BigInt.asUintN(32, address)));
    if (found !== undefined) return found;
    const message = '%s of a string in shared or local memory is not supported';
    throw new KernelError('unsupported', source, [diagnosticAt(site.span, 'LW2006', message, undefined)]);
  });
  return decodeText(text);
}

const diagnosticAt = (span: Span, code: string, message: string, hint: string | undefined): Diagnostic => ({
  code,
  severity: 'error',
  message,
  span,
  labels: [],
  hint,
});

/**
 * Returns the error for the first failed thread of the first failed block, with the number of
 * failed threads; undefined if no thread failed.
 */
function failureOf(messages: readonly Message[], source: Source, strings: Strings): KernelError | undefined {
  const failed = messages.filter(({ site }) => site.kind !== 'print').sort((a, b) => compareThreads(a.words, b.words));
  const [first] = failed;
  if (first === undefined || first.site.kind === 'print') return undefined;
  const { code, hint, textOf } = failures[first.site.kind];
  const [bx = 0, by = 0, bz = 0, tx = 0, ty = 0, tz = 0, ...words] = first.words;
  const said = textOf({ block: [bx, by, bz], thread: [tx, ty, tz] }, words, strings);
  const alike = failed.filter(({ site }) => site.kind === first.site.kind).length;
  const more = alike === 1 ? '' : ` (${alike} threads)`;
  return new KernelError('failed', source, [diagnosticAt(first.site.span, code, `${said}${more}`, hint)]);
}

interface ThreadPlace {
  readonly block: Dim3;
  readonly thread: Dim3;
}

interface FailureKind {
  readonly code: string;
  readonly hint: string;
  readonly textOf: (place: ThreadPlace, words: readonly number[], strings: Strings) => string;
}

const placeText = ({ block, thread }: ThreadPlace): string =>
  `block: [${block.join(',')}], thread: [${thread.join(',')}]`;

const failures: Readonly<Record<Exclude<MessageSite['kind'], 'print'>, FailureKind>> = {
  assert: {
    code: 'RUN018',
    hint: "The kernel's own assertion failed. Check the condition that it states.",
    textOf: (place, [message = 0, file = 0, line = 0, fn = 0], strings) => {
      const text = (address: number) => decodeText(address === 0 ? '' : (strings.at(address) ?? ''));
      return assertionText({ ...place, message: text(message), file: text(file), line, fn: text(fn) });
    },
  },
  'bad-call': {
    code: 'RUN019',
    hint: 'Call a function with this prototype whose address the module takes.',
    textOf: (place, [address = 0]) =>
      `call of address 0x${address.toString(16)}, which is not a function with this prototype, ${placeText(place)}`,
  },
  'tensor-fault': {
    code: 'RUN030',
    hint: 'Encode the map as cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col does, and pass coordinates that its mode allows.',
    textOf: (place, [fault = 0]) => `a copy with ${tensorFaultText(fault)}, ${placeText(place)}`,
  },
  'rank-fault': {
    code: 'RUN024',
    hint: 'The ranks of blocks are from 0 to %cluster_nctarank - 1.',
    textOf: (place, [rank = 0, blocks = 1]) =>
      `invalid block rank ${rank}: the cluster has ${blocksText(blocks)}, ${placeText(place)}`,
  },
  trap: {
    code: 'RUN013',
    hint: 'The kernel executed `trap` or `brkpt`, which ends the launch.',
    textOf: (place) => `a thread trapped, ${placeText(place)}`,
  },
  'deep-call': {
    code: 'RUN016',
    hint: 'Limit the depth of recursion, or reduce the stack frames.',
    textOf: (place, [bytes = 0]) => `calls nest too deeply: ${bytes} bytes of stack, ${placeText(place)}`,
  },
};

/**
 * Compares threads for sorting: by block first, then by thread. The index z is the most
 * significant, and x the least.
 */
function compareThreads(a: readonly number[], b: readonly number[]): number {
  for (const place of [2, 1, 0, 5, 4, 3]) {
    const difference = (a[place] ?? 0) - (b[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

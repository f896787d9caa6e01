// What a shader left in its status buffer: that it trapped, the assertion that failed, and what the kernel printed.
import type { Dim3, Launch } from '../../base/launch.ts';
import { assertionText, decodeText, nothingPrinted, type Printed, printedWords } from '../../base/printed.ts';
import { formatPieces } from '../../base/printf/format.ts';
import { parseFormat, wordsOfArguments } from '../../base/printf/parse.ts';
import type { Diagnostic, Span } from '../../ptx/ast.ts';
import { type MessageSite, statusCodes, statusPlaces, type WgslProgram } from '../../translate/index.ts';
import { GpuError, type GpuResult } from '../webgpu/job.ts';
import { KernelError } from './executor.ts';

/// Words of messages where all that there can be are failed assertions.
const assertionWords = 2 ** 12;
/// What is longer is cut: a string that nobody ended.
const maxString = 2 ** 16;

/// Bytes of the status buffer of a program; 0 without one.
export function statusBytes({ status }: WgslProgram): number {
  if (status === undefined) return 0;
  if (status.sites.length === 0) return 4;
  const messages = status.sites.some(({ kind }) => kind === 'print') ? printedWords : assertionWords;
  return 4 * (statusPlaces.messages + messages);
}

interface Message {
  readonly site: MessageSite;
  readonly words: readonly number[];
}

/// What the kernel printed. Throws `KernelError` where an assertion failed, and `GpuError` 'validation' when the shader said that it trapped, or that
/// lanes wait for each other for ever.
export function readMessages(program: WgslProgram, launch: Launch, result: GpuResult): Printed {
  const bytes = program.status && result.buffers.get(program.status.binding);
  if (program.status === undefined || bytes === undefined) return nothingPrinted;
  const words = new Uint32Array(bytes.slice().buffer);
  const messages = [...messagesIn(words, program.status.sites)];
  const code = words[statusPlaces.code];
  const strings = new Strings(program, result);
  if (code === statusCodes.trap) {
    throw (
      assertionError(messages, launch, strings) ?? new GpuError('validation', `${program.kernel} executed \`trap\``)
    );
  }
  if (code === statusCodes.deadlock) {
    const hint = '`lanewise check` says which';
    throw new GpuError('validation', `${program.kernel}: lanes wait for each other for ever; ${hint}`);
  }
  return {
    texts: messages.flatMap((message) =>
      message.site.kind === 'print' ? [printedText(message, launch, strings)] : [],
    ),
    dropped: words[statusPlaces.dropped] ?? 0,
  };
}

function* messagesIn(words: Uint32Array, sites: readonly MessageSite[]): Generator<Message> {
  const end = statusPlaces.messages + Math.min(words[statusPlaces.used] ?? 0, words.length);
  for (let at = statusPlaces.messages; at < end; ) {
    const site = sites[words[at] ?? 0];
    // What did not fit has been counted, and not written.
    if (site === undefined || at + 1 + site.words > words.length) return;
    yield { site, words: [...words.subarray(at + 1, at + 1 + site.words)] };
    at += 1 + site.words;
  }
}

/// Strings by their addresses in the heap: as they were before the launch where the kernel does not reach the heap, else as it left them.
class Strings {
  private readonly bytes: Uint8Array;

  constructor({ heap, status }: WgslProgram, result: GpuResult) {
    const after = heap && result.buffers.get(heap.binding);
    this.bytes = after ?? status?.strings ?? new Uint8Array(0);
  }

  /// The bytes of a string, a character each; undefined for memory that is gone when the launch is over.
  at(address: number): string | undefined {
    if (address >= this.bytes.length) return undefined;
    const end = this.bytes.indexOf(0, address);
    const last = Math.min(end === -1 ? this.bytes.length : end, address + maxString);
    let text = '';
    for (let at = address; at < last; at++) text += String.fromCharCode(this.bytes[at] ?? 0);
    return text;
  }
}

function printedText({ site, words: [format = 0, ...words] }: Message, launch: Launch, strings: Strings): string {
  const pieces = parseFormat(strings.at(format) ?? '');
  const text = formatPieces(pieces, words.slice(0, wordsOfArguments(pieces)), (address) => {
    const found = strings.at(Number(BigInt.asUintN(32, address)));
    if (found !== undefined) return found;
    const message = '%s of a string in shared or local memory is not supported';
    throw new KernelError('unsupported', sourceOf(launch), [diagnosticAt(site.span, 'LW2006', message, undefined)]);
  });
  return decodeText(text);
}

const sourceOf = ({ ptx, ptxFile }: Launch) => ({ text: ptx, file: ptxFile });

const diagnosticAt = (span: Span, code: string, message: string, hint: string | undefined): Diagnostic => ({
  code,
  severity: 'error',
  message,
  span,
  labels: [],
  hint,
});

/// The assertion of the first block and thread, and how many failed in all.
function assertionError(messages: readonly Message[], launch: Launch, strings: Strings): KernelError | undefined {
  const failed = messages.filter(({ site }) => site.kind === 'assert').sort((a, b) => compareThreads(a.words, b.words));
  const [first] = failed;
  if (first === undefined) return undefined;
  const [bx = 0, by = 0, bz = 0, tx = 0, ty = 0, tz = 0, message = 0, file = 0, line = 0, fn = 0] = first.words;
  const text = (address: number) => decodeText(address === 0 ? '' : (strings.at(address) ?? ''));
  const [block, thread]: [Dim3, Dim3] = [
    [bx, by, bz],
    [tx, ty, tz],
  ];
  const said = assertionText({ block, thread, message: text(message), file: text(file), line, fn: text(fn) });
  const more = failed.length === 1 ? '' : ` (${failed.length} threads)`;
  const hint = "The assertion is the kernel's own: it says what must hold here.";
  return new KernelError('failed', sourceOf(launch), [diagnosticAt(first.site.span, 'RUN018', `${said}${more}`, hint)]);
}

/// z counts most, x least; the block before the thread.
function compareThreads(a: readonly number[], b: readonly number[]): number {
  for (const place of [2, 1, 0, 5, 4, 3]) {
    const difference = (a[place] ?? 0) - (b[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

// Executes calls of runtime functions.
import { positionIn } from '../../../base/dim3.ts';
import { type Assertion, assertionText, decodeText } from '../../../base/printed.ts';
import { formatPieces } from '../../../base/printf/format.ts';
import { argumentWords, parseFormat, wordsOfArguments } from '../../../base/printf/parse.ts';
import type { ServiceName } from '../../../isa/index.ts';
import type { Region } from '../memory/region.ts';
import { laneNames } from '../state/findings.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Op, ServiceWork, Warp } from '../state/state.ts';
import { readBits, writeBits } from './call.ts';

/**
 * The maximum length of a string in bytes. A longer string is truncated, because it probably does
 * not have a terminator.
 */
const maxString = 2 ** 16;

interface Caller {
  readonly warp: Warp;
  readonly op: Op;
  readonly lane: number;
  /** The mask of the lanes that call together. */
  readonly lanes: number;
}

/**
 * Returns the region that contains a generic address, and the offset in that region; undefined if
 * the address is invalid.
 */
function findMemory({ warp, lane }: Caller, address: number): { region: Region; offset: number } | undefined {
  const { space } = warp.machine;
  const where = space.spaceOf(address);
  const own = where === 'global' ? address : address - space.plan.windows[where];
  const region = where === 'global' ? space.findGlobal(address, 1) : warp.regionOf(where, lane);
  const offset = region === undefined ? -1 : own - region.base;
  return region === undefined || offset < 0 || offset >= region.size ? undefined : { region, offset };
}

function reportOutside({ warp, op, lane }: Caller, what: string, address: bigint): void {
  warp.machine.log.add('RUN008', op.span, warp.place(1 << lane), () => {
    return `${what} at address 0x${address.toString(16)} is outside of all memory`;
  });
}

/** Returns the characters of a string, one per byte. */
function stringAt(caller: Caller, address: bigint): string {
  const found = findMemory(caller, Number(address));
  if (found === undefined) {
    reportOutside(caller, 'a string', address);
    return '';
  }
  const { region, offset } = found;
  const end = Math.min(region.size, offset + maxString);
  let text = '';
  for (let at = offset; at < end && region.bytes[at] !== 0; at++) text += String.fromCharCode(region.bytes[at] ?? 0);
  return text;
}

function wordsAt(caller: Caller, address: bigint, count: number): readonly number[] {
  if (count === 0) return [];
  const found = findMemory(caller, Number(address));
  if (found === undefined || found.offset + 4 * count > found.region.size) {
    reportOutside(caller, `${4 * count} bytes of arguments`, address);
    return [];
  }
  const { region, offset } = found;
  return Array.from({ length: count }, (_, index) => region.load(offset + 4 * index, 4));
}

/** Returns the result of a runtime function; undefined if the function does not have a result. */
type ServiceFunction = (caller: Caller, args: readonly bigint[]) => bigint | undefined;

const services: Readonly<Record<ServiceName, ServiceFunction>> = {
  /** Prints the text. Returns the number of arguments, or -1 if the format is null. */
  vprintf(caller, [format = 0n, list = 0n]) {
    if (format === 0n) return BigInt.asUintN(32, -1n);
    const pieces = parseFormat(stringAt(caller, format));
    const words = wordsAt(caller, list, wordsOfArguments(pieces));
    const text = formatPieces(pieces, words, (address) => stringAt(caller, address));
    caller.warp.machine.print(decodeText(text), words.length + 1);
    return BigInt(argumentWords(pieces).length);
  },

  __assertfail(caller, [message = 0n, file = 0n, line = 0n, fn = 0n]) {
    const { warp, op, lane, lanes } = caller;
    const text = (address: bigint) => (address === 0n ? '' : decodeText(stringAt(caller, address)));
    const assertion: Assertion = {
      block: warp.block.position,
      thread: positionIn(warp.machine.launch.block, warp.firstThread + lane),
      message: text(message),
      file: text(file),
      line: Number(line),
      fn: text(fn),
    };
    const said = assertionText(assertion);
    warp.machine.log.add('RUN018', op.span, warp.place(lanes), () => `${said} (${laneNames(lanes)})`);
    return warp.machine.halt('RUN018', said);
  },
};

/** Calls a runtime function in `lanes`, one lane after another. */
export function callService(warp: Warp, op: Op, work: ServiceWork, frame: Frame, lanes: number): void {
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const args = work.args.map((passed) => readBits(warp, lane, { frame, passed }));
    const result = services[work.service]({ warp, op, lane, lanes }, args);
    const [given] = work.results;
    if (given !== undefined && result !== undefined) writeBits(warp, lane, { frame, passed: given }, result);
  }
}

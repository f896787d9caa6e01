// Which lanes come to a place together. Each place has a mask that names them (and maybe lanes that have exited, which no lane waits for), so
// that a `.sync` there names exactly the lanes that come.
import type { Writer } from './writer.ts';

/**
 * A mask known when the kernel is written (`bits`), or in a register. `used` says that something was printed with it: the printer computes
 * only masks that are.
 */
export interface Mask {
  readonly bits: number | undefined;
  readonly name: string | undefined;
  used: boolean;
}

export const allLanes = 0xffffffff;

export function knownMask(bits: number): Mask {
  return { bits: bits >>> 0, name: undefined, used: false };
}

export function registerMask(writer: Writer): Mask {
  return { bits: undefined, name: writer.temporary('r'), used: false };
}

/** The mask as an operand. `inRegister` asks for a register even where the bits are known. */
export function maskText(writer: Writer, mask: Mask, inRegister = false): string {
  mask.used = true;
  if (mask.bits === undefined) return mask.name ?? '';
  const hex = `0x${mask.bits.toString(16)}`;
  if (!inRegister) return hex;
  if (mask.bits === allLanes) return writer.provide('full');
  const name = writer.temporary('r');
  writer.line(`and.b32 ${name}, ${writer.provide('full')}, ${hex}`);
  return name;
}

export interface Place {
  readonly mask: Mask;
  /** Nothing here may wait for other lanes: they may come one by one. */
  readonly quiet: boolean;
  /** All threads of the block that have not ended come here. */
  readonly whole: boolean;
  /** Where `leave` goes. */
  readonly leaveTo: string | undefined;
}

/** Writes `place`'s mask restricted to lanes where `condition` holds. */
export function restrict(writer: Writer, into: Mask, condition: string, from: Mask): void {
  writer.line(`vote.sync.ballot.b32 ${into.name}, ${condition}, ${maskText(writer, from)}`);
}

// The lanes that reach a place together. Each place has a mask that names these lanes. The mask may
// also name lanes that have exited, because no lane waits for those. So a `.sync` at the place
// names exactly the lanes that reach it.
import type { Writer } from './writer.ts';

/**
 * A mask that is statically known (`bits`) or in a register. The printer computes a mask only if
 * other code has `used` it.
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

/** Returns the mask as an operand. `inRegister` requests a register even if the bits are known. */
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
  /** Whether statements must not wait for other lanes, because lanes may arrive separately. */
  readonly quiet: boolean;
  /** Whether all live threads of the block reach this place. */
  readonly whole: boolean;
  /** The label to which `leave` branches. */
  readonly leaveTo: string | undefined;
}

/**
 * Emits code that restricts `from` to lanes for which `condition` is true, and writes the mask to
 * `into`.
 */
export function restrict(writer: Writer, into: Mask, condition: string, from: Mask): void {
  writer.line(`vote.sync.ballot.b32 ${into.name}, ${condition}, ${maskText(writer, from)}`);
}

// Finds the memory at an address of one lane, and reports invalid accesses.
import type { StateSpace } from '../../../ptx/ast.ts';
import type { Access, AccessOrigin } from '../memory/access.ts';
import { placeAt } from '../memory/cluster-window.ts';
import { isNeverWritten, Region } from '../memory/region.ts';
import type { FindingCode } from '../state/findings.ts';
import type { Frame } from '../state/frame.ts';
import type { Conflict } from '../state/races.ts';
import type { Block, Warp } from '../state/state.ts';

/** The location of an access: a region and the offset in the region. */
export interface Located {
  region: Region;
  offset: number;
}

const empty = new Region('nowhere', 'global', 0, 0);

/** Returns a location for `locate` to fill. */
export const nowhere = (): Located => ({ region: empty, offset: 0 });

/** Returns the address of a lane's access. */
export function addressOf(access: Access, frame: Frame, lane: number): number {
  const address = frame.addressOf(access.base, lane) + access.offset;
  return access.wraps ? address >>> 0 : address;
}

/**
 * Returns a name for the byte at an offset of a region: the array and the byte in it, such as
 * `'tile', byte 128`. Names the region itself if no array contains the offset.
 */
export function describeOffset(region: Region, offset: number): string {
  const part = region.parts.find(({ start, bytes }) => offset >= start && offset < start + bytes);
  return part === undefined ? `${region.name}, byte ${offset}` : `'${part.name}', byte ${offset - part.start}`;
}

function hex(address: number): string {
  return address < 0 ? `-0x${(-address).toString(16)}` : `0x${address.toString(16)}`;
}

function reportOutside(warp: Warp, access: Access, lane: number, space: StateSpace, address: number): void {
  const { log, space: memory } = warp.machine;
  const near = space === 'global' ? memory.nearestGlobal(address) : undefined;
  if (near !== undefined) noteExtent(near, access, address - near.base);
  log.add('RUN008', access.span, warp.place(1 << lane), () => {
    const what = `out-of-bounds ${access.verb} of ${access.bytes} bytes at ${space} address ${hex(address)}`;
    if (space !== 'global') {
      const region = warp.regionOf(space, lane);
      return `${what}: ${region.name} has ${region.size} bytes`;
    }
    if (near === undefined) return `${what}: the launch has no buffers`;
    const offset = address - near.base;
    return `${what}: byte ${offset} of '${near.name}', which has ${near.size} bytes`;
  });
}

/** Extends the accessed range of a region to the end of an access. */
export function noteExtent(region: Region, { verb, bytes }: Access, offset: number): void {
  const end = offset + bytes;
  if (verb !== 'store' && end > region.readTo) region.readTo = end;
  if (verb !== 'load' && end > region.writtenTo) region.writtenTo = end;
}

/**
 * Stores the location of an access in `out`. Reports a finding and returns false if no region
 * contains the whole access.
 */
export function locate(warp: Warp, frame: Frame, lane: number, access: Access, out: Located): boolean {
  const { machine } = warp;
  let address = addressOf(access, frame, lane);
  let { space } = access;
  if (space === 'generic') {
    space = machine.space.spaceOf(address);
    if (space !== 'global') address -= machine.space.plan.windows[space];
  }
  if (machine.sanitize && ((frame.undefinedIn[access.base.taint] ?? 0) >>> lane) & 1) {
    machine.log.add('RUN012', access.span, warp.place(1 << lane), () => `${access.verb} through an undefined address`);
  }
  if (!locateAt(warp, lane, access, space, address, out)) return false;
  if (machine.sanitize && access.origin !== undefined)
    checkOrigin(warp, frame, lane, access, access.origin, out.region, out.offset);
  return true;
}

/** Does the same as `locate` for an address that is not in an operand, in a known state space. */
export function locateAt(
  warp: Warp,
  lane: number,
  access: Access,
  space: StateSpace,
  address: number,
  out: Located,
): boolean {
  const { machine } = warp;
  if (space === 'shared' && warp.block.cluster.blocks.length > 1) {
    const { rank, offset: place } = placeAt(address);
    if (rank !== undefined) return locateVisited(warp, lane, access, rank, place, out);
  }
  const region = space === 'global' ? machine.space.findGlobal(address, access.bytes) : warp.regionOf(space, lane);
  const offset = region === undefined ? -1 : address - region.base;
  if (region === undefined || offset < 0 || offset + access.bytes > region.size) {
    reportOutside(warp, access, lane, space, address);
    return false;
  }
  if (address % (access.align ?? access.bytes) !== 0) {
    machine.log.add('RUN009', access.span, warp.place(1 << lane), () => {
      return `misaligned ${access.verb} of ${access.bytes} bytes at ${describeOffset(region, offset)} (address ${hex(address)})`;
    });
  }
  return found(warp, lane, access, region, offset, out);
}

function found(warp: Warp, lane: number, access: Access, region: Region, offset: number, out: Located): true {
  const { machine } = warp;
  noteExtent(region, access, offset);
  if (machine.observe !== undefined) {
    const { verb, bytes } = access;
    machine.accesses.push({ lane, verb, space: region.space, address: region.base + offset, bytes });
  }
  out.region = region;
  out.offset = offset;
  return true;
}

/**
 * Does the same as `locate` for an address in the shared memory of block `rank` of the cluster,
 * which may be the thread's own block.
 */
function locateVisited(warp: Warp, lane: number, access: Access, rank: number, offset: number, out: Located): boolean {
  const { blocks } = warp.block.cluster;
  const owner = blocks[rank];
  const what = () => `${access.verb} of ${access.bytes} bytes in shared memory`;
  const report = (code: FindingCode, message: () => string): void =>
    warp.machine.log.add(code, access.span, warp.place(1 << lane), message);
  if (owner === undefined || access.own === true) {
    const why =
      owner === undefined ? `the cluster has ${blocks.length} blocks` : 'the instruction is not shared::cluster';
    report('RUN024', () => `${what()} of block ${rank} of the cluster: ${why}`);
    return false;
  }
  const { shared } = owner;
  if (offset + access.bytes > shared.size) {
    report(
      'RUN008',
      () =>
        `out-of-bounds ${what()} of block ${rank} of the cluster, byte ${offset}: ${shared.name} has ${shared.size} bytes`,
    );
    return false;
  }
  if (owner.done) report('RUN024', () => `${what()} of block ${rank} of the cluster, which has exited`);
  if (offset % (access.align ?? access.bytes) !== 0)
    report('RUN009', () => `misaligned ${what()} of block ${rank}: ${describeOffset(shared, offset)}`);
  return found(warp, lane, access, shared, offset, out);
}

/** Returns the block whose shared memory a region is; for other memory, the thread's own block. */
export const ownerOf = ({ block }: Warp, region: Region): Block =>
  region === block.shared ? block : (block.cluster.blocks.find(({ shared }) => shared === region) ?? block);

/** Reports an access outside of the variable to which its address points. */
function checkOrigin(
  warp: Warp,
  frame: Frame,
  lane: number,
  access: Access,
  { variable, start, bytes }: AccessOrigin,
  region: Region,
  offset: number,
): void {
  if (variable.space !== region.space) return;
  const begin = start + (region.space === 'local' ? (frame.stackBase[lane] ?? 0) : 0);
  if (offset >= begin && offset + access.bytes <= begin + bytes) return;
  const reached = region.parts.find(
    (part) => offset < part.start + part.bytes && offset + access.bytes > part.start && part.variable !== variable,
  );
  const message = (): string => {
    const size = variable.bytes === 0 ? `the ${bytes} bytes of dynamic shared memory` : `${bytes} bytes`;
    const where =
      reached === undefined
        ? `other ${region.space} memory`
        : `${reached.variable?.bytes === 0 ? 'dynamic shared memory ' : ''}'${reached.name}'`;
    return `${access.verb} of ${access.bytes} bytes at byte ${offset - begin} of '${variable.name}', which has ${size}: it reaches ${where}`;
  };
  const labels = [variable, ...(reached?.variable === undefined ? [] : [reached.variable])].map(({ name, span }) => ({
    span,
    text: `'${name}' is declared here`,
  }));
  warp.machine.log.add('RUN025', access.span, warp.place(1 << lane), message, { labels });
}

/**
 * Reports races and reads of memory that was never written. Sanitizing runs call this function with
 * the location of an access, before the access changes memory. `isUnchanged`: whether memory
 * already contains the bytes of a store.
 */
export function inspect(
  warp: Warp,
  lane: number,
  access: Access,
  { region, offset }: Located,
  isUnchanged?: () => boolean,
): void {
  const { machine } = warp;
  // The program may mask out an unwritten value of local memory, so only uses of such a value are
  // reported.
  const isReported = access.verb !== 'store' && region.space !== 'local';
  if (isReported && isNeverWritten(region.shadowAt(offset, access.bytes))) {
    machine.log.add('RUN007', access.span, warp.place(1 << lane), () => {
      return `read of ${region.space} memory that was never written: ${describeOffset(region, offset)}`;
    });
  }
  reportPending(warp, lane, access, region, offset);
  reportProduct(warp, lane, access, region, offset);
  const { clocks } = warp.block;
  if (clocks === undefined || (region.space !== 'shared' && region.space !== 'global')) return;
  const owner = ownerOf(warp, region);
  if (owner !== warp.block) {
    const thread = warp.firstThread + lane;
    const moment = { block: clocks, thread, epoch: clocks.epoch, clock: clocks.clockOf(thread) };
    owner.noteVisit({ ...moment, access, place: warp.place(1 << lane) });
  }
  const history = region.space === 'shared' ? owner.sharedAccesses : machine.globalAccesses(region);
  const conflict = history.access(clocks, warp.firstThread + lane, access, offset);
  if (conflict === undefined) return;
  const areEqual = conflict.kind === 'race' && conflict.past.access.verb === 'store' && isUnchanged?.() === true;
  const shown = areEqual ? ({ ...conflict, kind: 'equal' } as const) : conflict;
  reportConflict(warp, lane, access, describeOffset(region, offset), shown);
}

/** Reports a store to bytes that a pending product of a warpgroup may still read. */
function reportProduct(warp: Warp, lane: number, access: Access, region: Region, offset: number): void {
  if (access.verb === 'load' || region.space !== 'shared') return;
  const product = ownerOf(warp, region).products.reading(offset, access.bytes);
  if (product === undefined) return;
  const message = () =>
    `${access.verb} of ${describeOffset(region, offset)} by thread ${warp.firstThread + lane}: a product of warp ${product.warp} may not have read it yet`;
  warp.machine.log.add('RUN027', access.span, warp.place(1 << lane), message, {
    labels: [{ span: product.span, text: 'the pending product' }],
    variant: String(product.span.start),
  });
}

/** Reports an access to bytes that a pending copy may still write or read. */
function reportPending(warp: Warp, lane: number, access: Access, region: Region, offset: number): void {
  for (const block of warp.block.cluster.blocks) reportCopy(warp, lane, access, region, offset, block);
}

/** Reports an access to bytes that a pending copy of a block's thread may still write or read. */
function reportCopy(warp: Warp, lane: number, access: Access, region: Region, offset: number, block: Block): void {
  const { copies } = block;
  const thread = warp.firstThread + lane;
  const writing =
    region.space === 'shared'
      ? copies.writing(region, offset, access.bytes)
      : copies.updating(region, offset, access.bytes);
  // A pending reduction updates each element atomically, so other atomics do not conflict with it.
  if (writing?.combine !== undefined && access.verb === 'atomic') return;
  const copy = writing ?? (access.verb === 'load' ? undefined : copies.reading(region, offset, access.bytes));
  if (copy === undefined) return;
  const message = (): string => {
    const owner = block === warp.block ? '' : ` of block ${block.rank} of the cluster`;
    const whose = owner === '' && copy.thread === thread ? 'its own' : `thread ${copy.thread}${owner}'s`;
    const done = writing ? 'written' : 'read';
    return `${access.verb} of ${describeOffset(region, offset)} by thread ${thread}: ${whose} copy may not have ${done} it yet`;
  };
  warp.machine.log.add('RUN020', access.span, warp.place(1 << lane), message, {
    labels: [{ span: copy.access.span, text: 'the pending copy' }],
    variant: String(copy.access.span.start),
  });
}

/** A conflict to report. `equal`: both accesses store the same value. */
type ShownConflict = Pick<Conflict, 'past'> & { readonly kind: Conflict['kind'] | 'equal' };
const conflictCodes = { race: 'RUN010', lockstep: 'RUN017', equal: 'RUN026' } as const;

function reportConflict(warp: Warp, lane: number, access: Access, where: string, { kind, past }: ShownConflict): void {
  const sameBlock = past.block === warp.block.clocks;
  const thread = (number: number) => `thread ${number} (warp ${number >>> 5}, lane ${number & 31})`;
  const message = (): string => {
    const here = warp.firstThread + lane;
    const who = sameBlock
      ? `thread ${here} and ${thread(past.thread)} of the block`
      : `thread ${here} of the block and ${thread(past.thread)} of block (${past.block.position.join(', ')})`;
    if (kind === 'equal')
      return `${who} store the same value to ${where}, with no ${sameBlock ? 'barrier' : 'atomic'} in between`;
    return kind === 'race'
      ? `race on ${where}: ${who} access it with no ${sameBlock ? 'barrier' : 'atomic'} in between, and one writes`
      : `${where} is correct only if the lanes of a warp execute in lockstep: ${who} access it without a barrier in between, and one writes`;
  };
  warp.machine.log.add(conflictCodes[kind], access.span, warp.place(1 << lane), message, {
    labels: [{ span: past.access.span, text: `the other access, a ${past.access.verb}` }],
    variant: String(past.access.span.start),
  });
}

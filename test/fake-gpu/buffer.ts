// Buffers, their states and their mapping. https://www.w3.org/TR/webgpu/#buffers

import { abortError, FakeError, operationError } from './errors.ts';
import { FakeObject, firstFault, type Owner } from './object.ts';

/** The flags of GPUBufferUsage. */
export const usages = {
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  INDEX: 0x10,
  VERTEX: 0x20,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  INDIRECT: 0x100,
  QUERY_RESOLVE: 0x200,
} as const;

export type UsageName = keyof typeof usages;

/** The flags of GPUMapMode. */
const modes: Readonly<Record<number, UsageName>> = { 1: 'MAP_READ', 2: 'MAP_WRITE' };
const everyUsage = Object.values(usages).reduce((all, bit) => all | bit, 0);

interface MappedRange {
  readonly offset: number;
  readonly bytes: ArrayBuffer;
}

export class FakeBuffer extends FakeObject implements GPUBuffer {
  readonly __brand = 'GPUBuffer';
  readonly size: number;
  readonly usage: number;
  /** The contents of the buffer on the device. */
  readonly memory: ArrayBuffer;
  isDestroyed = false;
  mapState: GPUBufferMapState = 'unmapped';
  #mapping: { readonly offset: number; readonly size: number; readonly isWritable: boolean } | undefined;
  #ranges: MappedRange[] = [];
  #rejectPending: ((error: DOMException) => void) | undefined;

  constructor(owner: Owner, { label, size, usage, mappedAtCreation }: GPUBufferDescriptor) {
    const isMapped = mappedAtCreation === true;
    if (isMapped && size % 4 !== 0) throw new RangeError(`createBuffer: ${size} bytes mapped at creation`);
    const fault = bufferFault(owner, size, usage);
    const hasRoom = fault === undefined && owner.take(size);
    super(owner, label, !hasRoom);
    this.size = size;
    this.usage = usage;
    this.memory = new ArrayBuffer(hasRoom || isMapped ? size : 0);
    if (fault !== undefined) owner.report(new FakeError('validation', `createBuffer: ${fault}`));
    else if (!hasRoom) owner.report(new FakeError('out-of-memory', `createBuffer: no room for ${size} bytes`));
    if (!isMapped) return;
    this.mapState = 'mapped';
    this.#mapping = { offset: 0, size, isWritable: true };
  }

  /**
   * Returns the reason why commands cannot use the buffer in this way, or undefined if they can.
   * `stateFault` is checked later, at submission.
   */
  faultFor(usage: UsageName, owner: Owner): string | undefined {
    return firstFault([
      [this.owner === owner, `the buffer \`${this.label}\` belongs to another device`],
      [!this.isInvalid, `the buffer \`${this.label}\` is invalid`],
      [(this.usage & usages[usage]) !== 0, `the buffer \`${this.label}\` lacks the usage ${usage}`],
    ]);
  }

  /** The reason why the queue cannot use the buffer in its current state; undefined if it can. */
  get stateFault(): string | undefined {
    return firstFault([
      [!this.isDestroyed, `the buffer \`${this.label}\` is destroyed`],
      [this.mapState === 'unmapped', `the buffer \`${this.label}\` is mapped`],
    ]);
  }

  mapAsync(mode: number, offset = 0, size = Math.max(0, this.size - offset)): Promise<undefined> {
    const usage = modes[mode];
    const fault = firstFault([
      [this.mapState === 'unmapped', 'the buffer is mapped already'],
      [!this.isInvalid, `the buffer \`${this.label}\` is invalid`],
      [!this.isDestroyed, `the buffer \`${this.label}\` is destroyed`],
      [usage !== undefined && (this.usage & usages[usage]) !== 0, `the buffer lacks the usage for mode ${mode}`],
      [offset % 8 === 0 && size % 4 === 0, `${size} bytes at ${offset} are not aligned`],
      [offset + size <= this.size, `${size} bytes at ${offset} are not in the buffer of ${this.size}`],
    ]);
    if (this.owner.isLost) return Promise.reject(operationError('mapAsync: the device is lost'));
    if (fault !== undefined) {
      this.owner.report(new FakeError('validation', `mapAsync: ${fault}`));
      return Promise.reject(operationError(`mapAsync: ${fault}`));
    }
    this.mapState = 'pending';
    return new Promise((resolve, reject) => {
      this.#rejectPending = reject;
      this.owner.timeline.push(() => {
        if (this.#rejectPending !== reject) return;
        this.#rejectPending = undefined;
        this.mapState = 'mapped';
        this.#mapping = { offset, size, isWritable: usage === 'MAP_WRITE' };
        resolve(undefined);
      });
    });
  }

  getMappedRange(offset = 0, size = Math.max(0, this.size - offset)): ArrayBuffer {
    const mapping = this.#mapping;
    if (!mapping) throw operationError(`getMappedRange: the buffer \`${this.label}\` is not mapped`);
    const overlaps = this.#ranges.some(
      (range) => range.offset < offset + size && offset < range.offset + range.bytes.byteLength,
    );
    const fault = firstFault([
      [offset % 8 === 0 && size % 4 === 0, `${size} bytes at ${offset} are not aligned`],
      [offset >= mapping.offset && offset + size <= mapping.offset + mapping.size, 'the range is not mapped'],
      [!overlaps, 'the range overlaps another one'],
    ]);
    if (fault !== undefined) throw operationError(`getMappedRange: ${fault}`);
    const bytes = this.memory.slice(offset, offset + size);
    this.#ranges.push({ offset, bytes });
    return bytes;
  }

  unmap(): undefined {
    this.#rejectPending?.(abortError('the buffer was unmapped before it was mapped'));
    this.#rejectPending = undefined;
    for (const { offset, bytes } of this.#ranges) {
      if (this.#mapping?.isWritable) new Uint8Array(this.memory).set(new Uint8Array(bytes), offset);
      // Detach the mapped range, so that its views are empty.
      structuredClone(bytes, { transfer: [bytes] });
    }
    this.#ranges = [];
    this.#mapping = undefined;
    this.mapState = 'unmapped';
  }

  destroy(): undefined {
    if (this.isDestroyed) return;
    this.unmap();
    this.isDestroyed = true;
    // Release the memory later, because work that was submitted before still uses it.
    if (!this.isInvalid) this.owner.timeline.push(() => this.owner.give(this.size));
  }
}

function bufferFault({ values, isLost }: Owner, size: number, usage: number): string | undefined {
  if (isLost) return undefined;
  const has = (name: UsageName): boolean => (usage & usages[name]) !== 0;
  const beside = (name: UsageName, other: UsageName): boolean =>
    !has(name) || (usage & ~(usages[name] | usages[other])) === 0;
  return firstFault([
    [size <= values.maxBufferSize, `${size} bytes are more than maxBufferSize, ${values.maxBufferSize}`],
    [usage !== 0 && (usage & ~everyUsage) === 0, `invalid usage ${usage}`],
    [beside('MAP_READ', 'COPY_DST'), 'MAP_READ goes with COPY_DST alone'],
    [beside('MAP_WRITE', 'COPY_SRC'), 'MAP_WRITE goes with COPY_SRC alone'],
  ]);
}

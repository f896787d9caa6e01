// Records and validates commands, and executes them after submission.
// https://www.w3.org/TR/webgpu/#command-encoding

import { runCompiled, WgslError } from '../wgsl-interpreter/index.ts';
import { sizeOf } from '../wgsl-interpreter/types.ts';
import { FakeBuffer } from './buffer.ts';
import { FakeError, unsupported } from './errors.ts';
import { FakeObject, firstFault, type Owner, own } from './object.ts';
import { type Bound, FakeBindGroup, FakeComputePipeline } from './shader.ts';

export class FakeQuerySet extends FakeObject implements GPUQuerySet {
  readonly __brand = 'GPUQuerySet';
  readonly type: GPUQueryType;
  readonly count: number;
  readonly times: BigUint64Array;
  isDestroyed = false;

  constructor(owner: Owner, { label, type, count }: GPUQuerySetDescriptor) {
    if (type === 'timestamp' && !owner.enabled.has('timestamp-query'))
      throw new TypeError('createQuerySet: the device lacks timestamp-query');
    const fault = count > 4096 ? `${count} queries are more than 4096` : undefined;
    super(owner, label, fault !== undefined);
    this.type = type;
    this.count = count;
    this.times = new BigUint64Array(fault ? 0 : count);
    if (fault !== undefined) owner.report(new FakeError('validation', `createQuerySet: ${fault}`));
  }

  destroy(): undefined {
    this.isDestroyed = true;
  }
}

export class FakeCommandBuffer extends FakeObject implements GPUCommandBuffer {
  readonly __brand = 'GPUCommandBuffer';
  readonly commands: readonly (() => void)[];
  readonly buffers: ReadonlySet<FakeBuffer>;
  readonly queries: ReadonlySet<FakeQuerySet>;
  isSubmitted = false;

  constructor(owner: Owner, label: string | undefined, encoded: Encoded, isInvalid: boolean) {
    super(owner, label, isInvalid);
    this.commands = encoded.commands;
    this.buffers = encoded.buffers;
    this.queries = encoded.queries;
  }
}

/** The commands of an encoder. After the first fault, `finish` fails. */
class Encoded {
  readonly commands: (() => void)[] = [];
  readonly buffers = new Set<FakeBuffer>();
  readonly queries = new Set<FakeQuerySet>();
  fault: string | undefined;
  state: 'open' | 'locked' | 'ended' = 'open';

  /** Adds a command, unless `faults` contains a fault. */
  add(name: string, faults: readonly (string | undefined)[], command: () => void): void {
    const fault = faults.find((each) => each !== undefined);
    if (fault !== undefined) this.fault ??= `${name}: ${fault}`;
    else this.commands.push(command);
  }
}

const wordsOf = ({ memory }: FakeBuffer, offset: number, size: number): Uint32Array =>
  new Uint32Array(memory, offset, Math.floor(size / 4));

export class FakeCommandEncoder extends FakeObject implements GPUCommandEncoder {
  readonly __brand = 'GPUCommandEncoder';
  readonly #encoded = new Encoded();

  constructor(owner: Owner, { label }: GPUCommandEncoderDescriptor = {}) {
    super(owner, label, false);
  }

  beginComputePass({ label, timestampWrites }: GPUComputePassDescriptor = {}): GPUComputePassEncoder {
    const encoded = this.#encoded;
    const { owner } = this;
    const fault = this.#stateFault();
    encoded.state = 'locked';
    let stamp = (_index: number | undefined): void => undefined;
    if (timestampWrites) {
      const { querySet, beginningOfPassWriteIndex: begin, endOfPassWriteIndex: end } = timestampWrites;
      const queries = own(FakeQuerySet, querySet);
      encoded.queries.add(queries);
      stamp = (index) => {
        if (index !== undefined) queries.times[index] = owner.now();
      };
      const inSet = [begin, end].every((index) => index === undefined || index < queries.count);
      encoded.add('beginComputePass', [fault, inSet && begin !== end ? undefined : 'invalid queries'], () =>
        stamp(begin),
      );
    } else encoded.add('beginComputePass', [fault], () => undefined);
    return new FakeComputePass(owner, label, encoded, () => stamp(timestampWrites?.endOfPassWriteIndex));
  }

  beginRenderPass = (): never => unsupported('beginRenderPass');
  copyBufferToTexture = (): never => unsupported('copyBufferToTexture');
  copyTextureToBuffer = (): never => unsupported('copyTextureToBuffer');
  copyTextureToTexture = (): never => unsupported('copyTextureToTexture');

  copyBufferToBuffer(
    source: GPUBuffer,
    second: GPUBuffer | number,
    third?: GPUBuffer | number,
    fourth?: number,
    fifth?: number,
  ): undefined {
    const isShort = typeof second === 'object';
    const [from, to] = [own(FakeBuffer, source), own(FakeBuffer, isShort ? second : third)];
    const [fromAt, toAt] = isShort ? [0, 0] : [second, fourth ?? 0];
    const size = (isShort ? (typeof third === 'number' ? third : undefined) : fifth) ?? from.size - fromAt;
    const faults = [
      from.faultFor('COPY_SRC', this.owner),
      to.faultFor('COPY_DST', this.owner),
      firstFault([
        [from !== to, 'the source is the destination'],
        [size % 4 === 0 && fromAt % 4 === 0 && toAt % 4 === 0, `${size} bytes from ${fromAt} to ${toAt} are not words`],
        [fromAt + size <= from.size, `${size} bytes at ${fromAt} are not in the source of ${from.size}`],
        [toAt + size <= to.size, `${size} bytes at ${toAt} are not in the destination of ${to.size}`],
      ]),
    ];
    this.#add('copyBufferToBuffer', [from, to], faults, () =>
      new Uint8Array(to.memory).set(new Uint8Array(from.memory, fromAt, size), toAt),
    );
  }

  clearBuffer(buffer: GPUBuffer, offset = 0, size?: number): undefined {
    const target = own(FakeBuffer, buffer);
    const bytes = size ?? Math.max(0, target.size - offset);
    const fault = firstFault([
      [offset % 4 === 0 && bytes % 4 === 0, `${bytes} bytes at ${offset} are not words`],
      [offset + bytes <= target.size, `${bytes} bytes at ${offset} are not in the buffer of ${target.size}`],
    ]);
    const faults = [target.faultFor('COPY_DST', this.owner), fault];
    this.#add('clearBuffer', [target], faults, () => new Uint8Array(target.memory, offset, bytes).fill(0));
  }

  resolveQuerySet(querySet: GPUQuerySet, first: number, count: number, buffer: GPUBuffer, offset: number): undefined {
    const queries = own(FakeQuerySet, querySet);
    const target = own(FakeBuffer, buffer);
    this.#encoded.queries.add(queries);
    const fault = firstFault([
      [first + count <= queries.count, `queries ${first} to ${first + count} are not in the set of ${queries.count}`],
      [offset % 256 === 0, `the offset ${offset} is not a multiple of 256`],
      [offset + 8 * count <= target.size, `${count} queries at ${offset} are not in the buffer of ${target.size}`],
    ]);
    const faults = [target.faultFor('QUERY_RESOLVE', this.owner), fault];
    this.#add('resolveQuerySet', [target], faults, () =>
      new BigUint64Array(target.memory, offset, count).set(queries.times.subarray(first, first + count)),
    );
  }

  finish({ label }: GPUCommandBufferDescriptor = {}): GPUCommandBuffer {
    const encoded = this.#encoded;
    const fault = encoded.fault ?? this.#stateFault();
    encoded.state = 'ended';
    if (fault !== undefined) this.owner.report(new FakeError('validation', `finish: ${fault}`));
    return new FakeCommandBuffer(this.owner, label, encoded, fault !== undefined);
  }

  pushDebugGroup(): undefined {}
  popDebugGroup(): undefined {}
  insertDebugMarker(): undefined {}

  #stateFault(): string | undefined {
    const { state } = this.#encoded;
    if (state === 'open') return undefined;
    return state === 'locked' ? 'a pass is open' : 'the encoder has ended';
  }

  #add(name: string, buffers: readonly FakeBuffer[], faults: readonly (string | undefined)[], run: () => void): void {
    const state = this.#stateFault();
    if (this.#encoded.state === 'ended') this.owner.report(new FakeError('validation', `${name}: ${state}`));
    for (const buffer of buffers) this.#encoded.buffers.add(buffer);
    this.#encoded.add(name, [state, ...faults], run);
  }
}

/** The bind group of a dispatch, with its dynamic offsets. */
interface SetGroup {
  readonly group: FakeBindGroup;
  readonly offsets: readonly number[];
}

class FakeComputePass extends FakeObject implements GPUComputePassEncoder {
  readonly __brand = 'GPUComputePassEncoder';
  readonly #encoded: Encoded;
  readonly #onEnd: () => void;
  #pipeline: FakeComputePipeline | undefined;
  #set: SetGroup | undefined;
  #isEnded = false;

  constructor(owner: Owner, label: string | undefined, encoded: Encoded, onEnd: () => void) {
    super(owner, label, false);
    this.#encoded = encoded;
    this.#onEnd = onEnd;
  }

  setPipeline(pipeline: GPUComputePipeline): undefined {
    const given = own(FakeComputePipeline, pipeline);
    const fault = given.isInvalid || given.owner !== this.owner ? 'the pipeline is invalid' : undefined;
    this.#add('setPipeline', [fault], () => undefined);
    this.#pipeline = given;
  }

  setBindGroup(
    index: number,
    group: GPUBindGroup | null | undefined,
    dynamic: Iterable<number> = [],
    start = 0,
    length?: number,
  ): undefined {
    const all = [...dynamic];
    if (start + (length ?? 0) > all.length) throw new RangeError('setBindGroup: the offsets are not in their array');
    const offsets = all.slice(start, length === undefined ? undefined : start + length);
    if (index !== 0) unsupported('bind groups other than 0');
    if (!group) {
      this.#set = undefined;
      return;
    }
    const given = own(FakeBindGroup, group);
    const { dynamicCount } = given.layout;
    const places = placed({ group: given, offsets });
    const align = this.owner.values.minUniformBufferOffsetAlignment;
    const fault = firstFault([
      [!given.isInvalid && given.owner === this.owner, `the bind group \`${given.label}\` is invalid`],
      [offsets.length === dynamicCount, `${offsets.length} dynamic offsets for ${dynamicCount}`],
      [offsets.every((offset) => offset % align === 0), `a dynamic offset is not a multiple of ${align}`],
      [
        places.every(({ buffer, offset, size }) => offset + size <= buffer.size),
        'a dynamic offset is outside its buffer',
      ],
    ]);
    for (const { buffer } of given.bound) this.#encoded.buffers.add(buffer);
    this.#add('setBindGroup', [fault], () => undefined);
    this.#set = { group: given, offsets };
  }

  dispatchWorkgroups(x: number, y = 1, z = 1): undefined {
    const [pipeline, set] = [this.#pipeline, this.#set];
    const most = this.owner.values.maxComputeWorkgroupsPerDimension;
    const bound = set ? placed(set) : [];
    const fault = firstFault([
      [pipeline !== undefined, 'no pipeline is set'],
      [Math.max(x, y, z) <= most, `${Math.max(x, y, z)} workgroups are more than ${most}`],
      [pipeline === undefined || suits(pipeline, set), 'the bind group does not match the pipeline'],
    ]);
    this.#add('dispatchWorkgroups', [fault, conflict(bound), pipeline && tooSmall(pipeline, bound)], () => {
      if (!pipeline?.compiled || x * y * z === 0) return;
      const { owner } = this;
      const words = new Map(bound.map(({ binding, buffer, offset, size }) => [binding, wordsOf(buffer, offset, size)]));
      try {
        const { subgroupSize, maxSteps } = owner;
        runCompiled(pipeline.compiled, words, [x, y, z], { subgroupSize, maxSteps });
      } catch (error) {
        if (!(error instanceof WgslError)) throw error;
        // A real driver also loses the device if a shader does not end.
        owner.lose(`${pipeline.label}: ${error.message}`);
      }
    });
  }

  dispatchWorkgroupsIndirect = (): never => unsupported('dispatchWorkgroupsIndirect');
  setImmediates = (): never => unsupported('setImmediates');

  end(): undefined {
    this.#add('end', [], this.#onEnd);
    if (!this.#isEnded) this.#encoded.state = 'open';
    this.#isEnded = true;
  }

  pushDebugGroup(): undefined {}
  popDebugGroup(): undefined {}
  insertDebugMarker(): undefined {}

  #add(name: string, faults: readonly (string | undefined)[], command: () => void): void {
    if (this.#isEnded) this.owner.report(new FakeError('validation', `${name}: the pass has ended`));
    else this.#encoded.add(name, faults, command);
  }
}

/** Returns the bindings of a group, with its dynamic offsets applied. */
function placed({ group, offsets }: SetGroup): readonly Bound[] {
  let next = 0;
  return group.bound.map((bound) => {
    const dynamic = bound.isDynamic ? (offsets[next++] ?? 0) : 0;
    return { ...bound, offset: bound.offset + dynamic };
  });
}

/** Returns whether the bind group has the pipeline's layout. */
function suits({ layout }: FakeComputePipeline, set: SetGroup | undefined): boolean {
  const [wanted] = layout.groups;
  if (!wanted) return true;
  return set !== undefined && JSON.stringify(wanted.entries) === JSON.stringify(set.group.layout.entries);
}

/**
 * Returns the fault of a use of a buffer that conflicts with another use in the same dispatch.
 * https://www.w3.org/TR/webgpu/#programmable-passes
 */
function conflict(bound: readonly Bound[]): string | undefined {
  for (const [at, one] of bound.entries())
    for (const other of bound.slice(at + 1)) {
      if (one.buffer !== other.buffer) continue;
      const writes = [one, other].filter(({ type }) => type === 'storage').length;
      const overlap = one.offset < other.offset + other.size && other.offset < one.offset + one.size;
      const what = `\`${one.buffer.label}\` at bindings ${one.binding} and ${other.binding}`;
      if (writes === 1) return `${what}: one of them writes the buffer`;
      if (writes === 2 && overlap) return `${what}: both write the same bytes`;
    }
  return undefined;
}

/** Returns the fault of a binding that is smaller than its variable. */
function tooSmall({ compiled }: FakeComputePipeline, bound: readonly Bound[]): string | undefined {
  for (const { binding, name, type } of compiled?.program.memories ?? []) {
    const found = bound.find((each) => each.binding === binding);
    const needed = 4 * sizeOf(type);
    if (found && found.size < needed) return `\`${name}\` at binding ${binding} has ${found.size} of ${needed} bytes`;
  }
  return undefined;
}

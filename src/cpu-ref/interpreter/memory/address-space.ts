// Lays out memory: buffers, module variables, and the windows through which generic addresses reach
// shared, local, const and param memory.
import { alignUp } from '../../../base/align.ts';
import type { Image } from '../../../base/image.ts';
import { type BufferParam, type BytesParam, isPassed, type Launch } from '../../../base/launch.ts';
import { bytesWithAddresses } from '../../../base/launch-pointers.ts';
import { encodeScalar } from '../../../base/scalars.ts';
import { gridBarrierBytes, reservedSharedBytes } from '../../../isa/index.ts';
import type { Module, PtxFunction, StateSpace, Variable } from '../../../ptx/ast.ts';
import { namedVariables, namesSpecial } from '../../../ptx/named-operands.ts';
import { LaunchError } from '../../launch-error.ts';
import { Region, type RegionPart } from './region.ts';
import { type BoundImage, type KeptMemory, placeVariables, staticsOf } from './variables.ts';

export interface AddressPlan {
  /** The generic address of the first byte of each window. A window has `windowBytes` bytes. */
  readonly windows: Readonly<Record<'shared' | 'local' | 'const' | 'param', number>>;
  readonly windowBytes: number;
  /**
   * The first global address, and the size of the gap between a buffer's end and the next buffer,
   * in bytes.
   */
  readonly globalBase: number;
  readonly guardBytes: number;
}

/**
 * The first handle of a texture or surface. Handles are not addresses: their values are between the
 * windows and global memory.
 */
const firstHandle = 0x6000_0000_0000;
const handleStep = 64;

// The gap between buffers is larger than any product of a 32-bit index and an element size, so that
// such an index cannot reach another buffer.
const plan64: AddressPlan = {
  windows: { shared: 2 ** 40, local: 2 * 2 ** 40, const: 3 * 2 ** 40, param: 4 * 2 ** 40 },
  windowBytes: 2 ** 32,
  globalBase: 0x7f00_0000_0000,
  guardBytes: 2 ** 34,
};
/** The plan of memory that outlives a launch: every generic address has 32 bits. */
export const keptPlan: AddressPlan = {
  windows: { const: 0xe000_0000, param: 0xe800_0000, shared: 0xf000_0000, local: 0xf800_0000 },
  windowBytes: 0x800_0000,
  globalBase: 0x100,
  guardBytes: 0x100,
};
const plan32: AddressPlan = {
  windows: { shared: 0x100_0000, local: 0x200_0000, const: 0x300_0000, param: 0x400_0000 },
  windowBytes: 0x100_0000,
  globalBase: 0x1000_0000,
  guardBytes: 0x10_0000,
};

export class AddressSpace {
  readonly plan: AddressPlan;
  readonly globals: Region[] = [];
  readonly constant: Region;
  readonly params: Region;
  /** The number of bytes of a block's shared memory, and the named arrays in it. */
  readonly sharedBytes: number;
  readonly sharedParts: readonly RegionPart[];
  /**
   * The offset of the shared memory that the CUDA runtime reserves; undefined if no function reads
   * this memory.
   */
  readonly reservedShared: number | undefined;
  /** Whether the kernel or the launch sets the cluster size. */
  readonly explicitCluster: boolean;
  /** The address of the grid barrier of a cooperative launch; otherwise 0. */
  readonly gridBarrier: number;
  /**
   * The address of each variable in the variable's state space. Stack variables are not included,
   * because their addresses differ by lane.
   */
  readonly #addresses = new Map<Variable, number>();
  /** The region that the last search found. */
  #found: Region | undefined;
  /** The region of each buffer parameter, by parameter index. */
  readonly buffers = new Map<number, Region>();
  /**
   * The textures and surfaces, by handle. `references` contains the textures and surfaces that are
   * module variables, by name.
   */
  readonly images = new Map<number, BoundImage>();
  readonly references = new Map<string, BoundImage>();

  /**
   * Lays out the memory of a launch. `functions` are the entry and all functions that it can call.
   * The memory contains only the buffers of the launch, or also memory that is kept between launches.
   * Throws `LaunchError` if the launch does not fit the kernel.
   */
  constructor(
    module: Module,
    entry: PtxFunction,
    functions: readonly PtxFunction[],
    launch: Launch,
    trackWriters: boolean,
    kept?: KeptMemory,
  ) {
    this.plan = kept ? keptPlan : module.addressSize === 64 ? plan64 : plan32;
    this.globals.push(...(kept?.allocations ?? []), ...(kept?.variables.globals ?? []));
    // Absent: the launch has images of its own only.
    for (const [handle, image] of kept?.images ?? []) this.images.set(handle, image);
    const addressBytes = module.addressSize / 8;
    this.explicitCluster = entry.explicitCluster || launch.cluster !== undefined;
    this.params = this.#placeParams(entry, launch, addressBytes, trackWriters);
    const { constant, addresses } =
      kept?.variables ??
      placeVariables(staticsOf({ variables: module.variables, functions }), module, {
        addGlobal: ({ name, bytes, align }) => this.#addGlobal(name, bytes, align, false),
        toGeneric: (space, address) => this.toGeneric(space, address),
      });
    this.constant = constant;
    for (const [variable, address] of addresses) this.#addresses.set(variable, address);
    const shared = this.#placeShared(module, functions, launch.sharedBytes);
    this.sharedBytes = shared.bytes;
    this.sharedParts = shared.parts;
    this.reservedShared = shared.reserved;
    const isBarrier = launch.cooperative === true && namesSpecial(functions, '%envreg');
    this.gridBarrier = isBarrier ? this.#addGlobal("the grid's barrier", gridBarrierBytes, 16, false).base : 0;
  }

  /**
   * Returns the address of a module variable, shared variable or kernel parameter in its state
   * space; undefined for a stack variable.
   */
  addressOf(variable: Variable): number | undefined {
    return this.#addresses.get(variable);
  }

  /** Converts an address in a state space to a generic address. */
  toGeneric(space: StateSpace, address: number): number {
    return space === 'global' ? address : address + this.plan.windows[space];
  }

  /**
   * Returns the state space whose window contains a generic address, or `global` if no window
   * contains it.
   */
  spaceOf(address: number): StateSpace {
    const { windows, windowBytes } = this.plan;
    for (const space of ['shared', 'local', 'const', 'param'] as const) {
      if (address >= windows[space] && address < windows[space] + windowBytes) return space;
    }
    return 'global';
  }

  /** Returns the buffer or global variable that contains all `bytes` bytes at `address`. */
  findGlobal(address: number, bytes: number): Region | undefined {
    // Most accesses are to the region of the last one.
    if (this.#found === undefined || !contains(this.#found, address, bytes))
      this.#found = this.globals.find((region) => contains(region, address, bytes));
    return this.#found;
  }

  /** Returns the buffer or global variable that is nearest to `address`. */
  nearestGlobal(address: number): Region | undefined {
    let best: Region | undefined;
    let distance = Number.POSITIVE_INFINITY;
    for (const region of this.globals) {
      const d = address < region.base ? region.base - address : Math.max(0, address - (region.base + region.size - 1));
      if (d < distance) {
        distance = d;
        best = region;
      }
    }
    return best;
  }

  #addGlobal(name: string, bytes: number, align: number, trackWriters: boolean): Region {
    const last = this.globals.at(-1);
    const { globalBase, guardBytes } = this.plan;
    // Buffers have the alignment of `cudaMalloc`.
    const start = last === undefined ? globalBase : last.base + last.size + guardBytes;
    const region = new Region(name, 'global', alignUp(start, Math.max(align, 512)), bytes, { trackWriters });
    this.globals.push(region);
    return region;
  }

  #placeParams(entry: PtxFunction, launch: Launch, addressBytes: number, trackWriters: boolean): Region {
    for (const [index, given] of launch.params.entries()) {
      if (given.kind !== 'buffer' || given.image?.reference !== true) continue;
      this.references.set(given.name, this.#bindImage(index, given, given.image, trackWriters));
    }
    const count = launch.params.filter(isPassed).length;
    if (entry.params.length !== count) {
      throw new LaunchError(
        `kernel '${entry.name}' has ${entry.params.length} parameters, but the launch passes ${count}`,
      );
    }
    const writes: { offset: number; data: Uint8Array }[] = [];
    const structs: { offset: number; given: BytesParam }[] = [];
    let end = 0;
    for (const [index, declared] of entry.params.entries()) {
      const given = launch.params[index];
      if (given === undefined || !('space' in declared)) throw new LaunchError(`parameter ${index} is not a variable`);
      const offset = alignUp(end, declared.align);
      end = offset + declared.bytes;
      this.#addresses.set(declared, offset);
      let data: Uint8Array;
      if (given.kind === 'buffer' && given.image !== undefined) {
        const handle = firstHandle + handleStep * this.images.size;
        this.images.set(handle, this.#bindImage(index, given, given.image, trackWriters));
        data = encodeScalar('u64', BigInt(handle)).subarray(0, addressBytes);
      } else if (given.kind === 'buffer') {
        const region = this.#placeBuffer(index, given, trackWriters);
        data = encodeScalar('u64', BigInt(region.base)).subarray(0, addressBytes);
      } else {
        data = given.kind === 'bytes' ? given.data : encodeScalar(given.type, given.value);
        if (given.kind === 'bytes') structs.push({ offset, given });
      }
      if (data.length !== declared.bytes) {
        throw new LaunchError(
          `parameter '${given.name}' is ${data.length} bytes, but '${declared.name}' of kernel '${entry.name}' has ${declared.bytes}`,
        );
      }
      writes.push({ offset, data });
    }
    for (const [index, given] of launch.params.entries())
      if (given.kind === 'buffer' && given.unpassed) this.#placeBuffer(index, given, trackWriters);
    const region = new Region(`parameters of ${entry.name}`, 'param', 0, end);
    for (const { offset, data } of writes) region.bytes.set(data, offset);
    // Write structs last, because a struct may contain the address of a later parameter's buffer.
    for (const { offset, given } of structs) {
      region.bytes.set(
        bytesWithAddresses(given, (index) => BigInt(this.#bufferAt(index).base)),
        offset,
      );
    }
    return region;
  }

  #placeBuffer(index: number, given: BufferParam, trackWriters: boolean): Region {
    const region = this.#addGlobal(given.name, given.bytes, 512, trackWriters);
    if (given.data !== undefined) region.bytes.set(given.data.subarray(0, given.bytes));
    this.buffers.set(index, region);
    return region;
  }

  #bufferAt(index: number): Region {
    const region = this.buffers.get(index);
    if (region === undefined) throw new LaunchError(`a struct points to parameter ${index}, which is not a buffer`);
    return region;
  }

  #bindImage(index: number, { name, bytes, data }: BufferParam, image: Image, trackWriters: boolean): BoundImage {
    const region = new Region(name, 'global', 0, bytes, { trackWriters });
    if (data !== undefined) region.bytes.set(data.subarray(0, bytes));
    this.buffers.set(index, region);
    return { image, region };
  }

  #placeShared(
    module: Module,
    functions: readonly PtxFunction[],
    dynamicBytes: number,
  ): { bytes: number; parts: RegionPart[]; reserved: number | undefined } {
    const inFunctions = functions.flatMap((fn) => fn.variables);
    // Place only the shared arrays that the functions of the launch name. An access after these
    // arrays is out of bounds, even if the module has more arrays.
    const named = namedVariables(functions, module.variables);
    const all = [...module.variables, ...inFunctions].filter(
      (variable) => variable.space === 'shared' && named.has(variable),
    );
    const parts: RegionPart[] = [];
    let end = 0;
    for (const variable of all) {
      if (variable.bytes === 0) continue;
      const start = alignUp(end, variable.align);
      this.#addresses.set(variable, start);
      parts.push({ name: variable.name, variable, start, bytes: variable.bytes });
      end = start + variable.bytes;
    }
    let reserved: number | undefined;
    if (namesSpecial(functions, '%reserved_smem')) {
      reserved = alignUp(end, 16);
      parts.push({ name: "the run-time's own", start: reserved, bytes: reservedSharedBytes });
      end = reserved + reservedSharedBytes;
    }
    // All `extern .shared x[]` variables are the same dynamic memory, which follows the static
    // arrays.
    const dynamic = all.filter((variable) => variable.bytes === 0);
    const start = alignUp(
      end,
      dynamic.reduce((most, { align }) => Math.max(most, align), 16),
    );
    for (const variable of dynamic) {
      this.#addresses.set(variable, start);
      parts.push({ name: variable.name, variable, start, bytes: dynamicBytes });
    }
    return { bytes: dynamicBytes > 0 ? start + dynamicBytes : end, parts, reserved };
  }
}

const contains = ({ base, size }: Region, address: number, bytes: number): boolean =>
  address >= base && address + bytes <= base + size;

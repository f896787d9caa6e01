// A launch's textures and surfaces in device memory, and the objects whose handles kernels receive.

import { type AddressMode, type Image, type Sampling, type TexelType, texelBytes } from '../../base/image.ts';
import type { BufferParam, Launch, LaunchOutputs } from '../../base/launch.ts';
import type { CudaDriver } from './driver.ts';
import { cString, type LoadedModule } from './modules.ts';

/** Values of the driver's CUarray_format. */
const formats: Readonly<Record<TexelType, number>> = {
  u8: 0x01, u16: 0x02, u32: 0x03, s8: 0x08, s16: 0x09, s32: 0x0a, f16: 0x10, f32: 0x20,
}; // biome-ignore format: one line
/** Values of the driver's CUaddress_mode. */
const addressModes: Readonly<Record<AddressMode, number>> = { wrap: 0, clamp: 1, mirror: 2, border: 3 };
const arrayFlags = { layered: 0x01, surface: 0x02, gather: 0x08 } as const;
const readFlags = { asInteger: 0x01, normalizedCoordinates: 0x02 } as const;
/** Values of the driver's CUmemorytype and CUresourcetype. */
const memoryTypes = { host: 1, array: 3 } as const;
const resourceTypes = { array: 0, linear: 2 } as const;
/** The driver's maximum extent of an array that is created for texture gathers. */
const maxGathered = 32_768;
/** The driver's flag CU_TRSA_OVERRIDE_FORMAT. */
const overrideFormat = 1;

/** A structure of the driver, written by byte offset. */
class Structure {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  word(offset: number, value: number): this {
    this.#view.setUint32(offset, value, true);
    return this;
  }

  float(offset: number, value: number): this {
    this.#view.setFloat32(offset, value, true);
    return this;
  }

  wide(offset: number, value: number | bigint): this {
    this.#view.setBigUint64(offset, BigInt(value), true);
    return this;
  }
}

interface Made {
  readonly param: BufferParam;
  readonly image: Image;
  /** A CUarray, or the address of linear memory. */
  readonly memory: bigint;
  /** A CUtexObject or CUsurfObject; 0 for a variable of the module. */
  object: bigint;
}

/** Returns the extents in the form that the driver requires: 0 for a missing axis. */
function extentsOf({ size, layers }: Image): readonly [number, number, number] {
  const [width, height = 0, depth = 0] = size;
  return [width, height, layers ?? depth];
}

function resourceOf(image: Image, memory: bigint, bytes: number): Structure {
  const resource = new Structure(144);
  if (!image.linear) return resource.word(0, resourceTypes.array).wide(8, memory);
  return resource
    .word(0, resourceTypes.linear)
    .wide(8, memory)
    .word(16, formats[image.texel])
    .word(20, image.channels)
    .wide(24, bytes);
}

function flagsOf({ texel }: Image, { normalizedReads, normalizedCoordinates }: Sampling): number {
  const isInteger = !normalizedReads && texel !== 'f16' && texel !== 'f32';
  return (isInteger ? readFlags.asInteger : 0) | (normalizedCoordinates ? readFlags.normalizedCoordinates : 0);
}

/**
 * Returns the address mode of each axis. Axes that the texture lacks are clamped, because hardware
 * also filters along these axes and would find a border.
 */
const addressesOf = ({ size }: Image, { address }: Sampling): readonly AddressMode[] =>
  address.map((mode, axis) => (axis < size.length ? mode : 'clamp'));

const filterOf = ({ filter }: Sampling): number => (filter === 'linear' ? 1 : 0);

function samplerOf(image: Image, sampling: Sampling): Structure {
  const sampler = new Structure(104);
  for (const [axis, mode] of addressesOf(image, sampling).entries()) sampler.word(4 * axis, addressModes[mode]);
  sampler.word(12, filterOf(sampling)).word(16, flagsOf(image, sampling));
  // The border color of integer texels is an integer.
  const isFloat = image.texel === 'f32' || image.texel === 'f16' || sampling.normalizedReads;
  for (const [index, value] of sampling.border.entries()) {
    if (isFloat) sampler.float(40 + 4 * index, value);
    else sampler.word(40 + 4 * index, value);
  }
  return sampler;
}

/**
 * Creates every texture and surface of a launch. The caller must always call `free`, also after an
 * error.
 */
export class DeviceImages {
  readonly #driver: CudaDriver;
  readonly #made = new Map<number, Made>();

  constructor(driver: CudaDriver) {
    this.#driver = driver;
  }

  /** Creates the objects. `module` declares the variables of texture and surface references. */
  upload({ params }: Launch, module: LoadedModule): void {
    for (const [index, param] of params.entries()) {
      if (param.kind !== 'buffer' || param.image === undefined) continue;
      const { image } = param;
      const made: Made = {
        param,
        image,
        memory: image.linear ? this.#linear(param) : this.#array(image, param),
        object: 0n,
      };
      this.#made.set(index, made);
      if (image.reference) this.#bind(made, module);
      else made.object = this.#object(made);
    }
  }

  /** Returns the handle of parameter `index`; undefined if it is not a texture or surface. */
  handleOf(index: number): bigint | undefined {
    return this.#made.get(index)?.object;
  }

  download(outputs: Map<number, Uint8Array>): LaunchOutputs {
    for (const [index, { param, image, memory }] of this.#made) {
      const contents = new Uint8Array(param.bytes);
      if (image.linear) this.#driver.call('cuMemcpyDtoH_v2', contents, memory, contents.length);
      else this.#copy(image, memory, contents, 'from');
      outputs.set(index, contents);
    }
    return outputs;
  }

  /** Frees all textures and surfaces. Ignores failures, because they repeat an earlier failure. */
  free(): void {
    for (const { image, memory, object } of this.#made.values()) {
      if (object !== 0n) this.#driver.query(image.sampling ? 'cuTexObjectDestroy' : 'cuSurfObjectDestroy', object);
      this.#driver.query(image.linear ? 'cuMemFree_v2' : 'cuArrayDestroy', memory);
    }
    this.#made.clear();
  }

  #linear({ bytes, data }: BufferParam): bigint {
    const address = new BigUint64Array(1);
    this.#driver.call('cuMemAlloc_v2', address, bytes);
    const [memory = 0n] = address;
    this.#driver.call('cuMemcpyHtoD_v2', memory, data ?? new Uint8Array(bytes), bytes);
    return memory;
  }

  #array(image: Image, { bytes, data }: BufferParam): bigint {
    const [width, height, depth] = extentsOf(image);
    const isGathered = image.sampling !== undefined && image.size.length === 2 && image.layers === undefined;
    const flags =
      (image.layers === undefined ? 0 : arrayFlags.layered) |
      (image.sampling === undefined ? arrayFlags.surface : 0) |
      (isGathered && Math.max(width, height) <= maxGathered ? arrayFlags.gather : 0);
    const shape = new Structure(40).wide(0, width).wide(8, height).wide(16, depth);
    shape.word(24, formats[image.texel]).word(28, image.channels).word(32, flags);
    const array = new BigUint64Array(1);
    this.#driver.call('cuArray3DCreate_v2', array, shape.bytes);
    const [memory = 0n] = array;
    this.#copy(image, memory, data ?? new Uint8Array(bytes), 'to');
    return memory;
  }

  /** Copies all texels between an array and host memory. */
  #copy(image: Image, array: bigint, host: Uint8Array, direction: 'to' | 'from'): void {
    const [width, height, depth] = extentsOf(image);
    const row = width * texelBytes(image);
    const [atHost, atArray] = direction === 'to' ? [0, 88] : [88, 0];
    const copy = new Structure(200).wide(176, row).wide(184, Math.max(height, 1)).wide(192, Math.max(depth, 1));
    copy.word(atHost + 32, memoryTypes.host).wide(atHost + 40, this.#driver.addressOf(host));
    copy.wide(atHost + 72, row).wide(atHost + 80, Math.max(height, 1));
    copy.word(atArray + 32, memoryTypes.array).wide(atArray + 56, array);
    this.#driver.call('cuMemcpy3D_v2', copy.bytes);
  }

  #object({ param, image, memory }: Made): bigint {
    const handle = new BigUint64Array(1);
    const resource = resourceOf(image, memory, param.bytes).bytes;
    if (image.sampling === undefined) this.#driver.call('cuSurfObjectCreate', handle, resource);
    else this.#driver.call('cuTexObjectCreate', handle, resource, samplerOf(image, image.sampling).bytes, null);
    return handle[0] ?? 0n;
  }

  /** Binds the texture or surface to the module's variable with the parameter's name. */
  #bind({ param, image, memory }: Made, { handle: module }: LoadedModule): void {
    const found = new BigUint64Array(1);
    const { sampling } = image;
    if (sampling === undefined) {
      this.#driver.call('cuModuleGetSurfRef', found, module, cString(param.name));
      this.#driver.call('cuSurfRefSetArray', found[0] ?? 0n, memory, 0);
      return;
    }
    this.#driver.call('cuModuleGetTexRef', found, module, cString(param.name));
    const [texture = 0n] = found;
    addressesOf(image, sampling).forEach((mode, axis) => {
      this.#driver.call('cuTexRefSetAddressMode', texture, axis, addressModes[mode]);
    });
    this.#driver.call('cuTexRefSetFilterMode', texture, filterOf(sampling));
    this.#driver.call('cuTexRefSetFlags', texture, flagsOf(image, sampling));
    this.#driver.call('cuTexRefSetBorderColor', texture, Float32Array.from(sampling.border));
    this.#driver.call('cuTexRefSetFormat', texture, formats[image.texel], image.channels);
    if (!image.linear) this.#driver.call('cuTexRefSetArray', texture, memory, overrideFormat);
    else this.#driver.call('cuTexRefSetAddress_v2', new BigUint64Array(1), texture, memory, param.bytes);
  }
}

// Executes texture and surface instructions on the images of a launch, by handle or by name.
import type { Image } from '../../../base/image.ts';
import { bytesOfTexelType, texelBytes } from '../../../base/image.ts';
import type { Mods } from '../../../isa/index.ts';
import { typeNamed } from '../../../isa/match.ts';
import type { ImageOperand, Instruction, Operand, Span } from '../../../ptx/ast.ts';
import { queryImage } from '../../image/query.ts';
import { gather, lookUp } from '../../image/sample.ts';
import { type Clamp, storedComponent, surfaceOffset } from '../../image/surface.ts';
import { texelBits } from '../../image/texel.ts';
import { f16, f32, roundTo, valueIn } from '../../lane/half-format.ts';
import type { Bits } from '../../types.ts';
import { type DecodeContext, readOperand, writeTo } from '../decode/decode-control.ts';
import type { Access } from '../memory/access.ts';
import { atomicUpdate } from '../memory/atomics.ts';
import { bitWidth, type Destination, type Place, type Source } from '../memory/layout.ts';
import type { Region } from '../memory/region.ts';
import type { BoundImage } from '../memory/variables.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Exec, Warp } from '../state/state.ts';
import { inspect } from './locate.ts';

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec;

/** A decoded image operand. */
interface ImageAccess {
  readonly mods: Mods;
  readonly handle: Place | undefined;
  readonly reference: BoundImage | undefined;
  readonly coordinates: readonly Source[];
  readonly span: Span;
  readonly access: (bytes: number) => Access;
}

function decodeAccess(instruction: Instruction, verb: Access['verb'], context: DecodeContext): ImageAccess {
  const { mods, operands, span } = instruction;
  const { a } = operands;
  if (a?.kind !== 'image') throw new TypeError(`${instruction.row.name} without a texture or surface`);
  const { builder, reads, space } = context;
  const coordinates = a.coordinates.map((operand) => builder.source(operand, 'b32'));
  reads.push(...coordinates);
  const handle = handlePlace(a, context);
  if (handle !== undefined) reads.push({ place: handle, width: handle.width, negated: false });
  const reference = 'reference' in a.object ? space.references.get(a.object.reference) : undefined;
  const nowhere = builder.constant(0n, 64);
  const order = { strong: verb === 'atomic', volatile: false, releases: false };
  const access = (bytes: number): Access => {
    return { space: 'global', base: nowhere, offset: 0, wraps: false, bytes, span, verb, ...order };
  };
  return { mods, handle, reference, coordinates, span, access };
}

const handlePlace = ({ object }: ImageOperand, { builder }: DecodeContext): Place | undefined =>
  'reference' in object ? undefined : builder.register(object);

/**
 * Returns the texture or surface that a lane accesses. If the handle is invalid, reports a finding
 * and returns undefined.
 */
function imageOf(warp: Warp, frame: Frame, lane: number, found: ImageAccess): BoundImage | undefined {
  const { handle, reference, span } = found;
  const { log, space } = warp.machine;
  if (handle === undefined) {
    if (reference === undefined)
      log.add('RUN022', span, warp.place(1 << lane), () => 'the launch binds no texture or surface to this variable');
    return reference;
  }
  const address = frame.addressOf(handle, lane);
  const image = space.images.get(address);
  if (image === undefined) {
    log.add(
      'RUN022',
      span,
      warp.place(1 << lane),
      () => `0x${address.toString(16)} is not a handle of a texture or surface`,
    );
  }
  return image;
}

function undefinedLanesOf(frame: Frame, { handle, coordinates }: ImageAccess, more: readonly Source[] = []): number {
  const lanes = frame.undefinedLanes([...coordinates, ...more]);
  return handle === undefined ? lanes : lanes | (frame.undefinedIn[handle.taint] ?? 0);
}

const partsOf = (operand: Operand | undefined): readonly Operand[] =>
  operand === undefined ? [] : operand.kind === 'vector' ? operand.elements : [operand];

/**
 * Returns a function that writes the words of `compute` to the destinations, lane by lane. It
 * writes zeros if the handle is invalid.
 */
function readExec(
  found: ImageAccess,
  destinations: readonly (Destination | undefined)[],
  compute: (image: BoundImage, coordinates: readonly number[]) => readonly number[],
): Exec {
  return (warp, frame, lanes) => {
    let undefinedLanes = undefinedLanesOf(frame, found);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const image = imageOf(warp, frame, lane, found);
      if (image === undefined) undefinedLanes |= 1 << lane;
      const coordinates = found.coordinates.map((source) => frame.wordOf(source, lane));
      const words = image === undefined ? [] : compute(image, coordinates);
      destinations.forEach((to, index) => {
        if (to !== undefined) frame.writeWord(to, lane, words[index] ?? 0);
      });
    }
    for (const to of destinations) frame.mark(to, lanes, undefinedLanes);
  };
}

/** Converts components to the destination's type. */
function shaped(words: readonly number[], dtype: string): readonly number[] {
  if (dtype !== 'f16' && dtype !== 'f16x2') return words;
  const [r = 0, g = 0, b = 0, a = 0] = words.map((word) => roundTo(f16, valueIn(f32, word), 'rn'));
  return dtype === 'f16' ? [r, g, b, a] : [(r | (g << 16)) >>> 0, (b | (a << 16)) >>> 0];
}

/** Adds the predicate of `d|p`. The predicate is always true, because all texels are resident. */
function withResidency(exec: Exec, instruction: Instruction, context: DecodeContext): Exec {
  const { p } = instruction.operands;
  const destination = p && writeTo(p, 'pred', context);
  if (destination === undefined) return exec;
  return (warp, frame, lanes) => {
    exec(warp, frame, lanes);
    for (let m = lanes; m !== 0; m &= m - 1) frame.writeWord(destination, lowestLane(m), 1);
    frame.mark(destination, lanes, 0);
  };
}

const lookUpTexture: Decoder = (instruction, context) => {
  const {
    geom = '',
    ctype = 'f32',
    dtype = instruction.row.name.endsWith('.f16x2') ? 'f16x2' : 'f32',
    comp,
  } = instruction.mods;
  const named = decodeAccess(instruction, 'load', context);
  const { lod } = instruction.operands;
  const levels = lod !== undefined && ctype === 's32' ? [context.builder.source(lod, 'b32')] : [];
  context.reads.push(...levels);
  const found = { ...named, coordinates: [...named.coordinates, ...levels] };
  const type = typeNamed(dtype) ?? 'b32';
  const destinations = partsOf(instruction.operands.d).map((part) => writeTo(part, type, context));
  const component = comp === undefined ? undefined : 'rgba'.indexOf(comp);
  const exec = readExec(found, destinations, ({ image, region }, words) => {
    const coordinates = words.slice(0, named.coordinates.length);
    const level = words[named.coordinates.length];
    const texels = texelBits(image, (offset, bytes) => region.load(offset, bytes));
    if (component !== undefined) return gather(image, texels, geom, coordinates, component);
    return shaped(lookUp(image, texels, { geom, isInteger: ctype === 's32', level }, coordinates), dtype);
  });
  return withResidency(exec, instruction, context);
};

const query: Decoder = (instruction, context) => {
  const found = decodeAccess(instruction, 'load', context);
  const { d } = instruction.operands;
  const destination = d && writeTo(d, 'b32', context);
  return readExec(found, [destination], ({ image }) => [queryImage(image, found.mods.query ?? '')]);
};

/**
 * Returns the offset of a lane's access. With `.trap`, an access outside of the surface is
 * reported.
 */
function placeOf(
  warp: Warp,
  frame: Frame,
  lane: number,
  found: ImageAccess,
  image: Image,
  bytes: number,
  unit: number,
): number | undefined {
  const { geom = '', clamp } = found.mods;
  const how: Clamp = clamp === 'clamp' || clamp === 'zero' ? clamp : 'trap';
  const coordinates = found.coordinates.map((source) => frame.wordOf(source, lane));
  const offset = surfaceOffset(image, { geom, clamp: how, bytes, unit }, coordinates);
  if (offset === undefined && how === 'trap') {
    warp.machine.log.add('RUN008', found.span, warp.place(1 << lane), () => {
      return `coordinates ${coordinates.map((word) => word | 0).join(', ')} are outside of the surface of ${image.size.join(' x ')} texels`;
    });
  }
  return offset;
}

function look(warp: Warp, lane: number, region: Region, offset: number, access: Access): void {
  if (warp.machine.sanitize) inspect(warp, lane, access, { region, offset });
}

const loadSurface: Decoder = (instruction, context) => {
  const found = decodeAccess(instruction, 'load', context);
  const type = typeNamed(instruction.mods.type ?? '') ?? 'b32';
  const destinations = partsOf(instruction.operands.d).map((part) => writeTo(part, type, context));
  const element = bitWidth(type) / 8;
  const bytes = element * destinations.length;
  const access = found.access(bytes);
  return (warp, frame, lanes) => {
    let undefinedLanes = undefinedLanesOf(frame, found);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const bound = imageOf(warp, frame, lane, found);
      const offset = bound && placeOf(warp, frame, lane, found, bound.image, bytes, 1);
      if (bound === undefined || (offset === undefined && found.mods.clamp === 'trap')) undefinedLanes |= 1 << lane;
      if (bound !== undefined && offset !== undefined) {
        look(warp, lane, bound.region, offset, access);
        if (bound.region.shadowAt(offset, bytes) !== 0) undefinedLanes |= 1 << lane;
      }
      const read = (at: number, size: number) =>
        bound === undefined || offset === undefined ? 0 : bound.region.load(offset + at, size);
      destinations.forEach((to, index) => {
        if (to === undefined) return;
        if (element < 8) frame.writeWord(to, lane, read(index * element, element));
        else frame.writeWide(to, lane, BigInt(read(index * 8, 4)) | (BigInt(read(index * 8 + 4, 4)) << 32n));
      });
    }
    for (const to of destinations) frame.mark(to, lanes, undefinedLanes);
  };
};

interface StorePart {
  readonly offset: number;
  readonly bytes: number;
  readonly bits: Bits;
  readonly isUndefined: boolean;
}

function storeParts(warp: Warp, lane: number, region: Region, parts: readonly StorePart[]): void {
  for (const { offset, bytes, bits, isUndefined } of parts) {
    region.store(offset, Math.min(bytes, 4), Number(BigInt.asUintN(32, BigInt(bits))));
    if (bytes === 8) region.store(offset + 4, 4, Number(BigInt.asUintN(32, BigInt(bits) >> 32n)));
    region.noteStore(offset, bytes, isUndefined, warp.firstGlobalThread + lane);
  }
}

/** Returns a function that stores `bytes` bytes, which `parts` computes from a lane's values. */
function storeExec(
  found: ImageAccess,
  sources: readonly Source[],
  shapeOf: (image: Image) => { readonly bytes: number; readonly unit: number },
  partOf: (
    image: Image,
    index: number,
    bits: Bits,
  ) => { readonly at: number; readonly bytes: number; readonly bits: Bits } | undefined,
): Exec {
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const bound = imageOf(warp, frame, lane, found);
      if (bound === undefined) continue;
      const { bytes, unit } = shapeOf(bound.image);
      const offset = placeOf(warp, frame, lane, found, bound.image, bytes, unit);
      if (offset === undefined) continue;
      look(warp, lane, bound.region, offset, found.access(bytes));
      const parts = sources.flatMap((source, index): StorePart[] => {
        const bits = source.width === 64 ? frame.wideOf(source, lane) : frame.wordOf(source, lane);
        const part = partOf(bound.image, index, bits);
        const isUndefined = (((frame.undefinedIn[source.place.taint] ?? 0) >>> lane) & 1) !== 0;
        return part === undefined
          ? []
          : [{ offset: offset + part.at, bytes: part.bytes, bits: part.bits, isUndefined }];
      });
      storeParts(warp, lane, bound.region, parts);
    }
  };
}

const sourcesOf = (
  instruction: Instruction,
  type: NonNullable<ReturnType<typeof typeNamed>>,
  { builder, reads }: DecodeContext,
) => {
  const sources = partsOf(instruction.operands.c).map((part) => builder.source(part, type));
  reads.push(...sources);
  return sources;
};

const storeSurface: Decoder = (instruction, context) => {
  const found = decodeAccess(instruction, 'store', context);
  const type = typeNamed(instruction.mods.type ?? '') ?? 'b32';
  const sources = sourcesOf(instruction, type, context);
  const element = bitWidth(type) / 8;
  const shape = { bytes: element * sources.length, unit: 1 };
  return storeExec(
    found,
    sources,
    () => shape,
    (_, index, bits) => ({ at: index * element, bytes: element, bits }),
  );
};

const storeTexel: Decoder = (instruction, context) => {
  const found = decodeAccess(instruction, 'store', context);
  const sources = sourcesOf(instruction, 'b32', context);
  const shapeOf = (image: Image) => ({ bytes: texelBytes(image), unit: texelBytes(image) });
  return storeExec(found, sources, shapeOf, (image, index, bits) => {
    const bytes = bytesOfTexelType(image.texel);
    if (index >= image.channels) return undefined;
    return { at: index * bytes, bytes, bits: storedComponent(image, Number(bits)) };
  });
};

const reduceSurface: Decoder = (instruction, context) => {
  const { mods, row } = instruction;
  const found = decodeAccess(instruction, 'atomic', context);
  const type = typeNamed(mods.type ?? '') ?? 'b32';
  const c = readOperand(instruction, 'c', context);
  const bytes = bitWidth(type) / 8;
  const access = found.access(bytes);
  const isScaled = row.name === 'sured.p';
  return (warp, frame, lanes) => {
    const undefinedLanes = undefinedLanesOf(frame, found, [c]);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const bound = imageOf(warp, frame, lane, found);
      if (bound === undefined) continue;
      const { image, region } = bound;
      const offset = placeOf(warp, frame, lane, found, image, bytes, isScaled ? texelBytes(image) : 1);
      if (offset === undefined) continue;
      look(warp, lane, region, offset, access);
      const update = atomicUpdate(mods.op ?? '', isScaled ? (image.texel === 's32' ? 's32' : 'u32') : type);
      const low = region.load(offset, Math.min(bytes, 4));
      const old = bytes === 8 ? (BigInt(region.load(offset + 4, 4)) << 32n) | BigInt(low) : low;
      const operand = bytes === 8 ? frame.wideOf(c, lane) : frame.wordOf(c, lane);
      const bits = update(old, operand, old, true);
      const isUndefined = ((undefinedLanes >>> lane) & 1) !== 0;
      storeParts(warp, lane, region, [{ offset, bytes, bits, isUndefined }]);
    }
  };
};

/** The decoders of the image instructions, by the row's name. */
export const imageDecoders: Readonly<Record<string, Decoder>> = {
  tex: lookUpTexture,
  'tex.f16x2': lookUpTexture,
  'tex.level': lookUpTexture,
  'tex.level.f16x2': lookUpTexture,
  'tex.grad': lookUpTexture,
  tld4: lookUpTexture,
  txq: query,
  'txq.level': query,
  suq: query,
  'suld.b': loadSurface,
  'sust.b': storeSurface,
  'sust.p': storeTexel,
  'sured.b': reduceSurface,
  'sured.p': reduceSurface,
};

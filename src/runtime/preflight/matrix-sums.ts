// Compares the sums of subgroup matrices with those of NVIDIA's sm_90, bit by bit. WGSL specifies
// neither the order of additions nor the rounding.
//
// The factors are f16. Each tile has operands of one kind, which show one property of the sums.
import { at } from '../../base/invariants.ts';
import type { MatrixConfig } from '../../base/matrix-config.ts';
import { type Format, f16, f32, valueIn } from '../../cpu-ref/lane/half-format.ts';
import { tensorCorePlan, tensorCoreSum } from '../../cpu-ref/matrix/tensor-core.ts';
import type { JobRunner } from '../device/job.ts';
import { bytesOf, multiply, type PlacedProduct } from './matrix-job.ts';

/** The number of tiles of each kind. */
const TILES_OF_KIND = 4;

/** The operand for which a number is needed, and a source of random integers below a number. */
interface Draw {
  readonly format: Format;
  readonly operand: 'a' | 'b' | 'c';
  /** The index along K; 0 for an addend. */
  readonly k: number;
  /** The number of the tile within its kind, starting at 0. */
  readonly turn: number;
  readonly below: (count: number) => number;
}

/**
 * Returns the bits of a number with an exponent and a random sign. The fraction is random unless it
 * is given. Exponents outside the range of the type mean subnormal numbers and infinities.
 */
function number({ format, below }: Draw, exponent: number, fraction = below(2 ** format.fraction)): number {
  const { least, greatest, sign } = format;
  const field = Math.min(Math.max(exponent - least + 1, 0), greatest - least + 2);
  return below(2) * sign + field * 2 ** format.fraction + fraction;
}

const ordinary = (draw: Draw): number => number(draw, draw.below(8) - 4);
const zero = ({ format, below }: Draw): number => below(2) * format.sign;

/**
 * Returns powers of two, by the index along K. If the index exceeds the list, the last exponent is
 * used. Addends are 0.
 */
function powers(draw: Draw, a: readonly number[], b: readonly number[]): number {
  if (draw.operand === 'c') return zero(draw);
  const exponents = draw.operand === 'a' ? a : b;
  return powerOf(draw, at(exponents, Math.min(draw.k, exponents.length - 1), 'an exponent'));
}

/** Returns a power of two, which may be subnormal. */
const powerOf = (draw: Draw, exponent: number): number => {
  const { least, fraction } = draw.format;
  return exponent < least ? number(draw, least - 1, 2 ** (fraction + exponent - least)) : number(draw, exponent, 0);
};

const kinds: Readonly<Record<string, (draw: Draw) => number>> = {
  ordinary,
  /** All exponents, including those of subnormal numbers. */
  wide: (draw) => number(draw, draw.format.least - 1 + draw.below(draw.format.greatest - draw.format.least + 2)),
  /** One large product. The other products have bits about 25 places below it. */
  cut: (draw) => number(draw, draw.operand === 'c' ? -24 + draw.below(8) : draw.k === 0 ? 0 : -13 + draw.below(4)),
  /** An addend that is much larger than the products. */
  addend: (draw) =>
    number(draw, draw.operand === 'c' ? draw.below(Math.min(30, draw.format.greatest)) : draw.below(4) - 4),
  /** Sums that almost cancel. */
  cancel: (draw) => number(draw, 0, draw.below(2)),
  /**
   * The terms 1 and 2^-11, whose sum is halfway between two numbers of f16, and terms 25 to 28
   * places below 1.
   */
  tie: (draw) => powers(draw, [0, -5, -12], [0, -6, -13 - draw.turn]),
  /** Such a tie at 1.5 * 1.5. A tensor core aligns to the exponents of factors, not of products. */
  tieOfFractions: (draw) =>
    draw.k === 0 && draw.operand !== 'c' ? number(draw, 0, 512) : powers(draw, [0, -5, -12], [0, -5, -12 - draw.turn]),
  /** Such a tie at the least numbers of f16. */
  tieOfLeast: (draw) => powers(draw, [-14, -23], [-11, -24 + draw.turn]),
  /** Zeros among large factors. The exponents of these factors must not affect the sum. */
  zeroTimesLarge: (draw) =>
    draw.k % 2 === 1 || draw.operand === 'c' ? number(draw, -10) : draw.operand === 'a' ? zero(draw) : number(draw, 15),
  subnormal: (draw) =>
    number(draw, draw.below(2) === 0 ? draw.format.least - 1 : draw.operand === 'c' ? -30 : draw.below(16)),
  zeros: (draw) => (draw.below(8) === 0 && draw.operand !== 'c' ? ordinary(draw) : zero(draw)),
  /** Infinities and NaNs with any payload, among ordinary numbers. */
  special: (draw) =>
    draw.below(48) > 0
      ? ordinary(draw)
      : number(draw, draw.format.greatest + 1, draw.below(3) === 0 ? 0 : draw.below(2 ** draw.format.fraction)),
  /** The largest numbers. Their sums may exceed the range of f16. */
  large: (draw) => number(draw, draw.operand === 'c' ? draw.format.greatest - draw.below(2) : draw.below(5) + 4),
};

/** Returns a source of random integers below a number. They are the same in every run. */
function random(): (count: number) => number {
  let state = 1;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

/** The bits of elements, row by row. */
type Bits = readonly number[];

interface Tile {
  readonly a: Bits;
  readonly b: Bits;
  readonly c: Bits;
  readonly d: Bits;
}

const formatOf = ({ result }: MatrixConfig): Format => (result === 'f16' ? f16 : f32);

function tileOf(config: MatrixConfig, kind: (draw: Draw) => number, turn: number, below: Draw['below']): Tile {
  const { m, n, k, result } = config;
  const sums = formatOf(config);
  const drawn = (operand: Draw['operand'], count: number, along: (index: number) => number): Bits =>
    Array.from({ length: count }, (_, index) =>
      kind({ format: operand === 'c' ? sums : f16, operand, k: along(index), turn, below }),
    );
  const a = drawn('a', m * k, (index) => index % k);
  const b = drawn('b', k * n, (index) => Math.floor(index / n));
  const c = drawn('c', m * n, () => 0);
  const type = result === 'f16' ? 'f16' : 'f32';
  const plan = tensorCorePlan({
    k,
    products: 1,
    types: { a: 'f16', b: 'f16', c: type, d: type },
    wmma: undefined,
    isWarpgroup: false,
  });
  if (plan === undefined) throw new RangeError('the sums of f16 depend on the hardware');
  // The model reads columns of B as consecutive elements.
  const columns = Array.from({ length: n * k }, (_, index) => b[(index % k) * n + Math.floor(index / k)] ?? Number.NaN);
  const values = (format: Format, list: Bits) => Float64Array.from(list, (bits) => valueIn(format, bits));
  const lists = { a: values(f16, a), b: values(f16, columns), c: values(sums, c), k };
  const sum = tensorCoreSum(plan, lists);
  const d = c.map((_, place) => sum({ ...lists, row: Math.floor(place / n) * k, column: (place % n) * k, place }));
  return { a, b, c, d };
}

/** The tiles of one product in the buffer. */
interface Placed extends PlacedProduct {
  readonly tiles: readonly Tile[];
  /** The offset of each operand of the first tile, and the distance between tiles, in bytes. */
  readonly offsets: Readonly<Record<keyof Tile, number>>;
  readonly distance: number;
}

function place(config: MatrixConfig, start: number): Placed {
  const below = random();
  const tiles = Object.values(kinds).flatMap((kind) =>
    Array.from({ length: TILES_OF_KIND }, (_, turn) => tileOf(config, kind, turn, below)),
  );
  const { component, result, m, n, k } = config;
  const a = start;
  const b = a + m * k * bytesOf[component];
  const c = b + k * n * bytesOf[component];
  const d = c + m * n * bytesOf[result];
  const distance = d + m * n * bytesOf[result] - start;
  const word = (offset: number) => `${offset / 4}u + tile * ${distance / 4}u`;
  return { config, words: [word(a), word(b), word(c), word(d)], tiles, offsets: { a, b, c, d }, distance };
}

function elements({ config }: Placed, operand: keyof Tile, bytes: Uint8Array, offset: number) {
  const isHalf = operand === 'a' || operand === 'b' || config.result === 'f16';
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  return {
    get: (index: number) => (isHalf ? view.getUint16(2 * index, true) : view.getUint32(4 * index, true)),
    set: (index: number, bits: number) =>
      isHalf ? view.setUint16(2 * index, bits, true) : view.setUint32(4 * index, bits, true),
  };
}

/** Returns the products whose sums of f16 factors have the same bits as on sm_90. */
export async function withSumsOfHopper(
  session: JobRunner,
  configs: readonly MatrixConfig[],
): Promise<readonly MatrixConfig[]> {
  let bytes = 0;
  const placed = configs
    .filter(({ component, result }) => component === 'f16' && (result === 'f16' || result === 'f32'))
    .map((config) => {
      const own = place(config, bytes);
      bytes += own.distance * own.tiles.length;
      return own;
    });
  if (placed.length === 0) return [];
  const data = new Uint8Array(bytes);
  const eachTile = (own: Placed, operand: keyof Tile, from: Uint8Array) =>
    own.tiles.map((tile, index) => ({
      known: tile[operand],
      stored: elements(own, operand, from, own.offsets[operand] + index * own.distance),
    }));
  for (const own of placed)
    for (const operand of ['a', 'b', 'c'] as const)
      for (const { known, stored } of eachTile(own, operand, data))
        for (const [index, bits] of known.entries()) stored.set(index, bits);
  const found = await multiply(session, placed, data, Object.keys(kinds).length * TILES_OF_KIND);
  if (typeof found === 'string') return [];
  return placed
    .filter((own) =>
      eachTile(own, 'd', found).every(({ known, stored }) => known.every((bits, index) => stored.get(index) === bits)),
    )
    .map(({ config }) => config);
}

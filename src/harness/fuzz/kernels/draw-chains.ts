// Draws chains of f32 arithmetic: the operands of each operation are earlier results and loaded
// values.
import type { Random } from '../../suites/random.ts';
import { type ChainStyle, drawMixture } from './chain-values.ts';
import { type Dialect, dialectsOfLines } from './dialects.ts';
import type { ChainLink, ChainOperand, ChainStatement, Statement } from './tree.ts';

/** The operations that guards support, and operations that end a guarded chain. */
const sums = ['add.rn.f32', 'sub.rn.f32'] as const;
const products = [
  'fma.rn.f32', 'fma.rn.f32', 'fma.rn.f32', 'mul.rn.f32', 'sub.rn.f32', 'rest of a product', 'rest in one group', 'rest in one group',
] as const; // biome-ignore format: a list
/**
 * Operations that exchange values between lanes. They are only used where all lanes are active,
 * because a fact about a received value must hold in all lanes.
 */
const exchanges = ['shfl.sync.bfly.b32', 'shfl.sync.down.b32'] as const;
const others = [
  'fma.rz.f32', 'fma.rn.ftz.f32', 'fma.rn.sat.f32', 'add.rm.f32', 'add.rn.ftz.f32', 'sub.rp.f32', 'mul.rz.f32', 'mul.rn.ftz.f32', 'div.rn.f32', 'rcp.rn.f32',
  'sqrt.rn.f32', 'min.f32', 'max.f32', 'min.ftz.f32', 'max.NaN.f32', 'abs.f32', 'neg.f32', 'selp.f32', 'cvt.rn.f32.s32', 'copysign.f32',
] as const; // biome-ignore format: a list

export const chainOperations: readonly string[] = [...new Set<string>([...sums, ...products, ...others, ...exchanges])];

/**
 * Draws an operation. A style restricts the operations, because a large result would hide errors of
 * small results.
 */
function operationOf(rng: Random, style: ChainStyle): string {
  if (rng.chance(0.06)) return rng.pick(exchanges);
  if (style === 'sums') return rng.pick(sums);
  if (style === 'products' || rng.chance(0.4)) return rng.pick(products);
  return rng.chance(0.4) ? rng.pick(sums) : rng.pick(others);
}

const constants = [
  0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x3f00_0000, 0xc040_0000, 0x3fb8_aa3b, 0x3300_0000, 0x0c00_0000, 0x0080_0000, 0x0040_0000, 1, 0x7e80_0000,
  0x7f80_0000, 0x7fff_ffff,
] as const; // biome-ignore format: a list

/** The number of sums that a chain carries. `chainValues` is the number of values that it loads. */
export const chainSums = 3;
export const chainValues = 4;

/**
 * The maximum number of operations of a chain in all iterations, because the translator unrolls
 * loops with a known trip count.
 */
const mostOperations = 40;

function operand(rng: Random, isFactor: boolean): ChainOperand {
  const kind = rng.below(20);
  // Repeated multiplication soon overflows, and an infinity hides errors.
  if (kind < (isFactor ? 2 : 9)) return { kind: 'sum', index: rng.below(chainSums) };
  if (kind < 18) return { kind: 'value', index: rng.below(chainValues) };
  if (kind < 19) return { kind: 'register', index: rng.below(3) };
  return { kind: 'constant', bits: rng.chance(0.8) ? rng.pick(constants) : rng.u32() };
}

/**
 * Draws the start of a sum. It is mostly a zero or a loaded value, because a large start would hide
 * all small numbers.
 */
function start(rng: Random): ChainOperand {
  const kind = rng.below(8);
  if (kind < 3) return { kind: 'constant', bits: rng.pick([0, 0x8000_0000]) };
  return kind < 6 ? { kind: 'value', index: rng.below(chainValues) } : operand(rng, false);
}

function link(rng: Random, dialect: Dialect, style: ChainStyle): ChainLink {
  const drawn = operationOf(rng, style);
  const operation = dialectsOfLines([drawn]).includes(dialect) ? drawn : 'fma.rn.f32';
  const d = rng.below(chainSums);
  const isProduct = /^(?:fma|mul|div|rest)/.test(operation);
  const isExact = operation === 'rest in one group';
  const own: ChainOperand = { kind: 'sum', index: d };
  const sources: readonly ChainOperand[] = [
    // Most sums accumulate.
    !isProduct && rng.chance(0.6) ? own : operand(rng, isProduct),
    isExact && rng.chance(0.3)
      ? { kind: 'constant', bits: rng.pick(constants) }
      : operand(rng, isProduct || rng.chance(0.7)),
    rng.chance(0.6) ? own : operand(rng, false),
  ];
  return {
    operation,
    d,
    sources,
    ...(rng.chance(0.08) ? { guard: { register: rng.below(3), negated: rng.chance(0.3) } } : {}),
  };
}

export function drawChain(rng: Random, dialect: Dialect, number: number): ChainStatement {
  const style = rng.pick(['sums', 'products', 'products', 'any'] as const);
  const links = Array.from({ length: 1 + rng.below(rng.pick([2, 4, 7])) }, () => link(rng, dialect, style));
  const most = Math.max(1, Math.min(12, Math.floor(mostOperations / links.length)));
  return {
    kind: 'chain',
    name: `floats${number}`,
    values: drawMixture(rng, style),
    seed: rng.u32(),
    trips: rng.pick([
      { kind: 'constant', count: 1 },
      { kind: 'constant', count: 1 + rng.below(most) },
      { kind: 'lane', register: rng.below(6) },
      { kind: 'lane', register: rng.below(6) },
    ]),
    loads: rng.pick(['once', 'each', 'each', 'vector', 'shared', 'shared', 'shared', 'passed']),
    starts: Array.from({ length: chainSums }, () => start(rng)),
    stride: 1 + rng.below(8),
    links,
    d: rng.below(64),
  }; // biome-ignore format: a table
}

/**
 * Adds chains to some kernels, between or inside statements. Chains have a separate random stream,
 * so that the other parts of kernels do not change.
 */
export function withChains(rng: Random, dialect: Dialect, body: readonly Statement[]): readonly Statement[] {
  if (!rng.chance(0.12)) return body;
  let longer = body;
  const count = rng.pick([1, 1, 2]);
  for (let number = 0; number < count; number++) {
    const at = rng.below(longer.length + 1);
    const drawn = drawChain(rng, dialect, number);
    const outer = longer[at];
    if (outer?.kind === 'if' && rng.chance(0.7)) longer = longer.with(at, { ...outer, body: [drawn, ...outer.body] });
    else if (outer?.kind === 'loop' && rng.chance(0.7))
      longer = longer.with(at, { ...outer, body: [...outer.body, drawn] });
    else longer = longer.toSpliced(at, 0, drawn);
  }
  return longer;
}

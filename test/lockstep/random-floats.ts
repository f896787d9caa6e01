// Random kernels with chains of f32 arithmetic: in loops that carry sums, under branches, through
// shared memory and shuffles. Most inputs are ordinary numbers; a few are zero, tiny, huge or NaN,
// so that some chains go wrong on hardware that flushes subnormals.
import type { Launch } from '../../src/base/launch.ts';
import { generator, type Random } from './random-instructions.ts';

const threads = 64;
const registers = 12;
/**
 * The number of registers that usually contain loaded values, and the numbers of words that a
 * thread can load and store.
 */
const fresh = 5;
const loads = 24;
const stores = 24;

const constants = [
  '0f00000000', '0f80000000', '0f3F800000', '0fBF800000', '0f3E000000', '0fC0800000', '0f3FB8AA3B', '0f3727C5AC', '0f0D800000', '0f00400000', '0f7E800000', '0f7F800000',
]; // biome-ignore format: one line

class FloatText {
  private readonly lines: string[] = [];
  private readonly random: Random;
  private labels = 0;
  private stored = -1;

  constructor(random: Random) {
    this.random = random;
  }

  text(): string {
    return this.lines.join('\n');
  }

  /**
   * Emits statements. If `together` is true, all threads of the block execute them, so the
   * statements may wait for other threads.
   */
  statements(count: number, depth: number, together: boolean): void {
    for (let n = 0; n < count; n++) this.statement(depth, together);
  }

  private statement(depth: number, together: boolean): void {
    const kind = this.random(24);
    if (kind < 12) this.arithmetic();
    else if (kind < 15) this.load();
    else if (kind < 16) this.other();
    else if (kind < 17) this.store(this.register());
    else if (kind < 19 && together) this.share();
    else if (kind < 20 && together) this.shuffle();
    else if (depth < 2 && kind < 23) this.loop(depth, together);
    else if (depth < 3) this.branch(depth);
    else this.arithmetic();
  }

  private add(line: string): void {
    this.lines.push(`  ${line}`);
  }

  private register(): string {
    return `%f${this.random(registers)}`;
  }

  /**
   * Chooses a register that usually still contains its loaded value. Values that are multiplied
   * repeatedly soon become infinite, and are not useful for tests.
   */
  private factor(): string {
    return this.random(10) === 0
      ? this.constant()
      : `%f${this.random(16) === 0 ? this.random(registers) : this.random(fresh)}`;
  }

  private sum(): string {
    return `%f${fresh + this.random(registers - fresh)}`;
  }

  private constant(): string {
    return constants[this.random(constants.length)] ?? '0f3F800000';
  }

  private operand(): string {
    return this.random(8) === 0 ? this.constant() : this.register();
  }

  private arithmetic(): void {
    const [d, x, y, c] = [this.sum(), this.factor(), this.factor(), this.operand()];
    // Sums that a loop carries are the most frequent.
    const kind = this.random(12);
    if (kind < 5) this.add(`fma.rn.f32 ${d}, ${x}, ${y}, ${this.random(3) > 0 ? d : c};`);
    else if (kind < 7) this.add(`add.rn.f32 ${d}, ${this.random(2) === 0 ? d : c}, ${x};`);
    else if (kind < 9) this.add(`sub.rn.f32 ${d}, ${this.random(2) === 0 ? d : c}, ${x};`);
    else if (kind < 11) this.add(`mul.rn.f32 ${d}, ${x}, ${y};`);
    else this.add(`mul.f32 ${d}, ${x}, ${this.register()};`);
    if (this.random(4) === 0) this.store(d);
  }

  private other(): void {
    const [d, a, b] = [this.register(), this.register(), this.register()];
    const texts = [
      `neg.f32 ${d}, ${a};`,
      `abs.f32 ${d}, ${a};`,
      `max.f32 ${d}, ${a}, ${b};`,
      `min.f32 ${d}, ${a}, ${b};`,
      `mul.rz.f32 ${d}, ${a}, ${b};`,
      `add.ftz.f32 ${d}, ${a}, ${b};`,
      `cvt.rn.f32.s32 ${d}, %me;`,
      `div.rn.f32 ${d}, ${a}, ${b};`,
      `setp.lt.f32 %p1, ${a}, ${b};\n  selp.f32 ${d}, ${a}, ${b}, %p1;`,
      `setp.gt.f32 %p1, ${a}, ${b};\n  @%p1 add.f32 ${d}, ${a}, ${b};`,
      `mov.b32 %r1, ${a};\n  xor.b32 %r1, %r1, %me;\n  mov.b32 ${d}, %r1;`,
    ];
    this.add(texts[this.random(texts.length)] ?? '');
  }

  private load(): void {
    this.add(`ld.global.f32 %f${this.random(fresh)}, [%in+${this.random(loads) * threads * 4}];`);
  }

  /** Stores a value to an unused place, if there is one. */
  private store(value: string): void {
    this.stored = Math.min(this.stored + 1, stores - 1);
    this.add(`st.global.f32 [%out+${(registers + this.stored) * threads * 4}], ${value};`);
  }

  private share(): void {
    this.add('bar.sync 0;');
    const kind = this.random(3);
    this.add(`st.shared.f32 [%mine], ${this.random(3) === 0 ? this.register() : `%f${this.random(fresh)}`};`);
    if (kind === 0) this.add(`st.shared.f32 [%mine+256], ${this.operand()};`);
    this.add('bar.sync 0;');
    if (kind === 2) {
      const label = this.label();
      this.add('mov.u32 %j, 0;');
      this.lines.push(`${label}:`);
      this.add('shl.b32 %r1, %j, 3;\n  add.u32 %r1, %r1, %cells;');
      const [x, y, sum] = ['%f0', '%f1', this.sum()];
      this.add(`ld.shared.f32 ${x}, [%r1];\n  ld.shared.f32 ${y}, [%r1+4];`);
      this.add(`fma.rn.f32 ${sum}, ${x}, ${y}, ${sum};\n  add.f32 ${this.sum()}, ${x}, ${y};`);
      this.add(`add.u32 %j, %j, 1;\n  setp.lt.u32 %p0, %j, ${2 + this.random(4)};\n  @%p0 bra ${label};`);
      return;
    }
    for (let n = 0; n < 4; n++)
      this.add(`ld.shared.f32 %f${this.random(fresh)}, [%cells+${this.random(threads) * 4}];`);
  }

  private shuffle(): void {
    this.add(`mov.b32 %r1, ${this.register()};\n  shfl.sync.bfly.b32 %r1, %r1, ${1 << this.random(5)}, 31, -1;`);
    this.add(`mov.b32 ${this.register()}, %r1;`);
  }

  private loop(depth: number, together: boolean): void {
    const [label, counter] = [this.label(), `%k${depth}`];
    this.add(`mov.u32 ${counter}, 0;`);
    this.lines.push(`${label}:`);
    if (this.random(2) === 0) {
      this.add(`mul.lo.u32 %r1, ${counter}, ${threads * 4};\n  cvt.u64.u32 %a0, %r1;\n  add.u64 %a0, %in, %a0;`);
      for (let n = 0; n < 2; n++) this.add(`ld.global.f32 %f${n}, [%a0+${this.random(8) * threads * 4}];`);
    }
    this.statements(3 + this.random(5), depth + 1, together);
    const trips = together ? `${2 + this.random(4)}` : '%trips';
    this.add(`add.u32 ${counter}, ${counter}, 1;`);
    this.add(`setp.lt.u32 %p0, ${counter}, ${trips};`);
    this.add(`@%p0 bra ${label};`);
  }

  private branch(depth: number): void {
    const [label, other] = [this.label(), this.label()];
    this.add(`and.b32 %r1, %me, ${1 << this.random(6)};\n  setp.ne.u32 %p2, %r1, 0;\n  @%p2 bra ${label};`);
    this.statements(2 + this.random(3), depth + 1, false);
    if (this.random(2) === 0) {
      this.add(`bra ${other};`);
      this.lines.push(`${label}:`);
      this.statements(2 + this.random(3), depth + 1, false);
      this.lines.push(`${other}:`);
    } else {
      this.lines.push(`${label}:`);
    }
  }

  private label(): string {
    this.labels += 1;
    return `l${this.labels}`;
  }
}

const special = [
  0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc1_2345, 0xffff_ffff, 1, 0x807f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x0400_0000,
]; // biome-ignore format: one line

/** Draws the bits of a number whose exponent is between two others. */
const between = (random: Random, from: number, to: number): number =>
  ((random(2) << 31) | ((127 + from + random(to - from + 1)) << 23) | (random(3) === 0 ? 0 : random(2 ** 23))) >>> 0;

/** Exponents that guards test. */
const thresholds = [-103, -40, -19];
const near = (random: Random, exponent: number): number => between(random, exponent - 1, exponent + 1);

function inputs(random: Random): Uint8Array {
  // One launch in four has only ordinary numbers. In the other launches, one number in 100, 24 or 6
  // is special.
  const rate = [0, 100, 24, 6][random(4)] ?? 0;
  const few = Array.from({ length: 6 }, () => between(random, -3, 3));
  const data = Uint32Array.from({ length: threads * loads }, () => {
    if (rate === 0 || random(rate) > 0)
      return random(8) === 0 ? 0 : random(4) === 0 ? (few[random(6)] ?? 0) : between(random, -6, 6);
    const kind = random(8);
    if (kind === 0) return special[random(special.length)] ?? 0;
    // The product of two such numbers is in or near the subnormal range.
    if (kind < 4) return between(random, -76, -58);
    if (kind < 6) return between(random, -126, -100);
    if (kind < 7) return near(random, thresholds[random(3)] ?? 0);
    return between(random, 30, 70);
  });
  return new Uint8Array(data.buffer);
}

export function randomFloats(seed: number): Launch {
  const random = generator(seed);
  const text = new FloatText(random);
  text.statements(8 + random(8), 0, true);
  const each = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, n) => line(n));
  const ptx = `.version 8.0
.target sm_80
.address_size 64
.visible .entry floats(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<4>;
  .reg .f32 %f<${registers}>;
  .reg .b32 %r<4>, %k<4>, %j, %me, %mine, %cells, %trips;
  .reg .b64 %out, %in, %at, %a<2>;
  .shared .align 4 .b8 cells[512];
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  cvta.to.global.u64 %out, %out;
  cvta.to.global.u64 %in, %in;
  mov.u32 %me, %tid.x;
  mul.wide.u32 %at, %me, 4;
  add.u64 %out, %out, %at;
  add.u64 %in, %in, %at;
  mov.u32 %cells, cells;
  shl.b32 %mine, %me, 2;
  add.u32 %mine, %mine, %cells;
  and.b32 %trips, %me, 3;
  mov.u32 %r0, 0;
  st.shared.u32 [%mine], %r0;
  st.shared.u32 [%mine+256], %r0;
  bar.sync 0;
${each(registers, (n) => `  ld.global.f32 %f${n}, [%in+${random(loads) * threads * 4}];`).join('\n')}
${text.text()}
${each(registers, (n) => `  st.global.f32 [%out+${n * threads * 4}], %f${n};`).join('\n')}
  ret;
}
`;
  return floatLaunch('floats', seed, ptx, { threads, results: registers + stores, data: inputs(random) });
}

/**
 * Returns a launch of one block. The kernel reads one buffer of f32 and writes another, `results`
 * numbers per thread.
 */
export function floatLaunch(
  name: string,
  seed: number,
  ptx: string,
  { threads, results, data }: { readonly threads: number; readonly results: number; readonly data: Uint8Array },
): Launch {
  return {
    id: `${name} ${seed}`,
    group: 'test',
    ptx,
    ptxFile: `${name}-${seed}.ptx`,
    entry: name,
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'out', kind: 'buffer', type: 'f32', bytes: results * threads * 4 },
      { name: 'in', kind: 'buffer', type: 'f32', bytes: data.byteLength, data },
    ],
  };
}

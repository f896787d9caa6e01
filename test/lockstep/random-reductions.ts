// Random kernels like softmax and layer norm. They reduce the values of a thread, then those of a
// warp by shuffles, then those of a block in shared memory. Then they combine each value with the
// result. Sometimes a few values are zero, tiny, huge or NaN, in one lane or in all.
import type { Launch } from '../../src/base/launch.ts';
import { floatLaunch } from './random-floats.ts';
import { generator, type Random } from './random-instructions.ts';

const threads = 64;
const own = 4;

const special = [
  0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc1_2345, 1, 0x807f_ffff, 0x0080_0000, 0x8080_0000, 0x0c00_0000, 0x2b80_0000,
]; // biome-ignore format: one line

function inputs(random: Random): Uint8Array {
  // The percentage of special values, and the lane that has them (undefined for all lanes).
  const [rate, lane] = [[0, 1, 10, 60][random(4)] ?? 0, random(2) === 0 ? random(threads) : undefined];
  const tiny = (): number => ((random(2) << 31) | (random(46) << 23) | random(2 ** 23)) >>> 0;
  // The other values: 0 makes them zero, 1 makes them negative, and 2 draws their signs. With 0 or
  // 1, a tiny value of one lane can be the sum or the maximum that all lanes read.
  const others = random(3);
  const data = Uint32Array.from({ length: threads * own }, (_, n) => {
    const isOdd = random(100) < rate && (lane === undefined || n % threads === lane);
    if (isOdd) return random(2) === 0 ? (special[random(special.length)] ?? 0) : tiny();
    if (others === 0) return 0;
    return (((others === 1 ? 1 : random(2)) << 31) | ((120 + random(14)) << 23) | random(2 ** 23)) >>> 0;
  });
  return new Uint8Array(data.buffer);
}

const upTo = <T>(count: number, of: (n: number) => T): readonly T[] => Array.from({ length: count }, (_, n) => of(n));

/**
 * Returns instructions that reduce `%v0` to `%v3` to one value in `%s`, which is the same in all
 * threads.
 */
function reduction(random: Random): readonly string[] {
  const op = ['add.f32', 'add.f32', 'max.f32', 'min.f32'][random(4)] ?? 'add.f32';
  const squares = op === 'add.f32' && random(3) === 0;
  const start = op === 'add.f32' ? '0f00000000' : op === 'max.f32' ? '0fFF800000' : '0f7F800000';
  const mode = random(4) === 0 ? 'down' : 'bfly';
  const lines = [`mov.f32 %s, ${start};`];
  for (const n of upTo(own, (k) => k))
    lines.push(squares ? `fma.rn.f32 %s, %v${n}, %v${n}, %s;` : `${op} %s, %s, %v${n};`);
  for (const step of [16, 8, 4, 2, 1]) {
    if (random(12) === 0) continue;
    lines.push('mov.b32 %r1, %s;', `shfl.sync.${mode}.b32 %r2, %r1, ${step}, 31, -1;`, 'mov.b32 %t, %r2;');
    lines.push(random(8) === 0 ? 'mul.f32 %s, %s, %t;' : `${op} %s, %s, %t;`);
  }
  if (random(3) === 0) return lines;
  lines.push('bar.sync 0;', 'and.b32 %r1, %me, 31;', 'setp.ne.u32 %p1, %r1, 0;');
  lines.push('shr.u32 %r2, %me, 5;', 'shl.b32 %r2, %r2, 2;', 'mov.u32 %r3, cells;', 'add.u32 %r2, %r2, %r3;');
  lines.push('@!%p1 st.shared.f32 [%r2], %s;', 'bar.sync 0;');
  lines.push('ld.shared.f32 %s, [cells];', 'ld.shared.f32 %t, [cells+4];', `${op} %s, %s, %t;`);
  return lines;
}

/** Combines each value with the result. */
function combination(random: Random): readonly string[] {
  const scale = ['0f3B000000', '0f3FB8AA3B', '0f3F800000'][random(3)] ?? '';
  const first = random(2) === 0 ? [`mul.f32 %s, %s, ${scale};`] : [];
  const kind = random(4);
  return [
    ...first,
    ...upTo(own, (n) => {
      if (kind === 0) return `sub.f32 %v${n}, %v${n}, %s;`;
      if (kind === 1) return `mul.f32 %v${n}, %v${n}, %s;`;
      if (kind === 2) return `div.rn.f32 %v${n}, %v${n}, %s;`;
      return `sub.f32 %v${n}, %v${n}, %s;\n  mul.f32 %v${n}, %v${n}, ${scale};`;
    }),
  ];
}

export function randomReductions(seed: number): Launch {
  const random = generator(seed);
  const lines: string[] = [];
  for (let n = 0; n < 2 + random(2); n++) {
    lines.push(...reduction(random));
    lines.push(`st.global.f32 [%out+${(own + n) * threads * 4}], %s;`);
    if (random(6) > 0) lines.push(...combination(random));
  }
  const ptx = `.version 8.0
.target sm_80
.address_size 64
.visible .entry reductions(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<4>;
  .reg .f32 %v<${own}>, %s, %t;
  .reg .b32 %r<4>, %me;
  .reg .b64 %out, %in, %at;
  .shared .align 4 .b8 cells[8];
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  cvta.to.global.u64 %out, %out;
  cvta.to.global.u64 %in, %in;
  mov.u32 %me, %tid.x;
  mul.wide.u32 %at, %me, 4;
  add.u64 %out, %out, %at;
  add.u64 %in, %in, %at;
${upTo(own, (n) => `  ld.global.f32 %v${n}, [%in+${n * threads * 4}];`).join('\n')}
  ${lines.join('\n  ')}
${upTo(own, (n) => `  st.global.f32 [%out+${n * threads * 4}], %v${n};`).join('\n')}
  ret;
}
`;
  return floatLaunch('reductions', seed, ptx, { threads, results: own + 4, data: inputs(random) });
}

// Loads and stores that use `movePlain` must have the same effects and findings as those that use
// `locate`. An observed run uses `locate` for all of them.
import { expect, test } from 'vitest';
import { missing } from '../../../../src/base/invariants.ts';
import { interpret } from '../../../../src/cpu-ref/interpreter/interpret.ts';
import { type KeptMemory, placeVariables, staticsOf } from '../../../../src/cpu-ref/interpreter/memory/variables.ts';
import type { Random } from '../../../../src/harness/suites/random.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { effort } from '../../../effort.ts';
import { seed, seeded } from '../../../seed.ts';
import { kernelLaunch } from './interpreter-support.ts';

const bytesOf = { u8: 1, s8: 1, u16: 2, s16: 2, b32: 4, u32: 4, s32: 4, b64: 8 } as const;
const types = ['u8', 's8', 'u16', 'b32', 'u32', 's32', 'b64'] as const;
const spaces = ['global', 'shared', 'local', 'generic'] as const;
const starts = { global: '%rd0', shared: '%rd10', local: '%rd11' } as const;

/** Returns the body of a kernel that stores and loads at an offset of each lane, in one of two memories. */
function kernelOf(random: Random): string {
  const type = random.pick(types);
  const vector = random.pick([1, 2, bytesOf[type] === 8 ? 1 : 4]);
  const space = random.pick(spaces);
  const start = space === 'generic' ? random.pick(['%rd0', '%rd12', '%rd13']) : starts[space];
  const isWide = bytesOf[type] === 8 || (bytesOf[type] === 4 && type !== 'b32' && random.chance(0.5));
  const registers = Array.from({ length: vector }, (_, i) => (isWide ? `%rd${4 + i}` : `%r${4 + i}`));
  const elements = vector === 1 ? (registers[0] ?? '') : `{${registers.join(', ')}}`;
  const opcode = `${space === 'generic' ? '' : `.${space}`}${vector === 1 ? '' : `.v${vector}`}.${type}`;
  const values = registers.map((to, i) =>
    isWide
      ? `mul.wide.u32 ${to}, %r0, ${0x0203_0405 + 0x1111_1111 * i}; not.b64 ${to}, ${to};`
      : `mad.lo.u32 ${to}, %r0, ${0x0203_0405 + 0x1111_1111 * i}, 0x8090a0b0;`,
  );
  const sum = registers.map((from) =>
    isWide ? `xor.b64 %rd14, %rd14, ${from};` : `cvt.u64.u32 %rd15, ${from}; xor.b64 %rd14, %rd14, %rd15;`,
  );
  return `.local .align 16 .b8 l[512]; ld.param.u64 %rd2, [table]; mul.wide.u32 %rd3, %lane, 8; add.u64 %rd2, %rd2, %rd3;
    ld.global.s32 %rd3, [%rd2]; ld.global.u32 %r3, [%rd2+4]; setp.ne.u32 %p0, %r3, 0;
    mov.u64 %rd10, s; mov.u64 %rd11, l; cvta.shared.u64 %rd12, %rd10; cvta.local.u64 %rd13, %rd11; ld.param.u64 %rd9, [other];
    selp.u64 %rd9, %rd9, ${start}, %p0; add.u64 %rd9, %rd9, %rd3; mov.u64 %rd14, 0;
    ${values.slice(random.chance(0.2) ? 1 : 0).join(' ')} st${opcode} [%rd9], ${elements};
    ld${opcode} ${elements}, [%rd9]; ${sum.join(' ')} ld${opcode} ${elements}, [%rd9+${bytesOf[type] * vector}]; ${sum.join(' ')}
    add.u64 %rd1, %rd1, %rd1; sub.u64 %rd1, %rd1, %rd0; st.global.b64 [%rd1+512], %rd14;`;
}

test(`plain accesses agree with located ones (seed ${seed})`, () => {
  const random = seeded('plain accesses');
  for (let i = 0; i < effort(24, 400); i++) {
    const size = random.pick([1, 4, 8, 16, 32]);
    const isRegular = random.chance(0.5);
    const table = new Int32Array(64);
    for (let lane = 0; lane < 32; lane++) {
      const odd = !isRegular && random.chance(0.1) ? random.pick([1, -8, 2, 4000, -600]) : 0;
      table[2 * lane] = size * (isRegular ? lane % (256 / size) : random.below(256 / size)) + odd;
      table[2 * lane + 1] = !isRegular && random.chance(0.2) ? 1 : 0;
    }
    const body = kernelOf(random);
    const launch = kernelLaunch(body, {
      words: 192,
      module: '.shared .align 16 .b8 s[512];',
      paramText: ', .param .u64 table, .param .u64 other',
      params: [
        { name: 'table', kind: 'buffer', type: 'u32', bytes: 256, data: new Uint8Array(table.buffer) },
        { name: 'other', kind: 'buffer', type: 'u32', bytes: 300 },
      ],
    });
    const module = parsePtxOrThrow(launch.ptx);
    const kept = (): KeptMemory => ({
      allocations: [],
      variables: placeVariables(staticsOf(module), module, {
        addGlobal: () => missing('a variable in global memory'),
        toGeneric: (_, address) => address,
      }),
      images: new Map(),
    });
    for (const memory of [() => ({}), () => ({ memory: kept() })]) {
      const located = interpret(module, launch, { ...memory(), observe: () => undefined });
      expect(interpret(module, launch, memory()), body).toEqual(located);
    }
  }
});

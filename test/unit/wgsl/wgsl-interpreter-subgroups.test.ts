import { describe, expect, test } from 'vitest';
import { poison, runWgsl } from '../../wgsl-interpreter/index.ts';
import { runKernel, untouched } from '../../wgsl-interpreter/kernel.ts';

const lanes = (size: number, of: (lane: number) => number): number[] =>
  Array.from({ length: size }, (_, l) => of(l) >>> 0);

describe('ballots', () => {
  // Every third lane votes: bit l of the ballot is set for l = 0, 3, 6, ...
  const thirds = [0x49249249, 0x92492492, 0x24924924, 0x49249249];
  test.each([
    [4, [0x9, 0, 0, 0]],
    [16, [0x9249, 0, 0, 0]],
    [32, [thirds[0], 0, 0, 0]],
    [64, [thirds[0], thirds[1], 0, 0]],
    [128, thirds],
  ])('at subgroup size %i', (subgroupSize, expected) => {
    const body =
      'let b = subgroupBallot(lane % 3u == 0u); if (lane == 1u) { for (var w = 0u; w < 4u; w++) { out[w] = b[w]; } }';
    expect(runKernel({ body, words: 4 }, { subgroupSize })).toEqual(expected);
  });

  test('only active lanes vote', () => {
    const body =
      'if (lane >= 40u) { out[lane] = subgroupBallot(true).y; } else { out[lane] = subgroupBallot(lane != 2u).x; }';
    const expected = lanes(64, (l) => (l >= 40 ? 0xffffff00 : 0xfffffffb));
    expect(runKernel({ body }, { subgroupSize: 64 })).toEqual(expected);
  });

  test('lanes that do not exist do not vote', () => {
    const body = 'out[index] = subgroupBallot(true).x + subgroups * 0u + subgroup;';
    const expected = lanes(40, (l) => (l < 32 ? 0xffffffff : 0xff + 1));
    expect(runKernel({ body, count: 40 }, { subgroupSize: 32 })).toEqual(expected);
  });
});

describe('shuffles and broadcasts', () => {
  test.each<[string, string, number, (lane: number) => number]>([
    [
      'shuffle with a different source in each lane',
      'subgroupShuffle(index * 2u, (lane * 5u + 3u) % 32u)',
      32,
      (l) => ((l * 5 + 3) % 32) * 2,
    ],
    ['shuffle with a signed id', 'subgroupShuffle(index, i32(31u - lane))', 32, (l) => 31 - l],
    ['shuffle out of range', 'subgroupShuffle(index, lane + 60u)', 64, (l) => (l < 4 ? l + 60 : poison(l))],
    ['xor', 'subgroupShuffleXor(index, 33u)', 64, (l) => l ^ 33],
    ['xor past the end', 'subgroupShuffleXor(index, 64u)', 64, poison],
    ['up', 'subgroupShuffleUp(index, 3u)', 128, (l) => (l >= 3 ? l - 3 : poison(l))],
    ['down', 'subgroupShuffleDown(index, 100u)', 128, (l) => (l < 28 ? l + 100 : poison(l))],
    ['broadcast', 'subgroupBroadcast(index + 7u, 5)', 32, () => 12],
    ['broadcast of the first lane', 'subgroupBroadcastFirst(index + 7u)', 32, () => 7],
    ['a vector', 'subgroupShuffleXor(vec2(index, index * 10u), 1u).y', 32, (l) => (l ^ 1) * 10],
    [
      'NaN bits',
      'bitcast<u32>(subgroupShuffleXor(bitcast<f32>(0x7f800000u + index), 1u))',
      32,
      (l) => 0x7f800000 + (l ^ 1),
    ],
    ['elect', 'select(0u, 1u, subgroupElect())', 32, (l) => (l === 0 ? 1 : 0)],
  ])('%s', (_name, expression, subgroupSize, expected) => {
    const body = `out[lane] = ${expression};`;
    expect(runKernel({ body }, { subgroupSize })).toEqual(lanes(subgroupSize, expected));
  });

  test('a value from an inactive lane is indeterminate, and the first active lane is elected', () => {
    const body = `if (lane % 4u != 0u) {
  out[lane] = subgroupShuffle(lane, lane - 1u);
  if (subgroupElect()) { out[0] = 500u + subgroupBroadcastFirst(lane); }
}`;
    const expected = lanes(32, (l) => (l === 0 ? 501 : l % 4 === 0 ? untouched : l % 4 === 1 ? poison(l) : l - 1));
    expect(runKernel({ body }, { subgroupSize: 32 })).toEqual(expected);
  });
});

describe('votes, reductions and scans', () => {
  test.each<[string, (lane: number) => number]>([
    ['select(0u, 1u, subgroupAny(lane == 9u))', () => 1],
    ['select(0u, 1u, subgroupAny(lane == 99u))', () => 0],
    ['select(0u, 1u, subgroupAll(lane != 9u))', () => 0],
    ['select(0u, 1u, subgroupAll(lane < 32u))', () => 1],
    ['subgroupAdd(lane)', () => 496],
    ['subgroupMul(select(1u, 3u, lane < 2u))', () => 9],
    ['subgroupMin(lane + 5u)', () => 5],
    ['subgroupMax(lane)', () => 31],
    ['bitcast<u32>(subgroupMin(i32(lane) - 4))', () => -4],
    ['subgroupAnd(lane | 0x80u)', () => 0x80],
    ['subgroupOr(lane)', () => 31],
    ['subgroupXor(lane)', () => 0],
    ['subgroupInclusiveAdd(lane)', (l) => (l * (l + 1)) / 2],
    ['subgroupExclusiveAdd(lane)', (l) => (l * (l - 1)) / 2],
    ['u32(subgroupAdd(f32(lane) + 0.5))', () => 512],
    ['subgroupAdd(vec2(1u, lane)).x', () => 32],
  ])('%s', (expression, expected) => {
    expect(runKernel({ body: `out[lane] = ${expression};` }, { subgroupSize: 32 })).toEqual(lanes(32, expected));
  });

  test('over the active lanes only', () => {
    const body = 'if (lane % 2u == 1u) { out[lane] = subgroupAdd(1u) * 100u + subgroupExclusiveAdd(1u); }';
    const expected = lanes(32, (l) => (l % 2 === 1 ? 1600 + (l - 1) / 2 : untouched));
    expect(runKernel({ body }, { subgroupSize: 32 })).toEqual(expected);
  });
});

describe('divergence', () => {
  test.each<[string, string, (lane: number) => number, string?]>([
    [
      'both arms run, and their lanes reconverge',
      'var x = 0u; if (lane < 3u) { x = 1u; } else if (lane < 6u) { x = 2u; } else { x = 3u; } out[lane] = x * 100u + subgroupAdd(1u);',
      (l) => (l < 3 ? 100 : l < 6 ? 200 : 300) + 8,
    ],
    [
      'a loop runs until no lane is left',
      'var n = 0u; var sum = 0u; while n < lane { n++; sum += subgroupAdd(1u); } out[lane] = sum;',
      (l) => Array.from({ length: l }, (_, turn) => 7 - turn).reduce((a, b) => a + b, 0),
    ],
    [
      'continue goes to the continuing block',
      'var n = 0u; var odd = 0u; loop { if (n % 2u == 0u) { continue; } odd += n; continuing { n++; break if n > lane; } } out[lane] = odd;',
      (l) => [0, 1, 1, 4, 4, 9, 9, 16][l] ?? 0,
    ],
    [
      'break leaves the innermost loop only',
      'var t = 0u; for (var a = 0u; a < 3u; a++) { for (var b = 0u; b < 10u; b++) { if (b == lane) { break; } t++; } t += 100u; } out[lane] = t;',
      (l) => 300 + 3 * l,
    ],
    [
      "return ends a lane's function, not the caller",
      'out[lane] = g(lane) + subgroupAdd(1u);',
      (l) => (l < 2 ? 1000 + 8 : 6 + 8),
      'fn g(l: u32) -> u32 { if (l < 2u) { return 1000u; } return subgroupAdd(1u); }',
    ],
    [
      'return in a loop',
      'out[lane] = g(lane);',
      (l) => l * 10,
      'fn g(l: u32) -> u32 { for (var k = 0u; ; k++) { if (k == l) { return k * 10u; } } return 7u; }',
    ],
    [
      'switch clauses, break and a default in the middle',
      'var x = 5u; switch lane { case 0u, 2u: { x = 1u; } default: { x = 9u; if (lane > 5u) { break; } x = 8u; } case 3u { x = subgroupAdd(1u) + 40u; } } out[lane] = x;',
      (l) => [1, 8, 1, 41, 8, 8, 9, 9][l] ?? 0,
    ],
    [
      'continue inside a switch',
      'var n = 0u; var hits = 0u; loop { if (n > 4u) { break; } n++; switch n { case 2u: { continue; } case 3u: { break; } default: {} } hits += n; } out[lane] = hits;',
      () => 1 + 3 + 4 + 5,
    ],
    [
      'a variable in a loop starts from zero in each iteration',
      'var last = 0u; for (var k = 0u; k < 3u; k++) { var fresh: u32; fresh += lane; last = fresh; } out[lane] = last;',
      (l) => l,
    ],
    [
      '&& runs its right side in the lanes that need it',
      'var votes = 0u; if (lane > 4u && subgroupAdd(1u) == 3u) { votes = 1u; } out[lane] = votes;',
      (l) => (l > 4 ? 1 : 0),
    ],
  ])('%s', (_name, body, expected, module = '') => {
    expect(runKernel({ module, body }, { subgroupSize: 8 })).toEqual(lanes(8, expected));
  });

  test('uniformSubgroups rejects a subgroup builtin in a divergent branch', () => {
    const kernel = { body: 'if (lane == 0u) { out[0] = subgroupAdd(1u); }' };
    expect(() => runKernel(kernel, { subgroupSize: 32, uniformSubgroups: true })).toThrow(
      /subgroupAdd in divergent control flow: 1 of 32/,
    );
  });
});

describe('barriers and workgroup memory', () => {
  const reverse = {
    module: 'var<workgroup> w: array<u32, 256>;',
    body: 'w[index] = index * 3u; workgroupBarrier(); out[index] = w[255u - index];',
    count: 256,
  };

  test.each([16, 32, 64, 128])('subgroups of %i meet at a barrier', (subgroupSize) => {
    expect(runKernel(reverse, { subgroupSize })).toEqual(lanes(256, (l) => (255 - l) * 3));
  });

  test('without the barrier no subgroup sees the stores of another', () => {
    const kernel = { ...reverse, body: reverse.body.replace('workgroupBarrier();', '') };
    expect(runKernel(kernel, { subgroupSize: 128 })).toEqual(lanes(256, () => 0));
  });

  test('barriers in loops and called functions', () => {
    const kernel = {
      module: `var<workgroup> w: array<u32, 64>;
fn swap(i: u32, by: u32) -> u32 { workgroupBarrier(); let v = w[i ^ by]; workgroupBarrier(); return v; }`,
      body: `w[index] = 1u << (index % 32u);
for (var by = 32u; by > 0u; by >>= 1u) { let other = swap(index, by); w[index] |= other; }
out[index] = w[index];`,
      count: 64,
    };
    expect(runKernel(kernel, { subgroupSize: 16 })).toEqual(lanes(64, () => 0xffffffff));
  });

  test('workgroupUniformLoad', () => {
    const kernel = {
      module: 'var<workgroup> w: array<u32, 2>;',
      body: 'if (index == 63u) { w[1] = 77u; } let v = workgroupUniformLoad(&w[1]); w[1] = 5u; out[index] = v;',
      count: 64,
    };
    expect(runKernel(kernel, { subgroupSize: 16 })).toEqual(lanes(64, () => 77));
  });

  test.each<[string, string, RegExp]>([
    [
      'a divergent mask',
      'if (lane < 3u) { workgroupBarrier(); }',
      /workgroupBarrier in divergent control flow: 3 of 8 lanes/,
    ],
    ['only some subgroups', 'if (subgroup == 1u) { storageBarrier(); }', /subgroup 0 has ended, subgroup 1 waits/],
    ['lanes that returned', 'if (index == 3u) { return; }\nworkgroupBarrier();', /7 of 8 lanes/],
    ['a divergent address', 'out[0] = workgroupUniformLoad(&w[lane]);', /not uniform/],
    [
      'addresses that differ by subgroup',
      'out[0] = workgroupUniformLoad(&w[subgroup]);',
      /subgroup 0 waits at line \d+ for word 0/,
    ],
  ])('throws at %s', (_name, body, message) => {
    const kernel = { module: 'var<workgroup> w: array<u32, 8>;', body, count: 16 };
    expect(() => runKernel(kernel, { subgroupSize: 8 })).toThrow(message);
  });
});

describe('uniform operands', () => {
  test.each<[string, RegExp]>([
    ['subgroupShuffleXor(index, lane)', /subgroupShuffleXor: the second argument is not uniform/],
    ['subgroupShuffleUp(index, lane)', /subgroupShuffleUp/],
    ['subgroupShuffleDown(index, lane & 1u)', /subgroupShuffleDown/],
    ['subgroupBroadcast(index, lane)', /subgroupBroadcast: the id is not a const-expression/],
  ])('%s throws', (expression, message) => {
    expect(() => runKernel({ body: `out[lane] = ${expression};` }, { subgroupSize: 32 })).toThrow(message);
  });

  test('constants by name count as const-expressions', () => {
    const kernel = {
      module: 'const C = 3u;',
      body: 'const d = C + 1u; out[lane] = subgroupBroadcast(lane, C) * 10u + subgroupBroadcast(lane, d);',
    };
    expect(runKernel(kernel, { subgroupSize: 8 })).toEqual(lanes(8, () => 34));
  });
});

describe('atomics', () => {
  test('each lane sees the count before it', () => {
    const kernel = {
      module: 'struct C { pad: u32, n: atomic<u32> } var<workgroup> c: C;',
      body: 'out[index] = atomicAdd(&c.n, 2u); workgroupBarrier(); if (index == 0u) { out[0] = atomicLoad(&c.n); }',
      count: 64,
    };
    expect(runKernel(kernel, { subgroupSize: 32 })).toEqual(lanes(64, (l) => (l === 0 ? 128 : 2 * l)));
  });

  test.each<[string, string, number, number]>([
    ['u32', 'atomicSub(&a, 3u)', 7, 4],
    ['u32', 'atomicMax(&a, 9u)', 7, 9],
    ['u32', 'atomicMin(&a, 9u)', 7, 7],
    ['u32', 'atomicAnd(&a, 5u)', 7, 5],
    ['u32', 'atomicOr(&a, 8u)', 7, 15],
    ['u32', 'atomicXor(&a, 2u)', 7, 5],
    ['u32', 'atomicExchange(&a, 1u)', 7, 1],
    ['i32', 'bitcast<u32>(atomicMin(&a, -1))', 7, 0xffffffff],
    ['i32', 'bitcast<u32>(atomicMax(&a, -1))', 7, 7],
    ['u32', 'atomicCompareExchangeWeak(&a, 7u, 3u).old_value', 7, 3],
    ['u32', 'select(0u, 1u, atomicCompareExchangeWeak(&a, 6u, 3u).exchanged)', 0, 7],
  ])('atomic<%s> %s', (type, expression, result, after) => {
    const module = `var<workgroup> a: atomic<${type}>;`;
    const body = `atomicStore(&a, 7); out[0] = ${expression}; out[1] = bitcast<u32>(atomicLoad(&a));`;
    expect(runKernel({ module, body, count: 1, words: 2 }, { subgroupSize: 32 })).toEqual([result, after]);
  });
});

describe('the order of invocations', () => {
  test('a shuffled order differs, and covers each invocation once', () => {
    const body = 'out[subgroup * 32u + lane] = index;';
    const order = runKernel({ body, count: 96 }, { subgroupSize: 32, invocationOrder: 'shuffled', seed: 5 });
    const identity = lanes(96, (l) => l);
    expect([...order].sort((a, b) => a - b)).toEqual(identity);
    expect(order).not.toEqual(identity);
  });

  test('three dimensions', () => {
    const code = `@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4, 3, 2)
fn main(@builtin(local_invocation_id) l: vec3u, @builtin(local_invocation_index) i: u32,
        @builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u) {
  out[(w.x + n.x * w.y) * 24u + i] = l.x + l.y * 10u + l.z * 100u + g.x * 1000u + g.y * 100000u;
}`;
    const buffer = { binding: 0, kind: 'storage', bytes: 384, read: true } as const;
    const job = { label: '', code, entryPoint: 'main', workgroups: [2, 2, 1] as const, buffers: [buffer] };
    const bytes = runWgsl(job, { subgroupSize: 32 }).buffers.get(0) ?? new Uint8Array();
    const words = [...new Uint32Array(bytes.buffer)];
    expect(words.slice(0, 6)).toEqual([0, 1001, 2002, 3003, 100010, 101011]);
    // Workgroup (1, 1): l = (3, 2, 1) is g = (7, 5, 1).
    expect(words[95]).toBe(3 + 20 + 100 + 7000 + 500000);
  });
});

// Whole shaders as text: declarations, statements, names, and comments with the PTX.
import { expect, test } from 'vitest';
import * as w from '../../../src/wgsl/tree/build.ts';
import { type Expr, Name, type Origin, type Shader, type Stmt } from '../../../src/wgsl/tree/nodes.ts';
import { printShader } from '../../../src/wgsl/tree/print.ts';

const at = (ptx: string, text: string): Origin => ({ start: ptx.indexOf(text), end: ptx.indexOf(text) + text.length });
const entry = (
  body: readonly Stmt[],
  more: Partial<Extract<Shader['declarations'][number], { kind: 'function' }>> = {},
): Shader => ({
  enables: [],
  requires: [],
  diagnosticsOff: [],
  declarations: [
    { kind: 'function', name: new Name('main'), params: [], result: undefined, body, workgroupSize: [32], ...more },
  ],
});

test('a whole shader', () => {
  const ptx =
    'add.u32 %r1,\n    %r2, 1; // more\nsetp.eq.u32 %p, %r1, 0;\n@%p bra L;\n@%q bra M;\nst.global [%rd1], %r1;\n';
  const [sum, out, struct, count, params, tid, twice, x] = [
    '%r1',
    'out',
    'Params',
    'n',
    'params',
    'tid',
    '_Z5twicej',
    'x',
  ].map((hint) => new Name(hint)) as [Name, Name, Name, Name, Name, Name, Name, Name];
  const words = w.ref(out, w.array('u32'));
  const [add, setp, branch, other, store] = [
    'add.u32 %r1,\n    %r2, 1;',
    'setp.eq.u32 %p, %r1, 0;',
    '@%p bra L;',
    '@%q bra M;',
    'st.global [%rd1], %r1;',
  ].map((text) => at(ptx, text));
  const n = w.member(w.ref(params, w.struct(struct)), count, 'u32');
  const put = (value: Expr): Stmt => ({ ...w.assign(w.index(words, w.u32(0)), value), origin: store });
  const shader: Shader = {
    enables: ['subgroups'],
    requires: ['subgroup_id'],
    diagnosticsOff: ['subgroup_uniformity'],
    declarations: [
      { kind: 'struct', name: struct, members: [{ name: count, type: 'u32' }] },
      { kind: 'binding', group: 0, binding: 0, name: params, space: 'uniform', type: w.struct(struct) },
      { kind: 'binding', group: 0, binding: 1, name: out, space: 'storage, read_write', type: w.array('u32') },
      {
        kind: 'function',
        name: twice,
        params: [{ name: x, type: 'u32' }],
        result: 'u32',
        body: [w.give(w.helper('mul_hi_u32', 'u32', w.ref(x, 'u32'), w.u32(2)))],
        comment: 'Doubles.',
      },
      {
        kind: 'function',
        name: new Name('main'),
        params: [{ name: tid, type: w.vec3u, builtin: 'local_invocation_id' }],
        result: undefined,
        workgroupSize: [64, 1, 1],
        subgroupSize: 32,
        body: [
          { ...w.define(sum, w.add(w.call(twice, 'u32', n), w.u32(1))), origin: add },
          w.perform(w.builtin('workgroupBarrier', 'u32')),
          {
            ...w.when(
              w.eq(w.ref(sum, 'u32'), w.u32(0)),
              [put(w.u32(1))],
              [{ ...w.when(w.ne(w.ref(sum, 'u32'), w.u32(1)), [put(w.u32(2))], [w.give()]), origin: other }],
            ),
            origin: branch,
          },
          { ...put(w.swizzle(w.ref(tid, w.vec3u), 'x')), origin: branch },
          { ...w.when(w.bool(true), [w.give()]), origin: setp },
        ],
      },
    ],
  };
  const result = printShader(shader, ptx);
  expect(result.code).toBe(`enable subgroups;
requires subgroup_id;
diagnostic(off, subgroup_uniformity);

struct Params {
  n: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

// The 64-bit product from 16-bit parts, because WGSL has no wide multiply.
fn mul_wide_u32(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let cross = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (cross >> 16u));
}

// The high half of the product.
fn mul_hi_u32(a: u32, b: u32) -> u32 {
  return mul_wide_u32(a, b).y;
}

// Doubles.
fn Z5twicej(x: u32) -> u32 {
  return mul_hi_u32(x, 2u);
}

@compute @workgroup_size(64, 1, 1) @subgroup_size(32)
fn main(@builtin(local_invocation_id) tid: vec3<u32>) {
  // add.u32 %r1, %r2, 1;
  let r1 = Z5twicej(params.n) + 1u;
  workgroupBarrier();
  // @%p bra L;
  if (r1 == 0u) {
    // st.global [%rd1], %r1;
    out[0u] = 1u;
  } else if (r1 != 1u) { // @%q bra M;
    // st.global [%rd1], %r1;
    out[0u] = 2u;
  } else {
    return;
  }
  out[0u] = tid.x;
  // setp.eq.u32 %p, %r1, 0;
  if (true) { return; }
}
`);
  const lines = result.code.split('\n');
  const shown = result.sourceMap.map(({ line, origin }) => [
    lines[line - 1]?.trim(),
    ptx.slice(origin.start, origin.start + 3),
  ]);
  expect(shown).toEqual([
    ['// add.u32 %r1, %r2, 1;', 'add'],
    ['let r1 = Z5twicej(params.n) + 1u;', 'add'],
    ['workgroupBarrier();', 'add'],
    ['// @%p bra L;', '@%p'],
    ['if (r1 == 0u) {', '@%p'],
    ['// st.global [%rd1], %r1;', 'st.'],
    ['out[0u] = 1u;', 'st.'],
    ['} else if (r1 != 1u) { // @%q bra M;', '@%q'],
    ['// st.global [%rd1], %r1;', 'st.'],
    ['out[0u] = 2u;', 'st.'],
    ['return;', '@%q'],
    ['out[0u] = tid.x;', '@%p'],
    ['// setp.eq.u32 %p, %r1, 0;', 'set'],
    ['if (true) { return; }', 'set'],
  ]);
  expect(result.names.get(sum)).toBe('r1');
  expect(result.names.get(count)).toBe('n');
});

test('control flow', () => {
  const [i, s] = [new Name('i'), new Name('s')];
  const counter = w.ref(i, 'u32');
  const { code } = printShader(
    entry([
      w.variable(i, 'u32'),
      {
        kind: 'loop',
        body: [
          w.when(w.lt(counter, w.u32(3)), [w.leave]),
          {
            kind: 'switch',
            selector: counter,
            cases: [
              { values: [1, 2], isDefault: false, body: [w.again] },
              { values: [3], isDefault: true, body: [] },
            ],
          },
        ],
        continuing: [w.update(counter, '+', w.u32(1))],
        breakIf: w.eq(counter, w.u32(9)),
      },
      w.repeat(s, 8, [{ kind: 'comment', text: 'Nothing\nat all' }]),
      { kind: 'block', body: [w.give()] },
    ]),
  );
  expect(code).toBe(`@compute @workgroup_size(32)
fn main() {
  var i: u32;
  loop {
    if (i < 3u) { break; }
    switch i {
      case 1u, 2u: {
        continue;
      }
      case 3u, default: {
      }
    }
    continuing {
      i += 1u;
      break if i == 9u;
    }
  }
  for (var s = 0u; s < 8u; s++) {
    // Nothing
    // at all
  }
  {
    return;
  }
}
`);
});

test('names that clash with helpers or builtins get a number', () => {
  const [helper, again, hidden] = ['mul_hi_u32', 'main', 'subgroupAdd'].map((hint) => new Name(hint)) as [
    Name,
    Name,
    Name,
  ];
  const { code } = printShader(entry([helper, again, hidden].map((name) => w.define(name, w.u32(1)))));
  expect(code).toContain('let mul_hi_u32_1 = 1u;');
  expect(code).toContain('let main_1 = 1u;');
  expect(code).toContain('let subgroupAdd_1 = 1u;');
});

test('PTX text cannot end its comment', () => {
  const ptx = 'mov.u32 %r1,\u2028\u0085\r 1;';
  const { code } = printShader(entry([{ ...w.give(), origin: { start: 0, end: ptx.length } }]), ptx);
  expect(code).toContain('  // mov.u32 %r1, 1;\n  return;\n');
});

test('a long program prints in linear time', () => {
  const names = Array.from({ length: 60_000 }, (_, index) => new Name(`%r${index % 3}`));
  const body = names.map((name, index) => w.define(name, w.ref(names[Math.max(index - 1, 0)] ?? name, 'u32')));
  expect(printShader(entry(body)).code.split('\n')).toHaveLength(60_004);
});

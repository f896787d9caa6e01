// Untrusted links that try to freeze, crash or mislead the page.
import { deflateRawSync } from 'node:zlib';

export interface HostileLink {
  readonly name: string;
  /** The part of the address after `#`. */
  readonly hash: string;
}

const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Returns the hash of any document or text, without the checks of the page. */
export function hashOf(document: unknown): string {
  const json = typeof document === 'string' ? document : JSON.stringify(document);
  return `s=${base64Url(deflateRawSync(json, { level: 9 }))}`;
}

const module = (body: string): string => `.version 8.0\n.target sm_80\n.address_size 64\n${body}\n`;
const entry = (body: string, params = ''): string => module(`.visible .entry k(${params}) {\n${body}\nret;\n}`);
const times = (count: number, make: (index: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);

/** Returns functions that each call the previous one twice. */
const doublingCalls = (depth: number): string =>
  module(
    [
      '.func f0 { ret; }',
      times(depth, (n) => `.func f${n + 1} { call f${n}; call f${n}; ret; }`),
      `.visible .entry k() { call f${depth}; ret; }`,
    ].join('\n'),
  );

const texts: readonly (readonly [name: string, text: string])[] = [
  ['registers named as members of objects', 'add.u32 a, constructor, 1;\nadd.u32 __proto__, toString, valueOf;'],
  ['registers that share a buffer', 'add.u32 a$, b, 1;\nadd.u32 a_, b, 1;'],
  ['calls that double', doublingCalls(17)],
  ['calls that double without end', doublingCalls(60)],
  [
    'a chain of calls',
    module(
      `.func f0 { ret; }\n${times(1300, (n) => `.func f${n + 1} { call f${n}; ret; }`)}\n.visible .entry k() { call f1300; ret; }`,
    ),
  ],
  [
    'a cycle of calls',
    module(
      `.func f0;\n${times(2000, (n) => `.func f${n + 1} { call f${n}; ret; }`)}\n.func f0 { call f2000; ret; }\n.visible .entry k() { call f0; ret; }`,
    ),
  ],
  ['branches to the next line', entry(`.reg .pred %p<2>;\n${times(40, (n) => `@%p1 bra L${n};\nL${n}:`)}`)],
  ['an endless loop', 'L:\nadd.u32 x, x, 1;\nbra L;'],
  ['an endless loop of wide matches', 'L:\nmatch.any.sync.b64 d, a, 0xffffffff;\nbra L;'],
  ['a very long line', `// ${'a'.repeat(1_900_000)}`],
  ['a very long line of words', 'add.u32 a, a, 1; '.repeat(110_000)],
  ['very many lines', 'add.u32 a, a, 1;\n'.repeat(110_000)],
  ['very many errors', 'x y z;\n'.repeat(250_000)],
  ['very many inputs', times(20_000, (n) => `add.u32 d, d, in${n};`)],
  ['very many kernels', module(times(20_000, (n) => `.visible .entry k${n}() { ret; }`))],
  [
    'very many parameters',
    entry(
      '',
      times(5_000, (n) => `.param .u64 p${n}`, ', '),
    ),
  ],
  ['a name of a megabyte', `add.u32 ${'n'.repeat(1_000_000)}, b, 1;`],
  ['a loop over a name of a megabyte', `L:\nadd.u32 ${'n'.repeat(500_000)}, b, 1;\nbra L;`],
  ['deep brackets', `mov.u32 a, ${'('.repeat(900_000)}1${')'.repeat(900_000)};`],
  ['deep braces', '{'.repeat(1_900_000)],
  ['a comment that never ends', '/*'.repeat(900_000)],
  ['shared memory of 2 GiB', entry('.shared .b8 s[2147483648];\n.reg .b32 %r1;\nst.shared.b32 [s], %r1;')],
  [
    'global memory of 4 GiB',
    module('.global .b8 g[4294967295];\n.visible .entry k() { .reg .b32 %r1; ld.global.b32 %r1, [g]; ret; }'),
  ],
  ['a parameter of 2 GiB', entry('', '.param .align 4 .b8 p[2147483647]')],
  [
    'a jump to 2,000 places',
    entry(
      `.reg .b32 %r1;\nts: .branchtargets ${times(2000, (n) => `L${n}`, ', ')};\nbrx.idx %r1, ts;\n${times(2000, (n) => `L${n}: add.u32 %r1, %r1, ${n};`)}`,
    ),
  ],
  ['markup', '"<img src=x onerror=alert(1)>"\n<script>document.title = "taken"</script>\nadd.u32 a, b, c;'],
  ['control characters and lone surrogates', 'add.u32 a\u0000, b\u001b[2J, \ud800\udfff\ud800; \u202e\ufffe\ufeff'],
];

const pointers = times(256, (n) => `.param .u64 p${n}`, ', ');
const wide = { as: 'buffer', type: 'u64', count: 4294967295, pattern: 'values', value: '1,'.repeat(9000) };
const addOne = 'add.u32 x, x, 1;';

const documents: readonly (readonly [name: string, document: unknown])[] = [
  ['4,294,967,295 threads', { text: entry('', '.param .u64 p'), block: 4294967295, grid: 4294967295 }],
  ['the last step of the last warp', { text: addOne, step: 4294967295, warp: 4294967295 }],
  [
    'buffers of gigabytes',
    { text: entry('', pointers), inputs: Object.fromEntries(Array.from({ length: 256 }, (_, n) => [`p${n}`, wide])) },
  ],
  ['an incomplete input value', { text: addOne, inputs: { x: { pattern: 'values' }, y: null, z: 7 } }],
  ['a number of 20,000 digits', { text: addOne, inputs: { x: { pattern: 'values', value: '9'.repeat(20_000) } } }],
  [
    'fields of wrong types',
    {
      view: {},
      text: addOne,
      inputs: [1],
      runs: 'all',
      entry: 1,
      block: null,
      grid: [],
      step: 1e99,
      warp: -1,
      format: 'toString',
      plan: '__proto__',
      float: true,
      query: 1,
      seed: 0.5,
    },
  ],
  ['a view that starts an action', { view: 'validate', query: '*'.repeat(1000), text: addOne }],
];

const prototypes =
  '{"__proto__": {"text": "polluted", "block": 7}, "inputs": {"__proto__": {"pattern": "lane", "value": ""}}, "text": "add.u32 x, __proto__, 1;"}';

/**
 * A link with a document. Compressing all documents takes seconds, so each is compressed when it is
 * used.
 */
const link = (name: string, makeHash: () => string): HostileLink => ({
  name,
  get hash() {
    return makeHash();
  },
});

/** All links. The page must remain usable with each of them. */
export const hostileLinks: readonly HostileLink[] = [
  ...texts.map(([name, text]) => link(name, () => hashOf({ text }))),
  ...documents.map(([name, document]) => link(name, () => hashOf(document))),
  link('a prototype in the document', () => hashOf(prototypes)),
  link('a document of brackets', () => hashOf('['.repeat(1_900_000))),
  link('a bomb of 130 MB', () => hashOf({ text: 'a'.repeat(130_000_000) })),
  link('only a bomb', () => `s=${base64Url(deflateRawSync(Buffer.alloc(130_000_000)))}`),
  link('no document', () => hashOf('null')),
  link('an incomplete link', () => hashOf({ text: addOne.repeat(40) }).slice(0, 30)),
  link('a link of two megabytes', () => `s=${'A'.repeat(1_990_000)}`),
  link('percent signs', () => 's=%E0%A4%A'),
];

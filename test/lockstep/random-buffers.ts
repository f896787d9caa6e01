// Random kernels that read and write buffers at addresses computed in many ways: with 32-bit and
// 64-bit indexes, pointers that move, and elements of all sizes. Each thread writes its own rows.
import type { Launch } from '../../src/base/launch.ts';
import { generator, type Random } from './random-instructions.ts';

/** The number of bytes per thread in each buffer. */
const row = 64;

export function randomBuffers(seed: number): Launch {
  const random = generator(seed);
  const threads = 4 + random(5);
  const kernel = new BufferKernel(random);
  return {
    id: `buffers-${seed}`,
    group: 'random',
    ptx: kernel.write(),
    ptxFile: `buffers-${seed}.ptx`,
    entry: 'buffers',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'a', kind: 'buffer', type: 'u8', bytes: threads * row, data: bytesOf(random, threads * row) },
      { name: 'b', kind: 'buffer', type: 'u8', bytes: threads * row, data: bytesOf(random, threads * row) },
      { name: 'c', kind: 'buffer', type: 'u8', bytes: threads * row, data: bytesOf(random, threads * row) },
      { name: 'n', kind: 'scalar', type: 'u32', value: 2 + random(3) },
    ],
  };
}

const bytesOf = (random: Random, bytes: number): Uint8Array => new Uint8Array(bytes).map(() => random(256));

interface Element {
  readonly type: string;
  readonly bytes: number;
  /** The kind of register that holds an element. */
  readonly register: 'h' | 'r' | 'd';
  readonly vector: 1 | 2 | 4;
}

const elements: readonly Element[] = [
  { type: 'u8', bytes: 1, register: 'r', vector: 1 },
  { type: 's8', bytes: 1, register: 'd', vector: 1 },
  { type: 'u8', bytes: 1, register: 'h', vector: 4 },
  { type: 's8', bytes: 1, register: 'h', vector: 2 },
  { type: 'u16', bytes: 2, register: 'd', vector: 1 },
  { type: 's16', bytes: 2, register: 'r', vector: 1 },
  { type: 'u16', bytes: 2, register: 'h', vector: 4 },
  { type: 'b16', bytes: 2, register: 'h', vector: 2 },
  { type: 'u32', bytes: 4, register: 'r', vector: 1 },
  { type: 's32', bytes: 4, register: 'd', vector: 1 },
  { type: 'b32', bytes: 4, register: 'r', vector: 2 },
  { type: 'u32', bytes: 4, register: 'r', vector: 4 },
  { type: 'u64', bytes: 8, register: 'd', vector: 1 },
  { type: 'b64', bytes: 8, register: 'd', vector: 2 },
];

class BufferKernel {
  private readonly random: Random;
  private readonly lines: string[] = [];
  private counts = { h: 0, r: 0, d: 0, p: 0, label: 0 };

  constructor(random: Random) {
    this.random = random;
  }

  write(): string {
    for (let count = 8 + this.random(10); count > 0; count--) this.statement();
    const { h, r, d, p } = this.counts;
    return `.version 8.0
.target sm_80
.address_size 64
.visible .entry buffers(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<${p + 1}>;
  .reg .b16 %h<${h + 1}>;
  .reg .b32 %r<${r + 1}>, %id, %x, %n;
  .reg .b64 %d<${d + 1}>, %a, %b, %c, %wide, %q;
  mov.u32 %id, %tid.x;
  cvt.u64.u32 %wide, %id;
  mad.lo.s32 %x, %id, 1664525, 1013904223;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ${this.choose('cvta.to.global.u64 %b, %b;', '')}
  ld.param.u64 %c, [c];
  ${this.choose('cvta.to.global.u64 %c, %c;', 'setp.eq.u64 %p0, %c, 0; @%p0 ret;')}
  ld.param.u32 %n, [n];
${this.lines.map((line) => `  ${line}`).join('\n')}
  ret;
}
`;
  }

  private line(...text: readonly string[]): void {
    this.lines.push(...text);
  }

  private choose<T>(...options: readonly [T, ...T[]]): T {
    return options[this.random(options.length)] ?? options[0];
  }

  private fresh(kind: 'h' | 'r' | 'd' | 'p'): string {
    this.counts[kind] += 1;
    return `%${kind}${this.counts[kind]}`;
  }

  private make(kind: 'r' | 'd', opcode: string, ...operands: readonly (string | number)[]): string {
    const d = this.fresh(kind);
    this.line(`${opcode} ${[d, ...operands].join(', ')};`);
    return d;
  }

  private statement(): void {
    const pointer = this.choose('%a', '%b', '%c');
    const element = elements[this.random(elements.length)];
    if (element === undefined) return;
    if (this.random(5) === 0) this.walk(pointer, element);
    else this.access(element, this.address(pointer, element.bytes * element.vector), this.choose('', '', '@%p '));
  }

  /** Loads or stores an element in the thread's row. */
  private access(element: Element, at: string, guard: string): void {
    const { type, register, vector } = element;
    const list = Array.from({ length: vector }, () => this.fresh(register));
    const operand = vector === 1 ? list[0] : `{${list.join(', ')}}`;
    const suffix = vector === 1 ? type : `v${vector}.${type}`;
    if (guard !== '') {
      const p = this.fresh('p');
      this.line(`setp.lt.u32 ${p}, %x, 0x${(this.random(2 ** 31) * 2).toString(16)};`);
      guard = this.choose(`@${p} `, `@!${p} `);
    }
    for (const each of list) this.line(this.convert(register, each, '%x'));
    if (this.random(2) === 0) {
      this.line('mad.lo.s32 %x, %x, 69069, 12345;');
      this.line(`${guard}st.global.${suffix} [${at}], ${operand};`);
      return;
    }
    this.line(`${guard}ld.global.${suffix} ${operand}, [${at}];`);
    for (const each of list) {
      const word = this.fresh('r');
      if (register === 'd') {
        const high = this.make('d', 'shr.u64', each, 32);
        const part = this.make('r', 'cvt.u32.u64', high);
        this.line(`cvt.u32.u64 ${word}, ${each};`, `xor.b32 ${word}, ${word}, ${part};`);
      } else this.line(register === 'h' ? `cvt.u32.u16 ${word}, ${each};` : `mov.u32 ${word}, ${each};`);
      this.line(`mad.lo.s32 %x, %x, 31, ${word};`);
    }
  }

  private convert(register: 'h' | 'r' | 'd', to: string, from: string): string {
    if (register === 'h') return `cvt.u16.u32 ${to}, ${from};`;
    return register === 'r' ? `mov.b32 ${to}, ${from};` : `mul.wide.u32 ${to}, ${from}, ${from};`;
  }

  /** Returns `base+offset` of some bytes in the thread's row. */
  private address(pointer: string, bytes: number): string {
    const slots = row / bytes;
    const slot = this.random(slots);
    const per = slots;
    const far = this.choose(1, 7, 100, 0x1000, 0x400000);
    return this.choose(
      // pointer + (id * per + slot) * bytes
      () => {
        const index = this.make('r', 'mad.lo.s32', '%id', per, slot);
        return this.make(
          'd',
          'add.s64',
          pointer,
          this.make('d', `mul.wide.${this.choose('u32', 's32')}`, index, bytes),
        );
      },
      () => {
        const index = this.make('r', 'mad.lo.s32', '%id', per, slot - far);
        const at = this.make('d', 'add.s64', pointer, this.make('d', 'mul.wide.s32', index, bytes));
        return `${at}+${far * bytes}`;
      },
      // The address of the row, plus the offset of a slot whose index has 64 bits.
      () => {
        const start = this.make('d', 'add.s64', pointer, this.make('d', 'shl.b64', '%wide', 6));
        const index = this.make('d', 'cvt.u64.u32', this.make('r', 'and.b32', '%x', slots - 1));
        return this.make('d', 'mad.lo.s64', index, bytes, start);
      },
      () => {
        const start = this.make('d', 'mad.wide.u32', '%id', row, pointer);
        return `${start}+${slot * bytes}`;
      },
      // A byte offset computed in 32 bits.
      () => {
        const offset = this.make('r', 'shl.b32', this.make('r', 'mad.lo.s32', '%id', per, slot), Math.log2(bytes));
        return this.make('d', 'add.s64', pointer, this.make('d', this.choose('cvt.u64.u32', 'cvt.s64.s32'), offset));
      },
      // A byte offset that wraps around.
      () => {
        const index = this.make('r', 'add.s32', this.make('r', 'mad.lo.s32', '%id', per, slot), 0x40000000);
        const offset = this.make('r', 'mul.lo.s32', index, bytes);
        const low = this.make('r', 'and.b32', offset, 0x3fffffff);
        return this.make('d', 'add.s64', pointer, this.make('d', 'cvt.u64.u32', low));
      },
      () => {
        const index = this.make('r', 'sub.s32', slot, this.make('r', 'mul.lo.s32', '%id', -per));
        return this.make('d', 'sub.s64', pointer, this.make('d', 'mul.wide.s32', index, -bytes));
      },
      // A masked offset.
      () => {
        const start = this.make('d', 'mad.wide.u32', '%id', row, pointer);
        const masked = this.make('r', 'and.b32', this.make('r', 'shr.u32', '%x', this.random(16)), row - bytes);
        return this.make('d', 'add.s64', start, this.make('d', 'cvt.u64.u32', masked));
      },
      () => {
        const start = this.make('d', 'mad.wide.u32', '%id', row, pointer);
        const masked = this.make('d', 'and.b64', this.make('d', 'mul.wide.u32', '%x', bytes), row - bytes);
        return this.make('d', 'add.s64', start, masked);
      },
      // A selection between two addresses.
      () => {
        const start = this.make('d', 'mad.wide.u32', '%id', row, pointer);
        const p = this.fresh('p');
        this.line(`setp.gt.u32 ${p}, %x, 0x70000000;`);
        const other = this.make('d', 'add.s64', start, slot * bytes);
        return this.make('d', 'selp.b64', start, other, p);
      },
      () => {
        const start = this.make('d', 'mad.wide.u32', '%id', row, pointer);
        const far64 = this.make('d', 'add.s64', start, -0x100000000 + slot * bytes);
        return `${this.make('d', 'add.s64', far64, 0x100000000)}`;
      },
      () => {
        const start = this.make('d', 'mad.wide.u32', '%id', row, pointer);
        return this.make('d', 'add.s64', start, this.make('d', 'or.b64', this.make('d', 'mov.u64', slot * bytes), 0));
      },
    )();
  }

  /** Emits a loop whose pointer moves through the row. */
  private walk(pointer: string, element: Element): void {
    const bytes = element.bytes * element.vector;
    const steps = Math.min(row / bytes, 2 + this.random(4));
    const at = this.make('d', 'mad.wide.u32', '%id', row, pointer);
    const isAhead = this.random(2) === 0;
    if (isAhead) this.line(`add.s64 ${at}, ${at}, ${-bytes};`);
    const [count, p] = [this.make('r', 'mov.u32', 0), this.fresh('p')];
    const label = `LOOP${this.counts.label++}`;
    this.line(`${label}:`);
    this.access(element, isAhead ? `${at}+${bytes}` : at, '');
    this.line(`add.s64 ${at}, ${at}, ${bytes};`, `add.s32 ${count}, ${count}, 1;`);
    this.line(`setp.${this.choose('lt', 'ne')}.u32 ${p}, ${count}, ${steps};`, `@${p} bra ${label};`);
    if (this.random(3) === 0) this.access(element, `${at}+${isAhead ? 0 : -bytes}`, '');
  }
}

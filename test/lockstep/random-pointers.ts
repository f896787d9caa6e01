// Random kernels that access three buffers through addresses from memory, other lanes, masks, and
// sums with 64-bit numbers. PTX does not state which parameters are pointers.
import type { Launch, LaunchParam } from '../../src/base/launch.ts';
import { generator, type Random } from './random-instructions.ts';

const threads = 32;
const bytes = 256;

/** A 64-bit register. Its value is `base` plus `offset` plus `step` times the thread's number. */
interface Held {
  readonly register: string;
  /** The buffer to which the register points; undefined for a number. */
  readonly base: string | undefined;
  readonly offset: number;
  readonly step: number;
}

/** Returns a launch whose outputs depend on the seed alone. */
export function randomPointers(seed: number): Launch {
  const random = generator(seed);
  const numbers = Array.from({ length: 3 }, () => (random(3) === 0 ? 0 : random(90) - 20));
  const kernel = new PointerKernel(random, numbers);
  const buffer = (name: string): LaunchParam => {
    const data = new Uint8Array(bytes).map(() => random(256));
    return { name, kind: 'buffer', type: 'u8', bytes, data };
  };
  return {
    id: `pointers-${seed}`,
    group: 'random',
    ptx: kernel.write(),
    ptxFile: `pointers-${seed}.ptx`,
    entry: 'pointers',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'out', kind: 'buffer', type: 'u32', bytes: threads * 4 },
      buffer('a'),
      { name: 'n0', kind: 'scalar', type: 's64', value: BigInt(numbers[0] ?? 0) },
      buffer('b'),
      { name: 'n1', kind: 'scalar', type: 's64', value: BigInt(numbers[1] ?? 0) },
      buffer('c'),
      { name: 'n2', kind: 'scalar', type: 's64', value: BigInt(numbers[2] ?? 0) },
    ],
  };
}

class PointerKernel {
  private readonly random: Random;
  private readonly lines: string[] = [];
  private readonly pointers: Held[];
  private readonly numbers: Held[];
  private registers = 0;
  private labels = 0;

  constructor(random: Random, numbers: readonly number[]) {
    this.random = random;
    this.pointers = ['a', 'b', 'c'].map((base) => ({ register: `%${base}`, base, offset: 0, step: 0 }));
    this.numbers = [
      { register: '%me', base: undefined, offset: 0, step: 1 },
      ...numbers.map((offset, at) => ({ register: `%n${at}`, base: undefined, offset, step: 0 })),
    ];
  }

  write(): string {
    // Most kernels are short, because numbers with a single use are the easiest to mistake for
    // pointers.
    for (let count = 2 + this.random(this.random(4) === 0 ? 16 : 6); count > 0; count--) this.statement();
    for (let count = 3; count > 0; count--) this.access(this.late(this.pointers));
    const params = ['out', 'a', 'n0', 'b', 'n1', 'c', 'n2'];
    return `.version 8.0
.target sm_80
.address_size 64
.visible .global .align 16 .b8 kept[${threads * 32}];
.func (.param .b64 sum) moved(.param .b64 from, .param .b64 by)
{
  .reg .b64 %p, %q;
  .reg .b32 %i;
  ld.param.u64 %p, [from];
  ld.param.u64 %q, [by];
  add.s64 %p, %p, %q;
  st.param.b64 [sum], %p;
  ret;
}
.visible .entry pointers(${params.map((name) => `.param .u64 ${name}`).join(', ')})
{
  .shared .align 16 .b8 tile[${threads * 32}];
  .local .align 16 .b8 own[32];
  .reg .pred %p;
  .reg .b32 %r<8>, %id, %x, %slot32, %lo, %hi;
  .reg .b64 ${params.map((name) => `%${name}`).join(', ')}, %me, %slot, %t<4>, %d<${this.registers + 1}>;
${params.map((name) => `  ld.param.u64 %${name}, [${name}];`).join('\n')}
  mov.u32 %id, %tid.x;
  cvt.u64.u32 %me, %id;
  setp.lt.u32 %p, %id, 11;
  mov.u32 %x, 1;
${this.lines.map((line) => `  ${line}`).join('\n')}
  mul.wide.u32 %slot, %id, 4;
  add.s64 %slot, %out, %slot;
  st.global.u32 [%slot], %x;
  ret;
}
`;
  }

  private line(...text: readonly string[]): void {
    this.lines.push(...text);
  }

  private any<T>(list: readonly T[]): T {
    const item = list[this.random(list.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  /** Chooses an element, most often one of the last elements. */
  private late<T>(list: readonly T[]): T {
    return this.any(this.random(3) === 0 ? list : list.slice(-3));
  }

  private register(): string {
    this.registers += 1;
    return `%d${this.registers}`;
  }

  private make(opcode: string, ...operands: readonly (string | number)[]): string {
    const d = this.register();
    this.line(`${opcode} ${[d, ...operands].join(', ')};`);
    return d;
  }

  private statement(): void {
    const pick = this.random(14);
    if (pick >= 10) this.keep(this.sum(this.disguised(this.any(this.pointers)), this.any(this.numbers.slice(1, 4))));
    else if (pick < 4) this.keep(this.disguised(this.late(this.pointers)));
    else if (pick < 7) this.keep(this.sum(this.late(this.pointers), this.any(this.numbers)));
    else if (pick < 8) this.keep(this.disguised(this.any(this.numbers)));
    else if (pick < 9) this.keep(this.throughAnother(this.any(this.pointers)));
    else this.access(this.late(this.pointers));
  }

  private keep(held: Held): void {
    if (Math.abs(held.offset) > 2000 || Math.abs(held.step) > 3) return;
    (held.base === undefined ? this.numbers : this.pointers).push(held);
  }

  private sum(pointer: Held, number: Held): Held {
    const { base } = pointer;
    const forwards = { base, offset: pointer.offset + number.offset, step: pointer.step + number.step };
    const [p, n] = [pointer.register, number.register];
    switch (this.random(8)) {
      case 0: {
        const negative = { base, offset: pointer.offset - number.offset, step: pointer.step - number.step };
        return { ...negative, register: this.make('sub.s64', p, n) };
      }
      case 1:
        return { ...forwards, register: this.make('mad.lo.s64', n, 1, p) };
      case 2: {
        const d = this.register();
        this.line(
          `{ .param .b64 from; .param .b64 by; .param .b64 to; st.param.b64 [from], ${p}; st.param.b64 [by], ${n};`,
          `call.uni (to), moved, (from, by); ld.param.b64 ${d}, [to]; }`,
        );
        return { ...forwards, register: d };
      }
      default:
        return { ...forwards, register: this.make('add.s64', ...(this.random(2) === 0 ? [p, n] : [n, p])) };
    }
  }

  /** Computes the same value in a different way. */
  private disguised(held: Held): Held {
    const { register } = held;
    const same = (made: string): Held => ({ ...held, register: made });
    switch (this.random(12)) {
      case 0:
      case 1:
        return same(this.throughMemory(register));
      case 2: {
        // A shift drops the tag in the upper bits.
        const shifted = this.make('shl.b64', register, 16);
        const tagged = this.make('or.b64', shifted, 1 + this.random(99));
        return same(this.make('shr.s64', tagged, 16));
      }
      case 3: {
        const flipped = this.make('xor.b64', register, '0x5555000000000000');
        return same(this.make('xor.b64', flipped, '0x5555000000000000'));
      }
      case 4: {
        const d = this.register();
        this.line(`mov.b64 {%lo, %hi}, ${register};`);
        if (this.random(2) === 0)
          this.line('shfl.sync.idx.b32 %lo, %lo, %id, 0x1f, -1;', 'shfl.sync.idx.b32 %hi, %hi, %id, 0x1f, -1;');
        this.line(`mov.b64 ${d}, {%lo, %hi};`);
        return same(d);
      }
      case 5: {
        const high = this.make('shr.u64', register, 32);
        const up = this.make('shl.b64', high, 32);
        const low = this.make('and.b64', register, '0xffffffff');
        return same(this.make(this.random(2) === 0 ? 'or.b64' : 'add.s64', up, low));
      }
      case 6: {
        const other = this.any([...this.pointers, ...this.numbers]);
        const chosen = this.make('selp.b64', other.register, register, '%p');
        return same(this.make('selp.b64', register, chosen, '%p'));
      }
      case 7: {
        const d = this.register();
        const label = `JOIN${this.labels++}`;
        this.line(`mov.u64 ${d}, ${register};`, `@%p bra ${label};`);
        this.line(`mov.u64 ${d}, ${this.throughMemory(register)};`, `${label}:`);
        return same(d);
      }
      case 8:
        return same(this.make('max.u64', register, register));
      case 9:
        if (held.base === undefined) return same(this.make('add.s64', register, 0));
        return same(this.make(this.random(2) === 0 ? 'cvta.to.global.u64' : 'cvta.global.u64', register));
      case 10: {
        // The low bits are removed and added again.
        const low = this.make('and.b64', register, 15);
        const high = this.make('and.b64', register, -16);
        return same(this.make('add.s64', high, low));
      }
      default: {
        const twice = this.make('add.s64', register, register);
        return same(this.make('sub.s64', twice, register));
      }
    }
  }

  private throughMemory(register: string): string {
    const [d, slot] = [this.register(), 8 * this.random(4)];
    switch (this.random(3)) {
      case 0:
        this.line(`mad.lo.u32 %slot32, %id, 32, ${slot};`, 'mov.u32 %r0, tile;', 'add.s32 %slot32, %slot32, %r0;');
        this.line(`st.shared.u64 [%slot32], ${register};`, `ld.shared.u64 ${d}, [%slot32];`);
        break;
      case 1:
        this.line(`mov.u64 %slot, own;`, `st.local.u64 [%slot+${slot}], ${register};`);
        if (this.random(2) === 0) this.line(`ld.local.u64 ${d}, [%slot+${slot}];`);
        else this.line(`ld.local.v2.u32 {%lo, %hi}, [%slot+${slot}];`, `mov.b64 ${d}, {%lo, %hi};`);
        break;
      default:
        this.line('mul.wide.u32 %slot, %id, 32;', 'mov.u64 %t0, kept;', 'add.s64 %slot, %slot, %t0;');
        this.line(`st.global.u64 [%slot+${slot}], ${register};`);
        this.line(`${this.any(['ld.global.u64', 'ld.u64', 'ld.volatile.global.u64'])} ${d}, [%slot+${slot}];`);
    }
    return d;
  }

  /** Returns another buffer's address plus its distance to this buffer. */
  private throughAnother(pointer: Held): Held {
    const other = this.any(this.pointers);
    let distance = this.make('sub.s64', pointer.register, other.register);
    if (this.random(2) === 0) distance = this.throughMemory(distance);
    return { ...pointer, register: this.make('add.s64', other.register, distance) };
  }

  /** Moves the address into the buffer. Then reads a byte or a word, or adds to a word. */
  private access(pointer: Held): void {
    const { offset, step } = pointer;
    // Each thread has eight bytes of each buffer.
    const [by, start] = [8 - step, 4 * this.random(2) - offset];
    const moved = this.make('mad.lo.s64', '%me', by, pointer.register);
    const split = this.random(3) === 0 ? this.random(300) - 150 : start;
    const at = split === start ? moved : this.make('add.s64', moved, start - split);
    const space = this.any(['', '.global']);
    switch (this.random(3)) {
      case 0:
        this.line(`ld${space}.u8 %r1, [${at}+${split + this.random(4)}];`);
        break;
      case 1:
        this.line(`ld${space}.u32 %r1, [${at}+${split}];`);
        break;
      default:
        this.line(`atom${space}.add.u32 %r1, [${at}+${split}], ${this.random(99)};`);
    }
    this.line('mad.lo.u32 %x, %x, 1664525, %r1;');
  }
}

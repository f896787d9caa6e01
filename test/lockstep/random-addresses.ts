// Random kernels that write and read words of shared and local memory at addresses that are
// computed in many ways. Each thread uses only its own words, so every result is defined.
import type { Launch } from '../../src/base/launch.ts';
import { generator, type Random } from './random-instructions.ts';

/** The number of words per thread in each variable. */
const slots = 8;

interface Cells {
  readonly name: string;
  readonly space: 'shared' | 'local';
  /**
   * The order of the words: `rows` for slot × threads + thread, `columns` for thread × 8 + slot. A
   * slot is the number of one of the thread's words.
   */
  readonly order: 'rows' | 'columns';
}

/**
 * Returns a launch whose outputs depend on the seed alone. With `shuffles`, warps exchange values,
 * so the kernel needs a lane plan.
 */
export function randomAddresses(seed: number, shuffles: boolean): Launch {
  const random = generator(seed);
  const shapes = [
    [32, 1, 1],
    [64, 1, 1],
    [40, 1, 1],
    [8, 8, 1],
    [5, 3, 3],
  ] as const;
  const block = shapes[random(shapes.length)] ?? shapes[0];
  const threads = block[0] * block[1] * block[2];
  const kernel = new AddressKernel(random, threads, shuffles);
  return {
    id: `addresses-${seed}`,
    group: 'random',
    ptx: kernel.write(),
    ptxFile: `addresses-${seed}.ptx`,
    entry: 'addresses',
    grid: [1, 1, 1],
    block,
    sharedBytes: threads * slots * 4,
    params: [
      { name: 'out', kind: 'buffer', type: 'u32', bytes: threads * 64 },
      {
        name: 'in',
        kind: 'buffer',
        type: 'u32',
        bytes: threads * 4,
        data: new Uint8Array(threads * 4).map(() => random(256)),
      },
      { name: 'n', kind: 'scalar', type: 'u32', value: 2 + random(3) },
    ],
  };
}

class AddressKernel {
  private readonly random: Random;
  private readonly threads: number;
  private readonly shuffles: boolean;
  private readonly lines: string[] = [];
  private readonly cells: readonly Cells[];
  private registers = 0;
  private labels = 0;

  constructor(random: Random, threads: number, shuffles: boolean) {
    this.random = random;
    this.threads = threads;
    this.shuffles = shuffles;
    const order = () => (random(2) === 0 ? 'rows' : 'columns');
    this.cells = [
      { name: 'first', space: 'shared', order: order() },
      { name: 'second', space: 'shared', order: order() },
      { name: 'dynamic', space: 'shared', order: order() },
      { name: 'own', space: 'local', order: 'columns' },
      { name: 'other', space: 'local', order: 'columns' },
    ];
  }

  write(): string {
    for (let slot = 0; slot < slots; slot++) {
      for (const cells of this.cells) {
        const at = this.wordAddress(cells, String(slot));
        this.line(`st.${cells.space}.u32 [${at}], %x;`);
        this.line('mad.lo.s32 %x, %x, 1664525, 1013904223;');
      }
    }
    for (let count = 6 + this.random(12); count > 0; count--) this.statement();
    this.line('st.global.u32 [%out], %x;');
    for (const [index, cells] of this.cells.entries()) {
      this.line(`mov.u32 %y, ${index};`);
      for (let slot = 0; slot < slots; slot++) {
        const at = this.wordAddress(cells, String(slot));
        const value = this.word();
        this.line(`ld.${cells.space}.u32 ${value}, [${at}];`, `mad.lo.s32 %y, %y, 31, ${value};`);
      }
      this.line(`st.global.u32 [%out+${4 + index * 4}], %y;`);
    }
    const bytes = this.threads * slots * 4;
    return `.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry addresses(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .shared .align ${this.choose('4', '16')} .b8 flag[${this.choose('1', '6')}];
  .shared .align 16 .b8 first[${bytes}];
  .shared .align 16 .b8 second[${bytes}];
  .local .align 16 .b8 own[${slots * 4}];
  .local .align 16 .b8 other[${slots * 4}];
  .reg .pred %p, %q;
  .reg .b32 %id, %t<4>, %x, %y, %n, %four, %r<${this.registers + 1}>;
  .reg .b64 %out, %in, %a;
  mov.u32 %t0, %tid.y;
  mov.u32 %t1, %tid.z;
  mov.u32 %t2, %ntid.y;
  mad.lo.s32 %t0, %t1, %t2, %t0;
  mov.u32 %t1, %ntid.x;
  mov.u32 %t2, %tid.x;
  mad.lo.s32 %id, %t0, %t1, %t2;
  ld.param.u64 %out, [out];
  mul.wide.u32 %a, %id, 64;
  add.s64 %out, %out, %a;
  ld.param.u64 %in, [in];
  mul.wide.u32 %a, %id, 4;
  add.s64 %in, %in, %a;
  ld.global.u32 %x, [%in];
  ld.param.u32 %n, [n];
  mov.u32 %four, 4;
  setp.gt.u32 %p, %x, 0x70000000;
  setp.lt.u32 %q, %id, 7;
${this.lines.map((line) => `  ${line}`).join('\n')}
  ret;
}
`;
  }

  private line(...text: readonly string[]): void {
    this.lines.push(...text);
  }

  private word(): string {
    this.registers += 1;
    return `%r${this.registers}`;
  }

  private choose<T>(...options: readonly [T, ...T[]]): T {
    return options[this.random(options.length)] ?? options[0];
  }

  /** Emits an instruction and returns the new register with its result. */
  private make(opcode: string, ...operands: readonly (string | number)[]): string {
    const d = this.word();
    this.line(`${opcode} ${[d, ...operands].join(', ')};`);
    return d;
  }

  private statement(): void {
    const cells = this.choose<Cells>(...(this.cells as [Cells, ...Cells[]]));
    switch (this.random(11)) {
      case 0:
        return this.loop(cells);
      case 1:
        return this.aroundOne(cells);
      case 2:
        return this.vector(cells);
      case 3:
        return this.part(cells);
      case 4:
        return this.oneOfTwo();
      case 5:
        return this.atomic(cells);
      case 6:
        return this.branch(cells);
      case 7:
        if (this.shuffles) this.line('shfl.sync.bfly.b32 %y, %x, 1, 0x1f, -1;', 'xor.b32 %x, %x, %id;');
        return;
      default:
        return this.access(cells.space, this.address(cells));
    }
  }

  /** Reads or writes one word. */
  private access(space: string, at: string, guard = this.choose('', '', '@%p ', '@!%q ')): void {
    if (this.random(2) === 0) this.line(`${guard}st.${space}.u32 [${at}], %x;`, 'mad.lo.s32 %x, %x, 5, 3;');
    else {
      const value = this.make('mov.u32', 7);
      this.line(`${guard}ld.${space}.u32 ${value}, [${at}];`, `xor.b32 %x, %x, ${value};`);
    }
  }

  /**
   * Returns a slot: a constant, or some bits of the thread's number or of a value that the thread
   * has read.
   */
  private slot(): string {
    const bits = this.random(20);
    return this.choose(
      () => String(this.random(slots)),
      () => this.make('and.b32', '%x', slots - 1),
      () => this.make('and.b32', this.make('shr.u32', '%x', bits), slots - 1),
      () => this.make('bfe.u32', '%x', bits, 3),
      () => this.make('shr.u32', '%x', 29),
      () => this.make('rem.u32', '%x', slots),
      () => this.make('and.b32', '%id', slots - 1),
      () => this.make('sub.s32', 7, this.make('and.b32', '%id', slots - 1)),
      () => this.make('or.b32', this.make('and.b32', '%x', slots - 1), 1 + this.random(7)),
    )();
  }

  /** Returns the index of a word in a variable, as a register or constant. */
  private index({ space, order }: Cells, slot: string): string {
    if (space === 'local') return this.make('mov.u32', slot);
    if (order === 'rows') return this.make('mad.lo.s32', slot, this.threads, '%id');
    if (slot.startsWith('%') && this.random(2) === 0) return this.make('or.b32', this.make('shl.b32', '%id', 3), slot);
    return this.make('mad.lo.s32', '%id', slots, slot);
  }

  private wordAddress(cells: Cells, slot: string): string {
    return this.make('mad.lo.s32', this.index(cells, slot), 4, this.make('mov.u32', cells.name));
  }

  /** Returns the address of one of the thread's words, as `base` or `base+offset`. */
  private address(cells: Cells): string {
    // The index is scaled before it is masked.
    if (cells.order === 'columns' && this.random(4) === 0) {
      const shifted = this.make(this.choose('shr.u32', 'shl.b32'), '%x', this.random(28));
      return this.make('add.s32', this.wordAddress(cells, '0'), this.make('and.b32', shifted, 28));
    }
    const index = this.index(cells, this.slot());
    const base = this.make('mov.u32', cells.name);
    const far = this.choose(1, 100, 0x3fffffff, 0x20000000, 0x10000001);
    return this.choose(
      () => this.make('add.s32', base, this.make('shl.b32', index, 2)),
      () => this.make('mad.lo.s32', index, 4, base),
      () => `${this.make('add.s32', this.make('shl.b32', this.make('add.s32', index, 5), 2), base)}+-20`,
      // A multiple of 4 that wraps around.
      () => this.make('mad.lo.s32', this.make('add.s32', index, 0x40000000), 4, base),
      () => this.make('mad.lo.s32', this.make('min.s32', this.make('add.s32', index, 0x40000000), 0x7fffffff), 4, base),
      () =>
        this.make('mad.lo.s32', this.make('max.s32', this.make('add.s32', index, -0x40000000), -0x40000000), 4, base),
      // A byte offset below the variable's start.
      () => `${this.make('add.s32', base, this.make('min.s32', this.make('mad.lo.s32', index, 4, -64), 99999))}+64`,
      () => this.make('mad.lo.s32', this.make('shl.b32', index, 1), 0x80000002 | 0, base),
      () => this.make('add.s32', base, this.make('shl.b32', this.make('xor.b32', index, 0xc0000000 | 0), 2)),
      () => this.make('sub.s32', base, this.make('mul.lo.s32', index, -4)),
      () => {
        const distant = this.make('mad.lo.s32', this.make('sub.s32', index, far), 4, base);
        return this.make('add.s32', distant, (far * 4) | 0);
      },
      () => this.make('and.b32', this.make('mad.lo.s32', index, 4, this.make('add.s32', base, 3)), -4),
    )();
  }

  /** Accesses several words around one base. */
  private aroundOne(cells: Cells): void {
    const step = cells.space === 'shared' && cells.order === 'rows' ? this.threads * 4 : 4;
    const middle = this.wordAddress(cells, this.choose('3', this.make('mov.u32', 3)));
    const guard = this.choose('', '', '@%q ');
    for (let count = 2 + this.random(4); count > 0; count--) {
      const offset = (this.random(slots) - 3) * step;
      this.access(cells.space, `${middle}+${offset}`, guard);
    }
  }

  /** Emits a loop that increments a pointer. */
  private loop(cells: Cells): void {
    const step = cells.space === 'shared' && cells.order === 'rows' ? this.threads * 4 : 4;
    const [at, count] = [this.wordAddress(cells, '0'), this.make('mov.u32', 0)];
    const label = `LOOP${this.labels++}`;
    const bound = this.choose('3', '%n');
    // Only the first iteration writes the word.
    const [first, skip] = [this.word(), `SKIP${this.labels++}`];
    this.line(`${label}:`, `setp.ne.u32 %p, ${count}, 0;`);
    const index = this.index(cells, this.slot());
    this.line(`@%p bra ${skip};`);
    this.line(`mad.lo.s32 ${first}, ${index}, 4, ${this.make('mov.u32', cells.name)};`, `${skip}:`);
    this.access(cells.space, first, '');
    if (this.random(2) === 0) {
      this.access(cells.space, at, '');
      this.access(cells.space, `${at}+${step}`, '');
    }
    const next = this.make('add.s32', at, step);
    this.line(`add.s32 ${at}, ${at}, ${step};`);
    this.access(cells.space, this.choose(at, next), '');
    this.line(`add.s32 ${count}, ${count}, 1;`);
    const more = this.make('mov.u32', 0);
    this.line(`set.lt.u32.u32 ${more}, ${count}, ${bound};`, `setp.ne.u32 %p, ${more}, 0;`, `@%p bra ${label};`);
  }

  private vector(cells: Cells): void {
    if (cells.order === 'rows' && cells.space === 'shared') return;
    const [width, list] = this.choose(['v2', 2], ['v4', 4]);
    const slot = this.choose('0', '4', this.make('and.b32', '%x', 4));
    const at = this.wordAddress(cells, slot);
    const values = Array.from({ length: list }, () => this.make('add.s32', '%x', this.random(99)));
    this.line(`st.${cells.space}.${width}.u32 [${at}], {${values.join(', ')}};`);
    const read = Array.from({ length: list }, () => this.word());
    this.line(`ld.${cells.space}.${width}.u32 {${read.join(', ')}}, [${at}];`);
    for (const value of read) this.line(`mad.lo.s32 %x, %x, 3, ${value};`);
    this.line(`ld.${cells.space}.u32 %y, [${at}+4];`, 'xor.b32 %x, %x, %y;');
  }

  /** Accesses a byte, or half a word. */
  private part(cells: Cells): void {
    const at = this.address(cells);
    const [type, offset] = this.choose(['u8', '0'], ['u8', '3'], ['u16', '2'], ['s8', '1'], ['s16', '0']);
    const own = at.includes('+') ? at : `${at}+${offset}`;
    this.line(`st.${cells.space}.${type} [${own}], %x;`);
    const value = this.make('mov.u32', 0);
    this.line(`ld.${cells.space}.${type} ${value}, [${own}];`, `add.s32 %x, %x, ${value};`);
  }

  /**
   * Accesses one of two variables at an address that is selected, computed from the other
   * variable's address, loaded from memory, or generic.
   */
  private oneOfTwo(): void {
    const [first, second] = this.choose(
      [this.cells[0], this.cells[1]],
      [this.cells[1], this.cells[2]],
      [this.cells[3], this.cells[4]],
    );
    if (first === undefined || second === undefined) return;
    const { space } = first;
    const [a, b] = [this.wordAddress(first, this.slot()), this.wordAddress(second, this.slot())];
    switch (this.random(4)) {
      case 0:
        return this.access(space, this.make('selp.b32', a, b, '%p'));
      case 1: {
        const distance = this.make('sub.s32', b, a);
        return this.access(space, this.make('add.s32', a, distance));
      }
      case 2: {
        const kept = this.wordAddress(this.cells[4] ?? first, '0');
        const isDistance = this.random(2) === 0;
        this.line(`st.local.u32 [${kept}], ${isDistance ? this.make('sub.s32', b, a) : b};`);
        const again = this.word();
        this.line(`ld.local.u32 ${again}, [${kept}];`, `st.local.u32 [${kept}], 0;`);
        return this.access(space, isDistance ? this.make('add.s32', a, again) : again);
      }
      default: {
        const generic = this.choose(a, b);
        this.line(`cvt.u64.u32 %a, ${generic};`, `cvta.${space}.u64 %a, %a;`);
        this.line('st.u32 [%a], %x;', 'ld.u32 %y, [%a];', 'add.s32 %x, %x, %y;');
      }
    }
  }

  private atomic(cells: Cells): void {
    if (cells.space === 'local') return;
    this.line(`atom.shared.add.u32 %y, [${this.address(cells)}], %x;`, 'xor.b32 %x, %x, %y;');
  }

  /**
   * Uses one base in both arms of a branch, and sometimes after them. The base may have been
   * computed from an operand that one arm changes.
   */
  private branch(cells: Cells): void {
    const moving = this.make('max.u32', this.wordAddress(cells, '1'), 0);
    const at = this.choose(this.address(cells), this.make('add.s32', moving, 0));
    const [other, done] = [`OTHER${this.labels++}`, `DONE${this.labels++}`];
    this.line(`@%q bra ${other};`);
    this.line(`add.s32 ${moving}, ${moving}, %four;`);
    this.access(cells.space, at, '');
    this.line(`bra ${done};`, `${other}:`);
    this.access(cells.space, at, '');
    this.line(`${done}:`);
    if (this.random(2) === 0) this.access(cells.space, at, '');
    this.line(`sub.s32 %y, ${moving}, ${this.wordAddress(cells, '1')};`, 'add.s32 %x, %x, %y;');
  }
}

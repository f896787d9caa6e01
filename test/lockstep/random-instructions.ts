// Instructions of random kernels: lane code, warp instructions with a given mask, and exchanges
// between barriers.

/** The number of data registers, `%r0` to `%r7`. */
export const dataRegisters = 8;

export type Random = (below: number) => number;

/** Writes lines of PTX. `%t` registers and `%p7` are temporaries; `%p0` to `%p5` are data. */
export class InstructionText {
  protected readonly random: Random;
  protected readonly lines: string[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  protected line(text: string): void {
    this.lines.push(`  ${text}`);
  }

  protected label(name: string): void {
    this.lines.push(`${name}:`);
  }

  protected r(): string {
    return `%r${this.random(dataRegisters)}`;
  }

  protected source(): string {
    return this.random(4) === 0 ? String(this.random(40)) : this.random(6) === 0 ? '%me' : this.r();
  }

  protected p(): string {
    return `%p${this.random(6)}`;
  }

  protected arithmetic(): void {
    const guard = this.random(4) === 0 ? `@${this.random(2) === 0 ? '!' : ''}${this.p()} ` : '';
    const [d, a, b] = [this.r(), this.r(), this.source()];
    const forms = [
      `add.s32 ${d}, ${a}, ${b};`,
      `sub.s32 ${d}, ${a}, ${b};`,
      `xor.b32 ${d}, ${a}, ${b};`,
      `mul.lo.s32 ${d}, ${a}, ${b};`,
      `min.s32 ${d}, ${a}, ${b};`,
      `mad.lo.s32 ${d}, ${a}, ${b}, ${this.r()};`,
      `shf.l.wrap.b32 ${d}, ${a}, ${this.r()}, ${this.source()};`,
      `selp.b32 ${d}, ${a}, ${b}, ${this.p()};`,
      `popc.b32 ${d}, ${a};`,
      `mov.u32 ${d}, ${b};`,
    ];
    this.line(guard + forms[this.random(forms.length)]);
  }

  protected compare(): void {
    const kind = ['eq.s32', 'ne.s32', 'lt.u32', 'ge.s32', 'hi.u32'][this.random(5)];
    this.line(`and.b32 %t0, ${this.r()}, ${1 + this.random(31)};`);
    this.line(`setp.${kind} ${this.p()}, %t0, ${this.random(20)};`);
  }

  protected warp(mask: string): void {
    const [d, a] = [this.r(), this.r()];
    switch (this.random(10)) {
      case 0:
        return this.line(`vote.sync.ballot.b32 ${d}, ${this.random(2) ? '!' : ''}${this.p()}, ${mask};`);
      case 1:
        return this.line(`vote.sync.${['any', 'all', 'uni'][this.random(3)]}.pred ${this.p()}, ${this.p()}, ${mask};`);
      case 2:
        return this.line(
          `redux.sync.${['add', 'min', 'max'][this.random(3)]}.${['u32', 's32'][this.random(2)]} ${d}, ${a}, ${mask};`,
        );
      case 3:
        return this.line(`redux.sync.${['and', 'or', 'xor'][this.random(3)]}.b32 ${d}, ${a}, ${mask};`);
      case 4:
        return this.line(`match.any.sync.b32 ${d}, ${this.random(2) ? a : '%size'}, ${mask};`);
      case 5:
        return this.line(`match.all.sync.b32 ${d}|${this.p()}, ${a}, ${mask};`);
      case 6:
        return this.line(`bar.warp.sync ${mask};`);
      case 7:
        return this.guarded(mask);
      default:
        return this.shuffle(d, a, mask);
    }
  }

  /** Emits an instruction for the lanes whose predicate holds, with a mask of these lanes. */
  protected guarded(mask: string): void {
    const p = this.p();
    this.line(`vote.sync.ballot.b32 %t2, ${p}, ${mask};`);
    this.line(`@${p} redux.sync.add.u32 ${this.r()}, ${this.r()}, %t2;`);
  }

  /**
   * Emits a shuffle. A lane whose source lane is inactive ignores the result, which PTX leaves
   * undefined.
   */
  protected shuffle(d: string, a: string, mask: string): void {
    const b = 1 + this.random(31);
    this.line('setp.eq.u32 %p7, %size, %size;');
    this.line(`vote.sync.ballot.b32 %t1, %p7, ${mask};`);
    const [mode, source, c] = (
      [
        ['bfly', `xor.b32 %t2, %me, ${b};`, '0x1f'],
        ['up', `sub.s32 %t2, %me, ${b};`, '0'],
        ['down', `add.s32 %t2, %me, ${b};`, '0x1f'],
        ['idx', `mov.u32 %t2, ${b};`, '0x1f'],
      ] as const
    )[this.random(4)] ?? ['idx', `mov.u32 %t2, ${b};`, '0x1f'];
    this.line(source);
    this.line(`shfl.sync.${mode}.b32 %t3|%p7, ${a}, ${b}, ${c}, ${mask};`);
    this.line('selp.b32 %t2, %t2, %me, %p7;');
    this.line('shr.u32 %t4, %t1, %t2;');
    this.line('and.b32 %t4, %t4, 1;');
    this.line('setp.ne.u32 %p7, %t4, 0;');
    this.line(`selp.b32 ${d}, %t3, ${d}, %p7;`);
  }

  /** Exchanges values through shared memory, between barriers of the whole block. */
  protected exchange(): void {
    const r = this.r();
    this.line('mov.u32 %t0, cells;');
    this.line('shl.b32 %t1, %id, 2;');
    this.line('add.s32 %t2, %t0, %t1;');
    this.line(`st.shared.u32 [%t2], ${r};`);
    this.line('bar.sync 0;');
    if (this.random(3) === 0) {
      this.line(`bar.red.popc.u32 %t5, 0, ${this.p()};`);
      this.line(`add.s32 ${r}, ${r}, %t5;`);
    }
    this.line(`add.s32 %t3, %id, ${1 + this.random(40)};`);
    this.line('rem.u32 %t3, %t3, %size;');
    this.line('shl.b32 %t3, %t3, 2;');
    this.line('add.s32 %t3, %t0, %t3;');
    this.line(`ld.shared.u32 %t4, [%t3];`);
    this.line('bar.sync 0;');
    this.line(`xor.b32 ${this.r()}, ${r}, %t4;`);
  }
}

/** Returns a generator of numbers below a limit (Mulberry32). */
export function generator(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

// Random kernels whose results are all defined by PTX. Their control flow is uniform in the block,
// uniform in the warp, or divergent. The masks of warp instructions name exactly the lanes that
// reach them, and the whole block reaches barriers.
import type { Launch } from '../../src/base/launch.ts';
import { dataRegisters, generator, InstructionText, type Random } from './random-instructions.ts';

/** The lanes that certainly take a path together. */
type Together = 'block' | 'warp' | 'lanes';

/**
 * The style of a kernel:
 * - `structured`: only whole warps reach warp instructions, with the full mask
 * - `groups`: lanes also reach warp instructions under divergent branches, with masks of the lanes
 * that take the branch
 */
export type KernelStyle = 'structured' | 'groups';

interface Loop {
  readonly next: string;
  readonly end: string;
  readonly together: Together;
}

interface Place {
  readonly together: Together;
  /** The mask of the lanes: a register or `-1`. */
  readonly mask: string;
  readonly depth: number;
  /** The innermost loop that this place may leave. */
  readonly loop: Loop | undefined;
}

const prologue = `.version 8.0
.target sm_80
.address_size 64

.visible .entry random_kernel(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .reg .pred %p<8>;
  .reg .b32 %r<${dataRegisters}>, %t<8>, %k<64>, %m<64>, %base, %id, %me, %group, %size;
  .reg .b64 %out, %in, %a<3>;
  .shared .align 4 .b8 cells[4096];
  mov.u32 %t0, %tid.x;
  mov.u32 %t1, %tid.y;
  mov.u32 %t2, %tid.z;
  mov.u32 %t3, %ntid.x;
  mov.u32 %t4, %ntid.y;
  mad.lo.s32 %id, %t2, %t4, %t1;
  mad.lo.s32 %id, %id, %t3, %t0;
  mov.u32 %t5, %ntid.z;
  mul.lo.s32 %size, %t3, %t4;
  mul.lo.s32 %size, %size, %t5;
  mov.u32 %me, %laneid;
  mov.u32 %group, %warpid;
  mov.u32 %t6, %ctaid.x;
  mad.lo.s32 %base, %t6, %size, %id;
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %out, %out;
  ld.param.u64 %in, [in];
  cvta.to.global.u64 %in, %in;
  mul.wide.u32 %a0, %base, 32;
  add.s64 %out, %out, %a0;
  add.s64 %in, %in, %a0;
`;

/** Returns a launch whose outputs depend on the seed and the style alone. */
export function randomKernel(seed: number, style: KernelStyle): Launch {
  const random = generator(seed);
  const pick = <T>(...options: readonly [T, ...T[]]): T => options[random(options.length)] ?? options[0];
  const block = pick<readonly [number, number, number]>(
    [32, 1, 1],
    [64, 1, 1],
    [96, 1, 1],
    [40, 1, 1],
    [128, 1, 1],
    [5, 3, 3],
    [8, 8, 1],
    [1, 33, 1],
    [160, 1, 1],
    [16, 2, 4], // biome-ignore format: a list
  );
  const threads = block[0] * block[1] * block[2];
  const grid = pick<readonly [number, number, number]>([1, 1, 1], [2, 1, 1], [3, 1, 1]);
  const ptx = new KernelText(random, style).write();
  const count = threads * grid[0];
  const input = new Uint8Array(count * 32).map(() => random(256) & random(256));
  return {
    id: `random-${style}-${seed}`,
    group: 'random',
    ptx,
    ptxFile: `random-${style}-${seed}.ptx`,
    entry: 'random_kernel',
    grid,
    block,
    sharedBytes: 0,
    params: [
      { name: 'out', kind: 'buffer', type: 'u32', bytes: count * 32, data: new Uint8Array(count * 32).fill(0xa5) },
      { name: 'in', kind: 'buffer', type: 'u32', bytes: count * 32, data: input },
      { name: 'n', kind: 'scalar', type: 'u32', value: random(4) },
    ],
  };
}

class KernelText extends InstructionText {
  private readonly style: KernelStyle;
  private labels = 0;
  private masks = 0;
  private counters = 0;
  private budget: number;
  private readonly mayExit: boolean;
  private readonly barriers: boolean;

  constructor(random: Random, style: KernelStyle) {
    super(random);
    this.style = style;
    this.budget = 12 + random(40);
    this.mayExit = random(2) === 0;
    this.barriers = random(2) === 0;
  }

  write(): string {
    for (let r = 0; r < dataRegisters; r++) this.line(`ld.global.u32 %r${r}, [%in+${4 * r}];`);
    for (let p = 0; p < 8; p++) this.line(`setp.gt.u32 %p${p}, %r${p}, 0x04000000;`);
    if (this.barriers) {
      this.line('mov.u32 %t0, cells;');
      this.line('shl.b32 %t1, %id, 2;');
      this.line('add.s32 %t0, %t0, %t1;');
      this.line('st.shared.u32 [%t0], %r0;');
      this.line('bar.sync 0;');
    }
    this.list({ together: 'block', mask: '-1', depth: 0, loop: undefined }, 10);
    this.label('FINISH');
    this.store();
    this.line('ret;');
    return `${prologue}${this.lines.join('\n')}\n}\n`;
  }

  private fresh(): string {
    return `L${this.labels++}`;
  }

  private store(): void {
    for (let r = 0; r < dataRegisters; r++) this.line(`st.global.u32 [%out+${4 * r}], %r${r};`);
  }

  private list(place: Place, most: number): void {
    const count = 1 + this.random(most);
    let at = place;
    for (let index = 0; index < count && this.budget > 0; index++) at = this.statement(at);
  }

  /** Writes a statement. Returns the place after it, which fewer lanes may reach. */
  private statement(place: Place): Place {
    this.budget -= 1;
    const { together, depth } = place;
    const warps = together !== 'lanes' || this.style === 'groups';
    const roll = this.random(100);
    if (roll < 24) this.arithmetic();
    else if (roll < 32) this.compare();
    else if (roll < 54) {
      if (warps) this.warp(place.mask);
      else this.arithmetic();
    } else if (roll < 60) {
      if (together === 'block' && this.barriers) this.exchange();
      else this.compare();
    } else if (roll < 78 && depth < 4) this.branch(place);
    else if (roll < 88 && depth < 3) this.loop(place);
    else if (roll < 92 && depth < 3) this.table();
    else if (roll < 97 && place.loop) return this.leave(place, place.loop);
    else if (this.mayExit) return this.exit(place);
    return place;
  }

  /** Writes a predicate to `%p6`. Returns the lanes for which it is uniform. */
  private condition(place: Place): Together {
    const roll = this.random(4);
    if (place.together === 'block' && roll === 0) {
      this.line('ld.param.u32 %t0, [n];');
      this.line(`setp.gt.u32 %p6, %t0, ${this.random(4)};`);
      return 'block';
    }
    if (place.together !== 'lanes' && roll <= 1) {
      if (this.random(2) === 0) this.line(`setp.gt.u32 %p6, %group, ${this.random(4)};`);
      else this.line(`vote.sync.${['any', 'all'][this.random(2)]}.pred %p6, ${this.p()}, -1;`);
      return 'warp';
    }
    if (this.random(3) === 0) this.line(`setp.gt.u32 %p6, %id, ${this.random(100)};`);
    else this.line(`setp.${['ne.s32', 'eq.s32'][this.random(2)]} %p6, ${this.r()}, 0;`);
    return 'lanes';
  }

  private together(place: Place, condition: Together): Together {
    if (place.together === 'lanes' || condition === 'lanes') return 'lanes';
    return place.together === 'warp' ? 'warp' : condition;
  }

  /** Returns the mask of the lanes in which `%p6` is `wanted`, for a place after the branch. */
  private maskOf(place: Place, wanted: boolean, together: Together): string {
    if (this.style === 'structured' || together !== 'lanes') return place.mask;
    const mask = `%m${this.masks++ % 64}`;
    this.line(`vote.sync.ballot.b32 ${mask}, ${wanted ? '' : '!'}%p6, ${place.mask};`);
    return mask;
  }

  private branch(place: Place): void {
    const together = this.together(place, this.condition(place));
    const negate = this.random(2) === 0;
    const then = this.maskOf(place, !negate, together);
    const otherwise = this.maskOf(place, negate, together);
    const [other, end] = [this.fresh(), this.fresh()];
    this.line(`@${negate ? '' : '!'}%p6 bra ${other};`);
    // In the style `groups`, the arms do not leave the loop: a lane that leaves would be missing
    // from the mask of the join.
    const loop = this.style === 'groups' ? undefined : place.loop;
    this.list({ ...place, loop, together, mask: then, depth: place.depth + 1 }, 4);
    if (this.random(3) > 0) {
      this.line(`bra ${end};`);
      this.label(other);
      this.list({ ...place, loop, together, mask: otherwise, depth: place.depth + 1 }, 4);
      this.label(end);
    } else {
      this.label(other);
    }
  }

  private loop(place: Place): void {
    const own = this.random(2) === 0 ? 'lanes' : place.together === 'lanes' ? 'lanes' : place.together;
    const together = this.together(place, own);
    const counter = `%k${this.counters++ % 64}`;
    const [start, next, end] = [this.fresh(), this.fresh(), this.fresh()];
    if (own === 'lanes') this.line(`and.b32 ${counter}, ${this.r()}, 3;`);
    else this.line(`mov.u32 ${counter}, ${1 + this.random(3)};`);
    const outer = place.mask;
    const mask = this.style === 'groups' && together === 'lanes' ? `%m${this.masks++ % 64}` : outer;
    if (mask !== outer) this.line(`mov.b32 ${mask}, ${outer};`);
    this.label(start);
    this.line(`setp.gt.s32 %p6, ${counter}, 0;`);
    if (mask !== outer) this.line(`vote.sync.ballot.b32 ${mask}, %p6, ${mask};`);
    this.line(`@!%p6 bra ${end};`);
    // In the style `groups`, lanes may leave only a loop that has its own mask.
    const leaves = this.style === 'structured' || mask !== outer;
    const inner: Place = {
      together,
      mask,
      depth: place.depth + 1,
      loop: leaves ? { next, end, together } : undefined,
    };
    let at = inner;
    const count = 1 + this.random(4);
    for (let index = 0; index < count && this.budget > 0; index++) at = this.statement(at);
    this.label(next);
    this.line(`sub.s32 ${counter}, ${counter}, 1;`);
    // Lanes that left the body early are not in the mask of the next iteration.
    if (at.mask !== mask) this.line(`mov.b32 ${mask}, ${at.mask};`);
    this.line(`bra ${start};`);
    this.label(end);
  }

  /** Writes a break or continue that some lanes execute. */
  private leave(place: Place, loop: Loop): Place {
    const together = this.together(place, this.condition(place));
    // In the style `groups`, lanes leave only to `end`. The remaining lanes need their own mask,
    // because the loop's mask also names the lanes that leave.
    if (this.style === 'groups') {
      if (together !== 'lanes') return place;
      const mask = this.maskOf(place, false, together);
      this.line(`@%p6 bra ${loop.end};`);
      return { ...place, together: 'lanes', mask };
    }
    // If only some lanes leave, they continue with the next iteration instead of ending a loop of
    // whole warps, because that iteration needs all lanes.
    const returns = together === 'lanes' && loop.together !== 'lanes';
    this.line(`@%p6 bra ${returns || this.random(2) === 0 ? loop.next : loop.end};`);
    return { ...place, together };
  }

  private exit(place: Place): Place {
    const together = this.together(place, this.condition(place));
    if (together === 'block') return place;
    const label = this.fresh();
    const away = this.random(2) === 0;
    this.line(away ? '@%p6 bra FINISH;' : `@!%p6 bra ${label};`);
    if (!away) {
      this.store();
      this.line('ret;');
      this.label(label);
    }
    // Lanes that have ended are harmless in a mask, and the other lanes remain converged.
    return place;
  }

  private table(): void {
    const end = this.fresh();
    const arms = Array.from({ length: 3 }, () => this.fresh());
    const name = `T${this.labels++}`;
    this.line(`and.b32 %t0, ${this.r()}, 3;`);
    this.line('min.u32 %t0, %t0, 2;');
    this.lines.push(`${name}: .branchtargets ${arms.join(', ')};`);
    this.line(`brx.idx %t0, ${name};`);
    for (const arm of arms) {
      this.label(arm);
      for (let index = this.random(3); index >= 0; index--) this.arithmetic();
      if (this.random(3) > 0) this.line(`bra ${end};`);
    }
    this.label(end);
  }
}

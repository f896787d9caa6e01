// The entry point of a shader: its builtins, and the warp and the lane computed from them.
import { describePlan, exchangesInWorkgroup } from '../../../base/lane-plan.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Declaration, type Expr, type FunctionParam, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { WgslProgram } from '../../program.ts';
import { laneNumber } from './lane-numbers.ts';
import type { Builtin, ProgramUses } from './program-uses.ts';

export interface Finished {
  readonly body: readonly Stmt[];
  readonly mode: WgslProgram['mode'];
  readonly reason: string | undefined;
}

interface EntryPoint {
  readonly declaration: Extract<Declaration, { readonly kind: 'function' }>;
  readonly subgroupSize: number | undefined;
  readonly usesSubgroupId: boolean;
}

/**
 * Builds the entry point. Call this before reading the list of builtins, because the entry point's
 * own statements use builtins.
 */
export function entryPoint(uses: ProgramUses, { body, mode }: Finished): EntryPoint {
  const { options } = uses;
  const { mapping, plan, workgroupSize, block } = options;
  // The values computed from the lane number use further builtins.
  const own = [...uses.invocationValues.values()].map(({ name, value }) => w.assign(w.ref(name, 'u32'), value()));
  const laneValues = [...uses.laneValues.values()].map(({ name, value }) => w.define(name, value));
  const head = new Head(uses);
  head.grid();
  if (mapping === 'threads') head.threads();
  else head.warps();
  const shape =
    options.shapeReason === undefined || mode === 'threads'
      ? []
      : [`The ${describePlan(plan)}: ${options.shapeReason}.`];
  const notes = [options.memory.placementNote, options.matrixNote, options.copyNote].filter(
    (note) => note !== undefined,
  );
  const comments = [...shape, ...notes];
  const subgroupSize = plan.sizeControl && mapping === 'warps' ? plan.subgroupSize : undefined;
  return {
    declaration: {
      kind: 'function',
      name: new Name('main'),
      params: head.params,
      result: undefined,
      body: [...head.stmts, ...own, ...laneValues, ...body],
      workgroupSize: mapping === 'threads' ? block : [workgroupSize],
      ...(comments.length === 0 ? {} : { comment: comments.join('\n') }),
      ...(subgroupSize === undefined ? {} : { subgroupSize }),
    },
    subgroupSize,
    usesSubgroupId: head.usesSubgroupId,
  };
}

/** Returns the index of a block, from the block's number. `plane` is the product of `x` and `y`. */
const blockAt = (number: Expr, x: Expr, y: Expr, plane: Expr): Expr =>
  w.construct(w.vec3u, w.rem(number, x), w.rem(w.div(number, x), y), w.div(number, plane));

/** The builtins of the entry point, and the values computed from them at its top. */
class Head {
  readonly params: FunctionParam[] = [];
  readonly stmts: Stmt[] = [];
  usesSubgroupId = false;
  private readonly uses: ProgramUses;

  constructor(uses: ProgramUses) {
    this.uses = uses;
  }

  private wants(builtin: Builtin): Name | undefined {
    return this.uses.builtins.get(builtin);
  }

  private param(builtin: string, name: Name, type: Expr['type']): Expr {
    this.params.push({ name, type, builtin });
    return w.ref(name, type);
  }

  private define(name: Name, value: Expr): Expr {
    this.stmts.push(w.define(name, value));
    return w.ref(name, value.type);
  }

  /**
   * Computes the block's index in the grid. If the grid is wider than the adapter's limit, its
   * blocks are numbered in one row.
   */
  grid(): void {
    const [ctaid, nctaid] = [this.wants('ctaid'), this.wants('nctaid')];
    const { foldedGrid } = this.uses.options;
    if (foldedGrid === undefined) {
      if (ctaid) this.param('workgroup_id', ctaid, w.vec3u);
      if (nctaid) this.param('num_workgroups', nctaid, w.vec3u);
      return;
    }
    const at = this.param('workgroup_id', new Name('workgroup'), w.vec3u);
    const all = this.param('num_workgroups', new Name('workgroups'), w.vec3u);
    const inRow = w.add(w.swizzle(at, 'x'), w.mul(w.swizzle(at, 'y'), w.swizzle(all, 'x')));
    const number = this.define(new Name('block_number'), inRow);
    if (foldedGrid === 'overrides') {
      this.overriddenGrid(at, all, number);
      return;
    }
    const [x, y, z] = foldedGrid;
    this.stmts.push(w.when(w.ge(number, w.u32(x * y * z)), [w.give()]));
    if (ctaid) this.define(ctaid, blockAt(number, w.u32(x), w.u32(y), w.u32(x * y)));
    if (nctaid) this.define(nctaid, w.construct(w.vec3u, w.u32(x), w.u32(y), w.u32(z)));
  }

  /**
   * Computes the block's index in a grid whose size is an override constant of the pipeline. The
   * pipeline sets the size if the blocks are numbered in one row; otherwise the size is 0.
   */
  private overriddenGrid(at: Expr, all: Expr, number: Expr): void {
    const override = (id: number, hint: string): Expr => {
      const name = new Name(hint);
      this.uses.declarations.push({ kind: 'override', id, name, value: w.u32(0) });
      return w.ref(name, 'u32');
    };
    const [x, y, z] = [override(0, 'grid_x'), override(1, 'grid_y'), override(2, 'grid_z')];
    const isFolded = w.gt(x, w.u32(0));
    const isOutside = w.ge(number, w.mul(w.mul(x, y), z));
    this.stmts.push(w.when(w.both(isFolded, isOutside), [w.give()]));
    const [ctaid, nctaid] = [this.wants('ctaid'), this.wants('nctaid')];
    // WGSL rejects a constant divisor of 0.
    const divisor = (size: Expr): Expr => w.builtin('max', 'u32', size, w.u32(1));
    const inGrid = blockAt(number, divisor(x), divisor(y), divisor(w.mul(x, y)));
    if (ctaid) this.define(ctaid, w.select(isFolded, inGrid, at));
    if (nctaid) this.define(nctaid, w.select(isFolded, w.construct(w.vec3u, x, y, z), all));
  }

  /** Computes the thread index, with one thread per invocation. */
  threads(): void {
    const [tid, thread] = [this.wants('tid'), this.wants('thread')];
    if (tid) this.param('local_invocation_id', tid, w.vec3u);
    if (thread) this.param('local_invocation_index', thread, 'u32');
  }

  /**
   * Computes the warp, the lane and the thread by the lane plan. WGSL does not define how
   * invocations map to subgroups. So in plans with subgroups, the thread number comes from the
   * subgroup, not from the local invocation index.
   */
  warps(): void {
    const { uses } = this;
    const { plan, workgroupSize, memory, workarounds } = uses.options;
    const thread = this.wants('thread');
    const tid = this.wants('threadNumber');
    if (exchangesInWorkgroup(plan)) {
      this.lanesInOrder();
      return;
    }
    if (plan.kind === 'portable') {
      const warp = this.wants('warp');
      const own = thread ?? warp;
      if (own) this.param('local_invocation_index', own, 'u32');
      if (thread && warp) this.define(warp, w.ref(thread, 'u32'));
      return;
    }
    if (thread) this.param('local_invocation_index', thread, 'u32');
    // The thread number needs the warp and the lane.
    const value =
      tid === undefined ? undefined : w.add(w.mul(uses.builtin('warp'), w.u32(32)), laneNumber(uses, w.u32(0)));
    this.subgroup();
    if (tid === undefined || value === undefined) return;
    // Dawn cannot derive a bound of the subgroup's number. Without this bound, it would clamp each
    // array access by thread number.
    const boundsThread = workarounds.has('bound-thread-number');
    const hasArrays = memory.arrays.some(({ space }, index) => space === 'shared' && uses.arrays[index]?.used);
    this.define(tid, boundsThread && hasArrays ? w.builtin('min', 'u32', value, w.u32(workgroupSize - 1)) : value);
  }

  /**
   * Computes the warp and the lane without subgroups, with one lane per invocation: warps are runs
   * of 32 invocations.
   */
  private lanesInOrder(): void {
    const [thread, tid, warp, lane] = [
      this.wants('thread'),
      this.wants('threadNumber'),
      this.wants('warp'),
      this.wants('lane'),
    ];
    // Absent: if the shader reads no thread number, the parameter only serves to compute the warp
    // and the lane.
    const own = this.param('local_invocation_index', thread ?? tid ?? new Name('thread'), 'u32');
    if (thread && tid) this.define(tid, own);
    if (warp) this.define(warp, w.shr(own, w.u32(5)));
    if (lane) this.define(lane, w.and(own, w.u32(31)));
  }

  private subgroup(): void {
    const { uses } = this;
    const { plan } = uses.options;
    const wide = plan.kind === 'wide';
    const warp = this.wants('warp');
    const lane = this.wants('lane');
    const place = this.wants('warpInSubgroup');
    const needsNumber = warp !== undefined;
    // Absent: in native plans, the lane is the subgroup invocation id. A shader that does not read
    // the id may still need it to compute other builtins.
    const own =
      plan.kind === 'native' ? (lane ?? new Name('lane')) : (this.wants('subgroupLane') ?? new Name('subgroup_lane'));
    const needsOwn =
      lane !== undefined ||
      this.wants('subgroupLane') !== undefined ||
      (wide && (needsNumber || place !== undefined)) ||
      (needsNumber && !plan.subgroupId);
    if (needsOwn || needsNumber) uses.subgroups = true;
    const ownPlace = needsOwn ? this.param('subgroup_invocation_id', own, 'u32') : w.u32(0);
    const number = needsNumber ? this.subgroupNumber(wide ? new Name('subgroup') : (warp ?? own), ownPlace) : w.u32(0);
    if (!wide) return;
    // Absent: a shader that does not read this number may still need it to compute the warp.
    const inSubgroup =
      place || warp ? this.define(place ?? new Name('warp_in_subgroup'), w.shr(ownPlace, w.u32(5))) : undefined;
    if (lane) this.define(lane, w.and(ownPlace, w.u32(31)));
    if (warp && inSubgroup) this.define(warp, w.add(w.mul(number, w.u32(plan.subgroupSize / 32)), inSubgroup));
  }

  private subgroupNumber(name: Name, ownPlace: Expr): Expr {
    const { uses } = this;
    if (uses.options.plan.subgroupId) {
      this.usesSubgroupId = true;
      return this.param('subgroup_id', name, 'u32');
    }
    const counter = uses.workgroupVariable('subgroup_count', w.atomic());
    const taken = new Name('taken');
    const held = w.ref(taken, 'u32');
    const next = w.builtin('atomicAdd', 'u32', w.addressOf(counter), w.u32(1));
    this.stmts.push({ kind: 'comment', text: 'This browser does not number subgroups: each takes the next number.' });
    this.stmts.push(w.variable(taken, 'u32', w.u32(0)));
    this.stmts.push(w.when(w.eq(ownPlace, w.u32(0)), [w.assign(held, next)]));
    return this.define(name, w.builtin('subgroupBroadcastFirst', 'u32', held));
  }
}

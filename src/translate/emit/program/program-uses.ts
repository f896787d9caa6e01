// Tracks the module-level items that the functions of a program use: memories, builtins, workgroup
// variables, helper functions. Each is declared once, and only if used.

import type { FloatProfile } from '../../../base/float-profile.ts';
import type { LanePlan } from '../../../base/lane-plan.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Workarounds } from '../../../base/workarounds.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Declaration, type Expr, Name, type Stmt, type WgslType } from '../../../wgsl/tree/nodes.ts';
import type { Program } from '../../ir/nodes.ts';
import type { MatrixShape } from '../../ir/types.ts';
import { isLocalBuffered, lockWords, type MemoryPlan } from '../../memory-plan.ts';
import type { MessageSite, WgslProgram } from '../../program.ts';
import type { BlockMemory } from './block-memory.ts';
import { blockMemoryPart } from './block-memory-part.ts';

/**
 * `threads`: one thread per invocation, in any subgroup; `warps`: the lane plan maps warps to
 * subgroups.
 */
export type Mapping = 'threads' | 'warps';

export interface ProgramOptions {
  readonly program: Program;
  readonly memory: MemoryPlan;
  readonly plan: LanePlan;
  readonly mapping: Mapping;
  readonly float: FloatProfile;
  readonly workarounds: Workarounds;
  /** The reason for the plan's shape. */
  readonly shapeReason: string | undefined;
  /**
   * How the kernel uses subgroup matrices, or why it does not; undefined for a kernel without
   * matrix products.
   */
  readonly matrixNote?: string | undefined;
  /** The delayed stores of asynchronous copies, if any. */
  readonly copyNote?: string | undefined;
  readonly block: readonly [number, number, number];
  /** Invocations per workgroup. */
  readonly workgroupSize: number;
  /** The size of the grid, if its blocks are numbered in one row. */
  readonly foldedGrid: WgslProgram['foldedGrid'];
  readonly heapStart: number;
  /**
   * The number of polls without a change after which a lane stops waiting for other blocks. It must
   * be even.
   */
  readonly maxPolls: number;
}

/**
 * Values that the entry point provides: WGSL's builtins, and values computed from them at its top.
 */
export type Builtin =
  | 'ctaid'
  | 'nctaid'
  | 'tid'
  | 'thread'
  | 'warp'
  | 'lane'
  | 'subgroupLane'
  | 'warpInSubgroup'
  | 'threadNumber';

const builtinHints: Readonly<Record<Builtin, string>> = {
  ctaid: 'ctaid',
  nctaid: 'nctaid',
  tid: 'tid',
  thread: 'thread',
  warp: 'warp',
  lane: 'lane',
  subgroupLane: 'subgroup_lane',
  warpInSubgroup: 'warp_in_subgroup',
  threadNumber: 'tid',
};

export const isVector3: ReadonlySet<Builtin> = new Set<Builtin>(['ctaid', 'nctaid', 'tid']);

/** A variable that is declared only if used. */
export interface ModuleVariable {
  readonly name: Name;
  readonly type: WgslType;
  used: boolean;
}

/** The parameters and the result of a function that the emitter writes. */
interface FunctionHead {
  readonly params: readonly (readonly [hint: string, type: WgslType])[];
  readonly result?: WgslType | undefined;
  readonly comment?: string | undefined;
}

/** The interface of a device function in WGSL. */
export interface FunctionUses {
  readonly name: Name;
  readonly builtins: readonly Builtin[];
  /**
   * The type of the result: undefined without a result, a word or bool for one result, or a struct
   * for several.
   */
  readonly result: WgslType | undefined;
  readonly members: readonly Name[];
}

export class ProgramUses {
  readonly options: ProgramOptions;
  readonly slots: number;
  /** Builtins in use, in the order of first use. */
  readonly builtins = new Map<Builtin, Name>();
  readonly params: ModuleVariable = { name: new Name('params'), type: 'u32', used: false };
  readonly heap: ModuleVariable;
  readonly locks: ModuleVariable = {
    name: new Name('locks'),
    type: w.array(w.atomic(), lockWords.global),
    used: false,
  };
  /** The instructions of an encoded kernel. */
  readonly instructions: ModuleVariable = { name: new Name('instructions'), type: w.array('u32'), used: false };
  /** Whether the kernel prints or asserts, so that the status buffer holds messages. */
  readonly hasMessages: boolean;
  readonly status: ModuleVariable;
  /** The PTX statements that write messages, by number. */
  readonly sites: MessageSite[] = [];
  readonly buffers: ReadonlyMap<number, ModuleVariable>;
  readonly arrays: readonly ModuleVariable[];
  /** The memory of blocks that is not in variables. */
  readonly blockMemory: BlockMemory | undefined;
  /** Members of the uniform block, by parameter. */
  readonly members: readonly Name[];
  /** Values that depend only on the lane number, defined at the top of the entry point. */
  readonly laneValues = new Map<string, { readonly name: Name; readonly value: Expr }>();
  /** Private variables by hint. The entry point sets them first. */
  readonly invocationValues = new Map<string, { readonly name: Name; readonly value: () => Expr }>();
  /** Module-scope declarations, in order. */
  readonly declarations: Declaration[] = [];
  /** Whether the shader calls subgroup builtins. */
  subgroups = false;
  /** The element types of the subgroup matrices in the shader. */
  readonly matrices = new Set<MatrixShape['of']>();
  /** Builtins used by the device function that is being written. They become its parameters. */
  inFunction: Set<Builtin> | undefined;
  /** Device functions that are already written. */
  readonly functions = new Map<string, FunctionUses>();
  private readonly shared = new Map<string, unknown>();

  constructor(options: ProgramOptions) {
    const { program, memory, plan, mapping } = options;
    this.options = options;
    this.hasMessages = [program.kernel, ...program.functions].some(({ blocks }) =>
      blocks.some(({ insts }) => insts.some(({ op }) => op === 'message')),
    );
    this.status = { name: new Name('status'), type: this.hasMessages ? w.array(w.atomic()) : w.atomic(), used: false };
    this.slots = mapping === 'warps' ? plan.slots : 1;
    this.members = program.params.map(({ name }) => new Name(name));
    const elements = ({ granule, atomic }: { granule: 1 | 2 | 4; atomic: boolean }) =>
      atomic ? w.atomic() : granule === 1 ? 'u32' : w.vector('u32', granule === 2 ? 2 : 4);
    this.heap = { name: new Name('heap'), type: w.array(elements(memory.heap)), used: false };
    this.buffers = new Map(
      [...memory.buffers].map(([param, plan]) => [
        param,
        { name: new Name(plan.hint), type: w.array(elements(plan)), used: false },
      ]),
    );
    const local = memory.arrays.reduce((sum, { space, words }) => (space === 'local' ? sum + words * 4 : sum), 0);
    const localBuffered = isLocalBuffered(local, this.slots);
    this.arrays = memory.arrays.map((plan) => {
      const inner = w.array(elements(plan), Math.max(Math.ceil(plan.words / plan.granule), 1));
      const hasSlots = plan.space === 'local' && this.slots > 1 && !localBuffered;
      return { name: new Name(plan.hint), type: hasSlots ? w.array(inner, this.slots) : inner, used: false };
    });
    if (localBuffered || memory.arrays.some(({ buffered }) => buffered))
      this.blockMemory = new blockMemoryPart.content.BlockMemory({
        arrays: memory.arrays,
        types: this.arrays.map(({ type }) => type),
        lanes: options.workgroupSize * this.slots,
        isLocalBuffered: localBuffered,
      });
  }

  /** Returns the program's single item with this key. Creates the item on first use. */
  once<T>(key: string, make: () => T): T {
    if (!this.shared.has(key)) this.shared.set(key, make());
    return this.shared.get(key) as T;
  }

  /**
   * Declares a function once per key, and returns its name. `body` receives the parameters, which
   * have the names and types in `params`.
   */
  func(
    key: string,
    hint: string,
    { params, result, comment }: FunctionHead,
    body: (...params: readonly Expr[]) => readonly Stmt[],
  ): Name {
    return this.once(key, () => {
      const named = params.map(([param, type]) => ({ name: new Name(param), type }));
      const stmts = body(...named.map(({ name, type }) => w.ref(name, type)));
      const name = new Name(hint);
      const commented = comment === undefined ? {} : { comment };
      this.declarations.push({ kind: 'function', name, params: named, result, body: stmts, ...commented });
      return name;
    });
  }

  builtin(builtin: Builtin): Expr {
    const name = getOrInsert(this.builtins, builtin, () => new Name(builtinHints[builtin]));
    this.inFunction?.add(builtin);
    return w.ref(name, isVector3.has(builtin) ? w.vec3u : 'u32');
  }

  /** Returns a word that is constant during the invocation and readable in every function. */
  invocationValue(hint: string, value: () => Expr): Expr {
    const { name } = getOrInsert(this.invocationValues, hint, () => ({ name: new Name(hint), value }));
    return w.ref(name, 'u32');
  }

  use(variable: ModuleVariable): Expr {
    variable.used = true;
    return w.ref(variable.name, variable.type);
  }

  /** Returns a variable in workgroup memory, which is declared on first use. */
  workgroupVariable(key: string, type: WgslType, hint = key): Expr {
    const name = this.once(`workgroup ${key}`, () => {
      const made = new Name(hint);
      this.declarations.push({ kind: 'variable', space: 'workgroup', name: made, type });
      return made;
    });
    return w.ref(name, type);
  }
}

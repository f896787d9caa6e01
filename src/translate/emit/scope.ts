// Everything an emitter shares while it writes one kernel: names, registers, prelude, layout, options.

import type { FloatProfile } from '../../base/float-profile.ts';
import type { LanePlan } from '../../base/lane-plan.ts';
import type { Register, Source, Variable } from '../../ptx/ast.ts';
import { CodeWriter, isWithin, type TextBlock } from '../../wgsl/code-writer.ts';
import type { Expr, LowerContext, WgslType } from '../../wgsl/expr.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import type { Names } from '../../wgsl/names.ts';
import type { WarpHelper } from '../../wgsl/warp/index.ts';
import type { Buffers } from '../find-buffers.ts';
import type { Layout } from '../layout.ts';
import { carryFlag } from '../remove-dead-code.ts';

/// How a register is held in the emitted function: an immutable name, a variable, or a variable with one element a slot.
export type Storage = 'let' | 'var' | 'slots';

/// Parts of the program that appear only when something uses them.
export interface Uses {
  readonly helpers: Set<HelperName>;
  readonly warpHelpers: Set<WarpHelper>;
  /// Bindings and workgroup variables in use: a parameter's name, `heap`, `shared`, `local`, `params`, `status`, …
  readonly memories: Set<string>;
  /// Special registers to define at the top of main.
  readonly specials: Set<string>;
  /// Names of values that follow from the lane number alone, by their WGSL: defined at the top of main.
  readonly laneValues: Map<string, string>;
  /// Function-scope variables, by declaration.
  readonly variables: Map<string, string>;
  /// Module-scope declarations and functions, by name.
  readonly declarations: Map<string, string>;
}

export interface ScopeOptions {
  readonly source: Source;
  readonly plan: LanePlan;
  readonly float: FloatProfile;
  readonly block: readonly [number, number, number];
  readonly names: Names;
  readonly layout: Layout;
  readonly buffers: Buffers;
  readonly params: readonly Variable[];
  /// `threads`: a thread is an invocation, whatever its subgroup; `warps`: the lane plan lays warps on subgroups.
  readonly mapping: 'threads' | 'warps';
  /// Lanes an invocation holds: the plan's, or 1 where a thread is an invocation.
  readonly slots: number;
  /// Memories with atomic elements: `heap`, `shared`, or a parameter's name.
  readonly atomics: ReadonlySet<string>;
  /// Whether some global memory is both read and written, so that a barrier must order it too.
  readonly exchangesInBuffers: boolean;
  /// Words of an element of a memory that vector accesses reach.
  readonly granules: ReadonlyMap<string, 1 | 2 | 4>;
}

/// Expressions whose value never changes, and that read as well as any name.
const stable = /^(params\.\w+(\.[xy])?|n?ctaid\.[xyz]|tid(\.[xyz])?|lane|warp|thread)$/;

/// Where a register was written, and whether all readings so far can see that.
interface History {
  definition: TextBlock | undefined;
  local: boolean;
}

export const wgslTypeOf = (register: Pick<Register, 'type'>): WgslType => {
  if (register.type === 'pred') return 'bool';
  if (register.type === 'f32') return 'f32';
  return /64$/.test(register.type) ? 'vec2<u32>' : 'u32';
};

export class Scope implements LowerContext {
  readonly options: ScopeOptions;
  readonly float: FloatProfile;
  readonly uses: Uses = {
    helpers: new Set(),
    warpHelpers: new Set(),
    memories: new Set(),
    specials: new Set(),
    laneValues: new Map(),
    variables: new Map(),
    declarations: new Map(),
  };
  readonly out = new CodeWriter(1);
  private readonly history = new Map<string, History>();
  private readonly known = new Map<string, Expr>();
  /// Names of registers that are written once.
  private readonly immutable = new Set<string>();
  private readonly storage: (register: string) => Storage;
  private readonly registers = new Map<string, WgslType>();

  constructor(options: ScopeOptions, storage: (register: string) => Storage) {
    this.options = options;
    this.float = options.float;
    this.storage = storage;
  }

  use(helper: HelperName): string {
    this.uses.helpers.add(helper);
    return helper;
  }

  name(expr: Expr): Expr {
    if (expr.constant !== undefined || /^[A-Za-z_]\w*(\.[xyzw])?$/.test(expr.code)) return expr;
    const name = this.options.names.fresh('t');
    this.out.line(`let ${name} = ${expr.code};`);
    return { code: name, type: expr.type };
  }

  /// WGSL that reads a register in the lane of `slot`.
  read(register: Register, slot = 's'): string {
    const name = this.declare(register);
    const history = this.historyOf(register);
    if (history.definition === undefined || !isWithin(this.out.block, history.definition)) history.local = false;
    const known = this.known.get(register.name);
    if (known !== undefined) return known.code;
    return this.storageOf(register) === 'slots' ? `${name}[${slot}]` : name;
  }

  /// What is known of a register that needs no name of its own.
  valueOf(register: Register): Expr | undefined {
    return this.known.get(register.name);
  }

  storageOf(register: Register): Storage {
    const storage = this.storage(register.name);
    return storage === 'slots' && this.options.slots === 1 ? 'var' : storage;
  }

  /// Writes the assignment of a register's whole new value. `value`, where given, is the same as an expression.
  write(register: Register, code: string, slot = 's', value?: Expr): void {
    const name = this.declare(register);
    const history = this.historyOf(register);
    if (history.definition !== undefined) history.local = false;
    history.definition = this.out.block;
    const storage = this.storageOf(register);
    if (storage !== 'let') {
      this.out.line(`${storage === 'slots' ? `${name}[${slot}]` : name} = ${code};`);
      return;
    }
    // Constants, builtins and copies of other names need none of their own.
    if (value?.constant !== undefined) {
      this.known.set(register.name, value);
    } else if (stable.test(code) || this.immutable.has(code)) {
      this.known.set(register.name, { code, type: wgslTypeOf(register) });
    } else if (!this.out.renameLast(code, name)) {
      this.out.line(`let ${name} = ${code};`);
    }
    this.immutable.add(name);
  }

  private declare(register: Register): string {
    const name = this.options.names.of(register.name);
    if (!this.registers.has(register.name)) {
      const type = wgslTypeOf(register);
      this.registers.set(register.name, type);
      const storage = this.storageOf(register);
      if (storage !== 'let')
        this.uses.variables.set(
          name,
          `var ${name}: ${storage === 'slots' ? `array<${type}, ${this.options.slots}>` : type};`,
        );
    }
    return name;
  }

  private historyOf(register: Register): History {
    const known = this.history.get(register.name);
    if (known !== undefined) return known;
    const history: History = { definition: undefined, local: true };
    this.history.set(register.name, history);
    return history;
  }

  /// Registers written once whose every reading stands behind that, in its block: they need no variable.
  localRegisters(): ReadonlySet<string> {
    return new Set([...this.history].flatMap(([name, { local }]) => (local ? [name] : [])));
  }

  readonly carry: Register = { name: carryFlag, type: 'u32', span: { start: 0, end: 0 } };
}

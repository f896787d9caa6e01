// Warp instructions at places that the whole subgroup reaches.
import type { PtxType } from '../../isa/index.ts';
import type { Instruction, Operand } from '../../ptx/ast.ts';
import { asU32, bare } from '../../wgsl/cast.ts';
import type { Expr, WgslType } from '../../wgsl/expr.ts';
import {
  calleesOf,
  callHelper,
  type WarpHelper,
  type WarpLowering,
  type WarpValue,
  type WarpWriter,
  warpLowerings,
} from '../../wgsl/warp/index.ts';
import { isDestination } from '../ir.ts';
import { operandType } from '../operand-types.ts';
import { laneNumber, readOperand } from './operands.ts';
import type { Scope } from './scope.ts';

/// Who executes: WGSL of a lane's own condition, and of the warp's mask.
export interface Executing {
  /// Undefined where every lane does.
  readonly active: ((slot: string) => string) | undefined;
}

/// A writer for one warp instruction.
export function warpWriter(scope: Scope, executing: Executing): WarpWriter {
  const { plan, slots, names } = scope.options;
  const { out } = scope;
  const slotted = slots > 1;
  let exec: string | undefined;

  const each = (type: WgslType, hint: string, code: (slot: string) => string): WarpValue => {
    const text = code('s');
    if (!slotted) {
      if (/^\w+$/.test(text)) return { type, at: () => text };
      const name = names.fresh(hint);
      out.line(`let ${name} = ${bare(text)};`);
      return { type, at: () => name };
    }
    if (/^\w+\[s\]$/.test(text)) return { type, at: code };
    const name = names.fresh(hint);
    out.line(`var ${name}: array<${type}, ${slots}>;`);
    out.open(`for (var s = 0u; s < ${slots}u; s++)`);
    out.line(`${name}[s] = ${bare(text)};`);
    out.close();
    return { type, at: (slot) => `${name}[${slot}]` };
  };

  /// What stands for a whole value when it is passed to a function: the name of an array, or the expression.
  const whole = (value: WarpValue, type: WgslType, hint: string): string => {
    if (!slotted) return bare(value.at('s'));
    const named =
      /^(\w+)\[s\]$/.exec(value.at('s'))?.[1] ?? /^(\w+)\[s\]$/.exec(each(type, hint, value.at).at('s'))?.[1];
    return named ?? value.at('s');
  };

  const call = (helper: WarpHelper, ...args: string[]) => {
    for (const used of [helper, ...calleesOf(helper, plan)]) scope.uses.warpHelpers.add(used);
    if (plan.kind === 'wide' && helper !== 'warp_ballot' && helper !== 'warp_shuffle')
      return callHelper(helper, plan, args);
    if (plan.kind === 'wide') scope.uses.specials.add('warp_in_subgroup');
    return callHelper(helper, plan, args);
  };

  const uniform = (hint: string, code: string) => {
    if (/^\w+$/.test(code)) return code;
    const name = names.fresh(hint);
    out.line(`let ${name} = ${code};`);
    return name;
  };

  const ballot = (hint: string, code: (slot: string) => string) =>
    uniform(hint, call('warp_ballot', whole({ type: 'bool', at: code }, 'bool', 'predicate')));

  return {
    plan,
    lane: { type: 'u32', at: (slot) => laneNumber(scope, slot) },
    active: { type: 'bool', at: (slot) => executing.active?.(slot) ?? 'true' },
    allActive: executing.active === undefined,
    exec: () => {
      exec ??= executing.active ? ballot('exec', executing.active) : '0xffffffffu';
      return exec;
    },
    each,
    fromLane: (hint, code) => {
      if (slotted) return each('u32', hint, code);
      const text = code('s');
      // Compilers leave it inside of loops, where it would cost as much as what it is for.
      const name = scope.uses.laneValues.get(text) ?? names.fresh(hint);
      scope.uses.laneValues.set(text, name);
      return { type: 'u32', at: () => name };
    },
    ballot,
    shuffle: (hint, value, source) => {
      const code = call('warp_shuffle', whole(value, 'u32', 'given'), whole(source, 'u32', 'sources'));
      if (!slotted) return each('u32', hint, () => code);
      const name = names.fresh(hint);
      out.line(`var ${name} = ${code};`);
      return { type: 'u32', at: (slot) => `${name}[${slot}]` };
    },
    uniform,
    call,
    reduce: (helper, hint, value) => uniform(hint, call(helper, whole(value, 'u32', 'part'))),
    line: (text) => out.line(text),
    open: (text) => out.open(text),
    close: () => out.close(),
    fresh: (hint) => names.fresh(hint),
  };
}

/// A source operand in every lane. f32 registers are passed by their bits.
export function warpSource(scope: Scope, operand: Operand, type: PtxType): WarpValue {
  const read = (slot: string): Expr => {
    const value = readOperand(scope, operand, type === 'f32' ? 'b32' : type, slot);
    return value.type === 'bool' || value.type === 'vec2<u32>' ? value : asU32(value);
  };
  const value = read('s');
  const at = (slot: string) => read(slot).code;
  return value.constant === undefined ? { type: value.type, at } : { type: value.type, at, constant: value.constant };
}

export function warpSources(scope: Scope, instruction: Instruction): Record<string, WarpValue> {
  return Object.fromEntries(
    Object.entries(instruction.operands).flatMap(([name, operand]): [string, WarpValue][] =>
      isDestination(instruction, name) ? [] : [[name, warpSource(scope, operand, operandType(instruction, name))]],
    ),
  );
}

/// Destinations that are registers: those whose values are wanted.
export function wantedResults(instruction: Instruction): ReadonlySet<string> {
  return new Set(
    Object.entries(instruction.operands).flatMap(([name, operand]) =>
      isDestination(instruction, name) && operand.kind === 'register' ? [name] : [],
    ),
  );
}

export function warpLoweringOf(instruction: Instruction): WarpLowering {
  const lowering = (warpLowerings as Readonly<Record<string, WarpLowering>>)[instruction.row.name];
  if (lowering === undefined) throw new Error(`no lowering of ${instruction.row.name}`);
  return lowering;
}

// Classes of warp instructions that lanes may meet in: the same qualifiers for `.sync` forms, the same place for the others.
import type { PtxType } from '../../isa/index.ts';
import type { Instruction, Operand, Register } from '../../ptx/ast.ts';
import { constantU32, type WarpValue } from '../../wgsl/warp/warp-writer.ts';
import { bitsOf, isDestination } from '../ir.ts';
import { operandType } from './lane.ts';
import type { Scope } from './scope.ts';
import { warpSource } from './warp.ts';

export interface StagedOperand {
  readonly name: string;
  readonly staging: Register;
  readonly type: PtxType;
}

export interface SyncClass {
  /// From 1 on.
  readonly id: number;
  readonly sync: boolean;
  readonly first: Instruction;
  readonly members: readonly Instruction[];
  /// Operands that lanes bring along; those that are the same constant everywhere need not be.
  readonly staged: readonly StagedOperand[];
  readonly wanted: ReadonlySet<string>;
  /// `mask`: WGSL of the member mask that the executing group shares.
  readonly sources: (scope: Scope, mask: string) => Record<string, WarpValue>;
}

const span = { start: 0, end: 0 };

export function classify(instructions: readonly Instruction[]): readonly SyncClass[] {
  const groups = new Map<string, Instruction[]>();
  instructions.forEach((instruction, index) => {
    const { row, mods } = instruction;
    const sync = instruction.operands.membermask !== undefined;
    const key = sync ? `${row.name} ${JSON.stringify(mods)}` : `${index}`;
    const members = groups.get(key);
    if (members) members.push(instruction);
    else groups.set(key, [instruction]);
  });
  // `.sync` forms first, so that one comparison tells them.
  const isSync = ([first]: readonly Instruction[]) => first?.operands.membermask !== undefined;
  const ordered = [
    ...[...groups.values()].filter(isSync),
    ...[...groups.values()].filter((members) => !isSync(members)),
  ];
  return ordered.flatMap((members, index) => {
    const [first] = members;
    return first ? [classOf(index + 1, first, members)] : [];
  });
}

function classOf(id: number, first: Instruction, members: readonly Instruction[]): SyncClass {
  const names = Object.keys(first.row.types).filter(
    (name) => !isDestination(first, name) && first.operands[name] !== undefined,
  );
  const constants = new Map<string, bigint>();
  for (const name of names) {
    const value = commonConstant(members.map((member) => member.operands[name]));
    // The masks tell groups apart, so lanes always bring theirs.
    if (value !== undefined && operandType(first, name) !== 'pred') constants.set(name, value);
  }
  const staged = names
    .filter((name) => name === 'membermask' || !constants.has(name))
    .map((name): StagedOperand => {
      const type = operandType(first, name);
      const word: PtxType = type === 'pred' ? 'pred' : bitsOf(type) === 64 ? 'b64' : 'b32';
      const suffix = word === 'b64' ? '_64' : word === 'pred' ? '_pred' : '';
      return { name, staging: { name: `operand_${name}${suffix}`, type: word, span }, type: word };
    });
  const wanted = new Set(
    members.flatMap((member) =>
      Object.entries(member.operands).flatMap(([name, operand]) =>
        isDestination(member, name) && operand.kind === 'register' ? [name] : [],
      ),
    ),
  );
  const sources = (scope: Scope, mask: string) => {
    const values: Record<string, WarpValue> = {};
    for (const { name, staging, type } of staged) {
      values[name] = warpSource(scope, { kind: 'register', register: staging, negated: false, span }, type);
    }
    if (values.membermask) values.membermask = { type: 'u32', at: () => mask, shared: true };
    for (const [name, value] of constants) values[name] = constantU32(value);
    return values;
  };
  return { id, sync: first.operands.membermask !== undefined, first, members, staged, wanted, sources };
}

function commonConstant(operands: readonly (Operand | undefined)[]): bigint | undefined {
  const [first] = operands;
  if (first?.kind !== 'immediate' || bitsOf(first.type) === 64) return undefined;
  return operands.every((operand) => operand?.kind === 'immediate' && operand.bits === first.bits)
    ? first.bits
    : undefined;
}

// The signature of a kernel, from its PTX parameters: how each argument is checked and written for
// the shader.

import { asDeclared, declaredTypesOf } from '../../harness/infer/declared-types.ts';
import type { PtxFunction, Register, Statement, Variable } from '../../ptx/ast.ts';

/**
 * The kind of a parameter, which determines the arguments that it accepts:
 * - `integer`: an integer of at most 32 bits.
 * - `float`: a number.
 * - `pointer`: 64 bits, which may be an address: a pointer, an integer or `null`.
 * - `open`: bits that may be an integer or a float, so only bytes are accepted.
 * - `bytes`: a struct or array by value.
 */
export type ArgumentKind = 'integer' | 'float' | 'pointer' | 'open' | 'bytes';

/** A parameter of a kernel. */
export interface ParameterShape {
  /** The parameter's number, from 0. */
  readonly index: number;
  /** The parameter's name in the PTX. */
  readonly name: string;
  /** The arguments that the parameter accepts. */
  readonly kind: ArgumentKind;
  /** The parameter's type as in PTX, such as `.u32` or `.b8[16]`. */
  readonly type: string;
  /** The parameter's size in bytes. */
  readonly bytes: number;
}

export function signatureOf(entry: PtxFunction): readonly ParameterShape[] {
  const types = declaredTypesOf(entry);
  return entry.params
    .filter((param): param is Variable => 'space' in param)
    .map((param, index) => {
      const declared = asDeclared(param, types[index]);
      const { name, type, bytes, array } = declared;
      const shape = { index, name, bytes, type: array ? `.${type}[${bytes}]` : `.${type}` };
      return { ...shape, kind: kindOf(declared, param, entry.body) };
    });
}

function kindOf({ type, bytes, array }: Variable, param: Variable, body: readonly Statement[]): ArgumentKind {
  if (array || bytes > 8) return 'bytes';
  if (/^b?f/.test(type)) return 'float';
  if (!type.startsWith('b')) return bytes === 8 ? 'pointer' : 'integer';
  const uses = typesOfUses(param, body);
  const isFloat = [...uses].some((name) => /^b?f\d/.test(name));
  // A 16-bit float may be f16 or bf16, so only bytes are accepted.
  if (isFloat) return bytes === 2 ? 'open' : 'float';
  if (bytes === 8) return 'pointer';
  return [...uses].some((name) => /^[su]\d/.test(name)) || bytes < 2 ? 'integer' : 'open';
}

/** Returns the types of instructions that read the value loaded from a parameter. */
function typesOfUses(param: Variable, body: readonly Statement[]): ReadonlySet<string> {
  const loaded = new Set<Register>();
  const types = new Set<string>();
  for (const statement of body) {
    if (statement.kind !== 'instruction') continue;
    const { a, d } = statement.operands;
    if (a?.kind === 'address' && a.base === param && d?.kind === 'register') loaded.add(d.register);
  }
  for (const statement of body) {
    if (statement.kind !== 'instruction') continue;
    const { row, mods, operands } = statement;
    for (const [name, operand] of Object.entries(operands)) {
      if (operand.kind !== 'register' || !loaded.has(operand.register) || row.writes.includes(name)) continue;
      const type = row.types[name] ?? '';
      types.add(type.startsWith('.') ? (mods[type.slice(1)] ?? '') : type);
    }
  }
  return types;
}

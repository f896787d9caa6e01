// Infers the types of a fragment's undeclared registers from their uses.

import { getOrInsert } from '../../base/maps.ts';
import type { PtxType } from '../../isa/index.ts';
import { resolveType, vectorType } from '../../isa/match.ts';
import type { Register, Span } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Reporter, SyntaxFailure } from '../diagnostics/reporter.ts';
import { bindOperands } from '../resolve/bind-operands.ts';
import { isSpecialName } from '../resolve/resolve-name.ts';
import { fitOf } from '../resolve/resolve-operand.ts';
import type { NameOperand, RawGuard, RawInstruction, RawOperand, RawStatement } from '../syntax.ts';
import { isFloat, isUntyped, widthOf } from '../types.ts';

interface Evidence {
  readonly name: string;
  readonly first: Span;
  /** The use that determined the width of the register, and the type in that use. */
  exact: { readonly type: PtxType; readonly span: Span } | undefined;
  /**
   * Whether the register is used as f32 or f64 (the position of that use), and whether it is used
   * as an integer. These uses exclude each other.
   */
  float: Span | undefined;
  integer: boolean;
  /** The minimum width in bits, from loads, stores and `cvt`. */
  least: number;
  address: boolean;
  written: boolean;
}

/** A use of a register with a width that contradicts an earlier use. */
interface Conflict {
  readonly raw: NameOperand;
  readonly type: PtxType;
  readonly evidence: Evidence;
}

export interface Inferred {
  /** The registers in order of appearance. */
  readonly registers: readonly Register[];
  /** The position of the use that determined the type of each register. */
  readonly typedBy: ReadonlyMap<Register, Span>;
  /**
   * The operands that refer to a second register with the same name but another width, with the new
   * name.
   */
  readonly renamed: ReadonlyMap<NameOperand, string>;
}

class Inference {
  private readonly evidence = new Map<string, Evidence>();
  private readonly conflicts: Conflict[] = [];
  private readonly declared: (name: string) => boolean;
  private readonly reporter: Reporter;

  constructor(declared: (name: string) => boolean, reporter: Reporter) {
    this.declared = declared;
    this.reporter = reporter;
  }

  addInstruction(instruction: RawInstruction): void {
    const { guard, match } = instruction;
    if (guard !== undefined) this.useGuard(guard);
    if (instruction.call !== undefined) return;
    const { row } = match.pattern;
    const vector = Number(match.mods.vec?.slice(1) ?? 1);
    // The order in the source determines the order of inputs and outputs.
    for (const { slot, raw } of bindOperands(instruction)) {
      if (slot.type === 'address') {
        if (raw.kind === 'address' && raw.base !== undefined) this.useAsAddress(raw.base.text, raw.base.span);
        continue;
      }
      if (slot.type === 'vector') {
        const { type } = vectorType(row, slot.name, match.mods);
        for (const element of raw.kind === 'vector' ? raw.elements : [])
          this.useOperand(element, type, false, slot.destination);
        continue;
      }
      const type = resolveType(slot.type, match.mods);
      if (type === undefined) continue;
      const wide = fitOf(row, slot) === 'wider';
      if (raw.kind === 'vector') {
        const part = vector > 1 ? type : partOf(type, raw.elements.length);
        for (const element of part === undefined ? [] : raw.elements) {
          this.useOperand(element, part ?? type, wide && vector > 1, slot.destination);
        }
      } else if (row.alternatives?.[slot.name] === 'b32') {
        if (raw.kind === 'name') this.useAsAddress(raw.name, raw.span);
      } else this.useOperand(raw, type, wide, slot.destination);
    }
  }

  finish(): Inferred {
    const renamed = new Map<NameOperand, string>();
    for (const { raw, type, evidence } of this.conflicts) {
      const { exact } = evidence;
      // A register that is written cannot be split into two registers. Resolving the instruction
      // reports the error.
      if (evidence.written || type === 'pred' || exact === undefined || exact.type === 'pred') continue;
      const second = `${raw.name}_b${widthOf(type)}`;
      if (!this.evidence.has(second)) {
        this.reporter.report(diagnostics().conflictingUse(raw.span, raw.name, type, exact.span, exact.type, second));
      }
      renamed.set(raw, second);
      this.useOperand({ ...raw, name: second }, type, false, false);
    }
    const typedBy = new Map<Register, Span>();
    const registers = [...this.evidence.values()].map((found) => {
      const register: Register = { name: found.name, type: typeOf(found), span: found.first };
      const use = found.exact?.span ?? found.float;
      typedBy.set(register, use ?? found.first);
      return register;
    });
    registers.sort((a, b) => a.span.start - b.span.start);
    return { registers, typedBy, renamed };
  }

  private entry(name: string, span: Span): Evidence | undefined {
    if (this.declared(name) || isSpecialName(name)) return undefined;
    return getOrInsert(this.evidence, name, () => ({
      name,
      first: span,
      exact: undefined,
      float: undefined,
      integer: false,
      least: 0,
      address: false,
      written: false,
    }));
  }

  private useGuard({ name }: RawGuard): void {
    const found = this.entry(name.text, name.span);
    if (found !== undefined) found.exact ??= { type: 'pred', span: name.span };
  }

  private useOperand(raw: RawOperand, type: PtxType, wide: boolean, written: boolean): void {
    if (raw.kind !== 'name' || raw.component !== undefined) return;
    const found = this.entry(raw.name, raw.span);
    if (found === undefined) return;
    found.written ||= written;
    if (wide) found.least = Math.max(found.least, widthOf(type));
    else if (found.exact === undefined) found.exact = { type, span: raw.span };
    else if (widthOf(found.exact.type) !== widthOf(type)) {
      this.conflicts.push({ raw, type, evidence: found });
      return;
    }
    // Untyped registers contain 16-bit values and pairs of 16-bit values.
    if (type === 'f32' || type === 'f64') found.float ??= raw.span;
    else if (!isFloat(type) && !isUntyped(type) && type !== 'pred') found.integer = true;
  }

  private useAsAddress(name: string, span: Span): void {
    const found = this.entry(name, span);
    if (found !== undefined) found.address = true;
  }
}

const untyped: Readonly<Record<number, PtxType>> = { 8: 'b8', 16: 'b16', 32: 'b32', 64: 'b64', 128: 'b128' };

function partOf(type: PtxType, elements: number): PtxType | undefined {
  return untyped[widthOf(type) / elements];
}

/**
 * Returns pred, f32 or f64 if the register only has uses of that type. Otherwise returns untyped
 * bits, which are valid for every use of their width.
 */
function typeOf({ exact, float, integer, least, address }: Evidence): PtxType {
  if (exact?.type === 'pred') return 'pred';
  const width = exact === undefined ? (address ? 64 : Math.max(32, least)) : widthOf(exact.type);
  if (float !== undefined && !integer && !address && (width === 32 || width === 64))
    return width === 32 ? 'f32' : exact === undefined ? 'f64' : 'b64';
  return untyped[width] ?? 'b32';
}

/**
 * Finds the registers that `body` uses without declaring them, and infers their types. `declared`
 * tests whether a name is declared.
 */
export function inferRegisters(
  body: readonly RawStatement[],
  declared: (name: string) => boolean,
  reporter: Reporter,
): Inferred {
  const inference = new Inference(declared, reporter);
  for (const statement of body) {
    if (statement.kind !== 'instruction') continue;
    try {
      inference.addInstruction(statement);
    } catch (failure) {
      // Ignore this error here. Resolving the instruction finds and reports the same error.
      if (!(failure instanceof SyntaxFailure)) throw failure;
    }
  }
  return inference.finish();
}

/** Returns the body with renamed operands. */
export function renameOperands(
  body: readonly RawStatement[],
  renamed: ReadonlyMap<NameOperand, string>,
): readonly RawStatement[] {
  if (renamed.size === 0) return body;
  const rename = (raw: RawOperand): RawOperand => {
    if (raw.kind === 'vector') return { ...raw, elements: raw.elements.map(rename) };
    const name = raw.kind === 'name' ? renamed.get(raw) : undefined;
    return raw.kind === 'name' && name !== undefined ? { ...raw, name } : raw;
  };
  return body.map((statement) =>
    statement.kind === 'instruction' ? { ...statement, operands: statement.operands.map(rename) } : statement,
  );
}

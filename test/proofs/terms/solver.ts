// Asks Z3 whether a claim holds for all values of its variables.
import { init } from 'z3-solver';
import { orderOf } from './rewrite.ts';
import type { Term } from './term.ts';

export type Verdict =
  | { readonly kind: 'proved' }
  /** The refutation of a claim. `values` contains the bits of each variable, by name. */
  | { readonly kind: 'refuted'; readonly values: ReadonlyMap<string, bigint> }
  | { readonly kind: 'unknown'; readonly reason: string };

const nameOf = (term: Term): string => (term.kind === 'variable' ? `|${term.name}|` : `t${term.id}`);
const sortOf = ({ width }: Term): string => (width === 0 ? 'Bool' : `(_ BitVec ${width})`);

function textOf(term: Term): string {
  if (term.value !== undefined) {
    if (term.width === 0) return term.value === 1n ? 'true' : 'false';
    return `#b${term.value.toString(2).padStart(term.width, '0')}`;
  }
  return nameOf(term);
}

function definitionOf(term: Term): string {
  const args = term.args.map(textOf).join(' ');
  const [first] = term.args;
  switch (term.kind) {
    case 'extract':
      return `((_ extract ${term.low + term.width - 1} ${term.low}) ${args})`;
    case 'zero_extend':
    case 'sign_extend':
      if (first === undefined) throw new Error('an extension has an operand');
      return `((_ ${term.kind} ${term.width - first.width}) ${args})`;
    default:
      return `(${term.kind} ${args})`;
  }
}

/** The values of the variables in the text of a model: `a0 -> #x00000001`. */
function valuesIn(model: string): Map<string, bigint> {
  const values = new Map<string, bigint>();
  for (const [, name, bits, hex, truth] of model.matchAll(
    /^\|?([^\s|]+)\|? -> (?:#b([01]+)|#x([0-9a-f]+)|(true|false))$/gm,
  )) {
    if (name === undefined) continue;
    const digits = bits === undefined ? `0x${hex}` : `0b${bits}`;
    values.set(name, truth === undefined ? BigInt(digits) : BigInt(truth === 'true'));
  }
  return values;
}

/** Returns SMT-LIB text: declarations, definitions, and the assertion that a claim is false. */
function scriptOf(claim: Term): string {
  const order = orderOf(claim);
  const lines: string[] = [];
  for (const term of order) {
    if (term.kind === 'variable') lines.push(`(declare-const ${nameOf(term)} ${sortOf(term)})`);
    else if (term.kind !== 'constant')
      lines.push(`(define-fun ${nameOf(term)} () ${sortOf(term)} ${definitionOf(term)})`);
  }
  lines.push(`(assert (not ${textOf(claim)}))`);
  return lines.join('\n');
}

/**
 * The solver Z3, compiled to WebAssembly. Each claim has a separate context, so that claims do not
 * influence each other's time.
 */
export class Solver {
  private readonly z3: Awaited<ReturnType<typeof init>>['Z3'];

  private end = 0;

  private constructor(z3: Solver['z3']) {
    this.z3 = z3;
  }

  static async start(): Promise<Solver> {
    const { Z3 } = await init();
    return new Solver(Z3);
  }

  /** Sets the time limit for all following claims. */
  limit(seconds: number): void {
    this.end = performance.now() + seconds * 1000;
  }

  async prove(claim: Term): Promise<Verdict> {
    if (claim.value !== undefined)
      return claim.value === 1n ? { kind: 'proved' } : { kind: 'refuted', values: new Map() };
    const left = Math.round(this.end - performance.now());
    if (left <= 0) return { kind: 'unknown', reason: 'the time limit' };
    const config = this.z3.mk_config();
    const context = this.z3.mk_context(config);
    const solver = this.z3.mk_solver_for_logic(context, this.z3.mk_string_symbol(context, 'QF_BV'));
    this.z3.solver_inc_ref(context, solver);
    try {
      const limits = this.z3.mk_params(context);
      this.z3.params_inc_ref(context, limits);
      this.z3.params_set_uint(context, limits, this.z3.mk_string_symbol(context, 'timeout'), left);
      this.z3.solver_set_params(context, solver, limits);
      this.z3.solver_from_string(context, solver, scriptOf(claim));
      const answer = await this.z3.solver_check(context, solver);
      if (answer === -1) return { kind: 'proved' };
      if (answer !== 1) return { kind: 'unknown', reason: this.z3.solver_get_reason_unknown(context, solver) };
      const model = this.z3.model_to_string(context, this.z3.solver_get_model(context, solver));
      return { kind: 'refuted', values: valuesIn(model) };
    } finally {
      this.z3.del_context(context);
      this.z3.del_config(config);
    }
  }
}

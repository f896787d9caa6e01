// Asks Z3 whether a claim holds for all values of its variables.
import { init } from 'z3-solver';
import { orderOf } from './rewrite.ts';
import type { Term } from './term.ts';

/** What decided a claim: decision diagrams, the solver, or the enumeration of all values. */
export type Method = 'diagrams' | 'solver' | 'enumeration';

export type Verdict =
  | { readonly kind: 'proved'; readonly by: Method }
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
    case 'umin':
    case 'smin':
    case 'umax':
    case 'smax': {
      const [a = '', b = ''] = term.args.map(textOf); // An extremum has two operands.
      const isLess = `(${term.kind.startsWith('u') ? 'bvult' : 'bvslt'} ${args})`;
      return term.kind.endsWith('min') ? `(ite ${isLess} ${a} ${b})` : `(ite ${isLess} ${b} ${a})`;
    }
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
  private z3: Awaited<ReturnType<typeof init>>['Z3'] | undefined;

  private steps = 0;

  /**
   * Sets the limit for each following claim, in steps of the solver (`rlimit`). A limit in seconds
   * would let the verdict depend on the speed of the machine.
   */
  limit(steps: number): void {
    this.steps = steps;
  }

  async prove(claim: Term): Promise<Verdict> {
    if (claim.value !== undefined)
      return claim.value === 1n ? { kind: 'proved', by: 'diagrams' } : { kind: 'refuted', values: new Map() };
    // The solver starts with the first claim, because diagrams decide most claims.
    this.z3 ??= (await init()).Z3;
    return this.check(this.z3, claim);
  }

  private async check(z3: Awaited<ReturnType<typeof init>>['Z3'], claim: Term): Promise<Verdict> {
    const config = z3.mk_config();
    const context = z3.mk_context(config);
    const solver = z3.mk_solver_for_logic(context, z3.mk_string_symbol(context, 'QF_BV'));
    z3.solver_inc_ref(context, solver);
    try {
      const limits = z3.mk_params(context);
      z3.params_inc_ref(context, limits);
      z3.params_set_uint(context, limits, z3.mk_string_symbol(context, 'rlimit'), this.steps);
      z3.solver_set_params(context, solver, limits);
      z3.solver_from_string(context, solver, scriptOf(claim));
      const answer = await z3.solver_check(context, solver);
      if (answer === -1) return { kind: 'proved', by: 'solver' };
      if (answer !== 1) return { kind: 'unknown', reason: z3.solver_get_reason_unknown(context, solver) };
      const model = z3.model_to_string(context, z3.solver_get_model(context, solver));
      return { kind: 'refuted', values: valuesIn(model) };
    } finally {
      z3.del_context(context);
      z3.del_config(config);
    }
  }
}

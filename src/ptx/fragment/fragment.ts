// Parses fragments: bare instructions become one function. The types of undeclared registers are
// inferred from their uses.

import type { Module, Register, Source } from '../ast.ts';
import { TargetRules } from '../checks/target.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { Reporter } from '../diagnostics/reporter.ts';
import type { Cursor } from '../lexer/cursor.ts';
import { today } from '../parse/legacy.ts';
import { OpcodeTable } from '../parse/opcode.ts';
import { BodyParser } from '../parse/parse-body.ts';
import { FunctionAddresses } from '../resolve/function-addresses.ts';
import { type ModuleContext, resolveFunction } from '../resolve/resolve-function.ts';
import type { RawStatement } from '../syntax.ts';
import { inputsAndOutputs } from './data-flow.ts';
import { inferRegisters, renameOperands } from './infer-registers.ts';
import { parseSass } from './sass.ts';

/** The maximum number of digits in the count of a register range. */
const maxIndexDigits = 8;

/**
 * Returns a function that tests whether a body declares a name as a register, variable or label, in
 * any scope.
 */
function declaredNames(body: readonly RawStatement[]): (name: string) => boolean {
  const names = new Set<string>();
  const ranges = new Map<string, number>();
  for (const statement of body) {
    if (statement.kind === 'variable' || statement.kind === 'label' || statement.kind === 'targets')
      names.add(statement.name.text);
    else if (statement.kind === 'registers') {
      for (const { text, count } of statement.names) {
        if (count === undefined) names.add(text);
        else ranges.set(text, count);
      }
    }
  }
  return (name) => {
    if (names.has(name)) return true;
    const least = Math.max(1, name.length - maxIndexDigits);
    for (let at = name.length - 1; ranges.size > 0 && at >= least && /\d/.test(name.charAt(at)); at--) {
      if (Number(name.slice(at)) < (ranges.get(name.slice(0, at)) ?? 0)) return true;
    }
    return false;
  };
}

/**
 * Parses bare instructions. A fragment does not have a version and a target, so they are not
 * checked.
 */
export function parseFragment(
  cursor: Cursor,
  source: Source,
  dialect: 'fragment' | 'sass',
  reporter: Reporter,
): Module {
  const written =
    dialect === 'sass'
      ? parseSass(cursor, reporter)
      : new BodyParser(cursor, reporter, new OpcodeTable(() => today), true).parse(undefined);
  const { registers, typedBy, renamed } = inferRegisters(written, declaredNames(written), reporter);
  const body = renameOperands(written, renamed);
  const context: ModuleContext = {
    variables: new Map(),
    perThread: [],
    addresses: new FunctionAddresses([]),
    functions: new Map(),
    rules: new TargetRules(undefined),
    reporter,
    typedBy,
  };
  const whole = { start: 0, end: source.text.length };
  const raw = {
    kind: 'entry',
    name: { text: 'fragment', span: whole },
    results: [],
    params: [],
    body,
    maxThreads: undefined,
    requiredThreads: undefined,
    explicitCluster: false,
    cluster: undefined,
    clusterSpan: undefined,
    span: whole,
  } as const;
  const { function: resolved, scope } = resolveFunction(raw, context, registers);
  if (resolved.body.length === 0 && reporter.diagnostics.length === 0)
    reporter.report(diagnostics().nothing({ start: 0, end: Math.min(1, source.text.length) }));
  // SASS discards writes to RZ.
  const kept = (list: readonly Register[]) =>
    list.filter((register) => !scope.unnamed.has(register) && (dialect !== 'sass' || register.name !== 'RZ'));
  const { inputs, outputs } = inputsAndOutputs(resolved);
  return {
    source,
    dialect,
    version: { major: 0, minor: 0 },
    target: '',
    addressSize: 64,
    variables: [],
    functions: [resolved],
    inputs: kept(inputs),
    outputs: kept(outputs),
  };
}

// Resolves a parsed module into the AST: variables, function signatures, then every body.

import type { Module, PtxFunction, Source, StateSpace, Variable } from '../ast.ts';
import { TargetRules } from '../checks/target.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { Reporter } from '../diagnostics/reporter.ts';
import { nearest } from '../diagnostics/suggest.ts';
import type { RawFunction, RawModule, RawVariable } from '../syntax.ts';
import { FunctionAddresses } from './function-addresses.ts';
import { type ModuleContext, resolveFunction } from './resolve-function.ts';
import { resolveVariable } from './resolve-variable.ts';
import type { Entity } from './scope.ts';
import { stackPart } from './stack-part.ts';

/**
 * The maximum total size in bytes of the variables of a module and its functions, without the
 * variables of which each thread has an instance.
 */
const maxVariableBytes = 256 * 2 ** 20;

function isStatic(space: StateSpace): boolean {
  return space === 'global' || space === 'const' || space === 'shared';
}

function checkTotal(variables: Iterable<Variable>, reporter: Reporter): void {
  let total = 0;
  for (const { name, bytes, span } of variables) {
    // A variable that is too large by itself has its own diagnostic.
    if (bytes <= maxVariableBytes) total += bytes;
    if (total <= maxVariableBytes) continue;
    reporter.report(diagnostics().tooMuchTogether(span, name, 'the variables of the module', '256 MiB'));
    return;
  }
}

/**
 * Resolves the module's variables. An `.extern` variable may be declared repeatedly; a definition
 * replaces its declarations.
 */
function resolveVariables(
  raws: readonly RawVariable[],
  functions: FunctionAddresses,
  reporter: Reporter,
): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  for (const raw of raws) {
    const space: StateSpace = raw.space === 'reg' ? 'global' : raw.space;
    const variable = resolveVariable(raw, space, reporter, (name) => functions.take(name));
    const before = variables.get(variable.name);
    if (before !== undefined && !before.external && !variable.external) {
      reporter.report(diagnostics().duplicate(variable.span, variable.name, before.span));
    }
    if (before === undefined || before.external) variables.set(variable.name, variable);
  }
  return variables;
}

function checkInitializers(
  raws: readonly RawVariable[],
  variables: ReadonlyMap<string, Variable>,
  functions: FunctionAddresses,
  reporter: Reporter,
): void {
  for (const raw of raws) {
    for (const { value } of raw.values) {
      if (value.kind !== 'address') continue;
      const { text, span } = value.symbol;
      if (variables.has(text) || functions.has(text)) continue;
      const near = reporter.suggestion(text, () => nearest(text, variables.keys()));
      reporter.report(diagnostics().undefinedName(span, text, near));
    }
  }
}

function collectFunctions(
  raws: readonly RawFunction[],
  variables: ReadonlyMap<string, Variable>,
  reporter: Reporter,
): Map<string, RawFunction> {
  const functions = new Map<string, RawFunction>();
  for (const raw of raws) {
    const { text, span } = raw.name;
    const before = functions.get(text);
    const twice = before?.body !== undefined && raw.body !== undefined ? before.name.span : variables.get(text)?.span;
    if (twice !== undefined) reporter.report(diagnostics().duplicate(span, text, twice));
    if (before?.body === undefined) functions.set(text, raw);
  }
  return functions;
}

/** Resolves a module. If errors were reported, the result must not be used. */
export function resolveModule(parsed: RawModule, source: Source, reporter: Reporter): Module {
  const rules = new TargetRules(parsed);
  const objection = rules.checkPlatform();
  if (objection !== undefined) reporter.report(objection);
  const raw = stackPart.ifLoaded?.expandStack(parsed, source, rules, reporter) ?? parsed;
  const addresses = new FunctionAddresses(raw.functions);
  const variables = resolveVariables(raw.variables, addresses, reporter);
  const signatures = collectFunctions(raw.functions, variables, reporter);
  checkInitializers(raw.variables, variables, addresses, reporter);
  const entities = new Map(
    [...variables].map(([name, variable]): [string, Entity] => [name, { kind: 'variable', variable }]),
  );
  for (const { name, type } of raw.opaque) entities.set(name.text, { kind: 'opaque', type, span: name.span });
  const context: ModuleContext = {
    variables: entities,
    perThread: raw.perThread,
    addresses,
    functions: signatures,
    rules,
    reporter,
    typedBy: new Map(),
  };
  const functions = raw.functions.flatMap((each): PtxFunction[] =>
    each.body === undefined ? [] : [resolveFunction(each, context).function],
  );
  addresses.close();
  const inFunctions = functions.flatMap((each) => each.variables.filter(({ space }) => isStatic(space)));
  checkTotal([...variables.values(), ...inFunctions], reporter);
  const { version, target, addressSize } = raw;
  return {
    source,
    dialect: 'module',
    version: { major: version?.major ?? 0, minor: version?.minor ?? 0 },
    target: target?.name ?? '',
    addressSize,
    variables: [...variables.values()],
    functions,
    inputs: [],
    outputs: [],
  };
}

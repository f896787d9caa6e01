// Which device functions a kernel reaches, and which of them take the place of their calls.
import type { CallOperand, Module, PtxFunction, Span, Variable } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { findParamCopies, type ParamCopies } from './addressed-params.ts';
import { FunctionBody } from './function-body.ts';
import { findParamCells, type ParamTable } from './param-cells.ts';

/// Functions of fewer statements cost less in place of a call than the call does.
const minKeptStatements = 48;
/// Statements of a function with all that takes the place of its calls.
const maxInlinedStatements = 200_000;
const maxInlinedDepth = 2000;

export interface CallGraph {
  readonly module: Module;
  readonly kernel: FunctionBody;
  /// The functions that stay functions, callees before callers.
  readonly kept: readonly FunctionBody[];
  /// All that are reached.
  readonly bodies: readonly FunctionBody[];
  readonly params: ParamTable;
  /// Of the kernel's own parameters.
  readonly copies: ParamCopies;
  bodyOf(call: CallOperand): FunctionBody | undefined;
  isKept(body: FunctionBody): boolean;
  /// What building finds that the program needs.
  readonly found: Found;
}

export interface Found {
  /// Memory that no module declares.
  readonly variables: Set<Variable>;
  /// Where blocks wait for each other.
  gridBarrier: Span | undefined;
}

interface Site {
  readonly call: CallOperand;
  readonly span: Span;
}

const sitesOf = (body: FunctionBody): readonly Site[] =>
  body.blocks.flatMap(({ end }) =>
    end.kind === 'call' && end.call.service === undefined ? [{ call: end.call, span: end.span }] : [],
  );

/// Refuses recursion, functions without a body, and what would become too large.
export function findCalls(module: Module, entry: PtxFunction): CallGraph {
  const functions = new Map(module.functions.map((fn) => [fn.name, fn]));
  const found = new Map<string, FunctionBody>();
  const bodyOf = ({ callee }: CallOperand) => found.get(callee);
  const kernel = new FunctionBody(entry);
  const sites = new Map<FunctionBody, readonly Site[]>();
  const bodies = visitCallees(kernel, sites, ({ call, span }) => {
    const known = found.get(call.callee);
    if (known !== undefined) return known;
    const fn = functions.get(call.callee);
    if (fn === undefined) return refuse(compileDiagnostics.noBody(call.callee), span);
    const body = fn === entry ? kernel : new FunctionBody(fn);
    found.set(call.callee, body);
    return body;
  });
  const params = findParamCells(bodies, bodyOf);
  const keptSet = chooseKept(bodies, sites, bodyOf, params);
  return {
    module,
    kernel,
    bodies,
    params,
    copies: findParamCopies(kernel),
    bodyOf,
    kept: bodies.filter((body) => keptSet.has(body)),
    isKept: (body) => keptSet.has(body),
    found: { variables: new Set(), gridBarrier: undefined },
  };
}

/// Functions in an order in which callees come before callers.
function visitCallees(
  kernel: FunctionBody,
  sites: Map<FunctionBody, readonly Site[]>,
  calleeOf: (site: Site) => FunctionBody,
): FunctionBody[] {
  const order: FunctionBody[] = [];
  const open = new Set<FunctionBody>();
  const stack: { readonly body: FunctionBody; readonly calls: readonly Site[]; next: number }[] = [];
  const enter = (body: FunctionBody) => {
    const calls = sitesOf(body);
    sites.set(body, calls);
    open.add(body);
    stack.push({ body, calls, next: 0 });
  };
  enter(kernel);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const site = top.calls[top.next];
    top.next += 1;
    if (site === undefined) {
      open.delete(top.body);
      order.push(top.body);
      stack.pop();
      continue;
    }
    const callee = calleeOf(site);
    if (open.has(callee)) refuse(compileDiagnostics.recursion(callee.fn.name), site.span);
    if (!sites.has(callee)) enter(callee);
  }
  return order;
}

/// What a function comes to once callees are in place of their calls.
interface Size {
  statements: number;
  depth: number;
  /// It must take the place of its calls.
  mustInline: boolean;
}

function chooseKept(
  bodies: readonly FunctionBody[],
  sites: ReadonlyMap<FunctionBody, readonly Site[]>,
  bodyOf: (call: CallOperand) => FunctionBody | undefined,
  params: ParamTable,
): ReadonlySet<FunctionBody> {
  const repeated = calledOften(bodies, sites, bodyOf);
  const kept = new Set<FunctionBody>();
  const sizes = new Map<FunctionBody, Size>();
  for (const body of bodies) {
    const size: Size = {
      statements: body.statements,
      depth: 0,
      mustInline:
        body.fn.kind === 'entry' ||
        body.isCollective ||
        body.endsThreads ||
        body.fn.variables.some(({ space }) => space === 'local') ||
        [...(params.get(body)?.values() ?? [])].some(({ memory }) => memory !== undefined),
    };
    for (const { call, span } of sites.get(body) ?? []) {
      const callee = bodyOf(call);
      const inner = callee && sizes.get(callee);
      if (callee === undefined || inner === undefined || kept.has(callee)) continue;
      size.statements += inner.statements;
      size.depth = Math.max(size.depth, inner.depth + 1);
      size.mustInline ||= inner.mustInline;
      if (size.statements > maxInlinedStatements) {
        refuse(compileDiagnostics.inlinedTooLarge(call.callee, size.statements, maxInlinedStatements), span);
      }
      if (size.depth > maxInlinedDepth) refuse(compileDiagnostics.inlinedTooDeeply(call.callee, maxInlinedDepth), span);
    }
    sizes.set(body, size);
    if (!size.mustInline && size.statements >= minKeptStatements && repeated.has(body)) kept.add(body);
  }
  return kept;
}

/// Functions that several calls, or a function with several, lead to.
function calledOften(
  bodies: readonly FunctionBody[],
  sites: ReadonlyMap<FunctionBody, readonly Site[]>,
  bodyOf: (call: CallOperand) => FunctionBody | undefined,
): ReadonlySet<FunctionBody> {
  const once = new Set<FunctionBody>();
  const often = new Set<FunctionBody>();
  for (let index = bodies.length - 1; index >= 0; index--) {
    const body = bodies[index];
    if (body === undefined) continue;
    for (const { call } of sites.get(body) ?? []) {
      const callee = bodyOf(call);
      if (callee === undefined) continue;
      if (often.has(body) || once.has(callee)) often.add(callee);
      once.add(callee);
    }
  }
  return often;
}

// Finds the device functions that a kernel reaches, and determines which of them are inlined.
import { get } from '../../base/invariants.ts';
import type { CallOperand, Module, PtxFunction, Span, Variable } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { findParamCopies, type ParamCopies } from './addressed-params.ts';
import { FunctionBody } from './function-body.ts';
import { findParamCells, type ParamTable } from './param-cells.ts';

/**
 * The minimum number of statements of a function that is not inlined. Inlining a smaller function
 * costs less than a call.
 */
const minKeptStatements = 48;
/**
 * The same limit for a function that may end its thread. After a call of such a function, lanes may
 * have diverged, and the compiler knows less about their values.
 */
const minKeptEndingStatements = 1000;
/** The maximum number of statements of a function after inlining. */
const maxInlinedStatements = 200_000;
const maxInlinedDepth = 2000;

export interface CallGraph {
  readonly module: Module;
  readonly kernel: FunctionBody;
  /** The functions that are not inlined, callees before callers. */
  readonly kept: readonly FunctionBody[];
  /** All functions that are reached. */
  readonly bodies: readonly FunctionBody[];
  readonly params: ParamTable;
  /** The functions that a call may reach; a direct call has one. */
  calleesOf(call: CallOperand): readonly Callee[];
  /** The copies of the kernel's own parameters. */
  readonly copies: ParamCopies;
  isKept(body: FunctionBody): boolean;
  /**
   * Whether a function that is not inlined may end its thread. Its last result then shows whether
   * the thread ended.
   */
  mayEnd(body: FunctionBody): boolean;
  /**
   * Functions that may call themselves, directly or indirectly. Each has one copy, and its calls
   * use a stack.
   */
  readonly recursive: ReadonlySet<FunctionBody>;
  /** Requirements of the program that are found during its translation. */
  readonly found: Found;
}

export interface Found {
  /** Memory that is not declared by the module. */
  readonly variables: Set<Variable>;
  /** The first wait of a block for other blocks of the grid, if any. */
  gridBarrier: Span | undefined;
}

export interface Callee {
  readonly body: FunctionBody;
  /** The address for an indirect call; undefined for a direct call. */
  readonly address: number | undefined;
}

interface Site {
  readonly callee: string;
  readonly span: Span;
}

const namesOf = ({
  callee,
  service,
  indirect,
}: CallOperand): readonly { name: string; address: number | undefined }[] =>
  service !== undefined ? [] : indirect !== undefined ? indirect.candidates : [{ name: callee, address: undefined }];

const sitesOf = (body: FunctionBody): readonly Site[] =>
  body.blocks.flatMap(({ end }) =>
    end.kind === 'call' ? namesOf(end.call).map(({ name }) => ({ callee: name, span: end.span })) : [],
  );

/**
 * Finds the functions that a kernel reaches. Reports a diagnostic for functions without a body, and
 * for a program that would be too large. `inlined` contains the names of functions that must be
 * inlined.
 */
export function findCalls(module: Module, entry: PtxFunction, inlined: ReadonlySet<string>): CallGraph {
  const functions = new Map(module.functions.map((fn) => [fn.name, fn]));
  const found = new Map<string, FunctionBody>();
  const calleesOf = (call: CallOperand) =>
    namesOf(call).flatMap(({ name, address }): Callee[] => {
      const body = found.get(name);
      return body === undefined ? [] : [{ body, address }];
    });
  const kernel = new FunctionBody(entry);
  const sites = new Map<FunctionBody, readonly Site[]>();
  const bodies = visitCallees(kernel, sites, ({ callee, span }) => {
    const known = found.get(callee);
    if (known !== undefined) return known;
    const fn = functions.get(callee);
    if (fn === undefined) return refuse(compileDiagnostics.noBody(callee), span);
    const body = fn === entry ? kernel : new FunctionBody(fn);
    found.set(callee, body);
    return body;
  });
  const params = findParamCells(bodies, (call) => calleesOf(call).map(({ body }) => body));
  const recursive = findRecursive(bodies, sites, found);
  const kept = chooseKept(bodies, sites, found, recursive, inlined);
  return {
    module,
    kernel,
    bodies,
    params,
    calleesOf,
    copies: findParamCopies(kernel),
    kept: bodies.filter((body) => kept.has(body)),
    isKept: (body) => kept.has(body),
    mayEnd: (body) => get(kept, body, 'a kept function').endsThreads,
    recursive,
    found: { variables: new Set(), gridBarrier: undefined },
  };
}

/** Orders functions so that callees precede callers, except in cycles. */
function visitCallees(
  kernel: FunctionBody,
  sites: Map<FunctionBody, readonly Site[]>,
  calleeOf: (site: Site) => FunctionBody,
): FunctionBody[] {
  const order: FunctionBody[] = [];
  const stack: { readonly body: FunctionBody; readonly calls: readonly Site[]; next: number }[] = [];
  const enter = (body: FunctionBody) => {
    const calls = sitesOf(body);
    sites.set(body, calls);
    stack.push({ body, calls, next: 0 });
  };
  enter(kernel);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const site = top.calls[top.next];
    top.next += 1;
    if (site === undefined) {
      order.push(top.body);
      stack.pop();
      continue;
    }
    const callee = calleeOf(site);
    if (callee === kernel) refuse(compileDiagnostics.kernelCalled(callee.fn.name), site.span);
    if (!sites.has(callee)) enter(callee);
  }
  return order;
}

/**
 * Returns the functions on cycles of calls, including functions that call themselves. They are the
 * strongly connected components of the graph of calls (Tarjan 1972).
 */
function findRecursive(
  bodies: readonly FunctionBody[],
  sites: ReadonlyMap<FunctionBody, readonly Site[]>,
  found: ReadonlyMap<string, FunctionBody>,
): ReadonlySet<FunctionBody> {
  const recursive = new Set<FunctionBody>();
  const numbers = new Map<FunctionBody, number>();
  /** Visited functions that do not belong to a component yet. */
  const open: FunctionBody[] = [];
  const isOpen = new Set<FunctionBody>();
  interface Visit {
    readonly body: FunctionBody;
    readonly callees: readonly FunctionBody[];
    next: number;
    /** The least number of an open function that this function reaches. */
    low: number;
  }
  const visits: Visit[] = [];
  const enter = (body: FunctionBody) => {
    const callees = get(sites, body, 'the calls of a function').map(({ callee }) => get(found, callee, 'a function'));
    visits.push({ body, callees, next: 0, low: numbers.size });
    numbers.set(body, numbers.size);
    open.push(body);
    isOpen.add(body);
  };
  const leave = ({ body, callees, low }: Visit) => {
    const caller = visits.at(-1);
    if (caller) caller.low = Math.min(caller.low, low);
    if (low !== numbers.get(body)) return;
    const members = open.splice(open.lastIndexOf(body));
    for (const member of members) {
      isOpen.delete(member);
      if (members.length > 1 || callees.includes(body)) recursive.add(member);
    }
  };
  for (const body of bodies) {
    if (!numbers.has(body)) enter(body);
    for (let top = visits.at(-1); top !== undefined; top = visits.at(-1)) {
      const callee = top.callees[top.next];
      top.next += 1;
      if (callee === undefined) {
        visits.pop();
        leave(top);
      } else if (!numbers.has(callee)) enter(callee);
      else if (isOpen.has(callee)) top.low = Math.min(top.low, get(numbers, callee, 'the number of a function'));
    }
  }
  return recursive;
}

/** The size of a function after its callees are inlined. */
interface Size {
  statements: number;
  depth: number;
  /** Whether the function must be inlined. */
  mustInline: boolean;
  /** Whether the function or a callee may end its thread. */
  endsThreads: boolean;
}

function chooseKept(
  bodies: readonly FunctionBody[],
  sites: ReadonlyMap<FunctionBody, readonly Site[]>,
  found: ReadonlyMap<string, FunctionBody>,
  recursive: ReadonlySet<FunctionBody>,
  inlined: ReadonlySet<string>,
): ReadonlyMap<FunctionBody, Size> {
  const repeated = calledOften(bodies, sites, found);
  const kept = new Map<FunctionBody, Size>();
  const sizes = new Map<FunctionBody, Size>();
  for (const body of bodies) {
    const { fn, isCollective, mayWait } = body;
    const size: Size = {
      statements: body.statements,
      depth: 0,
      mustInline: fn.kind === 'entry' || recursive.has(body) || inlined.has(fn.name) || isCollective || mayWait,
      endsThreads: body.endsThreads,
    };
    for (const { callee: name, span } of get(sites, body, 'the calls of a function')) {
      const callee = found.get(name);
      const inner = callee && sizes.get(callee);
      if (callee !== undefined && recursive.has(callee)) {
        size.mustInline = true;
        continue;
      }
      if (callee === undefined || inner === undefined) continue;
      size.endsThreads ||= inner.endsThreads;
      if (kept.has(callee)) continue;
      size.statements += inner.statements;
      size.depth = Math.max(size.depth, inner.depth + 1);
      size.mustInline ||= inner.mustInline;
      if (size.statements > maxInlinedStatements) {
        refuse(compileDiagnostics.inlinedTooLarge(name, size.statements, maxInlinedStatements), span);
      }
      if (size.depth > maxInlinedDepth) refuse(compileDiagnostics.inlinedTooDeeply(name, maxInlinedDepth), span);
    }
    sizes.set(body, size);
    const least = size.endsThreads ? minKeptEndingStatements : minKeptStatements;
    if (!size.mustInline && size.statements >= least && (repeated.has(body) || body.fn.divisible === true))
      kept.set(body, size);
  }
  return kept;
}

/**
 * Returns the functions that have several calls, or that are reached through a function with
 * several calls.
 */
function calledOften(
  bodies: readonly FunctionBody[],
  sites: ReadonlyMap<FunctionBody, readonly Site[]>,
  found: ReadonlyMap<string, FunctionBody>,
): ReadonlySet<FunctionBody> {
  const once = new Set<FunctionBody>();
  const often = new Set<FunctionBody>();
  for (let index = bodies.length - 1; index >= 0; index--) {
    const body = bodies[index];
    if (body === undefined) continue;
    for (const { callee: name } of get(sites, body, 'the calls of a function')) {
      const callee = found.get(name);
      if (callee === undefined) continue;
      if (often.has(body) || once.has(callee)) often.add(callee);
      once.add(callee);
    }
  }
  return often;
}

// Expands the calls of a function into blocks. Each copy of a function has a frame of registers,
// and blocks that pass arguments in and results out. Each call of a function that is not inlined
// has its own block.
import { InternalError, missing } from '../../base/invariants.ts';
import type { ReportName, ServiceName } from '../../isa/index.ts';
import type { CallOperand, Register, Span } from '../../ptx/ast.ts';
import type { RegisterSets } from '../graph/index.ts';
import type { FaultKind } from '../ir/attributes.ts';
import type { Builder } from '../ir/builder.ts';
import { type Block, type Edge, type Terminator, undef } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import type { CallGraph } from './call-graph.ts';
import { areaOf, localsOf, type StackCall, type StackWork, savedBy } from './call-stack.ts';
import type { Frame, Passage } from './frames.ts';
import {
  type BodyBlock,
  type BodyEnd,
  type CallEnd,
  carryRegister,
  type FunctionBody,
  frameRegister,
  stackRegister,
} from './function-body.ts';
import { exposedByPassing, writtenByPassing } from './register-use.ts';

/** A call of a CUDA function without a body in the module, such as `vprintf`. */
export interface ServiceCall {
  readonly frame: Frame;
  readonly call: CallOperand;
  readonly service: ServiceName | ReportName;
  readonly span: Span;
  /** The block after the call; undefined for a function that never returns. */
  readonly next: Block | undefined;
}

/** The code that the translator builds in a block: a step of a function, or of a call. */
export type Work =
  /** Reads the function's parameters. */
  | { readonly kind: 'start'; readonly frame: Frame; readonly next: Block }
  | {
      readonly kind: 'body';
      readonly frame: Frame;
      readonly body: BodyBlock;
      /**
       * Maps block numbers of the body to blocks. `calls`: the block that executes the call at the
       * end of the body block.
       */
      readonly to: (number: number) => Block;
      readonly calls: Block | undefined;
    }
  /** Passes arguments to the callee, or results to the caller. */
  | { readonly kind: 'enter' | 'leave'; readonly passage: Passage; readonly next: Block }
  | ({ readonly kind: 'service' } & ServiceCall)
  /** Branches on whether the address is the address of a particular function. */
  | {
      readonly kind: 'choose';
      readonly frame: Frame;
      readonly address: Register;
      readonly bits: number;
      readonly then: Block;
      readonly otherwise: Block;
      readonly span: Span;
    }
  /** Reports a fault of a call, and traps. */
  | {
      readonly kind: 'fault';
      readonly frame: Frame;
      readonly fault: FaultKind;
      /** The value that is reported with the thread: a register or a number. */
      readonly value: Register | number;
      readonly span: Span;
    }
  | StackWork
  /** Calls a function that is not inlined. */
  | {
      readonly kind: 'call';
      readonly frame: Frame;
      readonly call: CallOperand;
      readonly callee: FunctionBody;
      readonly span: Span;
      readonly next: Block;
      /** If the callee may end the thread: the block that ends it. */
      readonly ended: Block | undefined;
    }
  /** Ends the thread. */
  | { readonly kind: 'exit'; readonly span: Span };

export interface Expansion {
  readonly entry: Block;
  /** The work of each block in the order of creation; the entry is first. */
  readonly work: ReadonlyMap<Block, Work>;
  /** The types of all frames' registers. */
  readonly types: readonly Type[];
  readonly hints: readonly string[];
  /** The registers that hold the carry flag CC.CF. */
  readonly carries: ReadonlySet<number>;
}

export function expandCalls(b: Builder, graph: CallGraph, root: FunctionBody): Expansion {
  const work = new Map<Block, Work>();
  const types: Type[] = [];
  const hints: string[] = [];
  const carries = new Set<number>();
  const pending: { readonly frame: Frame; readonly blocks: readonly Block[] }[] = [];
  const addFrame = (body: FunctionBody, returnTo: Block | undefined): { frame: Frame; first: Block } => {
    const frame: Frame = { body, base: types.length, returnTo };
    for (const type of body.types) types.push(type);
    for (const hint of body.hints) hints.push(hint);
    carries.add(frame.base + carryRegister);
    const blocks = body.blocks.map(() => b.block());
    pending.push({ frame, blocks });
    const [first] = blocks;
    if (first === undefined) throw new InternalError(`${body.fn.name} has no blocks`);
    return { frame, first };
  };
  const add = (item: Work, way: Outline): Block => {
    const block = b.block();
    work.set(block, item);
    setEnd(block, way);
    return block;
  };
  /** Returns the block at which a call begins. */
  const callBlock = (own: Frame, end: CallEnd, to: (number: number) => Block): Block => {
    const { call, span } = end;
    const next = end.next === undefined ? undefined : to(end.next);
    if (call.service !== undefined) {
      const item = { kind: 'service', frame: own, call, service: call.service, span, next } as const;
      return add(item, next === undefined ? { kind: 'end' } : { kind: 'jump', to: next });
    }
    if (next === undefined) throw new InternalError(`${call.callee} does not return`);
    const callees = graph.calleesOf(call);
    if (call.indirect === undefined) {
      const [callee] = callees;
      if (callee === undefined) throw new InternalError(`unknown function ${call.callee}`);
      return calleeBlock(own, end, callee.body, next);
    }
    // Builds the comparisons in reverse order, because each one names the next as its `otherwise`
    // block.
    const { address } = call.indirect;
    let otherwise = add({ kind: 'fault', frame: own, fault: 'bad-call', value: address, span }, { kind: 'end' });
    for (const { body, address: bits = missing('the address of a function', body.fn) } of [...callees].reverse()) {
      const then = calleeBlock(own, end, body, next);
      const item: Work = { kind: 'choose', frame: own, address, bits, then, otherwise, span };
      otherwise = add(item, { kind: 'fork', to: [then, otherwise] });
    }
    return otherwise;
  };
  /** The single copy of each recursive function, with its return block and call sites. */
  const copies = new Map<FunctionBody, { frame: Frame; first: Block; back: Block; sites: Block[] }>();
  const copyOf = (callee: FunctionBody) => {
    const known = copies.get(callee);
    if (known !== undefined) return known;
    const back = b.block();
    const made = { ...addFrame(callee, back), back, sites: [] };
    copies.set(callee, made);
    work.set(back, { kind: 'back', passage: { callee: made.frame }, sites: made.sites });
    return made;
  };
  const stackBlock = (own: Frame, end: CallEnd, callee: FunctionBody, next: Block): Block => {
    const { call: operand, span } = end;
    const { frame: inner, first: start, sites } = copyOf(callee);
    const saved = savedBy(graph, own.body, end);
    const passage: Passage = { call: operand, span, caller: own, callee: inner };
    const locals = localsOf(graph, callee).bytes;
    const call: StackCall = { passage, site: sites.length, saved, area: areaOf(saved), locals };
    sites.push(add({ kind: 'pop', call, next }, { kind: 'jump', to: next }));
    const then = add({ kind: 'push', call, next: start }, { kind: 'jump', to: start });
    const value = call.area + locals;
    const otherwise = add({ kind: 'fault', frame: own, fault: 'deep-call', value, span }, { kind: 'end' });
    return add({ kind: 'check', call, then, otherwise }, { kind: 'fork', to: [then, otherwise] });
  };
  const calleeBlock = (own: Frame, end: CallEnd, callee: FunctionBody, next: Block): Block => {
    if (graph.recursive.has(callee)) return stackBlock(own, end, callee, next);
    const { call, span } = end;
    if (graph.isKept(callee)) {
      const ended = graph.mayEnd(callee) ? add({ kind: 'exit', span }, { kind: 'end' }) : undefined;
      const way: Outline = ended === undefined ? { kind: 'jump', to: next } : { kind: 'fork', to: [ended, next] };
      return add({ kind: 'call', frame: own, call, callee, span, next, ended }, way);
    }
    const leaves = b.block();
    const { frame: inner, first: start } = addFrame(callee, leaves);
    const passage: Passage = { call, span, caller: own, callee: inner };
    work.set(leaves, { kind: 'leave', passage, next });
    setEnd(leaves, { kind: 'jump', to: next });
    return add({ kind: 'enter', passage, next: start }, { kind: 'jump', to: start });
  };
  const entry = b.block();
  const { frame, first } = addFrame(root, undefined);
  work.set(entry, { kind: 'start', frame, next: first });
  setEnd(entry, { kind: 'jump', to: first });

  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { frame: own, blocks } = next;
    const to = (number: number): Block => {
      const block = blocks[number];
      if (block === undefined) throw new InternalError(`no block ${number} in ${own.body.fn.name}`);
      return block;
    };
    own.body.blocks.forEach((bodyBlock, number) => {
      const block = to(number);
      const { end } = bodyBlock;
      const calls = end.kind === 'call' ? callBlock(own, end, to) : undefined;
      work.set(block, { kind: 'body', frame: own, body: bodyBlock, to, calls });
      setEnd(block, calls ? { kind: 'jump', to: calls } : outline(end, to, own));
    });
  }
  for (const { back, sites } of copies.values()) setEnd(back, { kind: 'fork', to: sites });
  return { entry, work, types, hints, carries };
}

/** A terminator without values, for the structure of the graph. */
type Outline =
  | { readonly kind: 'jump'; readonly to: Block }
  | { readonly kind: 'fork'; readonly to: readonly Block[] }
  | { readonly kind: 'end' };

function outline(end: BodyEnd, to: (number: number) => Block, frame: Frame): Outline {
  switch (end.kind) {
    case 'jump':
      return { kind: 'jump', to: to(end.to) };
    case 'branch':
      return { kind: 'fork', to: [to(end.then), to(end.else)] };
    case 'switch':
      return { kind: 'fork', to: end.targets.map(to) };
    case 'return':
      return frame.returnTo ? { kind: 'jump', to: frame.returnTo } : { kind: 'end' };
    default:
      return { kind: 'end' };
  }
}

const edge = (to: Block): Edge => ({ to, args: [] });

/** Sets a provisional terminator with the final edges; its values are added later. */
function setEnd(block: Block, way: Outline): void {
  const end: Terminator =
    way.kind === 'jump'
      ? { kind: 'jump', to: edge(way.to), span: undefined }
      : way.kind === 'fork'
        ? { kind: 'switch', selector: undef('i32'), edges: way.to.map(edge), span: undefined }
        : { kind: 'exit', span: undefined };
  block.end = end;
}

export function registerSets(graph: CallGraph, work: Work): RegisterSets {
  const usesStack = graph.recursive.size > 0;
  const of = ({ base }: Frame, locals: readonly number[]): readonly number[] => locals.map((local) => base + local);
  /**
   * Returns the frame register if the function is recursive, and otherwise nothing. Each call of a
   * recursive function keeps its variables in its own part of the stack.
   */
  const own = (frame: Frame): readonly number[] =>
    graph.recursive.has(frame.body) ? [frame.base + frameRegister] : [];
  const stackOf = (frame: Frame): readonly number[] => (usesStack ? [frame.base + stackRegister] : []);
  const sets = (exposed: readonly number[], defined: readonly number[]): RegisterSets => ({
    exposed,
    exposedBase: 0,
    defined,
    definedBase: 0,
  });
  switch (work.kind) {
    case 'body': {
      const { base, body } = work.frame;
      const exposed = graph.recursive.has(body) ? [...work.body.exposed, frameRegister] : work.body.exposed;
      return { exposed, exposedBase: base, defined: work.body.defined, definedBase: base };
    }
    case 'start': {
      const { body } = work.frame;
      const params = body.fn.kind === 'func' ? writtenByPassing(graph, body, body.fn.params) : [];
      return sets([], [...of(work.frame, params), ...stackOf(work.frame)]);
    }
    case 'enter': {
      const { call, caller, callee } = work.passage;
      const given = of(caller, exposedByPassing(graph, caller.body, call.args));
      const taken = of(callee, writtenByPassing(graph, callee.body, callee.body.fn.params));
      return sets([...given, ...stackOf(caller), ...own(caller)], [...taken, ...stackOf(callee)]);
    }
    case 'leave': {
      const { call, caller, callee } = work.passage;
      const given = of(callee, exposedByPassing(graph, callee.body, callee.body.fn.results));
      return sets([...given, ...own(caller)], of(caller, writtenByPassing(graph, caller.body, call.results)));
    }
    case 'check':
      return sets(stackOf(work.call.passage.caller), []);
    case 'push': {
      const { passage, saved } = work.call;
      const { call, caller, callee } = passage;
      const given = of(caller, exposedByPassing(graph, caller.body, call.args));
      const kept = of(caller, saved.map(({ register }) => register)); // biome-ignore format: one line
      const taken = of(callee, writtenByPassing(graph, callee.body, callee.body.fn.params));
      const exposed = new Set([...given, ...kept, ...stackOf(caller), ...own(caller)]);
      return sets([...exposed], [...new Set([...taken, ...stackOf(callee), ...own(callee)])]);
    }
    case 'pop': {
      const { passage, saved } = work.call;
      const { call, caller, callee } = passage;
      const given = of(callee, exposedByPassing(graph, callee.body, callee.body.fn.results));
      const kept = of(caller, saved.map(({ register }) => register)); // biome-ignore format: one line
      const taken = of(caller, writtenByPassing(graph, caller.body, call.results));
      return sets([...given, ...own(callee)], [...new Set([...kept, ...taken])]);
    }
    case 'back':
      return sets(own(work.passage.callee), []);
    case 'choose':
      return sets([work.frame.base + work.frame.body.numberOf(work.address)], []);
    case 'fault': {
      const { frame, value } = work;
      return sets(typeof value === 'number' ? [] : [frame.base + frame.body.numberOf(value)], []);
    }
    case 'exit':
      return sets([], []);
    case 'call':
    case 'service': {
      const { frame, call } = work;
      const given = of(frame, exposedByPassing(graph, frame.body, call.args));
      return sets([...given, ...own(frame)], of(frame, writtenByPassing(graph, frame.body, call.results)));
    }
  }
}

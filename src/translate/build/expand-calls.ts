// The blocks of a function with its calls expanded: a frame of registers for each copy of a function, and blocks that pass arguments in and
// results out. Functions that stay functions are called by a block of their own.
import type { ServiceName } from '../../isa/index.ts';
import type { CallOperand, Register, Span } from '../../ptx/ast.ts';
import type { FaultKind } from '../ir/attributes.ts';
import type { Builder } from '../ir/builder.ts';
import { type Block, type Edge, type Terminator, undef } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import type { CallGraph } from './call-graph.ts';
import { type BodyBlock, type BodyEnd, type CallEnd, carryRegister, type FunctionBody } from './function-body.ts';
import { exposedByPassing, writtenByPassing } from './register-use.ts';

/// One copy of a function: its registers are those of the body from `base` on.
export interface Frame {
  readonly body: FunctionBody;
  readonly base: number;
  /// Where its `ret` goes; undefined in the function that is built.
  readonly returnTo: Block | undefined;
}

/// A call as one of its blocks does it.
export interface Passage {
  readonly call: CallOperand;
  readonly span: Span;
  readonly caller: Frame;
  readonly callee: Frame;
}

/// A call of a function of the run-time.
export interface ServiceCall {
  readonly frame: Frame;
  readonly call: CallOperand;
  readonly service: ServiceName;
  readonly span: Span;
  /// Nothing behind one that never returns.
  readonly next: Block | undefined;
}

/// What a block does.
export type Work =
  /// Takes the function's parameters.
  | { readonly kind: 'start'; readonly frame: Frame; readonly next: Block }
  | {
      readonly kind: 'body';
      readonly frame: Frame;
      readonly body: BodyBlock;
      /// Blocks of the body by number, and what does the call at its end.
      readonly to: (number: number) => Block;
      readonly calls: Block | undefined;
    }
  /// Gives the callee its arguments, or the caller its results.
  | { readonly kind: 'enter' | 'leave'; readonly passage: Passage; readonly next: Block }
  | ({ readonly kind: 'service' } & ServiceCall)
  /// Goes one way where the address is a function's, and another where it is not.
  | {
      readonly kind: 'choose';
      readonly frame: Frame;
      readonly address: Register;
      readonly bits: number;
      readonly then: Block;
      readonly otherwise: Block;
      readonly span: Span;
    }
  /// Says what went wrong with a call, and traps.
  | {
      readonly kind: 'fault';
      readonly frame: Frame;
      readonly fault: FaultKind;
      readonly value: Register;
      readonly span: Span;
    }
  /// Calls a function that stays one.
  | {
      readonly kind: 'call';
      readonly frame: Frame;
      readonly call: CallOperand;
      readonly callee: FunctionBody;
      readonly span: Span;
      readonly next: Block;
    };

export interface Expansion {
  readonly entry: Block;
  /// In the order of making; the entry first.
  readonly work: ReadonlyMap<Block, Work>;
  /// Of all frames' registers.
  readonly types: readonly Type[];
  readonly hints: readonly string[];
  /// Registers that hold CC.CF.
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
    if (first === undefined) throw new Error(`${body.fn.name} has no blocks`);
    return { frame, first };
  };
  const add = (item: Work, way: Outline): Block => {
    const block = b.block();
    work.set(block, item);
    setEnd(block, way);
    return block;
  };
  /// Where a call begins.
  const callBlock = (own: Frame, end: CallEnd, to: (number: number) => Block): Block => {
    const { call, span } = end;
    const next = end.next === undefined ? undefined : to(end.next);
    if (call.service !== undefined) {
      const item = { kind: 'service', frame: own, call, service: call.service, span, next } as const;
      return add(item, next === undefined ? { kind: 'end' } : { kind: 'jump', to: next });
    }
    if (next === undefined) throw new Error(`${call.callee} does not return`);
    const callees = graph.calleesOf(call);
    if (call.indirect === undefined) {
      const [callee] = callees;
      if (callee === undefined) throw new Error(`no function ${call.callee}`);
      return calleeBlock(own, call, span, callee.body, next);
    }
    // The last comparison is the first that is made here.
    const { address } = call.indirect;
    let otherwise = add({ kind: 'fault', frame: own, fault: 'bad-call', value: address, span }, { kind: 'end' });
    for (const { body, address: bits } of [...callees].reverse()) {
      const then = calleeBlock(own, call, span, body, next);
      const item: Work = { kind: 'choose', frame: own, address, bits: bits ?? 0, then, otherwise, span };
      otherwise = add(item, { kind: 'fork', to: [then, otherwise] });
    }
    return otherwise;
  };
  const calleeBlock = (own: Frame, call: CallOperand, span: Span, callee: FunctionBody, next: Block): Block => {
    if (graph.isKept(callee)) {
      return add({ kind: 'call', frame: own, call, callee, span, next }, { kind: 'jump', to: next });
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
      if (block === undefined) throw new Error(`no block ${number} in ${own.body.fn.name}`);
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
  return { entry, work, types, hints, carries };
}

/// Ways on without values: what the graph is made of.
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

/// A terminator that leads where the block will lead; its values come later.
function setEnd(block: Block, way: Outline): void {
  const end: Terminator =
    way.kind === 'jump'
      ? { kind: 'jump', to: edge(way.to), span: undefined }
      : way.kind === 'fork'
        ? { kind: 'switch', selector: undef('i32'), edges: way.to.map(edge), span: undefined }
        : { kind: 'exit', span: undefined };
  block.end = end;
}

/// Registers that a block reads before it writes them, and those that it writes, each numbered from a base on.
export interface RegisterSets {
  readonly exposed: readonly number[];
  readonly exposedBase: number;
  readonly defined: readonly number[];
  readonly definedBase: number;
}

export function registerSets(graph: CallGraph, work: Work): RegisterSets {
  switch (work.kind) {
    case 'body': {
      const { base } = work.frame;
      return { exposed: work.body.exposed, exposedBase: base, defined: work.body.defined, definedBase: base };
    }
    case 'start': {
      const { body, base } = work.frame;
      const defined = body.fn.kind === 'func' ? writtenByPassing(graph, body, body.fn.params) : [];
      return { exposed: [], exposedBase: base, defined, definedBase: base };
    }
    case 'enter': {
      const { call, caller, callee } = work.passage;
      return {
        exposed: exposedByPassing(graph, caller.body, call.args),
        exposedBase: caller.base,
        defined: writtenByPassing(graph, callee.body, callee.body.fn.params),
        definedBase: callee.base,
      };
    }
    case 'leave': {
      const { call, caller, callee } = work.passage;
      return {
        exposed: exposedByPassing(graph, callee.body, callee.body.fn.results),
        exposedBase: callee.base,
        defined: writtenByPassing(graph, caller.body, call.results),
        definedBase: caller.base,
      };
    }
    case 'choose':
    case 'fault': {
      const { frame } = work;
      const register = work.kind === 'choose' ? work.address : work.value;
      const exposed = [frame.body.numberOf(register)];
      return { exposed, exposedBase: frame.base, defined: [], definedBase: frame.base };
    }
    case 'call':
    case 'service': {
      const { frame, call } = work;
      return {
        exposed: exposedByPassing(graph, frame.body, call.args),
        exposedBase: frame.base,
        defined: writtenByPassing(graph, frame.body, call.results),
        definedBase: frame.base,
      };
    }
  }
}

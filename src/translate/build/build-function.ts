// Builds one kernel or kept device function: visits its blocks in the order of the dominator tree,
// with the register values at the start of each.

import { at, get, InternalError, missing } from '../../base/invariants.ts';
import { allOf } from '../../base/maps.ts';
import type { Span } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { dominatorsOf, flowGraph, placeParams } from '../graph/index.ts';
import type { Builder } from '../ir/builder.ts';
import { type Block, constant, type Edge, type Func, type Param, type Terminator, type Value } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import { copyParams } from './addressed-params.ts';
import type { CallGraph } from './call-graph.ts';
import { expandCalls, registerSets, type Work } from './expand-calls.ts';
import type { Frame } from './frames.ts';
import { type BodyEnd, type FunctionBody, frameRegister, stackRegister } from './function-body.ts';
import type { LaunchShape } from './launch-shape.ts';
import { callPart } from './parts.ts';
import { type Passed, passedPlaces, readPassed, writePassed } from './pass-values.ts';
import { Registers } from './registers.ts';
import { buildOf } from './row-plan.ts';

/**
 * Returns the types of a function's results. A function that may end its thread has one more
 * result, which shows whether the thread ended.
 */
const resultTypes = (graph: CallGraph, body: FunctionBody): readonly Type[] => [
  ...passedPlaces(graph, body, 'results').flatMap((places) => places.map(({ type }) => type)),
  ...(graph.mayEnd(body) ? (['i1'] as const) : []),
];

export function buildFunction(b: Builder, graph: CallGraph, body: FunctionBody, launch: LaunchShape): Func {
  const expansion = expandCalls(b, graph, body);
  const isKernel = body.fn.kind === 'entry';
  const func: Func = {
    name: body.fn.name,
    kind: isKernel ? 'kernel' : 'function',
    results: isKernel ? [] : resultTypes(graph, body),
    blocks: [expansion.entry],
  };
  const flow = flowGraph(func);
  func.blocks = [...flow.blocks];
  const dominators = dominatorsOf(flow);
  const workOf = (block: Block): Work => {
    return get(expansion.work, block, 'the work of a block');
  };
  const sets = flow.blocks.map((block) => registerSets(graph, workOf(block)));
  const placed = placeParams(flow, dominators, sets, expansion.types.length);
  const start = workOf(expansion.entry);
  if (start.kind !== 'start') throw new InternalError('a function must begin with its start block');
  const registers = new Registers(b, graph, launch, expansion, start.frame);
  const registersOfBlock = new Map<Block, readonly number[]>();
  flow.blocks.forEach((block, number) => {
    const list = at(placed, number, 'the parameters of a block');
    if (list.length === 0) return;
    registersOfBlock.set(block, list);
    block.params = list.map(
      (register): Param => ({
        kind: 'param',
        id: b.ids.next(),
        type: registers.typeOfRegister(register),
        hint: registers.hintOf(register),
        block,
      }),
    );
  });
  const edgeTo = (to: Block): Edge => ({
    to,
    args: allOf(registersOfBlock, to).map((register) => registers.valueOf(register)),
  });
  const ends = new Ends(b, registers, edgeTo, graph);

  // The stack contains a block's number before its visit, and the complement of the number until
  // all of its descendants are done.
  const stack: number[] = [0];
  const marks: number[] = [];
  for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
    if (number < 0) {
      registers.restore(marks.pop() ?? missing('the mark of a block', ~number));
      continue;
    }
    const block = flow.blocks[number];
    if (block === undefined) continue;
    marks.push(registers.mark());
    stack.push(~number);
    const children = at(dominators.children, number, 'the children of a block');
    for (let index = children.length - 1; index >= 0; index--) stack.push(at(children, index, 'a child'));
    b.into(block.insts);
    b.span = undefined;
    at(placed, number, 'the parameters of a block').forEach((register, index) => {
      registers.set(register, at(block.params, index, 'a parameter of a block'));
    });
    block.end = fillBlock(registers, ends, workOf(block), block);
  }
  return func;
}

/** Adds a block's instructions, according to the block's work. Returns the terminator. */
function fillBlock(registers: Registers, ends: Ends, work: Work, block: Block): Terminator {
  switch (work.kind) {
    case 'start':
      takeParams(registers, work.frame, block);
      registers.frame = work.frame;
      if (registers.graph.recursive.size > 0) registers.writeOwn(stackRegister, registers.b.i32(0));
      if (work.frame.body === registers.graph.kernel)
        copyParams(registers.b, registers.graph.copies, work.frame.body.fn);
      return ends.jump(work.next, undefined);
    case 'body': {
      registers.frame = work.frame;
      buildCode(registers, work);
      return work.calls ? ends.jump(work.calls, work.body.end.span) : ends.of(work.body.end, work.frame, work.to);
    }
    case 'enter': {
      const { call, span, caller, callee } = work.passage;
      registers.b.span = span;
      pass(registers, caller, call.args, callee, callee.body.fn.params, callee);
      if (registers.graph.recursive.size > 0) {
        registers.frame = caller;
        const end = registers.readOwn(stackRegister);
        registers.frame = callee;
        registers.writeOwn(stackRegister, end);
      }
      return ends.jump(work.next, span);
    }
    case 'leave': {
      const { call, span, caller, callee } = work.passage;
      registers.b.span = span;
      pass(registers, callee, callee.body.fn.results, caller, call.results, callee);
      return ends.jump(work.next, span);
    }
    case 'check': {
      registers.b.span = work.call.passage.span;
      return ends.branch(
        callPart.content.hasRoom(registers, work.call),
        work.then,
        work.otherwise,
        work.call.passage.span,
      );
    }
    case 'push': {
      const { call, span, caller, callee } = work.call.passage;
      registers.b.span = span;
      pass(registers, caller, call.args, callee, callee.body.fn.params, callee, () =>
        callPart.content.push(registers, work.call),
      );
      return ends.jump(work.next, span);
    }
    case 'pop': {
      const { call, span, caller, callee } = work.call.passage;
      registers.b.span = span;
      registers.frame = callee;
      const frame = registers.readOwn(frameRegister);
      const given = callee.body.fn.results;
      pass(registers, callee, given, caller, call.results, callee, () =>
        callPart.content.pop(registers, work.call, frame),
      );
      return ends.jump(work.next, span);
    }
    case 'back':
      registers.frame = work.passage.callee;
      return ends.toSite(callPart.content.siteOf(registers), work.sites);
    case 'choose': {
      registers.b.span = work.span;
      registers.frame = work.frame;
      const address = registers.readRegister(work.address);
      const condition = registers.b.icmp('eq', address, constant(address.type, work.bits));
      return ends.branch(condition, work.then, work.otherwise, work.span);
    }
    case 'fault':
      callPart.content.buildFault(registers, work);
      return { kind: 'trap', span: work.span };
    case 'service':
      callPart.content.buildService(registers, work);
      return work.next ? ends.jump(work.next, work.span) : { kind: 'trap', span: work.span };
    case 'call': {
      const ended = buildCall(registers, work);
      return work.ended && ended
        ? ends.branch(ended, work.ended, work.next, work.span)
        : ends.jump(work.next, work.span);
    }
    case 'exit':
      return { kind: 'exit', span: work.span };
  }
}

function buildCode(registers: Registers, { body }: Extract<Work, { kind: 'body' }>): void {
  const { b } = registers;
  for (const instruction of body.code) {
    const { guard, span } = instruction;
    b.span = span;
    let condition: Value | undefined;
    if (guard !== undefined) {
      const value = registers.readRegister(guard.register);
      condition = guard.negated ? b.not(value) : value;
    }
    registers.begin(condition);
    buildOf(instruction)(registers, instruction);
    registers.end();
  }
}

/**
 * Passes the values that one frame names to another frame's names. `callee` determines their
 * pieces.
 */
function pass(
  registers: Registers,
  from: Frame,
  given: readonly Passed[],
  to: Frame,
  taken: readonly Passed[],
  callee: Frame,
  between: () => void = () => {},
): void {
  const which = callee === to ? 'params' : 'results';
  const places = passedPlaces(registers.graph, callee.body, which);
  // Reads all values before it writes any.
  registers.frame = from;
  const values = given.map((item, index) =>
    readPassed(registers, item, at(places, index, 'the parts of a passed value')),
  );
  between();
  registers.frame = to;
  taken.forEach((item, index) => {
    writePassed(
      registers,
      item,
      at(places, index, 'the parts of a passed value'),
      at(values, index, 'the values of the parts'),
    );
  });
}

/** Writes the parameters of the first block to the registers of the function's parameters. */
function takeParams(registers: Registers, frame: Frame, block: Block): void {
  if (frame.body.fn.kind !== 'func') return;
  registers.frame = frame;
  const places = passedPlaces(registers.graph, frame.body, 'params');
  frame.body.fn.params.forEach((item, index) => {
    const own = at(places, index, 'the parts of a passed value');
    const params = own.map(
      ({ type }): Param => ({ kind: 'param', id: registers.b.ids.next(), type, hint: item.name, block }),
    );
    block.params = [...block.params, ...params];
    writePassed(registers, item, own, params);
  });
}

/** Builds a call of a kept function, and writes its results. Returns the last result. */
function buildCall(
  registers: Registers,
  { frame, call, callee, span }: Extract<Work, { kind: 'call' }>,
): Value | undefined {
  const { b, graph } = registers;
  b.span = span;
  registers.frame = frame;
  const paramPlaces = passedPlaces(graph, callee, 'params');
  const args = call.args.flatMap((item, index) =>
    readPassed(registers, item, at(paramPlaces, index, 'the parts of a passed value')),
  );
  const places = passedPlaces(graph, callee, 'results');
  const { name, divisible } = callee.fn;
  const own = { callee: name, results: resultTypes(graph, callee), ...(divisible ? { divisible } : {}) };
  const values = b.emit('call', own, args);
  let taken = 0;
  call.results.forEach((item, index) => {
    const own = at(places, index, 'the parts of a passed value');
    writePassed(registers, item, own, values.slice(taken, taken + own.length));
    taken += own.length;
  });
  return values.at(-1);
}

/** Creates the terminators for the ends of body blocks. */
class Ends {
  private readonly b: Builder;
  private readonly registers: Registers;
  private readonly edgeTo: (to: Block) => Edge;
  private readonly graph: CallGraph;

  constructor(b: Builder, registers: Registers, edgeTo: (to: Block) => Edge, graph: CallGraph) {
    this.b = b;
    this.registers = registers;
    this.edgeTo = edgeTo;
    this.graph = graph;
  }

  jump(to: Block, span: Span | undefined): Terminator {
    return { kind: 'jump', to: this.edgeTo(to), span };
  }

  branch(condition: Value, then: Block, otherwise: Block, span: Span): Terminator {
    return { kind: 'branch', condition, then: this.edgeTo(then), else: this.edgeTo(otherwise), span };
  }

  toSite(selector: Value, sites: readonly Block[]): Terminator {
    const [only] = sites;
    if (sites.length === 1 && only) return this.jump(only, undefined);
    return { kind: 'switch', selector, edges: sites.map((site) => this.edgeTo(site)), span: undefined };
  }

  of(end: BodyEnd, frame: Frame, to: (number: number) => Block): Terminator {
    const { registers } = this;
    switch (end.kind) {
      case 'jump':
        return this.jump(to(end.to), end.span);
      case 'branch': {
        const condition = registers.readRegister(end.guard.register);
        const [then, otherwise] = end.guard.negated ? [end.else, end.then] : [end.then, end.else];
        if (then === otherwise) return this.jump(to(then), end.span);
        return {
          kind: 'branch',
          condition,
          then: this.edgeTo(to(then)),
          else: this.edgeTo(to(otherwise)),
          span: end.span,
        };
      }
      case 'switch':
        return this.switch(end, to);
      case 'call':
        throw new InternalError('a call must have its own block');
      case 'return':
        return this.return(end.span, frame);
      default:
        return { kind: end.kind, span: end.span };
    }
  }

  private switch(
    { selector, targets, span }: Extract<BodyEnd, { kind: 'switch' }>,
    to: (number: number) => Block,
  ): Terminator {
    const [first] = targets;
    if (first === undefined) return refuse(compileDiagnostics.notSupported('a branch without targets'), span);
    this.b.span = span;
    if (targets.every((target) => target === first)) return this.jump(to(first), span);
    return {
      kind: 'switch',
      selector: this.registers.read(selector, 'i32'),
      edges: targets.map((target) => this.edgeTo(to(target))),
      span,
    };
  }

  private return(span: Span | undefined, frame: Frame): Terminator {
    if (frame.returnTo !== undefined) return this.jump(frame.returnTo, span);
    const { fn } = frame.body;
    if (fn.kind === 'entry') return { kind: 'exit', span };
    const places = passedPlaces(this.graph, frame.body, 'results');
    const values = fn.results.flatMap((item, index) =>
      readPassed(this.registers, item, at(places, index, 'the parts of a passed value')),
    );
    return { kind: 'return', values: this.graph.mayEnd(frame.body) ? [...values, constant('i1', 0)] : values, span };
  }
}

// Splits a function's statements into basic blocks. Guarded control flow becomes branches, and a
// call ends its block.
import { at, InternalError } from '../../base/invariants.ts';
import { type Effects, effectsOf, type Flow } from '../../isa/row.ts';
import { isAsyncRow } from '../../isa/row-names.ts';
import { builtInFunction } from '../../isa/services.ts';
import type {
  CallOperand,
  Diagnostic,
  Guard,
  Instruction,
  Operand,
  PtxFunction,
  Register,
  Span,
} from '../../ptx/ast.ts';
import { CompileError } from '../diagnostics.ts';
import type { Type } from '../ir/types.ts';
import { bulkPart } from './bulk-part.ts';
import { typeOf } from './types.ts';

export type BodyEnd =
  | { readonly kind: 'jump'; readonly to: number; readonly span: Span | undefined }
  | {
      readonly kind: 'branch';
      readonly guard: Guard;
      readonly then: number;
      readonly else: number;
      readonly span: Span;
    }
  | { readonly kind: 'switch'; readonly selector: Operand; readonly targets: readonly number[]; readonly span: Span }
  /**
   * The terminator of a block that ends at a call. `next` is undefined if the callee never returns.
   */
  | { readonly kind: 'call'; readonly call: CallOperand; readonly next: number | undefined; readonly span: Span }
  | { readonly kind: 'return' | 'exit' | 'trap'; readonly span: Span | undefined };

export type CallEnd = Extract<BodyEnd, { readonly kind: 'call' }>;

export interface BodyBlock {
  code: Instruction[];
  end: BodyEnd;
  /**
   * The registers that the block reads before it writes them, and those that it writes, by number.
   */
  exposed: readonly number[];
  defined: readonly number[];
}

/** The number of the register for the carry flag CC.CF, an i1. */
export const carryRegister = 0;
/**
 * In programs with recursion: the end of the lane's stack, and the start of the function's own
 * part; both are i32.
 */
export const stackRegister = 1;
export const frameRegister = 2;

/**
 * The facts about a function that do not depend on its callers. Its registers are numbered from 0;
 * the first ones are not PTX registers.
 */
export class FunctionBody {
  readonly fn: PtxFunction;
  /** The reachable blocks. */
  readonly blocks: readonly BodyBlock[];
  readonly types: Type[] = ['i1', 'i32', 'i32'];
  readonly hints: string[] = ['cc', 'stack', 'frame'];
  /** The number of reachable statements, including calls. */
  readonly statements: number;
  /**
   * Whether the function contains collectives, or waits for other threads. `endsThreads`: whether
   * it ends threads itself.
   */
  readonly isCollective: boolean;
  readonly endsThreads: boolean;
  /** Whether a loop in the function may wait for other threads. Only kernels contain yields. */
  readonly mayWait: boolean;
  private readonly numbers = new Map<Register, number>();
  private readonly byName = new Map<string, number>();

  /** Throws the diagnostic of the first reachable instruction that is not supported. */
  constructor(fn: PtxFunction) {
    this.fn = fn;
    const isAsync = fn.body.some((statement) => statement.kind === 'instruction' && isAsyncRow(statement.row.name));
    this.blocks = reachable(splitBlocks(isAsync ? bulkPart.content.expandBulkCopies(fn) : fn));
    let statements = 0;
    let isCollective = false;
    let endsThreads = false;
    let looksAtOthers = false;
    for (const { code, end } of this.blocks) {
      statements += code.length + 1;
      // An indirect call of an unknown address traps, and so ends the thread.
      endsThreads ||=
        end.kind === 'exit' ||
        end.kind === 'trap' ||
        (end.kind === 'call' && (end.next === undefined || end.call.indirect !== undefined));
      isCollective ||= code.some(({ row, mods }) => row.kind !== 'lane' && effectsOf(row, mods).collective !== 'none');
      looksAtOthers ||= code.some(({ row, mods }) => row.kind !== 'lane' && seesOthers(effectsOf(row, mods)));
    }
    this.statements = statements;
    this.isCollective = isCollective;
    this.endsThreads = endsThreads;
    this.mayWait = looksAtOthers && this.blocks.some(({ end }, number) => targetsOf(end).some((to) => to <= number));
  }

  numberOf(register: Register): number {
    const known = this.numbers.get(register);
    if (known !== undefined) return known;
    // Names are unique in a function, but several `Register` objects may have the same name.
    const number = this.byName.get(register.name) ?? this.addRegister(typeOf(register.type), register.name);
    this.numbers.set(register, number);
    this.byName.set(register.name, number);
    return number;
  }

  addRegister(type: Type, hint: string): number {
    this.types.push(type);
    this.hints.push(hint);
    return this.types.length - 1;
  }
}

/** Whether an instruction may observe concurrent stores of other threads. */
const seesOthers = ({ memory, strength, orders }: Effects): boolean =>
  orders !== 'none' || (strength === 'strong' && (memory === 'reads' || memory === 'updates'));

interface Draft extends BodyBlock {
  refused: Diagnostic | undefined;
}

/**
 * Returns the end of a block, from its control instruction. The arguments are the block numbers of
 * labels, the next block, and a function that adds a block.
 */
type Ending = (at: (label: string) => number, next: number, add: (end: BodyEnd) => number) => BodyEnd;

function splitBlocks(fn: PtxFunction): Draft[] {
  const blocks: Draft[] = [];
  const starts = new Map<string, number>();
  const endings: Ending[] = [];
  let code: Instruction[] = [];
  let refused: Diagnostic | undefined;
  const close = (ending: Ending) => {
    endings.push(ending);
    blocks.push({ code, end: { kind: 'exit', span: undefined }, exposed: [], defined: [], refused });
    code = [];
    refused = undefined;
  };
  for (const statement of fn.body) {
    if (statement.kind === 'label') {
      // A label after a terminator already starts a block.
      if (code.length > 0 || refused) close((_, next) => ({ kind: 'jump', to: next, span: undefined }));
      starts.set(statement.name, blocks.length);
    } else if (statement.kind === 'unsupported') {
      refused ??= statement.diagnostic;
    } else {
      const ending = endingOf(statement);
      if (ending) close(ending);
      else code.push(statement);
    }
  }
  close(() => ({ kind: 'return', span: undefined }));
  const add = (end: BodyEnd) => {
    blocks.push({ code: [], end, exposed: [], defined: [], refused: undefined });
    return blocks.length - 1;
  };
  const at = (label: string) => {
    const start = starts.get(label);
    if (start === undefined) throw new InternalError(`no label ${label}`);
    return start;
  };
  endings.forEach((ending, number) => {
    const block = blocks[number];
    if (block) block.end = ending(at, number + 1, add);
  });
  return blocks;
}

/**
 * The `Ending` of each kind of control row; undefined if control continues with the next
 * instruction.
 */
const endings: Readonly<Record<Flow, (instruction: Instruction) => Ending | undefined>> = {
  next: () => undefined,
  return:
    ({ span }) =>
    () => ({ kind: 'return', span }),
  exit:
    ({ span }) =>
    () => ({ kind: 'exit', span }),
  trap:
    ({ span }) =>
    () => ({ kind: 'trap', span }),
  branch: ({ operands, span }) => {
    const { target, list, a } = operands;
    if (target?.kind === 'label') return (at) => ({ kind: 'jump', to: at(target.target), span });
    if (list?.kind !== 'labels' || a === undefined) return undefined;
    return (at) => ({ kind: 'switch', selector: a, targets: list.targets.map(at), span });
  },
  call: ({ operands, span }) => {
    const { callee } = operands;
    if (callee?.kind !== 'call') return undefined;
    const returns = callee.service === undefined || builtInFunction(callee.service).returns;
    return (_, next) => ({ kind: 'call', call: callee, next: returns ? next : undefined, span });
  },
};

function endingOf(instruction: Instruction): Ending | undefined {
  const { row, guard, span } = instruction;
  if (row.kind !== 'control') return undefined;
  const ending = endings[row.flow](instruction);
  if (ending === undefined || guard === undefined) return ending;
  return (at, next, add) => {
    const end = ending(at, next, add);
    const then = end.kind === 'jump' ? end.to : add(end);
    return then === next ? { kind: 'jump', to: next, span } : { kind: 'branch', guard, then, else: next, span };
  };
}

/** Returns the successors of a block within the function. */
export const targetsOf = (end: BodyEnd): readonly number[] => {
  switch (end.kind) {
    case 'jump':
      return [end.to];
    case 'branch':
      return [end.then, end.else];
    case 'switch':
      return end.targets;
    case 'call':
      return end.next === undefined ? [] : [end.next];
    default:
      return [];
  }
};

function retarget(end: BodyEnd, to: (number: number) => number): BodyEnd {
  switch (end.kind) {
    case 'jump':
      return { ...end, to: to(end.to) };
    case 'branch':
      return { ...end, then: to(end.then), else: to(end.else) };
    case 'switch':
      return { ...end, targets: end.targets.map(to) };
    case 'call':
      return end.next === undefined ? end : { ...end, next: to(end.next) };
    default:
      return end;
  }
}

/** Returns the reachable blocks in source order, with new numbers. */
function reachable(blocks: readonly Draft[]): readonly BodyBlock[] {
  const seen = new Uint8Array(blocks.length);
  const stack = [0];
  seen[0] = 1;
  for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
    const block = blocks[number];
    if (block === undefined) continue;
    for (const to of targetsOf(block.end)) {
      if (seen[to]) continue;
      seen[to] = 1;
      stack.push(to);
    }
  }
  const kept = blocks.filter((_, number) => seen[number]);
  for (const { refused } of kept) if (refused) throw new CompileError(refused);
  if (kept.length === blocks.length) return blocks;
  const places = new Int32Array(blocks.length);
  let place = 0;
  blocks.forEach((_, number) => {
    places[number] = place;
    if (seen[number]) place += 1;
  });
  for (const block of kept) block.end = retarget(block.end, (number) => at(places, number, 'the place of a block'));
  return kept;
}

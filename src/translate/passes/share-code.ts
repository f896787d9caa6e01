// Finds calls that share their code. Drivers inline every function, so a kernel that calls the same
// large functions at hundreds of places compiles for minutes. Only a loop contains code once. A
// dispatched kernel is such a loop: the calls of one function become one case, to which lanes jump
// and from which they return (`control/dispatch.ts`).
//
// A lane that jumps costs tens of instructions, and lanes that take different ways do not
// reconverge. So this applies only to kernels that drivers would not compile in a reasonable time.

import { at } from '../../base/invariants.ts';
import { countOf, getOrInsert } from '../../base/maps.ts';
import { inlinedSize } from '../../wgsl/helpers/library.ts';
import type { Builder } from '../ir/builder.ts';
import { type Block, type Func, type Inst, isMatrixInst, type Param, type Program } from '../ir/nodes.ts';
import type { SharedCode, SharedCodes } from '../ir/shared-code.ts';
import type { Type } from '../ir/types.ts';
import { type CodeLimits, codeLimits, instCode } from './code-limits.ts';

/** The approximate WGSL size, in characters, of a call with its operands and results. */
const jumpCode = 200;

/**
 * Returns the calls of the kernel that share code; undefined unless the kernel is large, and is not
 * with shared code.
 */
export function shareCode(
  program: Program,
  builder: Builder,
  limits: CodeLimits = codeLimits,
): SharedCodes | undefined {
  const { kernel } = program;
  const sizes = new CodeSizes(program);
  let code = sizes.ofFunction(kernel);
  if (code <= limits.kernel || kernel.blocks.some(({ insts }) => insts.some(isMatrixInst))) return undefined;
  const groups = new Map<string, Call[]>();
  for (const { insts } of kernel.blocks)
    for (const inst of insts) if (isCall(inst)) getOrInsert(groups, keyOf(inst), (): Call[] => []).push(inst);
  const saved = (members: readonly Inst[]): number =>
    (members.length - 1) * sizes.of(at(members, 0, 'a call')) - members.length * jumpCode;
  const candidates = [...groups.values()]
    .filter((members) => members.length > 1 && sizes.of(at(members, 0, 'a call')) >= limits.call)
    .sort((a, b) => saved(b) - saved(a));
  const codeOf = new Map<Inst, SharedCode>();
  const variables = new Variables(builder);
  for (const members of candidates) {
    if (code <= limits.enough) break;
    code -= saved(members);
    const own = variables.codeOf(at(members, 0, 'a call'));
    for (const member of members) codeOf.set(member, own);
  }
  if (code > limits.kernel) return undefined;
  const blocks = [...new Set(codeOf.values())].map(({ block }) => block);
  return { codeOf, whole: { ...kernel, blocks: [...kernel.blocks, variables.block, ...blocks] } };
}

type Call = Extract<Inst, { readonly op: 'helper' | 'steps' | 'call' }>;

const isCall = (inst: Inst): inst is Call =>
  (inst.op === 'helper' || inst.op === 'steps' || inst.op === 'call') && inst.when === undefined;

/** Calls with the same key execute the same code. */
const keyOf = (inst: Call): string => `${inst.op} ${JSON.stringify(inst.attrs)}`;

/** The sizes of functions and instructions in characters, after inlining. */
class CodeSizes {
  private readonly functions: ReadonlyMap<string, Func>;
  private readonly known = new Map<string, number>();

  constructor({ functions }: Pick<Program, 'functions'>) {
    this.functions = new Map(functions.map((func) => [func.name, func]));
  }

  ofFunction({ blocks }: Func): number {
    let size = 0;
    for (const { insts } of blocks) for (const inst of insts) size += this.of(inst);
    return size;
  }

  of(inst: Inst): number {
    switch (inst.op) {
      case 'helper':
        return instCode + inlinedSize(inst.attrs.name);
      case 'steps':
        return inst.attrs.functions.reduce(
          (size, { name }) => size + inlinedSize(name),
          instCode * (inst.attrs.calls.length + inst.args.length),
        );
      case 'call':
        return instCode + this.ofCallee(inst.attrs.callee);
      default:
        return instCode;
    }
  }

  private ofCallee(name: string): number {
    const callee = this.functions.get(name);
    // Absent: the call is indirect, so another instruction contains the code of its callees.
    return callee === undefined ? 0 : getOrInsert(this.known, name, () => this.ofFunction(callee));
  }
}

/** The variables for operands and results. All shared code uses the same ones. */
class Variables {
  /** The block whose parameters are the variables. */
  readonly block: Block;
  private readonly builder: Builder;
  private readonly params = new Map<string, Param>();

  constructor(builder: Builder) {
    this.builder = builder;
    this.block = builder.block();
  }

  codeOf({ op, attrs, args, results, span }: Call): SharedCode {
    const { builder } = this;
    const params = this.of('operand', args);
    const to = { ...builder.block(), params: this.of('result', results) };
    const block = builder.block();
    builder.span = span;
    const own = builder.within(block.insts, () => builder.emit(op, attrs as never, params));
    const edge = { to, args: own };
    block.end = { kind: 'jump', to: edge, span };
    return { params, block, results: edge };
  }

  private of(hint: string, values: readonly { readonly type: Type }[]): readonly Param[] {
    const numbers = new Map<Type, number>();
    return values.map(({ type }) => {
      const number = countOf(numbers, type);
      numbers.set(type, number + 1);
      return getOrInsert(this.params, `${hint} ${type} ${number}`, () => this.builder.param(this.block, type, hint));
    });
  }
}

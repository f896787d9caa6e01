// Lowers texture and surface instructions to calls of functions that access memory, and queries to
// loads. Later passes see only these calls and loads.
import { InternalError, missing } from '../../base/invariants.ts';
import type {
  CallOperand,
  ImageOperand,
  Instruction,
  Module,
  Operand,
  PtxFunction,
  Register,
  RegisterOperand,
  Span,
  Statement,
  Variable,
} from '../../ptx/ast.ts';
import { makeInstruction, registerOperand } from '../../ptx/make-instruction.ts';
import { compileDiagnostics } from '../diagnostics.ts';
import { Library } from './function-library.ts';
import { isImageInstruction } from './image-instructions.ts';
import { libraryCall } from './library.ts';
import { queryOffset } from './query.ts';

/**
 * Lowers the texture and surface instructions of a module. `references`: the module's `.texref` and
 * `.surfref` variables that the launch defines; they become parameters after the kernel's own.
 * Returns a module without texture and surface instructions unchanged.
 */
export function lowerImages(module: Module, entry: PtxFunction, references: readonly string[]): Module {
  if (references.length === 0 && !module.functions.some(({ body }) => body.some(isImageInstruction))) return module;
  const library = new Library(module, 'textures');
  const functions = module.functions.map((fn) => {
    if (fn.kind === 'entry' && fn !== entry) return fn;
    return lowerFunction(fn, fn === entry ? references : [], library);
  });
  return { ...module, functions: [...functions, ...library.functions()] };
}

function lowerFunction(fn: PtxFunction, references: readonly string[], library: Library): PtxFunction {
  if (references.length === 0 && !fn.body.some(isImageInstruction)) return fn;
  const lowering = new Lowering(fn, references, library);
  const body = fn.body.flatMap((statement) =>
    isImageInstruction(statement) ? lowering.lower(statement) : [statement],
  );
  return {
    ...fn,
    params: [...fn.params, ...lowering.params],
    registers: [...fn.registers, ...lowering.registers],
    body: [...lowering.prologue, ...body],
  };
}

class Lowering {
  readonly params: readonly Variable[];
  readonly registers: Register[] = [];
  readonly prologue: Instruction[] = [];
  readonly #library: Library;
  readonly #handles = new Map<string, Register>();

  constructor(fn: PtxFunction, references: readonly string[], library: Library) {
    this.#library = library;
    this.params = references.map((name): Variable => {
      const shape = { space: 'param', type: 'u64', bytes: 8, align: 8, array: false, external: false } as const;
      return { name, ...shape, initializers: [], pointer: true, span: fn.span };
    });
    for (const param of this.params) {
      const handle = this.#register('u64', `%handle_${param.name}`, fn.span);
      const a: Operand = { kind: 'address', base: param, offset: 0, span: fn.span };
      this.prologue.push(makeInstruction('ld.param.u64', { d: registerOperand(handle, fn.span), a }, fn.span));
      this.#handles.set(param.name, handle);
    }
  }

  lower(statement: Instruction): readonly Statement[] {
    const { row, operands, guard, span } = statement;
    const { a } = operands;
    if (a?.kind !== 'image') throw new InternalError(`${row.name} without a texture or surface`);
    const handle = this.#handleOf(a);
    if (handle === undefined) {
      const what = `\`${'reference' in a.object ? a.object.reference : ''}\`, for which the launch defines no texture or surface,`;
      return [{ kind: 'unsupported', opcode: row.name, diagnostic: compileDiagnostics.notSupported(what)(span), span }];
    }
    const library = libraryCall(statement);
    if (library === undefined) return [this.#query(statement, handle)];
    const { fn, takes } = library;
    const results = elementsOf(operands.d).map((element) => this.#resultOf(element, span));
    const taken = takes.flatMap((name) => elementsOf(operands[name]));
    const args = [registerOperand(handle, span), ...a.coordinates, ...taken].map(argumentOf);
    const callee: CallOperand = { kind: 'call', callee: this.#library.nameOf(fn, span), results, args, span };
    const call = makeInstruction('call', { callee }, span, guard);
    const { p } = operands;
    if (p?.kind !== 'register') return [call];
    // The predicate is true, because all texels are resident.
    const one: Operand = { kind: 'immediate', bits: 1n, type: 'pred', span };
    return [call, makeInstruction('mov.pred', { d: p, a: one }, span, guard)];
  }

  #handleOf({ object }: ImageOperand): Register | undefined {
    return 'reference' in object ? this.#handles.get(object.reference) : object;
  }

  #query({ row, mods, operands, guard, span }: Instruction, handle: Register): Statement {
    const { d } = operands;
    if (d === undefined) throw new InternalError(`${row.name} without a result`);
    const offset = queryOffset(mods.query ?? missing('the query of an instruction'));
    if (offset === undefined)
      return {
        kind: 'unsupported',
        opcode: row.name,
        diagnostic: compileDiagnostics.notSupported(`the query \`.${mods.query}\``)(span),
        span,
      };
    const a: Operand = { kind: 'address', base: handle, offset, span };
    return makeInstruction('ld.global.nc.b32', { d, a }, span, guard);
  }

  #resultOf(element: Operand, span: Span): RegisterOperand {
    if (element.kind === 'register') return element;
    return registerOperand(this.#register('b32', '%unused', span), span);
  }

  #register(type: Register['type'], name: string, span: Span): Register {
    const register = { name: `${name}$${this.registers.length}`, type, span };
    this.registers.push(register);
    return register;
  }
}

const elementsOf = (operand: Operand | undefined): readonly Operand[] =>
  operand === undefined ? [] : operand.kind === 'vector' ? operand.elements : [operand];

function argumentOf(operand: Operand): CallOperand['args'][number] {
  if (operand.kind === 'register' || operand.kind === 'immediate') return operand;
  throw new InternalError(`a ${operand.kind} operand cannot be an argument`);
}

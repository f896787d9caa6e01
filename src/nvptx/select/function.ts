// Selects the PTX of a function.
import { unreachable } from '../../base/invariants.ts';
import { type Block, type Instruction, type LlvmFunction, type LlvmModule, plainAttributes } from '../ir/module.ts';
import { i64, leavesOf, pointerTo, sizeOf, spaces, storeSize, type Type } from '../ir/types.ts';
import { AddressSpaces } from './address-spaces.ts';
import {
  selectExtractElement,
  selectExtractValue,
  selectInsertElement,
  selectInsertValue,
  selectShuffle,
} from './aggregates.ts';
import { selectBinary, selectCompare, selectUnary } from './arithmetic.ts';
import { selectCompareExchange, selectFence, selectUpdate } from './atomics.ts';
import { copyMemory } from './block-memory.ts';
import { declareParam, loadParam, passedAs, selectCall, storeParam } from './calls.ts';
import { selectCast } from './casts.ts';
import { selectSelect } from './choose.ts';
import { Control, orderBlocks, type Phi } from './control.ts';
import { Fusion } from './fusion.ts';
import { selectAsm } from './inline-asm.ts';
import { selectIntrinsic } from './intrinsics.ts';
import type { LineTable } from './lines.ts';
import { selectAddress, selectLoad, selectStore } from './memory.ts';
import type { ModuleNames } from './names.ts';
import { copiedParams } from './parameters.ts';
import { constantOf, type Scalar, symbol } from './scalar.ts';
import { Writer } from './writer.ts';

/**
 * Whether the function was compiled with `-fgpu-flush-denormals-to-zero`, so that subnormals of f32
 * are flushed.
 */
const flushesSubnormals = ({ attributes }: LlvmFunction): boolean => {
  const mode = attributes.get('denormal-fp-math-f32') ?? attributes.get('denormal-fp-math');
  return attributes.get('nvptx-f32ftz') === 'true' || mode?.startsWith('preserve-sign') === true;
};

/** Returns the size of a type in bytes in a parameter or local variable. */
const bytesOf = (type: Type): number => Math.max(1, type.kind === 'vector' ? storeSize(type) : sizeOf(type));

/** Returns the signature of a function, without its body. */
export function signatureOf(names: ModuleNames, fn: LlvmFunction): string {
  const name = names.textOf(fn.name);
  const params = fn.params.map((param, index) => {
    const passed = passedAs(param);
    return `\t${declareParam(passed, `${name}_param_${index}`, bytesOf(passed.type), fn.isKernel)}`;
  });
  const list = params.length === 0 ? '()' : `(\n${params.join(',\n')}\n)`;
  if (fn.isKernel) return `.visible .entry ${name}${list}`;
  const linkage = fn.blocks === undefined ? '.extern ' : fn.isPublic ? '.visible ' : '';
  const result =
    fn.result.kind === 'void'
      ? ''
      : `(${declareParam(passedAs({ type: fn.result, attributes: plainAttributes }), 'func_retval0', bytesOf(fn.result), false)}) `;
  return `${linkage}.func ${result}${name}${list}`;
}

/** Returns the PTX of a function with a body. */
export function selectFunction(fn: LlvmFunction, module: LlvmModule, names: ModuleNames, lines: LineTable): string {
  return new FunctionSelector(fn, module, names, lines).select();
}

class FunctionSelector {
  private readonly fn: LlvmFunction;
  private readonly writer: Writer;
  private readonly spacesOf: AddressSpaces;
  private readonly fusion: Fusion;
  private readonly lines: LineTable;
  private readonly locals: string[] = [];

  constructor(fn: LlvmFunction, module: LlvmModule, names: ModuleNames, lines: LineTable) {
    this.fn = fn;
    this.writer = new Writer(names, flushesSubnormals(fn));
    this.spacesOf = new AddressSpaces(fn, module);
    this.fusion = new Fusion(fn);
    this.lines = lines;
  }

  select(): string {
    const { fn, writer } = this;
    this.lines.startFunction();
    const blocks = orderBlocks(fn.blocks ?? []);
    this.readParams();
    const control = new Control(writer, blocks, (phi) => this.phiTypes(phi));
    for (const [index, block] of blocks.entries()) this.block(block, control, blocks[index + 1]?.name);
    const directives = this.launchBounds();
    const body = [...writer.declarations(), ...this.locals, '', ...writer.lines];
    return [signatureOf(writer.names, fn), ...directives, '{', ...body, '}'].join('\n');
  }

  /**
   * Returns the directives for the launch bounds. These are attributes since LLVM 20, and were
   * annotations before.
   */
  private launchBounds(): string[] {
    const { attributes, isKernel } = this.fn;
    if (!isKernel) return [];
    const axes = ['x', 'y', 'z'];
    const perAxis = (key: string): string[] => axes.flatMap((axis) => attributes.get(`${key}${axis}`) ?? []);
    const sizes = (key: string): string[] => attributes.get(`nvvm.${key}`)?.split(',') ?? perAxis(key);
    const directive = (name: string, values: readonly string[]): string[] =>
      values.length === 0 ? [] : [`.${name} ${values.join(', ')}`];
    return [
      ...directive('maxntid', sizes('maxntid')),
      ...directive('reqntid', sizes('reqntid')),
      ...directive('reqnctapercluster', this.clusterSize()),
      ...directive('minnctapersm', [attributes.get('nvvm.minctasm') ?? attributes.get('minctasm') ?? []].flat()),
    ];
  }

  /**
   * Returns the size of the kernel's clusters, from an attribute or from the annotation to which
   * `__cluster_dims__` expands.
   */
  private clusterSize(): readonly string[] {
    const { name, attributes } = this.fn;
    const known = attributes.get('nvvm.cluster_dim') ?? this.writer.names.clusterDims(name);
    return known?.split(',') ?? []; // A function may not use clusters.
  }

  private phiTypes({ type, result }: Phi): readonly Scalar['type'][] {
    if (type.kind === 'ptr' && result !== undefined) return [pointerTo(this.spacesOf.spaceOf(result))];
    return leavesOf(type).map((leaf) => leaf.type);
  }

  /**
   * Reads the parameters. A struct that the kernel only reads remains in the space of parameters.
   */
  private readParams(): void {
    const { fn, writer } = this;
    const copied = copiedParams(fn);
    fn.params.forEach((param, index) => {
      const name = `${writer.names.textOf(fn.name)}_param_${index}`;
      const passed = passedAs(param);
      if (param.attributes.byval === undefined) {
        const scalars = loadParam(writer, name, passed, fn.isKernel);
        writer.bind(
          param.name,
          param.type.kind === 'ptr' ? scalars.map((scalar) => this.placed(scalar, param.name)) : scalars,
        );
      } else if (fn.isKernel && !copied.has(param.name)) writer.bind(param.name, [symbol(spaces.param, name)]);
      else {
        const local = this.local(passed.type, passed.align);
        const bytes = constantOf(i64, BigInt(bytesOf(passed.type)));
        copyMemory(writer, local, symbol(spaces.param, name), bytes, passed.align);
        writer.bind(param.name, [local]);
      }
    });
  }

  /** Returns a pointer in the space that the analysis found for it. */
  private placed(scalar: Scalar, name: string): Scalar {
    return this.writer.inSpace(scalar, this.spacesOf.spaceOf(name));
  }

  private local(type: Type, align: number): Scalar {
    const name = `__local_depot_${this.writer.names.nextLabel()}`;
    this.locals.push(`\t.local .align ${align} .b8 \t${name}[${bytesOf(type)}];`);
    return symbol(spaces.local, name);
  }

  private block({ name, instructions }: Block, control: Control, next: string | undefined): void {
    this.writer.label(control.labelOf(name));
    for (const instruction of instructions) {
      this.writer.span = instruction.span;
      if (instruction.op !== 'phi') this.writer.lines.push(...this.lines.directivesOf(instruction.location));
      if (instruction.op === 'br') control.selectBranch(instruction, name, next);
      else if (instruction.op === 'switch') control.selectSwitch(instruction, name, next);
      else {
        const scalars = this.instruction(instruction);
        if (scalars !== undefined && instruction.result !== undefined) this.writer.bind(instruction.result, scalars);
      }
    }
  }

  /** Selects an instruction. Returns the scalars of its result, if it has one. */
  private instruction(instruction: Exclude<Instruction, { op: 'br' | 'switch' }>): readonly Scalar[] | undefined {
    const { writer } = this;
    switch (instruction.op) {
      case 'phi':
        return undefined;
      case 'binary':
        return selectBinary(writer, instruction, this.fusion);
      case 'unary':
        return selectUnary(writer, instruction);
      case 'compare':
        return selectCompare(writer, instruction);
      case 'select':
        return this.inferred(instruction, selectSelect(writer, instruction));
      case 'cast':
        return this.inferred(instruction, selectCast(writer, instruction));
      case 'freeze':
        return writer.scalars(instruction.value);
      case 'extractelement':
        return selectExtractElement(writer, instruction);
      case 'insertelement':
        return selectInsertElement(writer, instruction);
      case 'shufflevector':
        return selectShuffle(writer, instruction);
      case 'extractvalue':
        return selectExtractValue(writer, instruction);
      case 'insertvalue':
        return selectInsertValue(writer, instruction);
      case 'alloca':
        return this.selectAlloca(instruction);
      case 'load':
        return selectLoad(writer, instruction);
      case 'store':
        selectStore(writer, instruction);
        return undefined;
      case 'getelementptr':
        return selectAddress(writer, instruction);
      case 'atomicrmw':
        return selectUpdate(writer, instruction);
      case 'cmpxchg':
        return selectCompareExchange(writer, instruction);
      case 'fence':
        selectFence(writer, instruction);
        return undefined;
      case 'call':
        return this.selectAnyCall(instruction);
      case 'ret':
        this.selectReturn(instruction);
        return undefined;
      case 'unreachable':
        writer.emit('trap');
        return undefined;
      default:
        return unreachable(instruction, 'instruction');
    }
  }

  /**
   * Returns the scalars of a result, with a pointer in the space that the analysis found. Phis
   * expect this space.
   */
  private inferred(instruction: Instruction, scalars: Scalar[]): Scalar[] {
    const { type, result } = instruction;
    return type.kind === 'ptr' && result !== undefined ? scalars.map((scalar) => this.placed(scalar, result)) : scalars;
  }

  private selectAlloca(instruction: Extract<Instruction, { op: 'alloca' }>): Scalar[] {
    const { allocated, count, align, type } = instruction;
    const elements = count === undefined ? 1n : count.kind === 'int' ? count.value : undefined;
    if (elements === undefined) return this.writer.unsupported('an allocation whose size is not constant');
    const pointer = this.local({ kind: 'array', count: Number(elements), element: allocated }, align);
    return [type.kind === 'ptr' ? pointer : this.writer.unsupported('this allocation')];
  }

  private selectAnyCall(instruction: Extract<Instruction, { op: 'call' }>): readonly Scalar[] {
    const { writer } = this;
    const { callee } = instruction;
    if (callee.kind === 'asm') return selectAsm(writer, callee, instruction);
    if (callee.kind === 'global' && callee.name.startsWith('llvm.')) {
      const scalars = selectIntrinsic(writer, callee.name, instruction);
      return scalars ?? writer.unsupported(`the intrinsic \`${callee.name}\``);
    }
    return selectCall(writer, instruction, bytesOf);
  }

  private selectReturn({ value }: Extract<Instruction, { op: 'ret' }>): void {
    const { writer } = this;
    if (value !== undefined) {
      const passed = passedAs({ type: value.type, attributes: plainAttributes });
      storeParam(writer, 'func_retval0', passed, writer.scalars(value));
    }
    writer.emit('ret');
  }
}

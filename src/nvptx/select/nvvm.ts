// Selects calls of NVVM's intrinsics, most of which are one instruction of PTX.
import { at, missing } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { i1, i32, leavesOf, type ScalarType, spaces, type Type } from '../ir/types.ts';
import { reinterpret } from './bits.ts';
import { selectMatrix } from './matrices.ts';
import { loadAll } from './memory.ts';
import { nvvmTable } from './nvvm-table.ts';
import { classOf, floatSuffix, inRegister, registerBits, type Scalar } from './scalar.ts';
import { specialRegister } from './special-registers.ts';
import type { Writer } from './writer.ts';

type Call = InstructionOf<'call'>;

/**
 * Returns the PTX of an intrinsic, as `opcode operands`. `%0` and `%1` are the elements of the
 * result; `$0`, `$1` and so on are the arguments.
 */
export function nvvmTemplate(name: string): string | undefined {
  const known = nvvmTable.get(name);
  if (known !== undefined) return known;
  for (const { pattern, template } of nvvmPatterns) {
    const match = pattern.exec(name);
    if (match !== null) return template(...match.slice(1));
  }
  return undefined;
}

interface Pattern {
  readonly pattern: RegExp;
  readonly template: (...groups: string[]) => string;
}

/** Families of intrinsics whose names contain the modifiers of the instruction. */
const nvvmPatterns: readonly Pattern[] = [
  {
    pattern: /^shfl\.sync\.(up|down|bfly|idx)\.(?:i32|f32)(p?)$/,
    template: (mode = '', pair = '') => `shfl.sync.${mode}.b32 ${pair === '' ? '%0' : '%0|%1'}, $1, $2, $3, $0`,
  },
  { pattern: /^vote\.(all|any|uni)\.sync$/, template: (mode = '') => `vote.sync.${mode}.pred %0, $1, $0` },
  {
    pattern: /^match\.any\.sync\.i(32|64)$/,
    template: (bits = '') => `match.any.sync.b${bits} %0, $1, $0`,
  },
  {
    pattern: /^match\.all\.sync\.i(32|64)p$/,
    template: (bits = '') => `match.all.sync.b${bits} %0|%1, $1, $0`,
  },
  {
    pattern: /^redux\.sync\.(add|and|or|xor|min|max|umin|umax)$/,
    template: (operation = '') => {
      const letter = /^(and|or|xor)$/.test(operation) ? 'b' : operation.startsWith('u') ? 'u' : 's';
      return `redux.sync.${operation.replace(/^u/, '')}.${letter}32 %0, $0, $1`;
    },
  },
  {
    pattern: /^(add|mul|div|fma|sqrt|rcp)\.(rn|rz|rm|rp)(\.ftz)?\.([fd])$/,
    template: (operation = '', mode = '', ftz = '', type = '') => {
      const count = operation === 'fma' ? 3 : operation === 'sqrt' || operation === 'rcp' ? 1 : 2;
      return `${operation}.${mode}${ftz}.f${type === 'f' ? 32 : 64} %0, ${argumentList(count)}`;
    },
  },
  {
    pattern: /^(ex2|lg2|sin|cos|rcp|rsqrt|sqrt)\.approx(\.ftz)?(?:\.(f|d|f32))?$/,
    template: (operation = '', ftz = '', type = '') => `${operation}.approx${ftz}.f${type === 'd' ? 64 : 32} %0, $0`,
  },
  { pattern: /^div\.approx(\.ftz)?\.f$/, template: (ftz = '') => `div.approx${ftz}.f32 %0, $0, $1` },
  { pattern: /^tanh\.approx\.f32$/, template: () => 'tanh.approx.f32 %0, $0' },
  {
    pattern: /^f(min|max)(\.ftz)?(\.nan)?(\.xorsign\.abs)?\.([fd])$/,
    template: (operation = '', ftz = '', nan = '', xor = '', type = '') =>
      `${operation}${ftz}${nan === '' ? '' : '.NaN'}${xor}.f${type === 'f' ? 32 : 64} %0, $0, $1`,
  },
  {
    pattern: /^mulhi\.(i|ui|ll|ull)$/,
    template: (type = '') => `mul.hi.${type.startsWith('u') ? 'u' : 's'}${type.endsWith('ll') ? 64 : 32} %0, $0, $1`,
  },
  { pattern: /^mul24\.(u?)i$/, template: (sign = '') => `mul24.lo.${sign === 'u' ? 'u' : 's'}32 %0, $0, $1` },
  { pattern: /^sad\.(u?)i$/, template: (sign = '') => `sad.${sign === 'u' ? 'u' : 's'}32 %0, $0, $1, $2` },
  {
    pattern: /^idp4a\.(s|u)\.(s|u)$/,
    template: (a = '', b = '') => `dp4a.${a}32.${b}32 %0, $0, $1, $2`,
  },
  {
    pattern: /^([fd])2(i|ui|ll|ull)\.(rn|rz|rm|rp)(\.ftz)?$/,
    template: (from = '', to = '', mode = '', ftz = '') =>
      `cvt.${mode}i${ftz}.${integerType(to)}.f${from === 'f' ? 32 : 64} %0, $0`,
  },
  {
    pattern: /^(i|ui|ll|ull)2([fd])\.(rn|rz|rm|rp)$/,
    template: (from = '', to = '', mode = '') => `cvt.${mode}.f${to === 'f' ? 32 : 64}.${integerType(from)} %0, $0`,
  },
  { pattern: /^d2f\.(rn|rz|rm|rp)(\.ftz)?$/, template: (mode = '', ftz = '') => `cvt.${mode}${ftz}.f32.f64 %0, $0` },
  { pattern: /^saturate(\.ftz)?\.f$/, template: (ftz = '') => `cvt.sat${ftz}.f32.f32 %0, $0` },
  { pattern: /^fabs(\.ftz)?\.f$/, template: (ftz = '') => `abs${ftz}.f32 %0, $0` },
  {
    pattern: /^barrier\.cta\.red\.(popc|and|or)\.aligned\.(all|count)$/,
    template: (operation = '', kind = '') => {
      const type = operation === 'popc' ? 'u32' : 'pred';
      return `bar.red.${operation}.${type} %0, $0, ${kind === 'all' ? '$1' : '$1, $2'}`;
    },
  },
  {
    pattern: /^cp\.async\.(ca|cg)\.shared\.global\.(4|8|16)(\.s)?$/,
    template: (cache = '', bytes = '', size = '') =>
      `cp.async.${cache}.shared.global [$0], [$1], ${bytes}${size === '' ? '' : ', $2'}`,
  },
];

const argumentList = (count: number): string => Array.from({ length: count }, (_, index) => `$${index}`).join(', ');
const integerType = (name: string): string => `${name.startsWith('u') ? 'u' : 's'}${name.endsWith('ll') ? 64 : 32}`;

export function selectNvvm(writer: Writer, name: string, call: Call): Scalar[] | undefined {
  const short = name.slice('llvm.nvvm.'.length);
  const register = specialRegister(short);
  if (register !== undefined) return [readSpecial(writer, register, call.type)];
  if (/^ldu?g?\.global\.[ifp]\./.test(short)) return loadConstant(writer, call);
  const special = selectMatrix(writer, short, call) ?? selectSpecial(writer, short, call);
  if (special !== undefined) return special;
  const template = nvvmTemplate(short);
  if (template === undefined) return undefined;
  return applyTemplate(writer, writer.flushes ? flushing(template) : template, call);
}

/** Adds `.ftz` to arithmetic on f32, as NVIDIA's library does in code that flushes subnormals. */
const flushing = (template: string): string =>
  template.replace(
    /^((?:add|mul|fma|div|sqrt|rcp|rsqrt|ex2|lg2|sin|cos)\.(?:r[nzmp]|approx)|min|max|abs|cvt\.sat)(?=\.(?:NaN\.)?f32)/,
    '$1.ftz',
  );

function readSpecial(writer: Writer, register: string, type: Type): Scalar {
  const { type: scalar } = at(leavesOf(type), 0, 'the scalar');
  return writer.compute(`mov.u${registerBits(scalar)}`, scalar, register);
}

/**
 * Loads data that the kernel does not write: `ldg` and `ldu`. The last argument is the alignment.
 */
function loadConstant(writer: Writer, { args, type }: Call): Scalar[] {
  const align = writer.scalar(argumentAt(args, 1)).constant ?? missing('the alignment');
  const pointer = writer.inSpace(writer.scalar(argumentAt(args, 0)), spaces.global);
  return loadAll(writer, pointer, type, Number(align), '');
}

/** Selects intrinsics that need more than one instruction, or only a conversion of an operand. */
function selectSpecial(writer: Writer, name: string, { args, type }: Call): Scalar[] | undefined {
  const scalar = (index: number): Scalar => writer.scalar(at(args, index, 'the argument').value);
  const predicate = (index: number): string =>
    writer.compute('setp.ne.s32', i1, writer.inRegister(scalar(index)), '0').text;
  switch (name) {
    case 'vote.ballot.sync':
      return [writer.compute('vote.sync.ballot.b32', i32, writer.inRegister(scalar(1)), writer.operand(scalar(0)))];
    case 'barrier0.popc':
      return [writer.compute('bar.red.popc.u32', i32, '0', predicate(0))];
    case 'barrier0.and':
    case 'barrier0.or': {
      const found = writer.compute(`bar.red.${name.slice(9)}.pred`, i1, '0', predicate(0));
      return [writer.compute('selp.b32', i32, '1', '0', found.text)];
    }
    case 'bitcast.f2i':
    case 'bitcast.i2f':
    case 'bitcast.ll2d':
    case 'bitcast.d2ll':
      return [reinterpret(writer, scalar(0), at(leavesOf(type), 0, 'the scalar').type)];
    case 'lohi.i2d': {
      const [low, high] = [scalar(0), scalar(1)].map((word) => writer.inRegister(word));
      return [writer.compute('mov.b64', { kind: 'double' }, `{${low}, ${high}}`)];
    }
    case 'd2i.lo':
    case 'd2i.hi': {
      const [low, high] = [writer.register('b32'), writer.register('b32')];
      writer.emit(`mov.b64 \t{${low}, ${high}}, ${writer.inRegister(scalar(0))}`);
      return [inRegister(i32, name === 'd2i.lo' ? low : high)];
    }
    case 'ceil.f':
    case 'floor.f':
    case 'trunc.f':
    case 'round.f':
    case 'ceil.d':
    case 'floor.d':
    case 'trunc.d':
    case 'round.d': {
      const mode = { ceil: 'rpi', floor: 'rmi', trunc: 'rzi', round: 'rni' }[name.slice(0, -2)] ?? missing('the mode');
      const { type: kind } = scalar(0);
      const opcode = `cvt.${mode}.${writer.floatName(kind)}.${floatSuffix(kind)}`;
      return [writer.compute(opcode, kind, writer.inRegister(scalar(0)))];
    }
    case 'ptr.gen.to.global':
    case 'ptr.gen.to.shared':
    case 'ptr.gen.to.local':
      return [
        writer.inSpace(
          scalar(0),
          { global: spaces.global, shared: spaces.shared, local: spaces.local }[name.slice(11)] ?? 0,
        ),
      ];
    case 'isspacep.global':
    case 'isspacep.shared':
    case 'isspacep.local':
    case 'isspacep.const':
      return [writer.compute(name, i1, writer.inRegister(writer.generic(scalar(0))))];
    default:
      return undefined;
  }
}

/** Emits the instruction of a template and returns the elements of its result. */
export function applyTemplate(writer: Writer, template: string, { args, type }: Call): Scalar[] {
  const results = leavesOf(type).map((leaf) => inRegister(leaf.type, writer.register(classOf(leaf.type))));
  const [opcode = '', ...rest] = template.split(' ');
  const operands = rest
    .join(' ')
    .replace(/\[\$(\d+)\]|([$%])(\d+)/g, (_, pointer: string, sign: string, index: string) => {
      if (pointer !== undefined) return writer.access(writer.scalar(argumentAt(args, Number(pointer)))).address;
      if (sign === '%') return at(results, Number(index), 'the result').text;
      return operandText(writer, writer.scalar(argumentAt(args, Number(index))));
    });
  writer.emit(operands === '' ? opcode : `${opcode} \t${operands}`);
  return results;
}

const argumentAt = (args: Call['args'], index: number) => at(args, index, 'the argument').value;

/**
 * Returns an operand of a template. Only integers may be immediates, because templates do not
 * specify the types of operands.
 */
function operandText(writer: Writer, scalar: Scalar): string {
  const { kind }: ScalarType = scalar.type;
  return kind === 'int' && scalar.type.kind === 'int' && scalar.type.bits > 1
    ? writer.operand(scalar)
    : writer.inRegister(scalar);
}

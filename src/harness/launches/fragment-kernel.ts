// Turns a fragment into a kernel. A fragment is a list of instructions. Its undeclared registers
// are a lane's inputs and outputs. Each of these registers has a buffer with one element per
// thread. Launches must be one-dimensional.
import type { Module, Operand, PtxFunction, Register, Span, Statement } from '../../ptx/ast.ts';
import { parsePtx } from '../../ptx/index.ts';

/**
 * The name of the kernel that `fragmentToKernel` returns, and of the function in a parsed fragment.
 */
export const fragmentEntry = 'fragment';

/** Returns the name of an input's buffer parameter. */
export const inputName = (register: Register): string => `in_${wordOf(register)}`;
export const outputName = (register: Register): string => `out_${wordOf(register)}`;

export interface FragmentIo {
  /**
   * The registers to load. The default is all registers that the fragment reads before it writes
   * them. `outputs` are the registers to store. The default is all registers that the fragment
   * writes.
   */
  readonly inputs?: readonly Register[];
  readonly outputs?: readonly Register[];
}

/**
 * Returns a kernel that loads the inputs of a fragment, executes its instructions and stores its
 * outputs. The parameters are one buffer for each input, then one buffer for each output. A buffer
 * has one element per thread; predicates are u32 0 or 1. Returns a module that is not a fragment
 * unchanged.
 */
export function fragmentToKernel(module: Module, io: FragmentIo = {}): Module {
  const fragment = module.functions.find(({ name }) => name === fragmentEntry);
  if (module.dialect === 'module' || !fragment) return module;
  const { inputs = module.inputs, outputs = module.outputs } = io;
  const { params, registers, before, after } = makeFrame(inputs, outputs, fragment.span);
  const kernel: PtxFunction = {
    ...fragment,
    kind: 'entry',
    params,
    registers: [...registers, ...fragment.registers],
    body: [...before, ...fragment.body, ...after],
  };
  const functions = module.functions.map((fn) => (fn === fragment ? kernel : fn));
  return { ...module, dialect: 'module', addressSize: 64, functions };
}

interface Frame {
  readonly params: PtxFunction['params'];
  readonly registers: readonly Register[];
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
}

/**
 * Returns the PTX text of the kernel around a fragment, one statement per element. `nameOf` returns
 * the names of the fragment's registers.
 */
export function frameText(
  inputs: readonly Register[],
  outputs: readonly Register[],
  nameOf: (register: Register) => string,
): { readonly head: string; readonly before: readonly string[]; readonly after: readonly string[] } {
  const params = [...inputs.map(inputName), ...outputs.map(outputName)].map((name) => `.param .u64 ${name}`);
  return {
    head: `.visible .entry ${fragmentEntry}(${params.join(', ')})`,
    before: [
      '.reg .b32 %frame_thread, %frame_count, %frame_block, %frame_word;',
      'mov.u32 %frame_thread, %tid.x;',
      'mov.u32 %frame_count, %ntid.x;',
      'mov.u32 %frame_block, %ctaid.x;',
      'mad.lo.u32 %frame_thread, %frame_block, %frame_count, %frame_thread;',
      ...inputs.flatMap((register) => loadText(register, nameOf(register))),
    ],
    after: [...outputs.flatMap((register) => storeText(register, nameOf(register))), 'ret;'],
  };
}

/**
 * Parses the text around the fragment. In this text, `%value0`, `%value1`, … are placeholders,
 * which the fragment's registers then replace.
 */
function makeFrame(inputs: readonly Register[], outputs: readonly Register[], span: Span): Frame {
  const values = [...new Map([...inputs, ...outputs].map((register) => [register.name, register])).values()];
  const valueName = ({ name }: Register): string => `%value${values.findIndex((value) => value.name === name)}`;
  const { head, before, after } = frameText(inputs, outputs, valueName);
  const text = [
    '.version 8.6',
    '.target sm_100a',
    '.address_size 64',
    `${head} {`,
    ...values.map((register) => `.reg .${register.type} ${valueName(register)};`),
    ...before,
    'FRAGMENT:',
    ...after,
    '}',
  ].join('\n');
  const { module, diagnostics } = parsePtx(text, { file: 'frame of a fragment', dialect: 'module' });
  const frame = module?.functions[0];
  if (!frame) throw new Error(`the frame of a fragment does not parse: ${diagnostics[0]?.message}`);
  const byName = new Map(values.map((register) => [valueName(register), register]));
  const body = frame.body.map((statement) => placeAt(statement, span, byName));
  const middle = body.findIndex(({ kind }) => kind === 'label');
  return {
    params: frame.params,
    registers: frame.registers.filter(({ name }) => !byName.has(name)),
    before: body.slice(0, middle),
    after: body.slice(middle + 1),
  };
}

/**
 * Returns lines that compute the address of the thread's element. Each parameter has separate
 * registers, so that the translator can distinguish the buffers.
 */
function addressText(param: string, bytes: number): { readonly lines: readonly string[]; readonly address: string } {
  const [base, offset, address] = ['base', 'offset', 'address'].map((role) => `%${role}_${param}`);
  const lines = [
    `.reg .b64 ${base}, ${offset}, ${address};`,
    `ld.param.u64 ${base}, [${param}];`,
    `cvta.to.global.u64 ${base}, ${base};`,
    `mul.wide.u32 ${offset}, %frame_thread, ${bytes};`,
    `add.s64 ${address}, ${base}, ${offset};`,
  ];
  return { lines, address: `[${address}]` };
}

function loadText(register: Register, value: string): string[] {
  const bytes = bytesOf(register);
  const { lines, address } = addressText(inputName(register), bytes);
  if (register.type !== 'pred') return [...lines, `ld.global.b${bytes * 8} ${value}, ${address};`];
  return [...lines, `ld.global.b32 %frame_word, ${address};`, `setp.ne.u32 ${value}, %frame_word, 0;`];
}

function storeText(register: Register, value: string): string[] {
  const bytes = bytesOf(register);
  const { lines, address } = addressText(outputName(register), bytes);
  if (register.type !== 'pred') return [...lines, `st.global.b${bytes * 8} ${address}, ${value};`];
  return [...lines, `selp.u32 %frame_word, 1, 0, ${value};`, `st.global.b32 ${address}, %frame_word;`];
}

/** Returns the size of a register's element in its buffer, in bytes. */
export function bytesOf({ type }: Register): number {
  return type === 'pred' ? 4 : Number(type.replace(/\D+/, '')) / 8;
}

function wordOf({ name }: Register): string {
  return name.replace(/^%/, '').replace(/\W/g, '_');
}

/**
 * Sets the span of an instruction around the fragment to the start of the fragment, because the
 * fragment's text does not contain it.
 */
function placeAt(statement: Statement, { start }: Span, values: ReadonlyMap<string, Register>): Statement {
  const span = { start, end: start };
  if (statement.kind !== 'instruction') return { ...statement, span };
  const operands = Object.entries(statement.operands).map(
    ([name, operand]) => [name, placeOperand(operand, span, values)] as const,
  );
  return { ...statement, operands: Object.fromEntries(operands), span };
}

function placeOperand(operand: Operand, span: Span, values: ReadonlyMap<string, Register>): Operand {
  if (operand.kind !== 'register') return { ...operand, span };
  return { ...operand, register: values.get(operand.register.name) ?? operand.register, span };
}

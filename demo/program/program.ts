// Makes a runnable program from the editor's text: parses it, turns a fragment into a kernel, and
// finds the parameters.

import type { BufferParam, Launch, LaunchParam } from '../../src/base/launch.ts';
import {
  bytesOf,
  fragmentEntry,
  fragmentToKernel,
  inputName,
  outputName,
} from '../../src/harness/launches/fragment-kernel.ts';
import type { PtxType } from '../../src/isa/index.ts';
import {
  type Diagnostic,
  type Module,
  type PtxFunction,
  parsePtx,
  type Register,
  type Variable,
} from '../../src/ptx/index.ts';
import { type AppState, type InputSpec, maxBlock, maxGrid } from '../state.ts';
import { defaultInput, defaultParam, inputBits, launchParam, packBits, paramBytes } from './inputs.ts';
import { maxLaunchBytes, maxParams } from './limits.ts';

/** An input: a register of a fragment, or a parameter of a kernel. */
export type ProgramInput =
  | { readonly kind: 'register'; readonly name: string; readonly type: PtxType; readonly spec: InputSpec }
  | { readonly kind: 'param'; readonly name: string; readonly variable: Variable; readonly spec: InputSpec };

/** The page's data about a program: plain data, which a worker can send. */
export interface Program {
  readonly dialect: Module['dialect'];
  /** The text that runs, and the number of its first characters that are not in the editor. */
  readonly text: string;
  readonly prefix: number;
  readonly entry: string;
  /** The names of all kernels. */
  readonly entries: readonly string[];
  readonly inputs: readonly ProgramInput[];
  readonly outputs: readonly Register[];
  /** The lanes that run a fragment. */
  readonly runs: number;
  readonly launch: Launch;
}

/** A program, with its module for translation and interpretation. */
export interface LoadedProgram extends Program {
  readonly kernel: Module;
}

export interface Analysis {
  /** The diagnostics of the editor's text. */
  readonly diagnostics: readonly Diagnostic[];
  readonly program: LoadedProgram | undefined;
}

/** Ends the analysis of a text that is valid PTX, but that this page cannot run. */
class Refused extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

const refuse = (code: string, message: string, hint: string, span: Diagnostic['span']): never => {
  throw new Refused({ code, severity: 'error', message, hint, span, labels: [] });
};

/** The register whose value is the mask of lanes that run a fragment. */
const runsRegister = '%lanes_that_run';
const runsPrefix = `@!${runsRegister} exit;\n`;

/** Parses the text and creates its launch. Never throws, for any text. */
export function analyze(state: AppState): Analysis {
  const { module, diagnostics } = parsePtx(state.text, { file: 'editor.ptx' });
  if (!module) return { diagnostics, program: undefined };
  try {
    const program = module.dialect === 'module' ? kernelProgram(state, module) : fragmentProgram(state, module);
    return { diagnostics, program };
  } catch (error) {
    if (error instanceof Refused) return { diagnostics: [...diagnostics, error.diagnostic], program: undefined };
    throw error;
  }
}

function fragmentProgram(state: AppState, module: Module): LoadedProgram {
  const some = state.runs !== 0xffffffff && module.dialect === 'fragment';
  const text = some ? runsPrefix + state.text : state.text;
  const parsed = some ? (parsePtx(text, { file: 'editor.ptx' }).module ?? module) : module;
  // `runsPrefix` makes some lanes exit. They keep the initial values of their registers, so more
  // registers may be inputs than in the text alone.
  checkRegisters(parsed);
  const isOwn = ({ name }: Register): boolean => name === runsRegister;
  const inputs = module.inputs.map((register): ProgramInput => {
    const { name, type } = register;
    return { kind: 'register', name, type, spec: state.inputs.get(name) ?? defaultInput(type) };
  });
  const specs = new Map(inputs.map(({ name, spec }) => [name, spec]));
  const params = [
    ...parsed.inputs.map((register) => {
      if (isOwn(register)) return registerBuffer(register, maskBits(state.runs));
      const given = specs.get(register.name) ?? defaultInput(register.type);
      return registerBuffer(register, inputBits(given, register.type, 32));
    }),
    ...parsed.outputs.map((register): BufferParam => {
      const bytes = bytesOf(register);
      return { name: outputName(register), kind: 'buffer', type: elementType(register), bytes: bytes * 32 };
    }),
  ];
  return {
    dialect: module.dialect,
    text,
    prefix: text.length - state.text.length,
    kernel: fragmentToKernel(parsed),
    entry: fragmentEntry,
    entries: [],
    inputs,
    outputs: parsed.outputs,
    runs: some ? state.runs : 0xffffffff,
    launch: launchOf(text, fragmentEntry, 32, 1, params),
  };
}

const maskBits = (mask: number): bigint[] => Array.from({ length: 32 }, (_, lane) => BigInt((mask >>> lane) & 1));

function registerBuffer(register: Register, bits: readonly bigint[]): BufferParam {
  const bytes = bytesOf(register);
  const data = packBits(bits, bytes);
  return { name: inputName(register), kind: 'buffer', type: elementType(register), bytes: data.length, data };
}

function elementType(register: Register): BufferParam['type'] {
  const { type } = register;
  if (type === 'f32' || type === 'f64' || type === 's32' || type === 's64') return type;
  return ({ 1: 'u8', 2: 'u16', 8: 'u64' } as const)[bytesOf(register)] ?? 'u32';
}

/** Each input or output register has a buffer with its name. */
function checkRegisters({ inputs, outputs }: Module): void {
  if (inputs.length + outputs.length > maxParams) {
    const [first] = [...inputs, ...outputs];
    const many = `${inputs.length + outputs.length} input and output registers exceed the page's limit of ${maxParams}`;
    refuse(
      'PAGE001',
      many,
      'Put the instructions into a kernel. Its registers do not need buffers.',
      first?.span ?? nowhere,
    );
  }
  for (const [registers, nameOf] of [[inputs, inputName] as const, [outputs, outputName] as const]) {
    const byBuffer = new Map<string, Register>();
    for (const register of registers) {
      const other = byBuffer.get(nameOf(register));
      if (other) {
        const both = `\`${other.name}\` and \`${register.name}\` would both use the buffer \`${nameOf(register)}\``;
        refuse('PAGE002', both, 'Rename one of them.', register.span);
      }
      byBuffer.set(nameOf(register), register);
    }
  }
}

const nowhere = { start: 0, end: 0 };

function kernelProgram(state: AppState, module: Module): LoadedProgram | undefined {
  const entries = module.functions.filter(({ kind }) => kind === 'entry');
  const entry = entries.find(({ name }) => name === state.entry) ?? entries[0];
  if (!entry) return undefined;
  const threads = state.block * state.grid;
  const variables = paramsOf(entry);
  if (variables.length > maxParams) {
    const many = `the kernel has ${variables.length} parameters; the page supports at most ${maxParams}`;
    refuse('PAGE001', many, 'Combine them in one buffer.', entry.span);
  }
  const inputs = variables.map((variable) => {
    const spec = { ...defaultParam(variable, threads), ...state.inputs.get(variable.name) };
    return { kind: 'param', name: variable.name, variable, spec } as const;
  });
  const bytes = inputs.reduce((sum, { variable, spec }) => sum + paramBytes(variable, spec), 0);
  if (bytes > maxLaunchBytes) {
    const much = `the parameters hold ${bytes.toLocaleString('en')} bytes; the page supports at most ${maxLaunchBytes.toLocaleString('en')}`;
    refuse('PAGE003', much, 'Use fewer threads or smaller buffers.', entry.span);
  }
  const params = inputs.map((input) => launchParam(input.variable, input.spec));
  return {
    dialect: 'module',
    text: state.text,
    prefix: 0,
    kernel: module,
    entry: entry.name,
    entries: entries.map(({ name }) => name),
    inputs,
    outputs: [],
    runs: 0xffffffff,
    launch: launchOf(state.text, entry.name, state.block, state.grid, params),
  };
}

const paramsOf = ({ params }: PtxFunction): Variable[] => params.filter((param): param is Variable => 'space' in param);

function launchOf(ptx: string, entry: string, block: number, grid: number, params: readonly LaunchParam[]): Launch {
  return {
    id: 'playground',
    group: 'playground',
    ptx,
    ptxFile: 'editor.ptx',
    entry,
    grid: [Math.min(Math.max(grid, 1), maxGrid), 1, 1],
    block: [Math.min(Math.max(block, 1), maxBlock), 1, 1],
    sharedBytes: 0,
    params,
  };
}

/** Returns the part of the program that is sent to the page. */
export function plainProgram({ kernel: _, ...program }: LoadedProgram): Program {
  return program;
}

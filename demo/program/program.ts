// From the editor's text to what can be run: parsed, a fragment made a kernel, parameters found.

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
import type { AppState, InputSpec } from '../state.ts';
import { defaultInput, defaultParam, inputBits, launchParam, packBits } from './inputs.ts';

/// A register of a fragment whose values the person gives, or a parameter of a kernel.
export type ProgramInput =
  | { readonly kind: 'register'; readonly name: string; readonly type: PtxType; readonly spec: InputSpec }
  | { readonly kind: 'param'; readonly name: string; readonly variable: Variable; readonly spec: InputSpec };

export interface Program {
  /// Of the text as it stands in the editor.
  readonly diagnostics: readonly Diagnostic[];
  readonly dialect: Module['dialect'];
  /// The text that runs, and how many of its first characters are not the editor's.
  readonly text: string;
  readonly prefix: number;
  readonly kernel: Module;
  readonly entry: string;
  /// Names of all kernels.
  readonly entries: readonly string[];
  readonly inputs: readonly ProgramInput[];
  readonly outputs: readonly Register[];
  /// Lanes of a fragment that run it.
  readonly runs: number;
  readonly launch: Launch;
}

export interface Analysis {
  readonly diagnostics: readonly Diagnostic[];
  readonly program: Program | undefined;
}

/// The register whose value says which lanes run a fragment.
const runsRegister = '%lanes_that_run';
const runsPrefix = `@!${runsRegister} exit;\n`;

/// Parses the text and makes its launch. Never throws, whatever the text.
export function analyze(state: AppState): Analysis {
  const { module, diagnostics } = parsePtx(state.text, { file: 'editor.ptx' });
  if (!module) return { diagnostics, program: undefined };
  return {
    diagnostics,
    program:
      module.dialect === 'module'
        ? kernelProgram(state, module, diagnostics)
        : fragmentProgram(state, module, diagnostics),
  };
}

function fragmentProgram(state: AppState, module: Module, diagnostics: readonly Diagnostic[]): Program {
  const some = state.runs !== 0xffffffff && module.dialect === 'fragment';
  const text = some ? runsPrefix + state.text : state.text;
  const parsed = some ? (parsePtx(text, { file: 'editor.ptx' }).module ?? module) : module;
  const isOwn = ({ name }: Register): boolean => name === runsRegister;
  const inputs = module.inputs.map((register): ProgramInput => {
    const { name, type } = register;
    return { kind: 'register', name, type, spec: state.inputs[name] ?? defaultInput(type) };
  });
  const params = [
    ...parsed.inputs.map((register) => {
      if (isOwn(register)) return registerBuffer(register, maskBits(state.runs));
      const given = inputs.find(({ name }) => name === register.name)?.spec ?? defaultInput(register.type);
      return registerBuffer(register, inputBits(given, register.type, 32));
    }),
    ...parsed.outputs.map((register): BufferParam => {
      const bytes = bytesOf(register);
      return { name: outputName(register), kind: 'buffer', type: elementType(register), bytes: bytes * 32 };
    }),
  ];
  return {
    diagnostics,
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

function kernelProgram(state: AppState, module: Module, diagnostics: readonly Diagnostic[]): Program | undefined {
  const entries = module.functions.filter(({ kind }) => kind === 'entry');
  const entry = entries.find(({ name }) => name === state.entry) ?? entries[0];
  if (!entry) return undefined;
  const threads = state.block * state.grid;
  const inputs = paramsOf(entry).map((variable): ProgramInput => {
    const spec = { ...defaultParam(variable, threads), ...state.inputs[variable.name] };
    return { kind: 'param', name: variable.name, variable, spec };
  });
  const params = inputs.flatMap((input) => (input.kind === 'param' ? [launchParam(input.variable, input.spec)] : []));
  return {
    diagnostics,
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
    grid: [Math.min(Math.max(grid, 1), 1024), 1, 1],
    block: [Math.min(Math.max(block, 1), 1024), 1, 1],
    sharedBytes: 0,
    params,
  };
}

// Creates a program that can be run from the editor's text: parses the text, converts a fragment to
// a kernel, and finds the parameters.

import { demangle } from '../../src/base/demangle.ts';
import { missing } from '../../src/base/invariants.ts';
import type { BufferParam, Dim3, Launch, LaunchParam } from '../../src/base/launch.ts';
import { debugParameters, entriesOf, entryTitle, inferKernel, parameterNames } from '../../src/harness/infer/index.ts';
import {
  bytesOf,
  fragmentEntry,
  fragmentToKernel,
  inputName,
  outputName,
} from '../../src/harness/launches/fragment-kernel.ts';
import { toleranceReasonOf, withTolerance } from '../../src/harness/launches/tolerance.ts';
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
import { originsOf } from './cuda-lines.ts';
import { defaultInput, inputBits, launchParam, packBits, paramBytes } from './inputs.ts';
import { maxLaunchBytes, maxParams } from './limits.ts';
import { suggestLaunch } from './suggest-launch.ts';
import type { ConflictingLaunch } from './verdict.ts';

/** An input: a register of a fragment, or a parameter of a kernel. */
export type ProgramInput =
  | { readonly kind: 'register'; readonly name: string; readonly type: PtxType; readonly spec: InputSpec }
  | { readonly kind: 'param'; readonly name: string; readonly variable: Variable; readonly spec: InputSpec };

/** The page's data about a program, as plain data that a worker can send. */
export interface Program {
  readonly dialect: Module['dialect'];
  /** The text that is run, and the number of characters at its start that are not in the editor. */
  readonly text: string;
  readonly prefix: number;
  readonly entry: string;
  /** All kernels. The titles of kernels with mangled names are their C++ names. */
  readonly entries: readonly { readonly name: string; readonly title: string }[];
  readonly inputs: readonly ProgramInput[];
  /** The names of parameters in the CUDA source or in debug information, if they are available. */
  readonly titles: ReadonlyMap<string, string>;
  readonly outputs: readonly Register[];
  /** The mask of the lanes that run a fragment. */
  readonly runs: number;
  readonly launch: Launch;
  /** A launch with other threads that the page has tried and in which threads conflict. */
  readonly conflicting: ConflictingLaunch | undefined;
  /** The reason why floats are compared with a tolerance; undefined if their bits are compared. */
  readonly tolerance: string | undefined;
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

/** Thrown to end the analysis of a text that is valid PTX but that this page cannot run. */
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

/** The result of the parser for a text of the editor. */
export type ParsedText = ReturnType<typeof parsePtx>;

/** Parses the editor's text. `cuda` is the source that its line information names. */
export const parseEditor = ({ text, cuda }: Pick<AppState, 'text' | 'cuda'>): ParsedText =>
  parsePtx(text, { file: 'editor.ptx', origins: originsOf(text, cuda) });

/**
 * Creates the program of a parsed text with its launch. Does not throw errors, whatever the text
 * is.
 */
export function analyze(state: AppState, { module, diagnostics }: ParsedText = parseEditor(state)): Analysis {
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
  // `runsPrefix` makes some lanes exit. The registers of these lanes retain their initial values,
  // so more registers may be inputs than for the text alone.
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
    titles: new Map(),
    outputs: parsed.outputs,
    runs: some ? state.runs : 0xffffffff,
    launch: launchOf(text, fragmentEntry, { block: [32, 1, 1], grid: [1, 1, 1], sharedBytes: 0 }, params),
    conflicting: undefined,
    tolerance: undefined,
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

/**
 * Throws an error for a fragment that the page cannot run. Each input or output register needs a
 * buffer with its name.
 */
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

function kernelProgram(state: AppState, module: Module): LoadedProgram {
  const entries = entriesOf(module);
  const entry = entries.find(({ name }) => name === state.entry) ?? entries[0];
  if (!entry) {
    const hint = 'A kernel is a function that begins with `.entry`. In CUDA C++, it has `__global__`.';
    return refuse('PAGE007', 'the module has no kernel', hint, nowhere);
  }
  const variables = paramsOf(entry);
  if (variables.length > maxParams) {
    const many = `the kernel has ${variables.length} parameters; the page supports at most ${maxParams}`;
    refuse('PAGE001', many, 'Combine them in one buffer.', entry.span);
  }
  const { params: uses } = inferKernel(module, entry);
  const image = uses.find((param) => param.image !== undefined);
  if (image) {
    const hint = 'Describe the texture or surface in a case file, and run it with `lanewise run CASE.json`.';
    refuse(
      'PAGE006',
      `\`${image.variable.name}\` is a texture or surface, which the page cannot provide`,
      hint,
      image.variable.span,
    );
  }
  const { block, grid, shared: sharedBytes, inputs: chosen } = state;
  const suggested = suggestLaunch(module, entry, { block, grid, sharedBytes, inputs: chosen });
  const inputs = uses.map(({ variable }) => {
    const { name } = variable;
    return {
      kind: 'param',
      name,
      variable,
      spec: suggested.specs.get(name) ?? missing('the contents of a parameter', name),
    } as const;
  });
  const bytes = inputs.reduce((sum, { variable, spec }) => sum + paramBytes(variable, spec), 0);
  if (bytes > maxLaunchBytes) {
    const much = `the parameters hold ${bytes.toLocaleString('en')} bytes; the page supports at most ${maxLaunchBytes.toLocaleString('en')}`;
    refuse('PAGE003', much, 'Use fewer threads or smaller buffers.', entry.span);
  }
  const base = demangle(entry.name)?.base ?? entry.name;
  const titles =
    parameterNames(state.cuda, base, variables.length) ??
    debugParameters(state.text, entry.name, variables.length) ??
    []; // Neither the page nor the PTX may contain the names.
  const tolerance = toleranceReasonOf(module, entry);
  const params = inputs.map(({ variable, spec }) => {
    const param = launchParam(variable, spec);
    return tolerance !== undefined && param.kind === 'buffer' ? withTolerance(param) : param;
  });
  return {
    dialect: 'module',
    text: state.text,
    prefix: 0,
    kernel: module,
    entry: entry.name,
    entries: entries.map(({ name }) => ({ name, title: entryTitle(name) })),
    inputs,
    titles: new Map(
      variables.flatMap(({ name }, index) => (titles[index] === undefined ? [] : [[name, titles[index]]])),
    ),
    outputs: [],
    runs: 0xffffffff,
    launch: launchOf(state.text, entry.name, suggested, params),
    conflicting: suggested.conflicting,
    tolerance,
  };
}

const paramsOf = ({ params }: PtxFunction): Variable[] => params.filter((param): param is Variable => 'space' in param);

interface Geometry {
  readonly block: Dim3;
  readonly grid: Dim3;
  readonly sharedBytes: number;
}

function launchOf(ptx: string, entry: string, geometry: Geometry, params: readonly LaunchParam[]): Launch {
  const { block, grid, sharedBytes } = geometry;
  return { id: 'playground', group: 'playground', ptx, ptxFile: 'editor.ptx', entry, grid, block, sharedBytes, params };
}

/** Returns the part of the program that is sent to the page. */
export function plainProgram({ kernel: _, ...program }: LoadedProgram): Program {
  return program;
}

// Builds kernels into an ES module that needs neither PTX nor the translator: a shader for each
// lane plan, and a launcher.

import { oneLine } from '../../base/printable.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { bindingsOf } from '../launch/bindings.ts';
import { statusBytes } from '../launch/messages.ts';
import type { ParameterShape } from '../launch/signature.ts';
import { launcherText } from './launcher-text.ts';

export interface BuiltKernel {
  readonly name: string;
  readonly parameters: readonly ParameterShape[];
  /** By subgroup size; 0 is the portable plan. */
  readonly programs: ReadonlyMap<number, WgslProgram>;
}

export interface BuiltModule {
  readonly js: string;
  readonly dts: string;
  /** The size of the module in bytes, without its shaders. */
  readonly ownBytes: number;
}

/** Builds the module. Its first line names `source`, the PTX file. */
export function buildModule(kernels: readonly BuiltKernel[], source: string): BuiltModule {
  const shaders: string[] = [];
  const plans: string[] = [];
  const indexOf = (list: string[], text: string): number => {
    const known = list.indexOf(text);
    return known === -1 ? list.push(text) - 1 : known;
  };
  const entries = kernels.map(({ name, parameters, programs }) => {
    const chosen = [...programs].map(([size, program]) => {
      const plan = JSON.stringify(planOf(program, parameters));
      return [size, `[${indexOf(plans, plan)},${indexOf(shaders, program.code)}]`] as const;
    });
    const portable = chosen.find(([size]) => size === 0)?.[1];
    const bySize = chosen.filter(([size, which]) => size === 0 || which !== portable);
    const params = parameters.map(({ name: param, kind, bytes, type }) => [
      shortName(param, name),
      kind[0],
      bytes,
      type,
    ]);
    return `  ${keyOf(name)}: { params: ${JSON.stringify(params)}, plans: {${bySize.map((entry) => entry.join(':'))}} },`;
  });
  const first = `// Made by \`lanewise build\` from ${oneLine(source)}. Kernels: ${kernels.map(({ name }) => name).join(', ')}.`;
  const list = shaders.map((code) => `\`${code.replace(/[\\`]|\$\{/g, '\\$&')}\``);
  const rest = [
    `const plans = [\n  ${plans.join(',\n  ')},\n];`,
    // A kernel may have the name `constructor` or `__proto__`.
    `const kernels = {__proto__: null,\n${entries.join('\n')}\n};`,
    launcherText,
  ];
  const js = [first, `const shaders = [\n${list.join(',\n')},\n];`, ...rest].join('\n');
  const ownBytes = new TextEncoder().encode([first, ...rest].join('\n')).length;
  return { js, dts: typesOf(kernels), ownBytes };
}

/** Returns a key of an object literal, in which a plain `__proto__` would set the prototype. */
const keyOf = (name: string): string => (name === '__proto__' ? `['${name}']` : JSON.stringify(name));

/** Returns the program's properties that the launcher needs, without absent ones. */
function planOf(program: WgslProgram, parameters: readonly ParameterShape[]) {
  const values = program.params.flatMap((place, index) =>
    place.kind === 'value' ? [[index, place.offset, parameters[index]?.bytes ?? place.bytes]] : [],
  );
  const buffers = bindingsOf(program).map((at) => [at.binding, at.kind[0], at.of === 'param' ? at.param : at.of]);
  return {
    buffers,
    values,
    bytes: program.paramsBinding?.bytes ?? 0,
    locks: program.locks?.bytes,
    local: program.local?.blockBytes,
    status: statusBytes(program) || undefined,
  };
}

/** nvcc names a parameter after its kernel and number. */
const shortName = (param: string, kernel: string): string =>
  param.startsWith(`${kernel}_`) ? param.slice(kernel.length + 1) : param;

function typesOf(kernels: readonly BuiltKernel[]): string {
  const launches = kernels.map(({ name, parameters, programs }) => {
    const [program] = programs.values();
    const args = parameters.map((shape, index) => {
      const isBound = program?.params[index]?.kind === 'binding';
      return `${identifierOf(shortName(shape.name, name))}: ${isBound ? 'Pointer' : typeOf(shape)}`;
    });
    return `/** Launches ${name}. */
export declare function launch(device: GPUDevice, kernel: ${JSON.stringify(name)}, config: LaunchConfig, args: [${args.join(', ')}]): void;`;
  });
  return `/** The buffer of a pointer, or the part of it that begins at the pointer. */
export type Pointer = GPUBuffer | GPUBufferBinding;
export interface LaunchConfig {
  /** The number of blocks: one to three integers. */
  grid: number | [number, number?, number?];
  /** A pass of the page. Without one, the launch is submitted immediately. */
  pass?: GPUComputePassEncoder;
}
export type KernelName = ${kernels.map(({ name }) => JSON.stringify(name)).join(' | ')};
/** Compiles the named kernels in advance, or all kernels. */
export declare function prepare(device: GPUDevice, ...names: KernelName[]): Promise<void>;
${launches.join('\n')}
/** Waits for all submitted launches. Rejects if a kernel trapped or its lanes wait for each other forever. */
export declare function check(device: GPUDevice): Promise<void>;
`;
}

const identifierOf = (name: string): string => name.replace(/\W/g, '_').replace(/^(?=\d)/, '_');

function typeOf({ kind }: ParameterShape): string {
  if (kind === 'bytes' || kind === 'open') return 'ArrayBufferView | ArrayBuffer';
  if (kind === 'pointer') return 'number | bigint';
  return kind === 'float' ? 'number' : 'number | boolean';
}

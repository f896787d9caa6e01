// The types of a built module.

import type { ParameterShape } from '../runtime/launch/signature.ts';
import { isExportable, labelOf } from './kernel-names.ts';
import type { KernelToWrite } from './module-text.ts';

const shared = `/** The buffer of a pointer, or the part of it that begins at the pointer. */
export type Pointer = GPUBuffer | GPUBufferBinding;
export interface LaunchConfig {
  /** The number of blocks: one to three integers. */
  grid: number | [number, number?, number?];
  /** A pass of the page. Without one, the launch is submitted immediately. */
  pass?: GPUComputePassEncoder;
}
/** Launches a kernel. */
export interface Kernel<Arguments extends readonly unknown[]> {
  (device: GPUDevice, config: LaunchConfig, args: Arguments): void;
  /** The number of threads in a block. */
  readonly block: readonly [number, number, number];
}`;

interface Function {
  readonly comment: string;
  readonly name: string;
  /** For each overload, its parameters and its result. */
  readonly overloads: readonly (readonly [params: string, result: string])[];
}

function functionsOf(kernels: readonly KernelToWrite[]): readonly Function[] {
  return [
    {
      comment: 'Measures the device once, and compiles the named kernels for it, or all kernels.',
      name: 'prepare',
      overloads: [['device: GPUDevice, ...names: KernelName[]', 'Promise<void>']],
    },
    {
      comment: 'Launches a kernel by its name.',
      name: 'launch',
      overloads: kernels.map((kernel) => [
        `device: GPUDevice, kernel: ${JSON.stringify(kernel.name)}, config: LaunchConfig, args: ${argumentsOf(kernel)}`,
        'void',
      ]),
    },
    {
      comment:
        'Waits for all submitted launches. Rejects if a kernel trapped or its lanes wait for each other forever.',
      name: 'check',
      overloads: [['device: GPUDevice', 'Promise<void>']],
    },
  ];
}

const kernelName = (kernels: readonly KernelToWrite[]): string =>
  `export type KernelName = ${kernels.map(({ name }) => JSON.stringify(name)).join(' | ')};`;

/** Returns the declarations of a module, for a `.d.ts` file or within `declare module`. */
export function moduleTypes(kernels: readonly KernelToWrite[], isAmbient = false): string {
  const declare = isAmbient ? '' : 'declare ';
  const functions = functionsOf(kernels).map(({ comment, name, overloads }) =>
    [
      `/** ${comment} */`,
      ...overloads.map(([params, result]) => `export ${declare}function ${name}(${params}): ${result};`),
    ].join('\n'),
  );
  const consts = exportedOf(kernels).map(
    (kernel) => `/** Launches ${kernel.name}. */\nexport ${declare}const ${kernel.name}: ${typeOfKernel(kernel)};`,
  );
  return [shared, kernelName(kernels), ...functions, ...consts, ''].join('\n');
}

/**
 * Returns the exports of a module in TypeScript. They follow the data and the launcher, which are
 * JavaScript.
 */
export function typedExports(kernels: readonly KernelToWrite[]): string {
  const functions = functionsOf(kernels).map(({ comment, name, overloads }) => {
    const type = overloads.map(([params, result]) => `(${params}): ${result};`).join(' ');
    return `/** ${comment} */\nexport const ${name}: { ${type} } = built.${name};`;
  });
  const consts = exportedOf(kernels).map(
    (kernel) =>
      `/** Launches ${kernel.name}. */\nexport const ${kernel.name}: ${typeOfKernel(kernel)} = /* @__PURE__ */ built.kernel(${JSON.stringify(kernel.name)});`,
  );
  return [shared, kernelName(kernels), ...functions, ...consts].join('\n');
}

const exportedOf = (kernels: readonly KernelToWrite[]): readonly KernelToWrite[] =>
  kernels.filter(({ name }) => isExportable(name));

const typeOfKernel = (kernel: KernelToWrite): string => `Kernel<${argumentsOf(kernel)}>`;

function argumentsOf({ parameters, variants }: KernelToWrite): string {
  const [first] = variants;
  const args = parameters.map((shape, index) => {
    const isBound = first?.program.params[index]?.kind === 'binding';
    return `${labelOf(shape.name)}: ${isBound ? 'Pointer' : typeOf(shape)}`;
  });
  return `[${args.join(', ')}]`;
}

function typeOf({ kind }: ParameterShape): string {
  if (kind === 'bytes' || kind === 'open') return 'ArrayBufferView | ArrayBuffer';
  if (kind === 'pointer') return 'number | bigint';
  return kind === 'float' ? 'number' : 'number | boolean';
}

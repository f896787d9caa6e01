// From a launch's PTX text to the module that executors run: parsed, and a fragment made a kernel.

import type { Launch, OriginFile } from '../../base/launch.ts';
import type { Module, Register, Source } from '../../ptx/ast.ts';
import { parsePtx } from '../../ptx/index.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { type FragmentIo, fragmentToKernel, inputName, outputName } from '../launches/fragment-kernel.ts';

/** What several executors run is parsed once. */
const loaded = new WeakMap<Launch, Module>();

/**
 * The same for launches whose `loadKernel` gives the same module: a fragment's kernel has the parameters that the launch has, and what is
 * wrong with a text is told with its file.
 */
export function kernelKey({ ptx, ptxFile, params }: Launch): string {
  return JSON.stringify([ptx, ptxFile, params.map(({ name }) => name)]);
}

/**
 * Throws `KernelError` 'invalid' with every error of the text. A fragment's kernel stores the outputs that the launch has a buffer
 * for (`out_<register>`), in the launch's order.
 */
export function loadKernel(launch: Launch): Module {
  const known = loaded.get(launch);
  if (known) return known;
  const module = parseModule(launch.ptx, launch.ptxFile, launch.origins);
  const kernel = module.dialect === 'module' ? module : fragmentToKernel(module, fragmentIo(module, launch));
  loaded.set(launch, kernel);
  return kernel;
}

/** Spares executors the parsing: `module` is that of the launch's text. */
export function rememberKernel(launch: Launch, module: Module): void {
  loaded.set(launch, module);
}

/** The registers of a fragment that the launch has buffers for, in the launch's order. */
export function fragmentIo(module: Module, launch: Launch): Required<FragmentIo> {
  const named = (registers: readonly Register[], nameOf: (register: Register) => string): Register[] =>
    launch.params.flatMap(({ name }) => registers.find((register) => nameOf(register) === name) ?? []);
  return { inputs: named(module.inputs, inputName), outputs: named(module.outputs, outputName) };
}

/** Throws `KernelError` 'invalid'. */
export function parseModule(text: string, file: string, origins?: readonly OriginFile[]): Module {
  const named = origins === undefined ? { file } : { file, origins };
  const { module, diagnostics } = parsePtx(text, named);
  const source: Source = { ...named, text };
  if (!module) throw new KernelError('invalid', source, diagnostics);
  return module;
}

// Loads a launch's PTX text as the module that executors run: parses it, and turns a fragment into
// a kernel.

import type { Launch, OriginFile } from '../../base/launch.ts';
import type { Module, Register, Source } from '../../ptx/ast.ts';
import { parsePtx } from '../../ptx/index.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { type FragmentIo, fragmentToKernel, inputName, outputName } from '../launches/fragment-kernel.ts';

/** The modules of launches. A launch for several executors is parsed only once. */
const loaded = new WeakMap<Launch, Module>();

/**
 * Returns a key that is equal for launches with the same module. The key contains the parameters,
 * because they determine the kernel of a fragment, and the file, because errors name it.
 */
export function kernelKey({ ptx, ptxFile, params }: Launch): string {
  return JSON.stringify([ptx, ptxFile, params.map(({ name }) => name)]);
}

/**
 * Loads the module of a launch. Throws `KernelError` 'invalid' with every error of the text. The
 * kernel of a fragment stores the outputs for which the launch has a buffer (`out_<register>`), in
 * the launch's order.
 */
export function loadKernel(launch: Launch): Module {
  const known = loaded.get(launch);
  if (known) return known;
  const module = parseModule(launch.ptx, launch.ptxFile, launch.origins);
  const kernel = module.dialect === 'module' ? module : fragmentToKernel(module, fragmentIo(module, launch));
  loaded.set(launch, kernel);
  return kernel;
}

/** Caches `module` as the parsed text of the launch, so that executors need not parse it. */
export function rememberKernel(launch: Launch, module: Module): void {
  loaded.set(launch, module);
}

/** Returns the registers of a fragment that have buffers, in the launch's order. */
export function fragmentIo(module: Module, launch: Launch): Required<FragmentIo> {
  const named = (registers: readonly Register[], nameOf: (register: Register) => string): Register[] =>
    launch.params.flatMap(({ name }) => registers.find((register) => nameOf(register) === name) ?? []);
  return { inputs: named(module.inputs, inputName), outputs: named(module.outputs, outputName) };
}

/** Parses a module. Throws `KernelError` 'invalid' if the text is not valid PTX. */
export function parseModule(text: string, file: string, origins?: readonly OriginFile[]): Module {
  const named = origins === undefined ? { file } : { file, origins };
  const { module, diagnostics } = parsePtx(text, named);
  const source: Source = { ...named, text };
  if (!module) throw new KernelError('invalid', source, diagnostics);
  return module;
}

// Writes a built module as one file that does not need other files.

import { readFileSync } from 'node:fs';
import { bundledProgram } from '../harness/sessions/dist-folder.ts';
import { type KernelToWrite, moduleData, moduleExports } from './module-text.ts';
import { moduleTypes, typedExports } from './module-types.ts';

export interface WriteOptions {
  /** The name of the input, for a comment. */
  readonly source: string;
  /** Whether the shaders retain their names, comments and lines. */
  readonly readable: boolean;
}

/** A module in JavaScript, and its types. */
export interface WrittenModule {
  readonly js: string;
  readonly dts: string;
}

/** Returns the module in JavaScript. */
export function writeJavaScript(kernels: readonly KernelToWrite[], options: WriteOptions): WrittenModule {
  const js = [...statements(kernels, options), moduleExports(kernels), ''].join('\n');
  return { js, dts: moduleTypes(kernels) };
}

/** Returns the module in TypeScript. */
export function writeTypeScript(kernels: readonly KernelToWrite[], options: WriteOptions): string {
  // The launcher is minified JavaScript, without types. The exports have explicit types.
  return ['// @ts-nocheck', ...statements(kernels, options), typedExports(kernels), ''].join('\n');
}

function statements(kernels: readonly KernelToWrite[], { source, readable }: WriteOptions): readonly string[] {
  const { data, measure } = moduleData(kernels, source, readable);
  const launcher = bundledProgram(measure === undefined ? 'launcher' : `launcher-${measure}`);
  const args = ['{ codes, plans, kernels }', ...(measure === undefined ? [] : [`lanewise.${measure}`])];
  return [
    data,
    `const lanewise = ${readFileSync(launcher, 'utf8').trim().replace(/;$/, '')};`,
    `const built = /* @__PURE__ */ lanewise.openBuilt(${args.join(', ')});`,
  ];
}

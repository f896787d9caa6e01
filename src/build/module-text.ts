// Writes a built module: the shaders of its kernels as data, the code that launches them, and
// types.

import { oneLine } from '../base/printable.ts';
import { strengthBit } from '../base/strengths.ts';
import type { BuiltPlan } from '../runtime/built/data.ts';
import { bindingsOf } from '../runtime/launch/bindings.ts';
import type { ParameterShape } from '../runtime/launch/signature.ts';
import { statusBytes } from '../runtime/launch/status-buffer.ts';
import type { WgslProgram } from '../translate/index.ts';
import { isExportable } from './kernel-names.ts';
import { statementsOf, WgslMinifier } from './minify-wgsl.ts';
import { TextHistory } from './text-history.ts';
import type { Variant } from './variants.ts';

export interface KernelToWrite {
  /** The name for launches and messages. */
  readonly name: string;
  readonly parameters: readonly ParameterShape[];
  readonly block: readonly [number, number, number];
  readonly variants: readonly Variant[];
}

/** The function of `lanewise/built` that measures a device for a module. */
export type MeasureName = 'measureAll' | 'measureDriver' | 'measureFloats' | 'measureSubgroups';

export interface ModuleText {
  /** The statements that define `data`, without the code that launches kernels. */
  readonly data: string;
  /**
   * The function that measures a device for this module. Undefined if the shaders are the same for
   * every device.
   */
  readonly measure: MeasureName | undefined;
}

/** Writes the data of a module. The first line contains `source`, the name of the input. */
export function moduleData(kernels: readonly KernelToWrite[], source: string, isReadable: boolean): ModuleText {
  const codes = new Numbered();
  const plans = new Numbered();
  const entries = kernels.map(({ name, parameters, block, variants }) => {
    const shaders = variants.map(({ size, needs, program }) => [
      size,
      needs,
      plans.of(JSON.stringify(planOf(program))),
      codes.of(program.code),
    ]);
    const params = parameters.map(({ name: param, kind, bytes, type }) => [param, kind[0], bytes, type]);
    return `${keyOf(name)}:${JSON.stringify({ block, params, shaders })}`;
  });
  const data = [
    `// Made by \`lanewise build\` from ${oneLine(source)}. Kernels: ${kernels.map(({ name }) => oneLine(name)).join(', ')}.`,
    `const codes = [\n${(isReadable ? codes.all.map(readable) : minified(codes.all)).join(',\n')},\n];`,
    `const plans = [\n${plans.all.join(',\n')},\n];`,
    // A kernel may have the name `constructor` or `__proto__`.
    `const kernels = {__proto__:null,\n${entries.join(',\n')}\n};`,
  ].join('\n');
  return { data, measure: measureFor(kernels) };
}

const readable = (code: string): string => `[\`${code.replace(/[\\`]|\$\{/g, '\\$&')}\`]`;

/** Shortens the codes, and replaces parts that also occur in an earlier code. */
function minified(codes: readonly string[]): readonly string[] {
  const minifier = new WgslMinifier();
  const history = new TextHistory();
  return codes.map((code) => JSON.stringify(history.add(minifier.minify(code, 'main').flatMap(statementsOf))));
}

/** Assigns a number to each different string, starting with 0. */
class Numbered {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.all.length);
    return this.all.push(text) - 1;
  }
}

function measureFor(kernels: readonly KernelToWrite[]): MeasureName | undefined {
  const variants = kernels.flatMap((kernel) => kernel.variants);
  const needs = variants.reduce((all, variant) => all | variant.needs, 0);
  const hasFloats = (needs & ~(strengthBit('subgroupId') | strengthBit('otherDriver'))) !== 0;
  const hasSubgroups = variants.some(({ size }) => size !== 0);
  if (hasFloats) return hasSubgroups ? 'measureAll' : 'measureFloats';
  if (hasSubgroups) return 'measureSubgroups';
  return needs === 0 ? undefined : 'measureDriver';
}

/** Returns a key of an object literal, in which a plain `__proto__` would set the prototype. */
const keyOf = (name: string): string => (name === '__proto__' ? `['${name}']` : JSON.stringify(name));

function planOf(program: WgslProgram): BuiltPlan {
  const values = program.params.flatMap((place, index): [number, number][] =>
    place.kind === 'value' ? [[index, place.offset]] : [],
  );
  const letters = { 'read-only-storage': 'r', storage: 's', uniform: 'u' } as const;
  const buffers = bindingsOf(program).map(
    (at) => [at.binding, letters[at.kind], at.of === 'param' ? at.param : at.of] as BuiltPlan['buffers'][number],
  );
  return {
    buffers,
    values,
    bytes: program.paramsBinding?.bytes ?? 0,
    instructions: program.instructions && wordsOf(program.instructions.data),
    locks: program.locks?.bytes,
    blockMemory: program.blockMemory?.blockBytes,
    status: statusBytes(program) || undefined,
  };
}

const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array): readonly number[] => [
  ...new Uint32Array(buffer, byteOffset, byteLength / 4),
];

/** Returns the statements after the data, which export the kernels. */
export function moduleExports(kernels: readonly KernelToWrite[]): string {
  const exported = kernels.filter(({ name }) => isExportable(name));
  return [
    'export const { launch, prepare, check } = built;',
    ...exported.map(({ name }) => `export const ${name} = /* @__PURE__ */ built.kernel(${JSON.stringify(name)});`),
  ].join('\n');
}

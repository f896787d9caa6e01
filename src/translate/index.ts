// Translates PTX to WGSL.

import type { Module } from '../ptx/ast.ts';
import type { TranslateOptions, TranslateResult } from './options.ts';
import { tools } from './tools.ts';
import { translateWith } from './translate.ts';

export type { FloatProfile } from '../base/float-profile.ts';
export { type LanePlan, planFor } from '../base/lane-plan.ts';
export { statusCodes, statusPlaces } from './emit/program/status.ts';
export { layOutHeap, type ModuleMemory } from './layout.ts';
export type { TranslateOptions, TranslateResult } from './options.ts';
export { passNames } from './pass-names.ts';
export { passes, passesFor } from './pipeline.ts';
export type { MessageSite, ParamPlace, StatusBuffer, WgslProgram } from './program.ts';

/**
 * Translates a kernel to WGSL. Never throws for invalid or unsupported PTX, which `diagnostics`
 * reports; an `InternalError` is a fault of the compiler.
 *
 * @example
 * ```js
 * import { parsePtxOrThrow, planFor, translate } from 'lanewise';
 *
 * const float = { mode: 'exact', denormals: 'flushed', fma: 'unfused', contracts: true, div:
 * 'approx', sqrt: 'approx' }; const { program, diagnostics } = translate(parsePtxOrThrow(ptx), {
 * block: [256, 1, 1], plan: planFor(32), float }); console.log(program?.code);
 * ```
 */
export const translate = (module: Module, options: TranslateOptions): TranslateResult =>
  translateWith(module, { ...options, tools });

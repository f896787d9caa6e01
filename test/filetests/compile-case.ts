// Compiles cases. This file is part of the bundle with planted faults, which has its own compiler.

import type { LanePlan } from '../../src/base/lane-plan.ts';
import { portablePlan } from '../../src/base/lane-plan.ts';
import { allWorkarounds } from '../../src/base/workarounds.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { assertControl } from '../../src/translate/control/verify.ts';
import { emitProgram } from '../../src/translate/emit/index.ts';
import { kernelFacts } from '../../src/translate/emit/kernel-facts.ts';
import { passesFor, translate, type WgslProgram } from '../../src/translate/index.ts';
import { Builder } from '../../src/translate/ir/builder.ts';
import { parseProgram } from '../../src/translate/ir/parse.ts';
import { assertValid } from '../../src/translate/ir/verify.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import type { WgslCase } from './wgsl-cases.ts';

/** Compiles a case for a plan. Throws an error if the case cannot be translated. */
export function compileCase(given: WgslCase, plan: LanePlan): WgslProgram {
  const { launch, ir, maxInvocations, maxWorkgroups } = given;
  if (ir !== undefined) return compileIr(ir, given, plan);
  const { program, diagnostics } = translate(parsePtxOrThrow(launch.ptx, { file: launch.ptxFile }), {
    entry: launch.entry,
    block: launch.block,
    grid: launch.grid,
    plan,
    float: exactFloats,
    verify: true,
    ...(maxInvocations === undefined ? {} : { maxInvocations }),
    ...(maxWorkgroups === undefined ? {} : { maxWorkgroups }),
  });
  if (program === undefined) throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return program;
}

/**
 * Compiles IR with the passes from `resolve-memory` on, because the earlier passes may change the
 * graph.
 */
function compileIr(text: string, given: WgslCase, plan: LanePlan): WgslProgram {
  if (plan.kind === 'portable' && plan.shape === undefined) {
    const emitted = emitIr(text, given, portablePlan('lane'));
    return 'program' in emitted ? emitted.program : compileIr(text, given, portablePlan('warp'));
  }
  const emitted = emitIr(text, given, plan);
  if ('program' in emitted) return emitted.program;
  if ('obstacle' in emitted) throw new Error(emitted.obstacle);
  throw new Error('unstructured' in emitted ? `${emitted.unstructured} has no structure` : 'the kernel is too large');
}

function emitIr(
  text: string,
  { launch: { block }, isEncoded }: WgslCase,
  plan: LanePlan,
): ReturnType<typeof emitProgram> {
  const { program, ids } = parseProgram(text);
  assertValid(program, 'the case', { legal: false });
  const form = isEncoded ? 'encoded' : 'unrolled';
  const state: Parameters<(typeof passes)[number]['run']>[0] = {
    program,
    builder: new Builder(ids),
    options: { block, plan, float: exactFloats },
    workarounds: allWorkarounds,
    memory: undefined,
    rare: new Set(),
    arrayBytes: 32_768,
    form,
  };
  const passes = passesFor(form);
  const first = passes.findIndex(({ name }) => name === 'resolve-memory');
  for (const { name, run, legal = false } of passes.slice(first)) {
    run(state);
    assertValid(state.program, name, { legal });
  }
  const { memory } = state;
  if (memory === undefined) throw new Error('memory was not resolved');
  return emitProgram(state.program, {
    plan,
    float: exactFloats,
    workarounds: allWorkarounds,
    block,
    foldedGrid: undefined,
    heapStart: 0,
    maxPolls: 2 ** 22,
    maxInvocations: 1024,
    shapeReason: undefined,
    memory,
    facts: () => kernelFacts(state.program, memory, block),
    onControl: (pass, tree) => assertControl(tree, pass),
  });
}

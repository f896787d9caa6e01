// The WGSL of a program, with data that the page shows about it.

import { describePlan } from '../../src/base/lane-plan.ts';
import { pointersOf } from '../../src/base/launch.ts';
import { allWorkarounds } from '../../src/base/workarounds.ts';
import type { FloatProfile, LanePlan, WgslProgram } from '../../src/translate/index.ts';
import { loadForText, translateOnUse } from '../../src/translate/on-use.ts';
import { maxWgsl } from './limits.ts';
import { type Message, textMessages } from './messages.ts';
import type { LoadedProgram } from './program.ts';
import { type SourceLine, sourceLines } from './source-lines.ts';

/** The properties of the adapter on which the translation depends. */
export interface Target {
  readonly plan: LanePlan;
  readonly float: FloatProfile;
}

export interface Translation {
  /** The WGSL, or '' if the program cannot be translated; `messages` then contains the reason. */
  readonly code: string;
  /** The lines of the editor's text with their lines of `code`. */
  readonly lines: readonly SourceLine[];
  readonly note: string;
  readonly messages: readonly Message[];
}

/** The maximum number of threads in a block. */
const maxInvocations = 1024;

/**
 * Translates a program. Resolves with messages instead of rejecting if the PTX cannot be
 * translated.
 */
export async function translateProgram(program: LoadedProgram, target: Target): Promise<Translation> {
  await loadForText(program.text, { float: target.float, workarounds: allWorkarounds, maxInvocations });
  const { block, grid } = program.launch;
  const pointerParams = pointersOf(program.launch);
  const shape = { entry: program.entry, block, grid, pointerParams };
  const result = translateOnUse(program.kernel, { ...shape, maxInvocations, ...target });
  const messages = textMessages(result.diagnostics);
  if (!result.program) return { code: '', lines: [], note: 'not translated', messages };
  const { code } = result.program;
  const note = planNote(result.program);
  if (code.length > maxWgsl) {
    const cut = code.slice(0, code.lastIndexOf('\n', maxWgsl) + 1);
    const size = `${(code.length / 1e6).toFixed(1)} million characters; the first ${(maxWgsl / 1e6).toFixed(0)} million are shown`;
    return { code: cut, lines: [], note: `${note}; ${size}`, messages };
  }
  // The number of lines that the page added before the text.
  const own = program.text.slice(0, program.prefix).split('\n').length - 1;
  return { code, lines: sourceLines(result.program, own), note, messages };
}

function planNote({ plan, mode, reason, shapeReason }: WgslProgram): string {
  if (plan.shape !== undefined && mode !== 'threads') return `${describePlan(plan)}: ${shapeReason ?? reason ?? ''}`;
  const size = plan.kind === 'portable' ? 'without subgroups' : `subgroups of ${plan.subgroupSize}`;
  const why = mode === 'dispatch' && reason !== undefined ? `, dispatched: ${reason}` : '';
  return `${plan.kind} plan, ${size}${why}`;
}

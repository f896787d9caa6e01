// Kernels with every template of every instruction, in every dialect that supports the template.
// They serve to check that an assembler accepts all templates, and to inspect its code.
import { barriersOf } from './barrier-texts.ts';
import { contentions } from './contentions.ts';
import { type Dialect, dialectNames } from './dialects.ts';
import { patternTemplates } from './draw-patterns.ts';
import { type Handover, handoversOf } from './handovers.ts';
import { laneTemplates } from './lane-templates.ts';
import { matrixTemplates } from './matrix-templates.ts';
import type { ExchangeStatement, FuzzKernel, Statement } from './tree.ts';
import { flagAccesses, flagSpaces, waits } from './waits.ts';
import { warpTemplates } from './warp-templates.ts';

/** The number of templates in one kernel. */
const chunk = 150;
/**
 * Returns the number of forms of a handover that are drawn. Some handovers have many instructions
 * to choose from.
 */
const formsEach = (how: Handover): number => (['send', 'update', 'reduce'].includes(how) ? 96 : 32);

const registers = Array.from({ length: 12 }, (_, index) => index);

function laneStatements(dialect: Dialect): Statement[] {
  return [...laneTemplates, ...patternTemplates]
    .filter(({ dialects }) => dialects.includes(dialect))
    .map((template) => ({
      kind: 'lane',
      template: { ...template, lines: template.lines.map((line) => line.replace('LUT', '0x5a')) },
      results: registers,
      sources: registers.map((register, index) =>
        template.constants[index] && index > 0 ? { register, constant: 3 } : { register },
      ),
    }));
}

function warpStatements(dialect: Dialect): Statement[] {
  const [a, b, c] = [{ register: 0 }, { register: 1 }, { register: 2 }] as const;
  return warpTemplates
    .filter(({ dialects }) => dialects.includes(dialect))
    .map((template) => ({ kind: 'warp', template, operands: { d: 0, p: 1, a, b, c, maskRegister: false } }));
}

function matrixStatements(dialect: Dialect): Statement[] {
  const possible = [...matrixTemplates.values()].flat().filter(({ dialects }) => dialects.includes(dialect));
  return possible.map((template, index) => ({
    kind: 'matrix',
    template,
    d: 0,
    from: index % 4,
    step: 1 + (index % 3),
    values: 'few',
  }));
}

/** Returns statements in which threads interact. */
export function sharedStatements(dialect: Dialect): Statement[] {
  const { barriers, arrivals } = barriersOf(dialect);
  const [arrival = ''] = arrivals;
  const exchange = { kind: 'exchange', barrier: 'bar.sync 0', arrival, operation: 'add.u32', d: 0 } as const;
  const passed: Omit<ExchangeStatement, 'among'> = { ...exchange, a: { register: 1 }, from: { register: 2 } };
  return [
    ...contentions
      .filter(({ dialects }) => dialects.includes(dialect))
      .flatMap((contention) =>
        contention.spaces.map(
          (space): Statement => ({ kind: 'contend', contention, space, barrier: 'bar.sync 0', d: 0, a: 1, from: 2 }),
        ),
      ),
    ...barriers.flat().map((barrier): Statement => ({ ...passed, among: 'block', barrier })),
    ...arrivals.map((each): Statement => ({ ...passed, among: 'arrivals', arrival: each })),
    ...handoversOf(dialect).flatMap((how) =>
      Array.from(
        { length: formsEach(how) },
        (_, form): Statement => ({ kind: 'handover', how, d: 0, a: form, from: 2, form }),
      ),
    ),
  ];
}

/** Returns statements in which threads and warps wait for each other. */
export function waitStatements(): Statement[] {
  return waits.flatMap((how) =>
    flagAccesses.flatMap((access) =>
      flagSpaces.flatMap((space) =>
        [0, 1, 2].map((form): Statement => ({ kind: 'wait', how, access, space, form, d: form, a: 1 })),
      ),
    ),
  );
}

/** Returns a kernel for two warps. */
export function kernelOf(id: string, dialect: Dialect, body: readonly Statement[]): FuzzKernel {
  return { id, dialect, block: [64, 1, 1], blocks: 1, data: 1, names: 'plain', body, functions: [] };
}

export function* everyForm(): Generator<FuzzKernel> {
  for (const dialect of dialectNames) {
    const lists = [laneStatements, warpStatements, matrixStatements, sharedStatements, waitStatements];
    const body = lists.flatMap((list) => list(dialect));
    for (let at = 0; at < body.length; at += chunk)
      yield kernelOf(`${dialect}-${at}`, dialect, body.slice(at, at + chunk));
  }
}

// The reference's counters for `--counters`, as text and as JSON.
import { basename } from 'node:path';
import { type Launch, sourceOf } from '../base/launch.ts';
import { oneLine } from '../base/printable.ts';
import type { ShownCounters } from '../harness/executors/shown-counters.ts';
import { originOf, positionOf } from '../ptx/index.ts';
import { jsonOrigin } from './report-files.ts';

/**
 * Returns a table of the counters. For each counter, it contains the line with the largest share.
 */
export function countersText(launch: Launch, { rows }: ShownCounters): string {
  const widthOf = (key: 'name' | 'value'): number => rows.reduce((most, row) => Math.max(most, row[key].length), 0);
  const lines = rows.map(({ name, value, about, worst }) => {
    const place = worst === undefined ? '' : ` (worst: ${placeText(launch, worst)})`;
    return `  ${name.padEnd(widthOf('name'))}  ${value.padStart(widthOf('value'))}  ${about}${place}`;
  });
  return ['counters of the reference, which hold for every GPU with warps of 32 lanes:', ...lines].join('\n');
}

/**
 * Returns the place of an instruction as text: the CUDA line, or the PTX line if there is no line
 * information.
 */
function placeText(launch: Launch, offset: number): string {
  const source = sourceOf(launch);
  const { file, line } = originOf(source, offset) ?? { file: launch.ptxFile, ...positionOf(source, offset) };
  return `${oneLine(basename(file), 100)}:${line}`;
}

/** Returns the counts, and for each counter the place of the instruction with the largest share. */
export function jsonCounters(launch: Launch, { total, rows }: ShownCounters): object {
  const source = sourceOf(launch);
  const worst = rows.flatMap(({ key, worst: offset }) => {
    if (offset === undefined) return [];
    return [[key, { line: positionOf(source, offset).line, cuda: jsonOrigin(originOf(source, offset)) }]];
  });
  return { ...total, worst: Object.fromEntries(worst) };
}

// Reads `bench` documents, makes them smaller, and groups their results by entry.

import { readFileSync } from 'node:fs';

/**
 * Returns a document with one line for each result, which is 20 times smaller than indented JSON.
 */
export function compact({ results, ...rest }) {
  const lines = results.map((result) => `    ${JSON.stringify(result)}`);
  const head = JSON.stringify({ ...rest, results: [] }, null, 2);
  return `${head.replace(/"results": \[\]\n\}$/, () => `"results": [\n${lines.join(',\n')}\n  ]\n}`)}\n`;
}

/**
 * Returns a document with the outcome and speed of runs on software adapters. Documents of the same
 * adapter with different kernels are joined into one run.
 */
export function softwareDocument(files) {
  const runs = new Map();
  for (const file of files) {
    const { run, machine, executors, results } = JSON.parse(readFileSync(file, 'utf8'));
    const rates = results.flatMap(({ id, status, unit, rate }) => (status === 'measured' ? [{ id, unit, rate }] : []));
    const adapter = executors[0]?.adapter;
    const known = runs.get(adapter?.description) ?? {
      started: run.started,
      cpu: machine.cpu,
      cores: machine.cores,
      adapter,
      results: [],
    };
    const others = rates.filter(({ id }) => known.results.every((one) => one.id !== id));
    runs.set(adapter?.description, { ...known, results: [...known.results, ...others] });
  }
  const text = [...runs.values()].map((run) => compact({ ...run })).join(',\n');
  return `{ "schemaVersion": 1, "what": "bench kernels on software adapters", "runs": [\n${text}] }\n`;
}

/**
 * Returns, for each id, the native result and the other results by series. In documents of schema
 * version 1, forms such as `register` had invariant operands; their results are returned with the
 * ids of the invariant forms.
 */
export function entriesOf({ schemaVersion, results }) {
  const entries = new Map();
  for (const result of results) {
    const id = schemaVersion === 1 ? result.id.replace(/:(register|mask|guard|groups):/, ':$1-invariant:') : result.id;
    const entry = entries.get(id) ?? { id, section: result.section, series: new Map(), away: false };
    entry.away ||= result.compiledAway === true;
    entry.series.set(result.series, result);
    entries.set(id, entry);
  }
  return [...entries.values()];
}

export const nativeOf = ({ series }) => [...series.values()].find(({ machine }) => machine === 'cuda');
export const othersOf = ({ series }) => [...series.values()].filter(({ machine }) => machine !== 'cuda');

/** Whether the operands of an entry are the same in all iterations of the loop. */
export const isInvariant = (id) => id.includes('-invariant:');

// The door of case files. A door is an entry point for fuzzing. An input that parses as a case is
// written and parsed again, and the two cases must be equal.
import { isDeepStrictEqual } from 'node:util';
import { CaseError, parseCase, writeCase } from '../../launches/case-file.ts';
import type { Door } from './door.ts';
import { mutateJson } from './mutate-json.ts';

const buffer = { name: 'in', kind: 'buffer', type: 'u32', bytes: 8, data: 'AQAAAAIAAAA=' };
const seed = JSON.stringify({
  id: 'one',
  group: 'g',
  ptx: 'one.ptx',
  entry: 'k',
  grid: [2, 1, 1],
  block: [32, 2, 1],
  sharedBytes: 16,
  params: [
    buffer,
    { ...buffer, type: 'f32', expect: 'AACAPwAAAAA=', tolerance: { rel: 1e-5, abs: 0 } },
    { name: 'n', kind: 's64', value: '-5' },
    { name: 'x', kind: 'f32', value: 'NaN' },
    { name: 'y', kind: 'f64', value: 0.1 },
    { name: 'c', kind: 'bytes', data: 'AQID' },
  ],
});

export function caseDoor(kept: readonly string[] = []): Door<string> {
  const seeds: readonly [string, ...string[]] = [seed, ...kept.filter(isJson)];
  return {
    name: 'case',
    seeds: [seed, ...kept],
    mutate: (rng) => mutateJson(rng.pick(seeds), rng.pick(seeds), rng),
    enter(json) {
      try {
        const launch = parseCase(json, '.version 8.0');
        const written = writeCase(launch, 'one.ptx');
        const again = writeCase(parseCase(written, '.version 8.0'), 'one.ptx');
        if (!isDeepStrictEqual(JSON.parse(again), JSON.parse(written)))
          throw new Error('the case differs after writing and reading it');
        return 'a case';
      } catch (error) {
        if (!(error instanceof CaseError)) throw error;
        return 'refused';
      }
    },
  };
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// The door of results: the files that `lanewise merge` reads, and the page that it writes for them.
import { mergeHtmlDocument } from '../../report/merge-html.ts';
import {
  anyFailed,
  MergeError,
  machinesOf,
  statusText,
  unevenSuites,
  withUniqueNames,
} from '../../runs/merge-results.ts';
import { isJson } from './case-door.ts';
import type { Door } from './door.ts';
import { mutateJson } from './mutate-json.ts';

const adapter = {
  vendor: 'v',
  architecture: 'a',
  device: 'd',
  description: 'GPU',
  software: false,
  subgroupSize: 32,
  host: 'Chrome/140',
  flags: [],
};
const counts = { cases: 64, compared: 2048, undefined: 12, mismatches: 0, ms: 1.5 };
const passing = {
  id: 'shfl.sync:up:register',
  executor: 'chrome',
  adapter,
  lanePlan: 'native',
  seed: 1,
  status: 'pass',
  ...counts,
};
const failing = {
  ...passing,
  id: 'redux.sync:add:register',
  status: 'fail',
  mismatches: 3,
  first: { expected: '0x1', got: '0x2', lane: 7, reproduce: "npx lanewise validate 'x#3'" },
  lanes: [
    {
      case: 'redux.sync:add:register#3',
      instruction: 'redux.sync.add.u32 d, a, m;',
      block: 0,
      warp: 1,
      lanes: [
        {
          lane: 7,
          role: 'executes',
          member: true,
          operands: { a: '1', m: '0xff' },
          results: { d: { expected: '0x1', got: '0x2', verdict: 'differs' } },
        },
      ],
    },
  ],
  message: 'why',
};
const seed = JSON.stringify({
  schemaVersion: 1,
  tool: { name: 'lanewise', version: '0.1.0', node: '20', platform: 'linux-x64' },
  results: [passing, failing, { ...passing, executor: 'cuda', status: 'unsupported', skipped: 'needs sm_100a' }],
});

/** Matches a `<` that does not begin one of the page's own tags with quoted attributes. */
const foreignTag =
  /<(?!!doctype html>|\/?(html|head|meta|title|style|body|main|h[1-4]|p|pre|table|caption|thead|tbody|tr|th|td|span|div|details|summary|a)( [a-z-]+="[^"<>]*")*>)[^>]{0,80}/i;

export function mergeDoor(kept: readonly string[] = []): Door<string> {
  const seeds: readonly [string, ...string[]] = [seed, ...kept.filter(isJson)];
  return {
    name: 'merge',
    seeds: [seed, ...kept],
    mutate: (rng) => mutateJson(rng.pick(seeds), rng.pick(seeds), rng),
    enter(json) {
      if (!isJson(json)) return 'no JSON';
      try {
        const document: unknown = JSON.parse(json);
        const machines = withUniqueNames([...machinesOf('a.json', document), ...machinesOf('a.json', document)]);
        if (new Set(machines.map(({ name }) => name)).size !== machines.length)
          throw new Error('two machines have the same name');
        const uneven = unevenSuites(machines);
        for (const { id } of uneven) for (const machine of machines) statusText(machine, id);
        const page = mergeHtmlDocument('lanewise merge', machines);
        const [foreign] = page.match(foreignTag) ?? [];
        if (foreign !== undefined) throw new Error(`the page contains a foreign tag: ${foreign}`);
        return anyFailed(machines) ? 'failures' : 'passes';
      } catch (error) {
        if (!(error instanceof MergeError)) throw error;
        return 'refused';
      }
    },
  };
}

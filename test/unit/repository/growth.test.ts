// Processor time grows in proportion to the size of every kind of input.
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { drawn, effort } from '../../effort.ts';
import { frontEndFamilies } from '../../growth/front-end-families.ts';
import { harnessFamilies } from '../../growth/harness-families.ts';
import { complaintAbout, type Family, type GrowthRow, grow } from '../../growth/measure.ts';
import { translationFamilies } from '../../growth/translation-families.ts';

const groups: Readonly<Record<string, readonly Family[]>> = {
  'front end': frontEndFamilies,
  harness: harnessFamilies,
  translation: translationFamilies,
};

/** The file for the tables, if they are recorded (docs/results/README.md). */
const recordPath = process.env.LANEWISE_GROWTH;
/**
 * Recorded tables use all rows and full sizes. Other runs measure only the first and last row, at
 * smaller sizes.
 */
const options =
  recordPath === undefined
    ? { runs: 1, scale: effort(0.15, 0.25), memory: false, at: [1, 8] }
    : { runs: 2, scale: 0.5, memory: true };
/** The time limit in milliseconds. It is long, because a busy machine must not fail the test. */
const longest = 600_000;
const recorded: { group: string; family: string; rows: readonly GrowthRow[] }[] = [];
afterAll(() => {
  if (recordPath === undefined) return;
  const { version, platform, arch } = process;
  const document = { schemaVersion: 1, node: version, platform: `${platform}-${arch}`, families: recorded };
  writeFileSync(recordPath, `${JSON.stringify(document, null, 1)}\n`);
});

describe.each(Object.entries(groups))('%s', (group, families) => {
  // A short run tests some of the families, and other ones each time.
  test.each(drawn(families, 6).map((family) => [family.name, family] as const))(
    '%s',
    (name, family) => {
      const rows = grow(family, options);
      recorded.push({ group, family: name, rows });
      // Other work may disturb a measurement, but it rarely disturbs five of them. An algorithm that
      // is too slow fails all.
      let complaint = complaintAbout(rows);
      for (let left = 4; complaint !== undefined && left > 0; left--)
        complaint = complaintAbout(grow(family, { ...options, runs: 3 }));
      expect(complaint).toBeUndefined();
    },
    longest,
  );
});

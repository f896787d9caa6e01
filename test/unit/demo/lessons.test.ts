// The lessons on the reference: the judge accepts every solution, and finds the fault of each
// starting kernel and of typical wrong answers.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Failure } from '../../../demo/lessons/check-outputs.ts';
import { judge, type Verdict } from '../../../demo/lessons/judge.ts';
import { lessonOf, lessons, loadPrepared } from '../../../demo/lessons/list.ts';

const seed = 1;
const answers = new URL('../../lessons/', import.meta.url);
const folders = [answers, ...lessons.map(({ id }) => new URL(`../../../demo/lessons/${id}/`, import.meta.url))];

test.each(folders.map((folder) => [folder.pathname.split('/').at(-2), folder]))(
  'the PTX in %s is compiled from the current sources',
  (_, folder) => {
    const sources = readdirSync(folder).filter((name) => name.endsWith('.cu'));
    expect(sources).not.toEqual([]);
    for (const source of sources) {
      const hash = createHash('sha256').update(readFileSync(new URL(source, folder)));
      const ptx = readFileSync(new URL(source.replace('.cu', '.ptx'), folder), 'utf8');
      expect(ptx.split('\n', 1)[0]).toBe(`// sha256 ${hash.digest('hex')} of ${source}`);
    }
  },
);

test.each(lessons)('the solution of $id passes', async (lesson) => {
  const verdict = judge(lesson, { ...(await loadPrepared(lesson.id, 'solution')), seed });
  expect(verdict).toMatchObject({ kind: 'passed', trials: lesson.sizes.length });
});

/** The number of words is that of a text that a reader finishes in a minute. */
test.each(lessons)('the text of $id has 60 to 150 words', ({ text }) => {
  const words = text.join(' ').split(/\s+/).length;
  expect(words).toBeGreaterThanOrEqual(60);
  expect(words).toBeLessThanOrEqual(150);
});

function shortText(verdict: Verdict): string {
  if (verdict.kind === 'passed') return 'passed';
  const { title, text, line }: Failure = verdict;
  return `${title}${line === undefined ? '' : `, line ${line}`}: ${text.slice(0, text.indexOf(' This launch'))}`;
}

test('the judge finds what is missing in each starting kernel', async () => {
  const found = await Promise.all(
    lessons.map(async (lesson) => {
      const verdict = judge(lesson, { ...(await loadPrepared(lesson.id, 'start')), seed });
      return `${lesson.id}: ${shortText(verdict)}`;
    }),
  );
  expect(found).toMatchInlineSnapshot(`
    [
      "01-one-thread: Missing result, line 3: No thread wrote \`y[1]\`, which must be 950. In total, 31 elements are wrong.",
      "02-many-blocks: Missing result, line 3: No thread wrote \`c[256]\`, which must be -2. In total, 512 elements are wrong.",
      "03-guard: Access out of bounds, line 3: Load of \`x[32]\`, but \`x\` has 1 element.",
      "04-grid-stride: Missing result: No thread wrote \`y[256]\`, which must be 22. In total, 444 elements are wrong.",
      "05-two-dimensions: Wrong result, line 5: \`mirrored[0]\` is 20, but must be 123. In total, 160 elements are wrong.",
      "06-barrier: Race, line 4: Race on 'tile', byte 0: thread 0 and thread 127 (warp 3, lane 31) of the block access it with no barrier in between, and one writes.",
      "07-stencil: Undefined result, line 8: Read of shared memory that was never written: 'tile', byte 0.",
      "08-transpose: Missing result: No thread wrote \`out[0]\`, which must be -392. In total, 368 elements are wrong.",
    ]
  `);
});

const wrongAnswers: readonly (readonly [lesson: string, file: string, kernel: string])[] = [
  ['02-many-blocks', 'threads', 'add_mixed_up'],
  ['03-guard', 'threads', 'saxpy_guard_too_late'],
  ['04-grid-stride', 'threads', 'clamp_without_block'],
  ['05-two-dimensions', 'threads', 'mirror_one_too_far'],
  ['06-barrier', 'shared_memory', 'reverse_barrier_first'],
  ['07-stencil', 'shared_memory', 'neighbors_return_early'],
  ['07-stencil', 'shared_memory', 'neighbors_without_ends'],
  ['08-transpose', 'shared_memory', 'transpose_in_place'],
];

test('the judge finds typical faults', () => {
  const found = wrongAnswers.map(([id, file, kernel]) => {
    const read = (extension: string): string => readFileSync(new URL(`${file}.${extension}`, answers), 'utf8');
    const verdict = judge({ ...lessonOf(id), kernel }, { ptx: read('ptx'), cuda: read('cu'), seed });
    return `${kernel}: ${shortText(verdict)}`;
  });
  expect(found).toMatchInlineSnapshot(`
    [
      "add_mixed_up: Missing result, line 6: No thread wrote \`c[1]\`, which must be -5. In total, 512 elements are wrong.",
      "saxpy_guard_too_late: Access out of bounds, line 11: Load of \`x[1]\`, but \`x\` has 1 element.",
      "clamp_without_block: Missing result, line 16: No thread wrote \`y[64]\`, which must be 0. In total, 192 elements are wrong.",
      "mirror_one_too_far: Access out of bounds, line 23: Store of \`mirrored[160]\`, but \`mirrored\` has 160 elements.",
      "reverse_barrier_first: Race, line 8: Race on 'tile', byte 384: thread 96 and thread 31 (warp 0, lane 31) of the block access it with no barrier in between, and one writes.",
      "neighbors_return_early: Undefined result, line 22: Read of shared memory that was never written: 'tile', byte 8.",
      "neighbors_without_ends: Access out of bounds, line 27: Load of \`x[-1]\`, but \`x\` has 256 elements.",
      "transpose_in_place: Missing result: No thread wrote \`out[16]\`, which must be 117. In total, 112 elements are wrong.",
    ]
  `);
});

test('the judge names a missing kernel, and different parameters', async () => {
  const add = { ...(await loadPrepared('02-many-blocks', 'solution')), seed };
  expect(judge(lessonOf('03-guard'), add)).toMatchObject({ title: 'Missing kernel' });
  expect(judge({ ...lessonOf('03-guard'), kernel: 'add' }, add)).toMatchObject({ title: 'Different parameters' });
});

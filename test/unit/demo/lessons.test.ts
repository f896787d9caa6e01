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
      "02-many-blocks: Missing result, line 3: No thread wrote \`c[256]\`, which must be -5. In total, 256 elements are wrong.",
      "03-guard: Access out of bounds, line 3: Load of \`x[32]\`, but \`x\` has 1 element.",
      "04-grid-stride: Missing result: No thread wrote \`y[256]\`, which must be 212. In total, 344 elements are wrong.",
      "05-two-dimensions: Wrong result, line 5: \`mirrored[0]\` is 20, but must be 123. In total, 160 elements are wrong.",
      "06-barrier: Race, line 4: Race on 'tile', byte 0: thread 0 and thread 127 (warp 3, lane 31) of the block access it with no barrier in between, and one writes.",
      "07-stencil: Undefined result, line 8: Read of shared memory that was never written: 'tile', byte 0.",
      "08-transpose: Missing result: No thread wrote \`out[0]\`, which must be -392. In total, 368 elements are wrong.",
      "09-count: Race, line 3: Race on count, byte 0: thread 2 and thread 63 (warp 1, lane 31) of the block access it with no barrier in between, and one writes.",
      "10-histogram: Missing result: No thread wrote \`counts[0]\`, which must be 2. In total, 16 elements are wrong.",
      "11-compare-and-swap: Wrong result: \`result[0]\` is 938, but must be 993.",
      "12-tree: Race, line 4: Race on 'part', byte 128: thread 32 and thread 0 (warp 0, lane 0) of the block access it with no barrier in between, and one writes.",
      "13-sum: Race, line 11: Race on total, byte 0: thread 0 of the block and thread 0 (warp 0, lane 0) of block (1, 0, 0) access it with no atomic in between, and one writes.",
      "14-last-block: Race, line 15: Race on partial, byte 4: thread 0 of the block and thread 0 (warp 0, lane 0) of block (1, 0, 0) access it with no atomic in between, and one writes.",
      "15-shuffle: Wrong result: \`y[0]\` is -3, but must be -973. In total, 32 elements are wrong.",
      "16-warp-sum: Wrong result: \`sums[0]\` is 183, but must be -5927. In total, 2 elements are wrong.",
      "17-dot-product: Wrong result: \`result[0]\` is 4, but must be -4.",
      "18-vote: Wrong result: \`counts[0]\` is 1, but must be 13.",
      "19-compaction: Missing result: No thread wrote \`kept[3]\`, which must be 27. In total, 24 elements are wrong.",
      "20-softmax: Wrong result: \`y[1]\` is NaN, but must be 2.170508e-29. In total, 22 elements are wrong.",
      "21-warp-scan: Wrong result: \`y[0]\` is -3072, but must be -96. In total, 31 elements are wrong.",
      "22-block-scan: Race, line 8: Race on 'sums', byte 124: thread 32 and thread 31 (warp 0, lane 31) of the block access it with no barrier in between, and one writes.",
      "23-long-scan: Wrong result: \`y[64]\` is 82, but must be 239. In total, 36 elements are wrong.",
      "24-split: Race, line 15: Race on out, byte 36: thread 11 and thread 9 (warp 0, lane 9) of the block access it with no barrier in between, and one writes.",
      "25-tiles: Wrong result: \`sums[0]\` is 661, but must be -2252. In total, 8 elements are wrong.",
      "26-coalesced: Wrong result: \`count[0]\` is 2, but must be 22.",
      "27-product: Wrong result: \`c[0]\` is 0, but must be 97. In total, 64 elements are wrong.",
      "28-tiled-product: Race, line 13: Race on 'right', byte 0: thread 32 and thread 0 (warp 0, lane 0) of the block access it with no barrier in between, and one writes.",
      "29-tensor-cores: Wrong result: \`c[0]\` is -11, but must be 26. In total, 250 elements are wrong.",
      "30-attention: Wrong result: \`out[32]\` is -4.000097, but must be -3.788806. In total, 32 elements are wrong.",
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
  ['10-histogram', 'atomics', 'histogram_without_barrier'],
  ['10-histogram', 'atomics', 'histogram_too_often'],
  ['11-compare-and-swap', 'atomics', 'maximum_without_end'],
  ['12-tree', 'reductions', 'sum_one_too_many'],
  ['13-sum', 'reductions', 'sum_of_every_thread'],
  ['14-last-block', 'reductions', 'sum_fence_too_late'],
  ['15-shuffle', 'warps', 'swap_in_branch'],
  ['16-warp-sum', 'warps', 'sum_pairs_of_warp'],
  ['17-dot-product', 'warps', 'dot_without_barrier'],
  ['19-compaction', 'warps', 'keep_one_too_far'],
  ['21-warp-scan', 'scans', 'scan_in_branch'],
  ['22-block-scan', 'scans', 'scan_barrier_before_read'],
  ['24-split', 'scans', 'split_by_warp'],
  ['25-tiles', 'groups', 'sum_of_every_rank'],
  ['26-coalesced', 'groups', 'count_by_every_thread'],
  ['27-product', 'matrices', 'multiply_by_rows'],
  ['28-tiled-product', 'matrices', 'tiles_without_bounds'],
  ['29-tensor-cores', 'matrices', 'halves_of_short_rows'],
];

test('the judge finds typical faults', () => {
  const found = wrongAnswers.map(([id, file, kernel]) => {
    const read = (extension: string): string => readFileSync(new URL(`${file}.${extension}`, answers), 'utf8');
    const verdict = judge({ ...lessonOf(id), kernel }, { ptx: read('ptx'), cuda: read('cu'), seed });
    return `${kernel}: ${shortText(verdict)}`;
  });
  expect(found).toMatchInlineSnapshot(`
    [
      "add_mixed_up: Missing result, line 6: No thread wrote \`c[1]\`, which must be 3. In total, 256 elements are wrong.",
      "saxpy_guard_too_late: Access out of bounds, line 11: Load of \`x[1]\`, but \`x\` has 1 element.",
      "clamp_without_block: Missing result, line 16: No thread wrote \`y[64]\`, which must be 0. In total, 192 elements are wrong.",
      "mirror_one_too_far: Access out of bounds, line 23: Store of \`mirrored[160]\`, but \`mirrored\` has 160 elements.",
      "reverse_barrier_first: Race, line 8: Race on 'tile', byte 384: thread 96 and thread 31 (warp 0, lane 31) of the block access it with no barrier in between, and one writes.",
      "neighbors_return_early: Undefined result, line 22: Read of shared memory that was never written: 'tile', byte 8.",
      "neighbors_without_ends: Access out of bounds, line 27: Load of \`x[-1]\`, but \`x\` has 256 elements.",
      "transpose_in_place: Missing result: No thread wrote \`out[16]\`, which must be 117. In total, 112 elements are wrong.",
      "histogram_without_barrier: Race, line 7: Race on 'own', byte 0: thread 0 and thread 36 (warp 1, lane 4) of the block access it with no barrier in between, and one writes.",
      "histogram_too_often: Wrong result: \`counts[0]\` is 24, but must be 6. In total, 16 elements are wrong.",
      "maximum_without_end: Deadlock, line 30: Deadlock: the state repeats, and lanes 0, 2, 4-5, 7-8, 10-11, 13-14, 17-18, 22-24, 27-28, 30 of warp 0 are here.",
      "sum_one_too_many: Race, line 10: Race on 'part', byte 128: thread 0 and thread 32 (warp 1, lane 0) of the block access it with no barrier in between, and one writes.",
      "sum_of_every_thread: Wrong result: \`total[0]\` is -5458, but must be -1691.",
      "sum_fence_too_late: Race, line 43: Race on partial, byte 4: thread 0 of the block and thread 0 (warp 0, lane 0) of block (1, 0, 0) access it with no atomic in between, and one writes.",
      "swap_in_branch: Wrong result, line 7: \`y[1]\` is 962, but must be -289. In total, 16 elements are wrong.",
      "sum_pairs_of_warp: Wrong result: \`sums[0]\` is -597, but must be -3990. In total, 2 elements are wrong.",
      "dot_without_barrier: Race, line 26: Race on 'sums', byte 4: thread 0 and thread 32 (warp 1, lane 0) of the block access it with no barrier in between, and one writes.",
      "keep_one_too_far: Missing result: No thread wrote \`kept[0]\`, which must be 94. In total, 16 elements are wrong.",
      "scan_in_branch: Undefined result, line 9: 'd' is undefined in lane 1: the source lane is inactive, has exited, or is not in the membermask.",
      "scan_barrier_before_read: Race, line 22: Race on 'sums', byte 124: thread 32 and thread 31 (warp 0, lane 31) of the block access it with no barrier in between, and one writes.",
      "split_by_warp: Wrong result: \`out[14]\` is 4043042418, but must be 413337306. In total, 35 elements are wrong.",
      "sum_of_every_rank: Race, line 11: Race on sums, byte 16: thread 33 and thread 32 (warp 1, lane 0) of the block access it with no barrier in between, and one writes.",
      "count_by_every_thread: Wrong result: \`count[0]\` is 445, but must be 29.",
      "multiply_by_rows: Wrong result: \`c[0]\` is -10, but must be 19. In total, 63 elements are wrong.",
      "tiles_without_bounds: Access out of bounds, line 24: Load of \`a[4]\`, but \`a\` has 1 element.",
      "halves_of_short_rows: Wrong result: \`c[16]\` is -22, but must be -12. In total, 240 elements are wrong.",
    ]
  `);
});

test('the judge names a missing kernel, and different parameters', async () => {
  const add = { ...(await loadPrepared('02-many-blocks', 'solution')), seed };
  expect(judge(lessonOf('03-guard'), add)).toMatchObject({ title: 'Missing kernel' });
  expect(judge({ ...lessonOf('03-guard'), kernel: 'add' }, add)).toMatchObject({ title: 'Different parameters' });
});

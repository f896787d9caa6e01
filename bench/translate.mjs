// Measures translation times for different numbers of lines, for generated modules of several
// shapes. Needs `npm run build`.
import { wordKernel } from '../dist/harness/launches/word-kernel.js';
import { parsePtx, planFor, translate } from '../dist/index.js';

const register = (index) => `%r${1 + (index % 63)}`;
const work = (index) =>
  `  mad.lo.s32 ${register(index * 11)}, ${register(index * 5)}, ${register(index * 13)}, ${register(index)};`;

/** For each shape, a function that returns the lines of a kernel's body. */
const shapes = {
  straight: (lines) => Array.from({ length: lines }, (_, index) => work(index)),
  // Branches over two lines. A shuffle follows every tenth branch, at its target.
  blocks: (lines) =>
    Array.from({ length: Math.floor(lines / 6) }, (_, index) => [
      `  setp.gt.s32 %p1, ${register(index)}, ${index};`,
      `  @%p1 bra B${index};`,
      work(index),
      index % 10 === 0
        ? `  shfl.sync.bfly.b32 ${register(index)}, ${register(index + 1)}, 1, 0x1f, -1;`
        : work(index + 1),
      `B${index}:`,
      work(index + 2),
    ]).flatMap((block) =>
      block[3]?.includes('shfl') ? [block[0], block[1], block[2], block[4], block[3], block[5]] : block,
    ),
  // A sequence of pairs of nested loops.
  loops: (lines) =>
    Array.from({ length: Math.floor(lines / 10) }, (_, index) => [
      '  mov.u32 %r1, 0;',
      `A${index}:`,
      '  mov.u32 %r2, 0;',
      `B${index}:`,
      work(index),
      '  add.s32 %r2, %r2, 1;',
      '  setp.lt.s32 %p1, %r2, 4;',
      `  @%p1 bra B${index};`,
      '  add.s32 %r1, %r1, 1;',
      `  setp.lt.s32 %p2, %r1, 4;\n  @%p2 bra A${index};`,
    ]).flat(),
  // A sequence of branches that are nested sixty deep.
  nested: (lines) =>
    Array.from({ length: Math.floor(lines / 240) }, (_, index) => {
      const depths = Array.from({ length: 60 }, (_, depth) => depth);
      return [
        ...depths.flatMap((depth) => [
          `  setp.gt.s32 %p1, ${register(depth)}, ${depth};`,
          `  @%p1 bra N${index}_${depth};`,
          work(depth),
        ]),
        ...depths.reverse().map((depth) => `N${index}_${depth}:`),
      ];
    }).flat(),
};

const generated = (shape, lines) =>
  wordKernel(shapes[shape](lines).join('\n'), {
    name: 'generated',
    registers: 64,
    thread: '%r0',
    word: '%r1',
    stores: '%r5',
  });

const float = { mode: 'exact', denormals: 'kept', fma: 'fused', contracts: false, div: 'exact', sqrt: 'exact' };

/**
 * Returns the shortest time of several runs, and the result of the last run. The first runs warm up
 * the engine, and other programs may slow down some of the runs.
 */
function time(run, runs) {
  let best = Number.POSITIVE_INFINITY;
  let result;
  for (let count = 0; count < runs; count++) {
    const start = performance.now();
    result = run();
    best = Math.min(best, performance.now() - start);
  }
  return { result, ms: best };
}

const sizes = process.argv.slice(2).map(Number);
console.log('shape      lines   parse ms  translate ms   WGSL kB  mode');
for (const shape of Object.keys(shapes)) {
  for (const lines of sizes.length > 0 ? sizes : [5_000, 50_000]) {
    const runs = lines > 20_000 ? 2 : 5;
    const text = generated(shape, lines);
    const parsed = time(() => parsePtx(text, { file: `${shape}.ptx` }), runs);
    const { module } = parsed.result;
    if (!module) throw new Error(parsed.result.diagnostics.map(({ message }) => message).join('\n'));
    const translated = time(() => translate(module, { block: [64, 1, 1], plan: planFor(32), float }), runs);
    const { program } = translated.result;
    if (!program) throw new Error(translated.result.diagnostics.map(({ message }) => message).join('\n'));
    const cells = [
      shape.padEnd(9),
      String(lines).padStart(6),
      parsed.ms.toFixed(0).padStart(10),
      translated.ms.toFixed(0).padStart(13),
      (program.code.length / 1000).toFixed(0).padStart(9),
      ` ${program.mode}`,
    ];
    console.log(cells.join(' '));
  }
}

// The door of PTX: parses it in every dialect, renders the diagnostics, and interprets kernels for
// some steps.
import type { Launch, LaunchParam } from '../../../base/launch.ts';
import { LaunchError } from '../../../cpu-ref/executor.ts';
import { interpret } from '../../../cpu-ref/interpreter/interpret.ts';
import { type Module, parsePtx, renderDiagnostics } from '../../../ptx/index.ts';
import { fragmentToKernel } from '../../launches/fragment-kernel.ts';
import { mutate } from '../front-end.ts';
import { generateKernel } from '../kernels/generate.ts';
import { printKernel } from '../print/print.ts';
import type { Door } from './door.ts';
import { mutateText } from './mutate-text.ts';

const ownSeeds = [
  'shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff;\n@p add.f32 d, a, d;',
  'SHFL.UP P1, R4, R3, 0x1, RZ ;\n@P1 FADD R3, R3, R4 ;',
] as const;
const generated = 20;
/** The maximum number of steps, because a mutated kernel may loop forever. */
const maxSteps = 2_000;

export function ptxDoor(kept: readonly string[] = []): Door<string> {
  const made = Array.from({ length: generated }, (_, index) => printKernel(generateKernel(1, index)).ptx);
  const seeds: readonly [string, ...string[]] = [ownSeeds[0], ...ownSeeds.slice(1), ...made, ...kept];
  const corpus = seeds.map((text, index) => ({ name: String(index), text }));
  return {
    name: 'ptx',
    seeds,
    mutate(rng) {
      if (rng.chance(0.3)) return mutateText(rng.pick(seeds), rng.pick(seeds), rng);
      return mutate(corpus, rng).text;
    },
    enter(text) {
      const source = { file: 'fuzz.ptx', text };
      let taken: Module | undefined;
      for (const dialect of ['sass', 'fragment', 'auto'] as const) {
        const { module, diagnostics } = parsePtx(text, { file: source.file, dialect });
        const failed = diagnostics.some(({ severity }) => severity === 'error');
        if ((module === undefined) !== failed)
          throw new Error('expected either a module or an error, got neither or both');
        renderDiagnostics(source, diagnostics, { color: true });
        taken = module;
      }
      return taken ? run(taken) : 'diagnostics';
    },
  };
}

function run(module: Module): string {
  const kernel = fragmentToKernel(module);
  const entry = kernel.functions.find(({ kind }) => kind === 'entry');
  if (!entry) return 'no kernel';
  const params = entry.params.map((param): LaunchParam => {
    const bytes = 'space' in param ? param.bytes : 8;
    if (bytes === 8) return { name: param.name, kind: 'buffer', type: 'u32', bytes: 256 };
    return { name: param.name, kind: 'bytes', data: new Uint8Array(Math.max(1, bytes)) };
  });
  const launch: Launch = {
    id: 'fuzz',
    group: '',
    ptx: '',
    ptxFile: 'fuzz.ptx',
    entry: entry.name,
    grid: [2, 1, 1],
    block: [40, 1, 1],
    sharedBytes: 64,
    params,
  };
  try {
    return interpret(kernel, launch, { maxSteps, sanitize: true, seed: 1, trackWriters: true }).status;
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    return 'no launch';
  }
}

// Measures CUB's device-wide primitives for comparison with our kernels, if a CUDA compiler is
// installed. For Node only.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolder } from '../sessions/dist-folder.ts';
import { ScratchFolder } from '../sessions/scratch-folder.ts';
import { type Spread, spreadOf } from './statistics.ts';

const run = promisify(execFile);
const source = join(packageFolder(), 'bench/native/cub.cu');
const compileMs = 180_000;
const runMs = 60_000;
const samples = 9;

export interface CubMeasurement {
  readonly primitive: 'reduce' | 'scan' | 'sort';
  readonly words: number;
  /** The time of one execution in milliseconds. */
  readonly time: Spread;
}

export interface CubProgram {
  /** Measures the primitives on `words` 32-bit words. */
  measure(words: number): Promise<CubMeasurement[]>;
  close(): Promise<void>;
}

/**
 * Compiles the CUB program, which keeps one core busy for about 20 seconds. Rejects with the
 * compiler's message, or if no compiler is installed.
 */
export async function compileCub(): Promise<CubProgram> {
  if (!existsSync(source)) throw new Error(`${source} is missing`);
  const folder = new ScratchFolder('lanewise-cub-');
  const env = folder.environment;
  const program = join(folder.path, 'cub');
  try {
    await run('nvcc', ['-O3', '-std=c++17', '-arch=native', source, '-o', program], { timeout: compileMs, env });
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return {
    async measure(words) {
      const { stdout } = await run(program, [String(words), String(samples)], { timeout: runMs, env });
      const times: Readonly<Record<CubMeasurement['primitive'], number[]>> = JSON.parse(stdout);
      return (['reduce', 'scan', 'sort'] as const).map((primitive) => ({
        primitive,
        words,
        time: spreadOf(times[primitive]),
      }));
    },
    close: () => folder.remove(),
  };
}

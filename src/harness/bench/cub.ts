// CUB's device-wide primitives beside our kernels, where there is a CUDA compiler. For Node only.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolder } from '../sessions/dist-folder.ts';
import { type Spread, spreadOf } from './statistics.ts';

const run = promisify(execFile);
const source = join(packageFolder(), 'bench/native/cub.cu');
const compileMs = 180_000;
const runMs = 60_000;
const samples = 9;

export interface CubMeasurement {
  readonly primitive: 'reduce' | 'scan' | 'sort';
  readonly words: number;
  /// Milliseconds.
  readonly time: Spread;
}

export interface CubProgram {
  /// Measures on `words` 32-bit words.
  measure(words: number): Promise<CubMeasurement[]>;
  close(): Promise<void>;
}

/// Compiles; takes some twenty seconds of one core. Rejects with what the compiler said, or that there is none.
export async function compileCub(): Promise<CubProgram> {
  if (!existsSync(source)) throw new Error(`${source} is missing`);
  const folder = await mkdtemp(join(tmpdir(), 'lanewise-cub-'));
  const program = join(folder, 'cub');
  try {
    await run('nvcc', ['-O3', '-std=c++17', '-arch=native', source, '-o', program], { timeout: compileMs });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    async measure(words) {
      const { stdout } = await run(program, [String(words), String(samples)], { timeout: runMs });
      const times: Readonly<Record<CubMeasurement['primitive'], number[]>> = JSON.parse(stdout);
      return (['reduce', 'scan', 'sort'] as const).map((primitive) => ({
        primitive,
        words,
        time: spreadOf(times[primitive]),
      }));
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

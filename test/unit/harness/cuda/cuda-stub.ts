// Builds the stub of the CUDA driver, and launches for it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Launch, LaunchParam } from '../../../../src/base/launch.ts';

const SOURCE = fileURLToPath(new URL('cuda-stub.cpp', import.meta.url));
const CHILD = fileURLToPath(new URL('../../../../dist/bundle/harness/cuda/cuda-child.js', import.meta.url));
/** The folder of compiled libraries. Git ignores it. */
const LIBRARIES = fileURLToPath(new URL('../../../../node_modules/.cache/lanewise-tests', import.meta.url));

/** The reason why this machine cannot use the stub; undefined if it can. */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'the stub driver is for Linux'
    : spawnSync('g++', ['--version']).status !== 0
      ? 'g++ is missing'
      : existsSync(CHILD)
        ? undefined
        : 'dist is not built';

/** Compiles the stub if no earlier run has compiled this source. Returns the path of the library. */
export function buildStub(): string {
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const path = join(LIBRARIES, `cuda-stub-${hash}.so`);
  if (existsSync(path)) return path;
  mkdirSync(LIBRARIES, { recursive: true });
  // Other processes may also compile the stub: a rename never shows them an incomplete file.
  const own = `${path}.${process.pid}`;
  const { status, stderr } = spawnSync('g++', ['-shared', '-fPIC', '-std=c++17', '-o', own, SOURCE], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the stub driver does not compile:\n${stderr}`);
  renameSync(own, path);
  return path;
}

/** Returns a launch of one of the stub's kernels, with the declarations of its parameters. */
export function launchOf(
  entry: string,
  declarations: readonly string[],
  params: readonly LaunchParam[],
  more: Partial<Launch> & { readonly before?: string } = {},
): Launch {
  const { before = '', ...rest } = more;
  const declared = declarations.map((declaration, index) => `.param ${declaration.replace('$', `p${index}`)}`);
  return {
    id: entry,
    group: 'stub',
    ptx: `.version 8.0\n.target sm_90\n.address_size 64\n${before}\n.visible .entry ${entry}(${declared.join(', ')})\n{ ret; }\n`,
    ptxFile: `${entry}.ptx`,
    entry,
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params,
    ...rest,
  };
}

/** Returns a `u32` buffer of zeros, or of the given words. */
export function words(name: string, contents: number | readonly number[]): LaunchParam {
  if (typeof contents === 'number') return { name, kind: 'buffer', type: 'u32', bytes: 4 * contents };
  const data = new Uint8Array(Uint32Array.from(contents).buffer);
  return { name, kind: 'buffer', type: 'u32', bytes: data.length, data };
}

export function wordsOf(bytes: Uint8Array | undefined): number[] {
  return bytes ? [...new Uint32Array(bytes.slice().buffer)] : [];
}

// Compiles CUDA C++ to PTX with a compiler on the path, and keeps the PTX in the user's cache folder.
// The key of a text in the cache contains everything that the compiler reads: the source after the
// preprocessor, the options, and the version.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { fieldsOf } from '../../base/json-value.ts';
import { cacheFolder } from '../../harness/files/cache-folder.ts';
import { maxPtxBytes, readText } from '../../harness/files/read-text.ts';
import { ScratchFolder } from '../../harness/sessions/scratch-folder.ts';
import { fileStore } from '../../runtime/cache/file-store.ts';
import type { TranslationStore } from '../../runtime/cache/store.ts';
import { UsageError } from '../console.ts';
import { type Compiler, compilers } from './compilers.ts';

export interface CompiledCuda {
  /** The compiler's name. */
  readonly program: string;
  readonly ptx: string;
  /** The warnings of the compiler, possibly ''. */
  readonly warnings: string;
}

/**
 * Throws `UsageError` with the compiler's message if the file does not compile. Calls `onInclude`
 * for the file and each file that it includes, except system headers, before it returns or throws.
 */
export async function compileCuda(file: string, onInclude?: (path: string) => void): Promise<CompiledCuda> {
  const folder = new ScratchFolder('lanewise-cuda-');
  try {
    for (const compiler of compilers) {
      const { program, options } = compiler;
      const run: Run = (...args) =>
        spawnSync(program, [...options, ...args], {
          encoding: 'utf8',
          env: folder.environment,
          maxBuffer: Number.POSITIVE_INFINITY,
        });
      const { stdout: version, error } = run('--version');
      // This compiler is not on the path; the next one may be.
      if (error) continue;
      const store = fileStore(cacheFolder(), 'compiled-');
      const job: Job = { file, compiler, run, out: join(folder.path, 'kernel.ptx') };
      if (store === undefined && onInclude === undefined) return compiled(job);
      const source = run(compiler.preprocess, file);
      if (onInclude) includedFiles(source.stdout).forEach(onInclude);
      check(job, source, source.stderr);
      return await kept(store, keyOf(job, version, source.stdout), job);
    }
  } finally {
    await folder.remove();
  }
  const names = compilers.map(({ program }) => program).join(' nor ');
  throw new UsageError(
    `cannot compile ${file}: neither ${names} is on the path; install the CUDA toolkit, or compile it elsewhere (\`nvcc -ptx -lineinfo ${basename(file)}\`) and use the PTX file`,
  );
}

type Run = (...args: readonly string[]) => SpawnSyncReturns<string>;

interface Job {
  readonly file: string;
  readonly compiler: Compiler;
  readonly run: Run;
  /** The path of the PTX. */
  readonly out: string;
}

/** Returns the compiled text from the store, or compiles the file and stores the text. */
async function kept(store: TranslationStore | undefined, key: string, job: Job): Promise<CompiledCuda> {
  const { program } = job.compiler;
  const known = parsed(await store?.get(key).catch(() => undefined));
  if (known !== undefined) return { program, ...known };
  const { ptx, warnings } = compiled(job);
  // Without the cache folder, the next run compiles again.
  await store?.put(key, JSON.stringify({ ptx, warnings })).catch(() => undefined);
  return { program, ptx, warnings };
}

/** Returns undefined for a damaged text. */
function parsed(text: string | undefined): Pick<CompiledCuda, 'ptx' | 'warnings'> | undefined {
  try {
    const { ptx, warnings } = fieldsOf(JSON.parse(text ?? '')); // Absent: not in the store.
    return typeof ptx === 'string' && typeof warnings === 'string' ? { ptx, warnings } : undefined;
  } catch {
    return undefined;
  }
}

function compiled(job: Job): CompiledCuda {
  const { file, compiler, run, out } = job;
  const step = run(compiler.compile, file, '-o', out);
  // Compilers for Windows print messages on stdout.
  const warnings = check(job, step, step.stdout + step.stderr);
  return { program: compiler.program, ptx: readText(out, maxPtxBytes), warnings };
}

/** Returns the messages of a step that succeeded. Throws `UsageError` for one that failed. */
function check({ file, compiler }: Job, { status }: SpawnSyncReturns<string>, messages: string): string {
  const said = messages.trim();
  if (status === 0) return said;
  const isHeader = /No such file or directory|cannot open (?:source|include) file|file not found/.test(said);
  throw new UsageError(
    `${compiler.program} does not compile ${file}:\n${said}${isHeader ? `\nhint: ${compiler.headerHint}` : ''}`,
  );
}

function keyOf({ file, compiler: { program, options, compile, variables } }: Job, version: string, source: string) {
  const values = variables.map((name) => process.env[name] ?? ''); // Absent: no further options.
  // The PTX contains absolute paths.
  const parts = [program, version, ...options, compile, ...values, resolve(file), source];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Returns the files that the line markers of a preprocessed text name, as `# 1 "kernel.cuh" 1`. The
 * flag 3 marks system headers.
 */
export function includedFiles(source: string): ReadonlySet<string> {
  const markers = source.matchAll(/^#(?:line)? \d+ "((?:\\.|[^"\\])+)"([ \d]*)$/gm);
  const files = new Set<string>();
  for (const [, path = '', flags = ''] of markers)
    if (!flags.includes('3') && !path.startsWith('<')) files.add(path.replace(/\\(.)/g, '$1'));
  return files;
}

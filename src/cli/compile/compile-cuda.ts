// Compiles CUDA C++ to PTX with a compiler on the path, and stores the PTX in the user's cache
// folder. The key of a text in the cache depends on everything that the compiler reads: the source
// after the preprocessor, the options, and the version.
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
import { type CompiledCuda, type Compiler, compilers } from './compilers.ts';
import { requireLibrary } from './missing-functions.ts';
import { compileCudaInWasm, loadWasmClang, wasmClangPackage } from './wasm-clang.ts';

/**
 * Compiles a file with the first available compiler. Throws `UsageError` with the compiler's
 * message if the file cannot be compiled. Before it returns or throws, calls `onInclude` for the
 * file and for each file that it includes, except for system headers.
 */
export async function compileCuda(file: string, onInclude?: (path: string) => void): Promise<CompiledCuda> {
  const folder = new ScratchFolder('lanewise-cuda-');
  const out = join(folder.path, 'kernel.ptx');
  try {
    let failure: CompilerError | undefined;
    for (const compiler of compilers()) {
      const run: Run = (...args) =>
        spawnSync(compiler.program, [...compiler.options, ...args], {
          encoding: 'utf8',
          env: folder.environment,
          maxBuffer: Number.POSITIVE_INFINITY,
        });
      try {
        const result = await compileWith({ file, compiler, run, out }, onInclude);
        if (result !== undefined) return result;
      } catch (error) {
        if (!(error instanceof CompilerError) || compiler.lacksPart?.test(error.said) !== true) throw error;
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
  } finally {
    await folder.remove();
  }
  const clang = await loadWasmClang();
  if (clang !== undefined) return compileCudaInWasm(clang, file, onInclude);
  throw new UsageError(
    `cannot compile ${file}: neither nvcc nor clang is on the path; install the CUDA toolkit, clang or the npm package ${wasmClangPackage}, or compile it elsewhere (\`nvcc -ptx -lineinfo ${basename(file)}\`) and use the PTX file`,
  );
}

/** Compiles with one compiler. Returns undefined if the compiler is not on the path. */
async function compileWith(job: Job, onInclude?: (path: string) => void): Promise<CompiledCuda | undefined> {
  const { file, compiler, run } = job;
  const { stdout: version, error } = run('--version');
  if (error) return undefined;
  const store = fileStore(cacheFolder(), 'compiled-');
  if (store === undefined && onInclude === undefined) return compiled(job);
  const source = run(compiler.preprocess, file);
  if (onInclude) includedFiles(source.stdout).forEach(onInclude);
  check(job, source, source.stderr);
  return await kept(store, keyOf(job, version, source.stdout), job);
}

/** The error for a file that a compiler rejects, with the compiler's message. */
class CompilerError extends UsageError {
  readonly said: string;

  constructor({ file, compiler }: Job, said: string) {
    const isHeader = /No such file or directory|cannot open (?:source|include) file|file not found/.test(said);
    const hint = isHeader ? `\nhint: ${compiler.headerHint}` : '';
    super(`${compiler.program} does not compile ${file}:\n${said}${hint}`);
    this.said = said;
  }
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
  // If the cache folder cannot be written, the next run compiles again.
  await store?.put(key, JSON.stringify({ ptx, warnings })).catch(() => undefined);
  return { program, ptx, warnings };
}

/** Parses a text of the store. Returns undefined if the text is missing or damaged. */
function parsed(text: string | undefined): Pick<CompiledCuda, 'ptx' | 'warnings'> | undefined {
  try {
    const { ptx, warnings } = fieldsOf(JSON.parse(text ?? '')); // The store may not contain the file.
    return typeof ptx === 'string' && typeof warnings === 'string' ? { ptx, warnings } : undefined;
  } catch {
    return undefined;
  }
}

function compiled(job: Job): CompiledCuda {
  const { file, compiler, run, out } = job;
  const step = run(compiler.compile, file, '-o', out);
  // Compilers on Windows print messages on stdout.
  const said = check(job, step, step.stdout + step.stderr);
  const ptx = readText(out, maxPtxBytes);
  if (compiler.lacksLibrary) requireLibrary(file, ptx);
  return { program: compiler.program, ptx, warnings: said };
}

/** Returns the messages of a step that succeeded. Throws `CompilerError` if the step failed. */
function check(job: Job, { status }: SpawnSyncReturns<string>, messages: string): string {
  const said = messages.trim();
  if (status !== 0) throw new CompilerError(job, said);
  return said;
}

function keyOf({ file, compiler: { program, options, compile, variables } }: Job, version: string, source: string) {
  const values = variables.map((name) => process.env[name] ?? ''); // The variables may not be set.
  // The PTX contains absolute paths.
  const parts = [program, version, ...options, compile, ...values, resolve(file), source];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Returns the names of files in the line markers of a preprocessed text, such as
 * `# 1 "kernel.cuh" 1`. The flag 3 marks system headers, which are not returned.
 */
export function includedFiles(source: string): ReadonlySet<string> {
  const markers = source.matchAll(/^#(?:line)? \d+ "((?:\\.|[^"\\])+)"([ \d]*)$/gm);
  const files = new Set<string>();
  for (const [, path = '', flags = ''] of markers)
    if (!flags.includes('3') && !path.startsWith('<')) files.add(path.replace(/\\(.)/g, '$1'));
  return files;
}

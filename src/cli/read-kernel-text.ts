// Reads PTX from a file, from standard input, or from CUDA C++ if a compiler for it is on the path.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OriginFile } from '../base/launch.ts';
import { FileError } from '../harness/files/file-error.ts';
import { maxPtxBytes, readStream, readText } from '../harness/files/read-text.ts';
import { originsBelow, originsBeside } from '../harness/launches/origin-files.ts';
import { ScratchFolder } from '../harness/sessions/scratch-folder.ts';
import { UsageError } from './console.ts';

export interface KernelText {
  /** The name that messages use. */
  readonly name: string;
  readonly text: string;
  /** The CUDA sources, if they exist. */
  readonly origins: readonly OriginFile[];
  /** The warnings of the CUDA compiler, possibly ''. */
  readonly warnings: string;
}

const clangOptions = [
  '-x',
  'cuda',
  '--cuda-device-only',
  '--cuda-gpu-arch=sm_80',
  '-O3',
  '-gline-directives-only',
  '-S',
];

/** The compilers to try, in order. Both write the CUDA line of each instruction into the PTX. */
const compilers: readonly { readonly program: string; readonly options: readonly string[] }[] = [
  { program: 'nvcc', options: ['-ptx', '-lineinfo', '-arch=sm_80'] },
  { program: 'clang', options: clangOptions },
];

/**
 * Throws `UsageError` for a file that cannot be read. For CUDA C++ that does not compile, the error
 * has the compiler's message. Calls `onInclude` for each file that CUDA C++ includes, before it
 * returns or throws.
 */
export async function readKernelText(file: string, onInclude?: (path: string) => void): Promise<KernelText> {
  try {
    if (file === '-') {
      return { name: '<stdin>', text: await readStream(process.stdin, maxPtxBytes), origins: [], warnings: '' };
    }
    const text = readText(file, maxPtxBytes);
    if (file.endsWith('.cu')) return await compile(file, onInclude);
    return { name: file, text, origins: originsBeside(text, file), warnings: '' };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`cannot read ${file === '-' ? 'standard input' : file}: ${error.message}`);
  }
}

async function compile(file: string, onInclude: ((path: string) => void) | undefined): Promise<KernelText> {
  const folder = new ScratchFolder('lanewise-cuda-');
  const { environment: env } = folder;
  const out = join(folder.path, 'kernel.ptx');
  const rules = join(folder.path, 'kernel.d');
  try {
    for (const { program, options } of compilers) {
      const args = [...options, ...(onInclude ? ['-MMD', '-MF', rules] : []), file, '-o', out];
      const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env });
      // This compiler is not on the path; the next one may be.
      if (error) continue;
      if (onInclude && existsSync(rules)) prerequisitesOf(readFileSync(rules, 'utf8')).forEach(onInclude);
      const said = `${stdout}${stderr}`.trim();
      if (status !== 0)
        throw new UsageError(`${program} does not compile ${file}:\n${said}${includeHint(program, said)}`);
      const text = readText(out, maxPtxBytes);
      return { name: `${file} (by ${program})`, text, origins: originsBelow(text, file), warnings: said };
    }
  } finally {
    await folder.remove();
  }
  const names = compilers.map(({ program }) => program).join(' nor ');
  throw new UsageError(
    `cannot compile ${file}: neither ${names} is on the path; install the CUDA toolkit, or compile it elsewhere (\`nvcc -ptx -lineinfo ${basename(file)}\`) and use the PTX file`,
  );
}

/** The command line has no options for the compiler, but nvcc reads some from the environment. */
function includeHint(program: string, message: string): string {
  if (program !== 'nvcc' || !/No such file or directory|cannot open (?:source|include) file/.test(message)) return '';
  return '\nhint: name folders of headers in the variable NVCC_APPEND_FLAGS, for example NVCC_APPEND_FLAGS="-I include"';
}

/** Returns the prerequisites of a rule of `make`, in which a backslash escapes a space or the end of a line. */
function prerequisitesOf(rule: string): readonly string[] {
  const [, list = ''] = /^.*?: (.*)$/s.exec(rule.replaceAll('\\\n', ' ')) ?? [];
  return (list.match(/(?:\\.|\S)+/g) ?? []).map((path) => path.replace(/\\([ #\\])/g, '$1'));
}

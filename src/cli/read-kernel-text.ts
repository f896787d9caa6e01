// Reads PTX from a file, from standard input, or from CUDA C++ if a compiler for it is on the path.
import type { OriginFile } from '../base/launch.ts';
import { FileError } from '../harness/files/file-error.ts';
import { maxPtxBytes, readStream, readText } from '../harness/files/read-text.ts';
import { originsBelow, originsBeside } from '../harness/launches/origin-files.ts';
import { compileCuda } from './compile/compile-cuda.ts';
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

/**
 * Reads the PTX of a file, and compiles CUDA C++ first. Throws `UsageError` for a file that cannot
 * be read, and with the compiler's message for CUDA C++ that does not compile. Before it returns or
 * throws, calls `onInclude` for each file that CUDA C++ includes.
 */
export async function readKernelText(file: string, onInclude?: (path: string) => void): Promise<KernelText> {
  try {
    if (file === '-') {
      return { name: '<stdin>', text: await readStream(process.stdin, maxPtxBytes), origins: [], warnings: '' };
    }
    const text = readText(file, maxPtxBytes);
    if (file.endsWith('.cu')) {
      const { program, ptx, warnings } = await compileCuda(file, onInclude);
      return { name: `${file} (by ${program})`, text: ptx, origins: originsBelow(ptx, file), warnings };
    }
    return { name: file, text, origins: originsBeside(text, file), warnings: '' };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`cannot read ${file === '-' ? 'standard input' : file}: ${error.message}`);
  }
}

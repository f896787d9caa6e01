// Reads PTX from a file or from standard input, or compiles CUDA C++ if a compiler is available.
import type { OriginFile } from '../base/launch.ts';
import { FileError } from '../harness/files/file-error.ts';
import { maxPtxBytes, readStream, readText } from '../harness/files/read-text.ts';
import { originsBelow, originsBeside } from '../harness/launches/origin-files.ts';
import { compileCuda } from './compile/compile-cuda.ts';
import { UsageError } from './console.ts';

export interface KernelText {
  /** The name of the text in messages. */
  readonly name: string;
  readonly text: string;
  /** The CUDA sources, if they exist. */
  readonly origins: readonly OriginFile[];
  /** The warnings of the CUDA compiler; can be ''. */
  readonly warnings: string;
}

/**
 * Reads the PTX of a file, or compiles CUDA C++. Throws `UsageError` for a file that cannot be
 * read, and with the compiler's message for CUDA C++ that cannot be compiled. Before it returns or
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

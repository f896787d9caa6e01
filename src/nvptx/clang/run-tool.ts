// Runs a tool of clang in WebAssembly.
import type { Folder } from './folder.ts';

/** The part of `@yowasp/clang` that this project uses. */
export interface ClangModule {
  runLLVM(
    args: string[],
    files: Folder,
    options: {
      readonly stdout: (bytes: Uint8Array | null) => void;
      readonly stderr: (bytes: Uint8Array | null) => void;
      readonly fetchProgress?: (event: { readonly totalLength: number; readonly doneLength: number }) => void;
    },
  ): Promise<Folder> | Folder | undefined;
}

/** Called with the numbers of bytes while the compiler's files are loaded. */
export type OnProgress = (done: number, total: number) => void;

/** The result of a tool. */
export interface ToolRun {
  /** The files that the tool has written; undefined if it has failed. */
  readonly made: Folder | undefined;
  /** The messages of the tool, possibly empty. */
  readonly messages: string;
}

/** Runs a tool, such as `clang` or `wasm-ld`. The first run loads about 100 MB of WebAssembly and headers. */
export async function runTool(
  clang: ClangModule,
  command: readonly string[],
  files: Folder,
  onProgress: OnProgress | undefined,
): Promise<ToolRun> {
  const decoder = new TextDecoder();
  let messages = '';
  const collect = (bytes: Uint8Array | null): void => {
    if (bytes !== null) messages += decoder.decode(bytes);
  };
  try {
    const made = await clang.runLLVM([...command], files, {
      stdout: collect,
      stderr: collect,
      fetchProgress: ({ doneLength, totalLength }) => onProgress?.(doneLength, totalLength),
    });
    return { made, messages };
  } catch (error) {
    // The package throws an error with the tool's exit code. If there are messages, they contain the
    // reason.
    if (messages === '') throw error;
    return { made: undefined, messages };
  }
}

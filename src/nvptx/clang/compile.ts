// Compiles CUDA C++ with clang in WebAssembly: the package `@yowasp/clang`.
import { compileIr } from '../index.ts';
import type { Folder } from './folder.ts';
import { clangArguments } from './options.ts';
import { withAbsoluteIncludes } from './parent-includes.ts';
import { type ClangModule, type OnProgress, runTool } from './run-tool.ts';

export interface WasmClangResult {
  /** The PTX; undefined if the source cannot be compiled. */
  readonly ptx: string | undefined;
  /** The messages of the compiler, possibly empty. */
  readonly messages: string;
}

export interface WasmClangJob {
  /** The absolute path of the source in `files`. */
  readonly file: string;
  /** All files that the source includes, under their absolute paths. */
  readonly files: Folder;
  /** CUDA's headers: the contents of `src/nvptx/include`. */
  readonly headers: Folder;
  readonly onProgress?: OnProgress;
}

/** The folder in which `@yowasp/clang` mounts clang's resource folder. */
export const mountedResources = '/usr';
export const mountedHeaders = '/lanewise-headers';
const out = '/out.ll';

/**
 * Whether a file is a header of CUDA or of clang. Messages about such a file name the user's line
 * that includes it.
 */
const isHeader = (file: string): boolean =>
  file.startsWith(`${mountedHeaders}/`) || file.startsWith(`${mountedResources}/`);

/** Compiles a CUDA source to PTX. The first call loads about 100 MB of WebAssembly and headers. */
export async function compileWithWasmClang(clang: ClangModule, job: WasmClangJob): Promise<WasmClangResult> {
  const places = { file: job.file, out, headers: mountedHeaders, resources: mountedResources };
  const files = withAbsoluteIncludes({ ...job.files, [mountedHeaders.slice(1)]: job.headers }, [mountedHeaders]);
  const { made, messages } = await runTool(clang, ['clang', ...clangArguments(places)], files, job.onProgress);
  const ir = made?.[out.slice(1)];
  if (typeof ir !== 'string' && !(ir instanceof Uint8Array)) return { ptx: undefined, messages };
  const selected = selectPtx(job.file, typeof ir === 'string' ? ir : new TextDecoder().decode(ir));
  const ptx = 'ptx' in selected ? selected.ptx : undefined;
  const found = 'messages' in selected ? [selected.messages] : [];
  return { ptx, messages: [messages.trim(), ...found].filter((text) => text !== '').join('\n') };
}

/**
 * Selects the PTX of a module of LLVM IR. The messages name the line of the CUDA source `file` or of
 * a file that it includes.
 */
export function selectPtx(file: string, ir: string): { readonly ptx: string } | { readonly messages: string } {
  const { ptx, diagnostics, places } = compileIr(ir);
  if (ptx !== undefined) return { ptx };
  const messages = diagnostics.map(({ code, message, hint }) => {
    const place = places.find((each) => !isHeader(each.file));
    const at = place === undefined ? file : `${place.file}:${place.line}:${place.column}`;
    return `${at}: error[${code}]: ${message}${hint === undefined ? '' : `\n  hint: ${hint}`}`;
  });
  return { messages: messages.join('\n') };
}

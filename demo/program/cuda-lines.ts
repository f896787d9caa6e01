// Finds lines of the CUDA source for lines of the PTX, by `.loc` directives.
import { type Module, originOf, originPaths, type Source } from '../../src/ptx/index.ts';
import { LineFinder } from './line-finder.ts';

export interface CudaLines {
  /** The name of the CUDA file. */
  readonly file: string;
  /** Lines of the PTX, each with its line in this file. Lines are counted from 1. */
  readonly lines: readonly { readonly ptxLine: number; readonly cudaLine: number }[];
}

/**
 * Returns `cuda` as the text of the main CUDA file that the PTX names. Returns an empty list if the
 * text or the name is missing.
 */
export function originsOf(ptx: string, cuda: string): NonNullable<Source['origins']> {
  const path = cuda === '' ? undefined : mainPath(originPaths(ptx));
  return path === undefined ? [] : [{ path, name: baseName(path), text: cuda }];
}

/**
 * Returns the first path that ends with `.cu`, because no file of the CUDA toolkit has this
 * extension. If there is none, returns the first path.
 */
const mainPath = (paths: readonly string[]): string | undefined => paths.find((path) => /\.cu$/.test(path)) ?? paths[0];

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The lines of the main CUDA file from which PTX was compiled. */
interface MainFile {
  readonly file: string;
  /** Returns the line of the instruction at an offset of the PTX, if it is known. */
  readonly lineAt: (offset: number) => number | undefined;
}

function mainFile(source: Source): MainFile | undefined {
  if (!source.text.includes('.loc')) return undefined;
  const path = mainPath(originPaths(source.text));
  if (path === undefined) return undefined;
  const file = baseName(path);
  const lineAt = (offset: number): number | undefined => {
    const origin = originOf(source, offset);
    if (origin === undefined) return undefined;
    // If the line is in another file, use the line of an inlined call in this file.
    const places = [origin, ...origin.inlined.map(({ at }) => at)];
    return places.find((place) => baseName(place.file) === file)?.line;
  };
  return { file, lineAt };
}

/**
 * Returns a function that returns the line of the main CUDA file for an offset of the PTX. Returns
 * undefined if the PTX does not contain line information. Lines are counted from 1.
 */
export const cudaLineFinder = (source: Source): MainFile['lineAt'] | undefined => mainFile(source)?.lineAt;

/**
 * Returns the pairs of lines for the module's main CUDA file, or undefined if the PTX does not
 * contain line information.
 */
export function cudaLines({ functions, source }: Module): CudaLines | undefined {
  const main = mainFile(source);
  if (main === undefined) return undefined;
  const finder = new LineFinder(source.text);
  const lines = functions.flatMap(({ body }) =>
    body.flatMap((statement) => {
      if (statement.kind !== 'instruction') return [];
      const cudaLine = main.lineAt(statement.span.start);
      return cudaLine === undefined ? [] : [{ ptxLine: finder.at(statement.span.start).line, cudaLine }];
    }),
  );
  return lines.length === 0 ? undefined : { file: main.file, lines };
}

// CUDA's headers, for the compiler. The headers of libraries are loaded with the first source that
// includes them.
import { type Folder, folderOf } from '../../src/nvptx/clang/folder.ts';

const texts: Readonly<Record<string, string>> = import.meta.glob(
  [
    '../../src/nvptx/include/**/*',
    '!../../src/nvptx/include/{cub,cublas,curand,parallel,thrust}/**',
    '!../../src/nvptx/include/{cublas_v2,curand,curand_kernel}.h',
  ],
  { query: '?raw', import: 'default', eager: true },
);

const usesLibraries = /^[ \t]*#[ \t]*include[ \t]*["<](?:thrust|cub|cublas|curand)/m;

/** Returns the headers that a source may include, by their path. */
export async function headersFor(source: string): Promise<Folder> {
  const libraries = usesLibraries.test(source) ? (await import('./library-headers.ts')).libraryHeaders : {};
  const prefix = '../../src/nvptx/include/';
  return folderOf(
    Object.entries({ ...texts, ...libraries }).map(([path, text]) => [path.slice(prefix.length), text] as const),
  );
}

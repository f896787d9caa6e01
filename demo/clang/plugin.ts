// Adds clang in WebAssembly to the build, as compressed files in the folder `clang` of the page.
// The page loads these files only on request.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Plugin } from 'vite';
import { fieldsOf } from '../../src/base/json-value.ts';
import { clangFiles, clangScript, packedName } from './files.ts';

const compress = promisify(gzip);
const folder = dirname(createRequire(import.meta.url).resolve('@yowasp/clang'));
const { version } = fieldsOf(JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')));

/** The folder in which builds share compressed files, because compression takes seconds. */
const cache = fileURLToPath(new URL(`../../.cache/clang-${String(version)}/`, import.meta.url));

async function packed(name: string): Promise<Uint8Array> {
  const path = join(cache, packedName(name));
  if (existsSync(path)) return readFileSync(path);
  const bytes = await compress(readFileSync(join(folder, name)));
  mkdirSync(cache, { recursive: true });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, bytes);
  renameSync(partial, path);
  return bytes;
}

/** Returns the Vite plugin. `place` is the folder of the page in the output: '' or `demo/`. */
export function clangPlugin(place: string): Plugin {
  let files: ReadonlyMap<string, Uint8Array> = new Map();
  return {
    name: 'lanewise:clang',
    async config() {
      const compressed = await Promise.all(
        clangFiles.map(async (name) => [packedName(name), await packed(name)] as const),
      );
      files = new Map([...compressed, [clangScript, readFileSync(join(folder, clangScript))]]);
      const bytes = compressed.reduce((sum, [, { length }]) => sum + length, 0);
      return {
        define: {
          'import.meta.env.VITE_CLANG_BYTES': JSON.stringify(bytes),
          'import.meta.env.VITE_CLANG_VERSION': JSON.stringify(version),
        },
      };
    },
    generateBundle() {
      for (const [name, source] of files) this.emitFile({ type: 'asset', fileName: `${place}clang/${name}`, source });
    },
    configureServer({ middlewares }) {
      middlewares.use('/clang', (request, response, next) => {
        const name = (request.url ?? '').replace(/^\/|\?.*$/g, ''); // A request to a server always has a URL.
        const body = files.get(name);
        if (body === undefined) return next();
        response.setHeader('content-type', name === clangScript ? 'text/javascript' : 'application/octet-stream');
        response.end(body);
      });
    },
  };
}

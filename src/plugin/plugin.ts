// The plugin for bundlers. An import of a `.cu` or `.ptx` file becomes the module that
// `lanewise build` writes. The query of the import contains the options of that command.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { createUnplugin } from 'unplugin';
import { at } from '../base/invariants.ts';
import { moduleTypes } from '../build/module-types.ts';
import { writeJavaScript } from '../build/write-module.ts';
import { type KernelBuildOptions, kernelsOf } from '../cli/build.ts';
import { withBuilding } from '../cli/command-options.ts';
import { UsageError } from '../cli/console.ts';
import { type KernelText, readKernelText } from '../cli/read-kernel-text.ts';
import { writeReport } from '../cli/report-files.ts';
import { originOf, positionOf } from '../ptx/index.ts';
import { KernelError } from '../runtime/launch/kernel-error.ts';

/** Options of the plugin. */
export interface PluginOptions {
  /**
   * Whether to declare the types of each import in a file next to the kernels, such as
   * `saxpy.cu.lanewise.d.ts`. The default is `true`.
   */
  readonly types?: boolean;
}

/** Matches imports of kernels, but not imports that request the text or the address of a file. */
const kernelFile = /\.(?:cu|ptx)(?:\?(?!(?:.*&)?(?:raw|url)(?:[&=]|$)).*)?$/;

/** Creates the plugin for each bundler. */
export const lanewise = createUnplugin<PluginOptions | undefined, false>(({ types = true } = {}, { framework }) => {
  const files = new KernelFiles();
  return {
    name: 'lanewise',
    load: {
      filter: { id: kernelFile },
      async handler(id) {
        const { file, query } = partsOf(id);
        try {
          const { readable = false, ...options } = optionsOf(query);
          const text = await files.read(file, (path) => this.addWatchFile(path));
          if (text.warnings !== '') this.warn(text.warnings);
          const kernels = kernelsOf(text, options);
          if (types) declare(file, query, moduleTypes(kernels, true));
          return writeJavaScript(kernels, { source: basename(file), readable }).js;
        } catch (error) {
          throw bundlerError(error, id, file, framework);
        }
      },
    },
    // Rollup does not separate the query from the path.
    rollup: {
      resolveId: (source: string, importer: string | undefined) =>
        importer !== undefined && source.startsWith('.') && source.includes('?') && kernelFile.test(source)
          ? resolve(dirname(partsOf(importer).file), source)
          : null,
    },
  };
});

function partsOf(id: string): { readonly file: string; readonly query: string } {
  const [file = '', ...query] = id.split('?');
  return { file, query: query.join('?') };
}

/** Parses a query like the options of `lanewise build`. Throws `UsageError` if it is invalid. */
function optionsOf(query: string): KernelBuildOptions {
  const args = [...new URLSearchParams(query)].flatMap(([name, value]) =>
    value === '' ? [`--${name}`] : [`--${name}`, value],
  );
  const command = withBuilding(new Command())
    .exitOverride()
    .helpOption(false)
    .allowExcessArguments(false)
    .configureOutput({ writeErr: () => {} });
  try {
    return command.parse(args, { from: 'user' }).opts();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UsageError(`?${query}: ${error.message.replace(/^error: /, '')}`);
  }
}

/**
 * The files that were read so far. A file is compiled again only if the file or a file that it
 * includes has changed.
 */
class KernelFiles {
  readonly #known = new Map<string, { start: number; paths: Set<string>; text: Promise<KernelText> }>();

  /**
   * Returns the text like `readKernelText`, and calls `watch` for each file on which the text
   * depends.
   */
  async read(file: string, watch: (path: string) => void): Promise<KernelText> {
    let known = this.#known.get(file);
    if (known === undefined || ![...known.paths].every(isOlderThan(known.start))) {
      const start = Date.now();
      const paths = new Set([file]);
      // The compiler runs before `readKernelText` returns its promise, so `paths` is complete.
      known = { start, paths, text: readKernelText(file, (path) => paths.add(resolve(path))) };
      this.#known.set(file, known);
    }
    known.paths.forEach(watch);
    return await known.text;
  }
}

const isOlderThan = (start: number) => (path: string) =>
  (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.POSITIVE_INFINITY) < start;

/**
 * Writes the types of an import. Preserves the types of imports of the same file with other
 * queries.
 */
function declare(file: string, query: string, types: string): void {
  const path = `${file}.lanewise.d.ts`;
  const name = `declare module '*/${basename(file)}${query === '' ? '' : `?${query}`}' {`;
  const head = '// The types of imports, which the Lanewise plugin writes.\n';
  const before = statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : head;
  const parts = before.split(/^(?=declare module )/m);
  const others = parts.filter((part) => !part.startsWith('//') && !part.startsWith(name));
  const text = head + [...others, `${name}\n${types}}\n`].sort().join('');
  if (text !== before) writeReport(path, text);
}

/** The position of an error, in the format of bundlers. */
interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Returns the error for a bundler, with its line, its column and the quoted code. */
function bundlerError(error: unknown, id: string, file: string, framework: string): unknown {
  if (error instanceof KernelError) {
    const { source, message, diagnostics } = error;
    const { start } = at(diagnostics, 0, 'the diagnostics of an error').span;
    // The PTX of a `.cu` file is temporary, so use only positions in the CUDA source.
    const place = file.endsWith('.cu') ? originOf(source, start) : { file, ...positionOf(source, start) };
    return errorAt(place, { id, message, frame: error.render(false), framework });
  }
  if (!(error instanceof UsageError || error instanceof RangeError)) return error;
  // Matches the errors of nvcc and of clang.
  const said = /^(.+?)(?:\((\d+)\)|:(\d+):(\d+)): (?:\w+ )?error/m.exec(error.message);
  const [, name = file, line, clangLine, column = 1] = said ?? [];
  const place = said ? { file: name, line: Number(line ?? clangLine), column: Number(column) } : undefined;
  return errorAt(place, { id, message: error.message, framework });
}

interface Parts {
  readonly id: string;
  readonly message: string;
  readonly frame?: string;
  readonly framework: string;
}

function errorAt(place: Place | undefined, { framework, message, ...parts }: Parts): Error {
  const loc = place && { file: resolve(place.file), line: place.line, column: place.column };
  // webpack prints only the message, and the stack unless it is hidden.
  if (framework === 'webpack') return Object.assign(new Error(parts.frame ?? message), { hideStack: true });
  return Object.assign(new Error(message), parts, loc && { loc });
}

// Builds a compiler with faults that can be switched on. In the bundled source, each place of a
// fault chooses between the original text and the faulty one.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type * as Entry from './entry.ts';

/** A small change of the compiler: an expression in one of its files and its replacement. */
export interface Fault {
  readonly name: string;
  /** The path below `src/`. */
  readonly file: string;
  /** The original text, which occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** The kernel that shows the fault, or the title of a case under test/filetests/wgsl. */
  readonly by: string;
}

export interface FaultyTranslator extends Pick<typeof Entry, 'compileCase' | 'parsePtxOrThrow' | 'translate'> {
  /** Switches one fault on and all others off; undefined switches all off. */
  readonly plant: (fault: Fault | undefined) => void;
}

const source = join(import.meta.dirname, '../../src');
const choice = 'globalThis.plantedFault';

/**
 * Returns a file's text with its faults. Throws an error if the original text of a fault is
 * missing.
 */
function planted(text: string, faults: readonly Fault[]): string {
  return faults.reduce((before, { name, file, from, to }) => {
    const parts = before.split(from);
    if (parts.length !== 2) throw new Error(`${name}: \`${from}\` stands in ${file} ${parts.length - 1} times`);
    return parts.join(`(${choice} === ${JSON.stringify(name)} ? (${to}) : (${from}))`);
  }, text);
}

export async function plantFaults(faults: readonly Fault[]): Promise<FaultyTranslator> {
  const byFile = new Map<string, Fault[]>();
  for (const fault of faults)
    byFile.set(join(source, fault.file), [...(byFile.get(join(source, fault.file)) ?? []), fault]);
  const texts = new Map([...byFile].map(([file, own]) => [file, planted(readFileSync(file, 'utf8'), own)]));
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(import.meta.dirname, 'entry.ts'),
      write: false,
      minify: false,
      rolldownOptions: { output: { format: 'esm', codeSplitting: false } },
    },
    plugins: [{ name: 'plant', enforce: 'pre', load: (id) => texts.get(id) }],
  });
  const [output] = [result].flat();
  const code = output !== undefined && 'output' in output ? output.output[0].code : '';
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  try {
    const file = join(folder, 'translate.mjs');
    writeFileSync(file, code);
    const entry: typeof Entry = await import(/* @vite-ignore */ pathToFileURL(file).href);
    const plant = (fault: Fault | undefined) => Object.assign(globalThis, { plantedFault: fault?.name });
    return { ...entry, plant };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Builds the scripts of the site as classic scripts, because modules would not run in a page that
// is opened as a file.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

export interface BuiltScript {
  readonly code: string;
  /** The style sheet that the script imports; '' if it imports none. */
  readonly style: string;
}

export async function buildScript(name: 'client' | 'theme'): Promise<BuiltScript> {
  const result = (await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(new URL('.', import.meta.url)),
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: fileURLToPath(new URL(`${name}.ts`, import.meta.url)), formats: ['iife'], name: 'lanewise' },
    },
  })) as Rolldown.RolldownOutput | readonly Rolldown.RolldownOutput[];
  const outputs = (Array.isArray(result) ? result : [result]).flatMap(({ output }) => output);
  const code = outputs.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n');
  const style = outputs.flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
  );
  return { code, style: style.join('\n') };
}

/** Returns a file name with a hash of the content, as in Vite's names. */
export function hashedName(name: string, content: string): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  return name.replace(/(\.\w+)$/, `-${hash}$1`);
}

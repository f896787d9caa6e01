// Parses a text in a page, and loads the parts of the front end that the text needs.

import { PartMissing } from '../../base/part.ts';
import type { Module, Source } from '../ast.ts';
import { moduleOrThrow, parseText } from '../parse-text.ts';

/** The parts by name. The parser throws `PartMissing` for one that the text needs. */
const loaders: Readonly<Record<string, () => Promise<void>>> = {
  opcodes: async () => (await import('./opcodes.ts')).provideOpcodes(),
  diagnostics: async () => (await import('./diagnostics.ts')).provideDiagnostics(),
};

/** Parses a module. Rejects with `PtxError` if there are errors. */
export async function parseModuleInPage(source: Source): Promise<Module> {
  const loaded = new Set<string>();
  for (;;) {
    try {
      return moduleOrThrow(source, parseText(source));
    } catch (error) {
      if (!(error instanceof PartMissing) || loaded.has(error.part)) throw error;
      const load = loaders[error.part];
      if (load === undefined) throw error;
      loaded.add(error.part);
      await load();
    }
  }
}

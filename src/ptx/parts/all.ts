// All parts of the front end, for programs that parse without loading.

import { provideDiagnostics } from './diagnostics.ts';
import { provideNames } from './names.ts';
import { provideOpcodes } from './opcodes.ts';

/** Makes all parts available. */
export function provideFrontEndParts(): void {
  provideDiagnostics();
  provideNames();
  provideOpcodes();
}

// Runs before each test file. It makes Node itself load the program and the helpers of the tests.
// Vite would turn every use of an import into a call, which costs a third of the processor time of
// this code.
import { register } from 'node:module';

declare global {
  var loadsTypeScript: boolean | undefined;
}

if (globalThis.loadsTypeScript === undefined) {
  globalThis.loadsTypeScript = true;
  process.setSourceMapsEnabled(true);
  register('./strip-types.mjs', import.meta.url);
}

// Makes Node itself load the program and the helpers of the tests. This module runs before each
// test file. Vite would convert every use of an import to a call, which costs a third of the
// processor time of this code.
import { register } from 'node:module';

declare global {
  var loadsTypeScript: boolean | undefined;
}

if (globalThis.loadsTypeScript === undefined) {
  globalThis.loadsTypeScript = true;
  process.setSourceMapsEnabled(true);
  register('./strip-types.mjs', import.meta.url);
}

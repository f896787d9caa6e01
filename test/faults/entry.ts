// The entry of a bundle with planted faults. It exports both the parser and the translator, so that
// they share the same row objects.
export { parsePtxOrThrow } from '../../src/ptx/index.ts';
export { translate } from '../../src/translate/index.ts';
export { compileCase } from '../filetests/compile-case.ts';

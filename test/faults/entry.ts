// The contents of a bundle with faults: parser and translator share the same row objects.
export { parsePtxOrThrow } from '../../src/ptx/index.ts';
export { translate } from '../../src/translate/index.ts';
export { compileCase } from '../filetests/compile-case.ts';

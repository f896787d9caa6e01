// What a bundle with faults has: parser and translator know instructions by the same rows.
export { parsePtxOrThrow } from '../../src/ptx/index.ts';
export { translate } from '../../src/translate/index.ts';
export { compileCase } from '../filetests/compile-case.ts';

export * from '../compiler/index.ts';

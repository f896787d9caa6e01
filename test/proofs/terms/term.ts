// Terms over bit-vectors and booleans.
export * from './booleans.ts';
export * from './intern.ts';
export * from './words.ts';

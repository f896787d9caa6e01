export { suggestBlocks } from './blocks.ts';
export { chooseEntry, entriesOf, entryTitle } from './choose-entry.ts';
export type { DeclaredType } from './declared-types.ts';
export type { ImageUse } from './image-use.ts';
export { inferKernel } from './kernel-use.ts';
export { parameterNames, parameterNamesOf } from './parameter-names.ts';
export { reachableFrom } from './reachable.ts';
export type { ThreadUse } from './thread-use.ts';
export type { Axis, FieldUse, KernelUse, NumberRole, NumberUse, ParamUse, PointerUse } from './uses.ts';

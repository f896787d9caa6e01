// Where the header has what `txq` and `suq` ask for.
import { headerOffsets } from './header.ts';

const offsets: Readonly<Record<string, number>> = {
  width: headerOffsets.width,
  height: headerOffsets.height,
  depth: headerOffsets.depth,
};

/** The byte offset of a property in the header; undefined for one that it lacks. */
export const queryOffset = (query: string): number | undefined => offsets[query];

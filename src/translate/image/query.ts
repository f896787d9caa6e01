// The offsets of the header's words for the queries of `txq` and `suq`.
import { headerOffsets } from './header.ts';

const offsets: Readonly<Record<string, number>> = {
  width: headerOffsets.width,
  height: headerOffsets.height,
  depth: headerOffsets.depth,
};

/**
 * Returns the byte offset of a property in the header; undefined if the header lacks the property.
 */
export const queryOffset = (query: string): number | undefined => offsets[query];

// The rows that most kernels use. A page loads the others on use.
import { floatRows } from './float.ts';
import { integerRows } from './integer.ts';
import { memoryRows } from './memory.ts';
import type { IsaRow } from './row.ts';
import { selectRows } from './select.ts';

export const commonRows: readonly IsaRow[] = [...integerRows, ...floatRows, ...selectRows, ...memoryRows];

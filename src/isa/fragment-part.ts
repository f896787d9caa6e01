// The sizes of matrices in a warp's registers: a part of the compiler that a page loads on use.
import { Part } from '../base/part.ts';
import type { fragmentWords, matrixForm } from './fragments.ts';

export const fragmentPart = new Part<{ readonly fragmentWords: typeof fragmentWords; readonly matrixForm: typeof matrixForm }>('matrices');

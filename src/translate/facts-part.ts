// The facts about kernels with collectives, which a page loads on use.

import { Part } from '../base/part.ts';
import type { kernelFacts } from './emit/kernel-facts.ts';

export const factsPart = new Part<{ readonly kernelFacts: typeof kernelFacts }>('collectives');

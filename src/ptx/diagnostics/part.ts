// The diagnostics of the front end: a part of the compiler that a page loads when a text needs one.

import { Part } from '../../base/part.ts';
import type { diagnostics as all } from './diagnostics.ts';

export const diagnosticsPart = new Part<typeof all>('diagnostics');

/** The constructors of diagnostics. Throws PartMissing if they are not loaded. */
export const diagnostics = (): typeof all => diagnosticsPart.content;

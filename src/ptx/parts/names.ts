// C++ names: a part of the compiler that a page loads on use.

import { demangle, demangledText } from '../../base/demangle.ts';
import { demanglePart } from '../../base/demangle-part.ts';

export function provideNames(): void {
  demanglePart.provide({ demangle, demangledText });
}

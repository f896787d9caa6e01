// The parts of the compiler that launches in a page do not need: textures, the text forms, and the
// verification of the IR and the control tree. With these tools, all parts of the compiler are
// loaded.

import { printControl } from './control/print.ts';
import { assertControl } from './control/verify.ts';
import { lowerImages } from './image/lower-images.ts';
import { printProgram } from './ir/print.ts';
import { namesOf } from './ir/print-insts.ts';
import { assertValid } from './ir/verify.ts';
import { provideAllParts } from './parts/all.ts';
import type { Tools } from './translate.ts';

export const tools: Tools = {
  provideAllParts,
  lowerImages,
  inspector: ({ observe, verify }) => ({
    onProgram(pass, program, legal) {
      if (verify) assertValid(program, pass, { legal });
      observe?.(pass, printProgram(program));
    },
    onControl(pass, tree, kernel) {
      if (verify) assertControl(tree, pass);
      observe?.(pass, printControl(tree, { name: kernel.name, names: namesOf(kernel) }));
    },
  }),
};

// All rows, and the manual's list of instructions: a part of the compiler that a page loads on use.

import { isaRows } from '../../isa/index.ts';
import { provideRows } from '../../isa/match.ts';
import { selectors } from '../../isa/selectors.ts';
import { opcodePart } from '../parse/opcode-part.ts';
import { rejectOpcode } from '../parse/reject-opcode.ts';
import { rareOperandPart } from '../resolve/rare-operands.ts';
import { resolveImageSlot } from '../resolve/resolve-image.ts';
import { expandStack } from '../resolve/stack.ts';
import { stackPart } from '../resolve/stack-part.ts';

export function provideOpcodes(): void {
  provideRows(isaRows);
  opcodePart.provide({ rejectOpcode });
  rareOperandPart.provide({ selectors, resolveImageSlot });
  stackPart.provide({ expandStack });
}

// Diagnostics of fragments and of SASS: group 09.
import type { Span } from '../ast.ts';
import { error, list, warning } from './make-diagnostic.ts';

export const fragmentDiagnostics = {
  conflictingUse: (span: Span, name: string, wants: string, first: Span, has: string, second: string) =>
    warning('PTX0901', span, `\`${name}\` is used as \`.${wants}\` here, but elsewhere as \`.${has}\``, {
      labels: [{ span: first, text: `used as \`.${has}\` here` }],
      hint: `it is taken as two inputs, \`${name}\` and \`${second}\`; use another name, or declare it with \`.reg\``,
    }),
  unsupportedSass: (span: Span, opcode: string, known: readonly string[]) =>
    error('PTX0902', span, `SASS instruction \`${opcode}\` is not supported`, { hint: `supported are ${list(known)}` }),
  sassModifier: (span: Span, opcode: string, modifier: string, allowed: readonly string[]) =>
    error('PTX0903', span, `\`${opcode}\` has no modifier \`.${modifier}\``, {
      hint: allowed.length === 0 ? 'it has no modifiers' : `it accepts ${list(allowed.map((name) => `.${name}`))}`,
    }),
  sassCombination: (span: Span, opcode: string, form: string) =>
    error('PTX0911', span, `\`${opcode}\` does not accept these modifiers together`, {
      hint: `its form is \`${form}\``,
    }),
  sassMode: (span: Span, allowed: readonly string[]) =>
    error('PTX0904', span, 'SHFL requires a mode; there is no default', {
      hint: `add one of ${list(allowed.map((name) => `.${name}`))}`,
    }),
  sassOperand: (span: Span, what: string, found: string) =>
    error('PTX0905', span, `expected ${what}, found \`${found}\``),
  sassCount: (span: Span, opcode: string, form: string, wanted: number, got: number) =>
    error('PTX0906', span, `\`${opcode}\` takes ${wanted} operands, not ${got}`, { hint: `its form is \`${form}\`` }),
  sassRange: (span: Span, name: string, bits: number) =>
    error('PTX0907', span, `immediate ${name} has ${bits} bits: 0 to ${2 ** bits - 1}`, {
      hint: 'put other values into a register',
    }),
  sassNever: (span: Span) => warning('PTX0908', span, '`@!PT` is never true: this instruction is skipped'),
  sassAnnotation: (span: Span) => error('PTX0909', span, 'expected a scheduling annotation such as `&req_6`'),
  mixedDialects: (span: Span) => error('PTX0910', span, 'PTX among SASS', { hint: 'SASS opcodes are in capitals' }),
} as const;

// All diagnostics of the front end. Their codes are stable: a code must never be reused.
import type { Diagnostic, Span } from '../ast.ts';
import { fragmentDiagnostics } from './fragment-diagnostics.ts';
import { didYouMean, error, list, printable, warning } from './make-diagnostic.ts';

/**
 * The constructors of the diagnostics. The first two digits of a code are its group: 01 characters,
 * 02 syntax, 03 declarations, 04 names, 05 opcodes, 06 operands, 07 versions and targets, 08
 * unsupported features, 09 SASS.
 */
export const diagnostics = {
  // Characters
  unexpectedCharacter: (span: Span, text: string) => error('PTX0101', span, `unexpected character ${printable(text)}`),
  unclosedComment: (span: Span) => error('PTX0102', span, 'this comment is never closed', { hint: 'end it with `*/`' }),
  unclosedString: (span: Span) => error('PTX0103', span, 'this string is not closed on its line'),
  malformedNumber: (span: Span, text: string) =>
    error('PTX0104', span, `\`${text.slice(0, 80)}\` is not a number`, {
      hint: /^0[fF]/.test(text)
        ? '`0f` requires exactly eight hexadecimal digits'
        : /^0[dD]/.test(text)
          ? '`0d` requires exactly sixteen hexadecimal digits'
          : 'PTX integers have up to 64 bits: 42, 0x2a, 0b101010, 052, each with an optional U',
    }),
  preprocessor: (span: Span) =>
    error('PTX0105', span, 'preprocessor directives are not part of PTX', {
      hint: 'preprocess the file first; only `#line` is skipped',
    }),
  tooLong: (span: Span, most: number) =>
    error('PTX0106', span, `the text has more than ${most} tokens; the rest was not read`, {
      hint: 'split the module',
    }),
  tooMany: (span: Span) => error('PTX0199', span, 'too many errors; the rest of the text was not read'),

  // Syntax
  expected: (span: Span, what: string, found: string) => error('PTX0201', span, `expected ${what}, found ${found}`),
  missingSemicolon: (span: Span) => error('PTX0202', span, 'expected `;` at the end of the instruction'),
  unexpectedStatement: (span: Span, text: string, hint?: string) =>
    error('PTX0203', span, `\`${text}\` does not belong here`, { hint }),
  unclosedBody: (span: Span, text: string) => error('PTX0204', span, `this \`${text}\` is never closed`),
  unknownDirective: (span: Span, name: string, near: string | undefined) =>
    error('PTX0205', span, `unknown directive \`${name}\``, { hint: didYouMean(near) }),
  divisionByZero: (span: Span) => error('PTX0206', span, 'division by zero in a constant expression'),
  integerOperator: (span: Span, operator: string) => error('PTX0207', span, `\`${operator}\` needs integers`),
  negatedHexFloat: (span: Span) =>
    error('PTX0208', span, 'a hexadecimal float cannot have a sign', {
      hint: 'set its top bit instead: `0fbf800000` is -1',
    }),
  tooDeep: (span: Span) => error('PTX0209', span, 'this expression is nested too deeply'),
  outOfRange: (span: Span, what: string, range: string) => error('PTX0210', span, `${what} must be ${range}`),
  minusOffset: (span: Span) =>
    error('PTX0211', span, 'an address accepts only `+`', { hint: 'write `+-4` for a negative offset' }),
  addressOfTwo: (span: Span) =>
    error('PTX0212', span, 'an address is one register or variable plus a constant', {
      hint: 'add the registers first',
    }),
  emptyStatement: (span: Span) => error('PTX0213', span, '`;` ends nothing', { hint: 'remove it' }),
  scopesTooDeep: (span: Span, most: number) => error('PTX0215', span, `more than ${most} \`{\` are open here`),
  tooComplex: (span: Span) =>
    error('PTX0299', span, 'this text needs more memory or stack than is available', { hint: 'split it' }),
  nothing: (span: Span) => error('PTX0214', span, 'the text contains no PTX'),

  // Declarations
  duplicate: (span: Span, name: string, first: Span) =>
    error('PTX0301', span, `\`${name}\` is declared twice`, { labels: [{ span: first, text: 'first declared here' }] }),
  duplicateLabel: (span: Span, name: string, first: Span) =>
    error('PTX0302', span, `label \`${name}\` is defined twice`, {
      labels: [{ span: first, text: 'first defined here' }],
    }),
  needsType: (span: Span) =>
    error('PTX0303', span, 'this declaration has no type', { hint: 'write one such as `.b32` before the name' }),
  unknownType: (span: Span, name: string, near: string | undefined) =>
    error('PTX0304', span, `unknown type \`${name}\``, { hint: didYouMean(near) }),
  badAlignment: (span: Span) => error('PTX0305', span, 'an alignment must be a power of two'),
  openArray: (span: Span, name: string) =>
    error('PTX0306', span, `the size of \`${name}\` is not given`, {
      hint: 'give it an extent or an initializer, or declare it `.extern .shared`',
    }),
  tooLarge: (span: Span, name: string) => error('PTX0307', span, `\`${name}\` is too large`),
  tooMuchMemory: (span: Span, name: string, bytes: number, space: string, most: string) =>
    error('PTX0316', span, `\`${name}\` has ${bytes} bytes; in \`.${space}\` the limit is ${most}`),
  tooMuchTogether: (span: Span, name: string, what: string, most: string) =>
    error('PTX0317', span, `with \`${name}\`, ${what} have more than ${most} together`),
  tooManyValues: (span: Span, name: string) => error('PTX0308', span, `more values than \`${name}\` has elements`),
  initializerType: (span: Span, why: string) =>
    error('PTX0309', span, `this value cannot initialize the variable: ${why}`),
  initializerSpace: (span: Span, space: string) =>
    error('PTX0310', span, `a \`.${space}\` variable cannot have an initializer`),
  predicateVariable: (span: Span) => error('PTX0311', span, 'a variable in memory cannot have type `.pred`'),
  missingVersion: (span: Span) =>
    error('PTX0312', span, 'a module starts with `.version`', {
      hint: 'for example `.version 8.0`, then `.target sm_80` and `.address_size 64`',
    }),
  missingTarget: (span: Span) =>
    error('PTX0313', span, 'the module has no `.target`', { hint: 'for example `.target sm_80`' }),
  vectorOf: (span: Span, type: string) =>
    error('PTX0315', span, `a vector of \`.${type}\` cannot have this many elements`),

  // Names
  undefinedName: (span: Span, name: string, near: string | undefined) =>
    error('PTX0401', span, `\`${name}\` is not declared`, { hint: didYouMean(near) }),
  undefinedLabel: (span: Span, name: string, near: string | undefined) =>
    error('PTX0402', span, `label \`${name}\` is not defined in this function`, { hint: didYouMean(near) }),
  undefinedFunction: (span: Span, name: string, near: string | undefined) =>
    error('PTX0403', span, `function \`${name}\` is not declared`, {
      hint: didYouMean(near) ?? 'declare it before the call',
    }),
  unknownSpecial: (span: Span, name: string, near: string | undefined) =>
    error('PTX0404', span, `\`${name}\` is neither a declared register nor a special register`, {
      hint: didYouMean(near),
    }),
  outsideRange: (span: Span, name: string, prefix: string, count: number, declared: Span) =>
    error('PTX0408', span, `\`${name}\` is not declared: \`${prefix}<${count}>\` ends before it`, {
      labels: [
        {
          span: declared,
          text: count === 0 ? 'declares none' : `declares \`${prefix}0\` to \`${prefix}${count - 1}\``,
        },
      ],
    }),
  specialNeedsAxis: (span: Span, name: string) =>
    error('PTX0405', span, `\`${name}\` is a vector`, { hint: `use one element: \`${name}.x\`` }),
  badComponent: (span: Span, name: string, component: string) =>
    error('PTX0406', span, `\`${name}\` has no element \`.${component}\``),
  notATable: (span: Span, name: string) =>
    error('PTX0407', span, `\`${name}\` is not a table of labels`, {
      hint: 'define one: `name: .branchtargets L1, L2;`',
    }),

  // Opcodes
  unknownOpcode: (span: Span, word: string, near: string | undefined) =>
    error('PTX0501', span, `unknown instruction \`${word}\``, { hint: didYouMean(near) }),
  unknownModifier: (span: Span, word: string, modifier: string, near: string | undefined, forms: readonly string[]) =>
    error('PTX0502', span, `\`.${modifier}\` is not a valid modifier of this form of \`${word}\``, {
      hint: didYouMean(near === undefined ? undefined : `.${near}`) ?? `the forms are ${list(forms)}`,
    }),
  missingModifier: (span: Span, opcode: string, what: string, values: readonly string[]) =>
    error('PTX0503', span, `\`${opcode}\` lacks its \`.${what}\``, {
      hint: `add ${values.length > 1 ? 'one of ' : ''}${list(values.map((value) => `.${value}`))}`,
    }),
  badCombination: (span: Span, opcode: string, why: string, hint?: string) =>
    error('PTX0504', span, `\`${opcode}\`: ${why}`, { hint }),
  operandCount: (span: Span, opcode: string, wanted: string, got: number, syntax: string) =>
    error('PTX0505', span, `\`${opcode}\` takes ${wanted}, not ${got}`, { hint: `its form is \`${syntax}\`` }),

  // Operands
  typeMismatch: (span: Span, name: string, has: string, wants: string, labels: Diagnostic['labels']) =>
    error('PTX0601', span, `\`${name}\` is a \`.${has}\` register, but \`.${wants}\` is required here`, { labels }),
  writtenOperand: (span: Span, what: string) =>
    error('PTX0602', span, `${what} cannot be written to`, { hint: 'a destination is a register' }),
  sinkNotAllowed: (span: Span, opcode: string) =>
    error('PTX0603', span, `\`${opcode}\` must have this destination; \`_\` is not allowed here`),
  sinkAsSource: (span: Span) => error('PTX0604', span, '`_` has no value', { hint: 'it only discards a result' }),
  wantsRegister: (span: Span, what: string) => error('PTX0605', span, `expected a register, found ${what}`),
  wantsPredicate: (span: Span, name: string, type: string) =>
    error('PTX0606', span, `\`${name}\` is a \`.${type}\` register, but a guard is a predicate`, {
      hint: 'compare it with `setp` first',
    }),
  notNegatable: (span: Span, sign: string) =>
    error('PTX0607', span, `\`${sign}\` is not allowed on this operand`, {
      hint: sign === '-' ? 'use `neg`' : 'only source predicates can be negated',
    }),
  integerForFloat: (span: Span, type: string) =>
    error('PTX0608', span, `an integer constant is not valid as \`.${type}\``, {
      hint: 'write a float: `1.0` or `0f3f800000`',
    }),
  floatForInteger: (span: Span, type: string) =>
    error('PTX0609', span, `a floating-point constant is not valid as \`.${type}\``, {
      hint: type === 'b32' ? 'write untyped bits as `0f3f800000`' : undefined,
    }),
  constantNotTaken: (span: Span, opcode: string, type: string) =>
    error('PTX0642', span, `\`${opcode}\` does not accept a constant here`, {
      hint: `move it into a register first, with \`mov.${type}\``,
    }),
  truncated: (span: Span, type: string, range: string) =>
    warning('PTX0610', span, `this constant does not fit \`.${type}\` (${range}); its high bits are dropped`),
  wantsAddress: (span: Span) =>
    error('PTX0611', span, 'expected an address', { hint: 'write it in brackets: `[%rd1+4]`' }),
  notAddress: (span: Span) => error('PTX0612', span, 'an address is not allowed here', { hint: 'remove the brackets' }),
  wantsImage: (span: Span, what: string, placed: boolean) =>
    error('PTX0642', span, placed ? `expected a ${what} and coordinates` : `expected a ${what}`, {
      hint: placed ? 'write them in brackets: `[%rd1, {%f1, %f2}]`' : 'write it in brackets: `[%rd1]`',
    }),
  addressType: (span: Span, name: string, type: string) =>
    error('PTX0613', span, `\`${name}\` is a \`.${type}\` register; an address needs 32 or 64 integer bits`),
  wrongSpace: (span: Span, name: string, space: string, wanted: string, declared: Span) =>
    error('PTX0614', span, `\`${name}\` is in \`.${space}\`, but the instruction accesses \`.${wanted}\``, {
      labels: [{ span: declared, text: 'declared here' }],
    }),
  notNamedGenerically: (span: Span, name: string, space: string, declared: Span) =>
    error('PTX0614', span, `\`${name}\` is in \`.${space}\`, but the instruction names no state space`, {
      labels: [{ span: declared, text: 'declared here' }],
      hint: `without one it accesses only variables in \`.global\`, \`.shared\` or \`.local\` by name: add \`.${space}\` if it has that form`,
    }),
  absoluteAddress: (span: Span) => error('PTX0615', span, 'an address without a base is allowed only in `.local`'),
  wantsLabel: (span: Span) => error('PTX0616', span, 'expected a label'),
  wantsConstant: (span: Span) => error('PTX0617', span, 'expected a constant'),
  vectorSize: (span: Span, wanted: number, got: number) =>
    error('PTX0618', span, `expected a vector of ${wanted} elements, found ${got}`),
  notVector: (span: Span) => error('PTX0619', span, 'a vector is not allowed here'),
  wantsVector: (span: Span, size: number) =>
    error(
      'PTX0620',
      span,
      `expected a vector of ${size} elements, such as \`{${'abcdefghijklmnop'.slice(0, size).split('').join(', ')}}\``,
    ),
  vectorWidth: (span: Span, got: number, wanted: string) =>
    error('PTX0621', span, `the elements have ${got} bits together, but \`.${wanted}\` is required here`),
  vectorMoveType: (span: Span, type: string) =>
    error('PTX0622', span, `\`mov.${type}\` cannot pack or unpack a vector`, {
      hint: 'use an untyped form: `mov.b32` or `mov.b64`',
    }),
  specialNotAllowed: (span: Span, name: string, opcode: string) =>
    error('PTX0623', span, `\`${opcode}\` cannot read the special register \`${name}\``, {
      hint: `copy it first: \`mov.u32 %r, ${name};\``,
    }),
  symbolNotAllowed: (span: Span, name: string, opcode: string) =>
    error('PTX0624', span, `\`${opcode}\` cannot take the address of \`${name}\``, {
      hint: 'put it in a register first, with `mov`',
    }),
  pairNotAllowed: (span: Span) =>
    error('PTX0625', span, 'this operand is not a pair', { hint: 'only a destination such as `d|p` is' }),
  wantsPair: (span: Span, syntax: string) =>
    error('PTX0626', span, 'this destination is a pair', { hint: `the form is \`${syntax}\`` }),
  labelNotAllowed: (span: Span, name: string) => error('PTX0627', span, `\`${name}\` is a label, not a value`),
  specialWidth: (span: Span, name: string, has: string, wants: string) =>
    error('PTX0628', span, `\`${name}\` is a \`.${has}\`, but \`.${wants}\` is required here`),
  callArguments: (span: Span, name: string, what: string, wanted: number, got: number, declared: Span) =>
    error('PTX0629', span, `\`${name}\` has ${wanted} ${what}, but the call names ${got}`, {
      labels: [{ span: declared, text: 'declared here' }],
    }),
  noPrototype: (span: Span) =>
    error('PTX0640', span, 'a call through a register needs a prototype or a list of targets', {
      hint: 'write `call (results), %address, (arguments), prototype;` with a `.callprototype`',
    }),
  undefinedPrototype: (span: Span, name: string) =>
    error('PTX0641', span, `\`${name}\` is not a \`.callprototype\` or \`.calltargets\` of this function`),
  callArgumentType: (span: Span, what: string) =>
    error('PTX0630', span, `this argument does not match the function: ${what}`),
  addedToRegister: (span: Span, name: string, type: string | undefined) =>
    error(
      'PTX0631',
      span,
      type === undefined
        ? `a constant cannot be added to \`${name}\` here`
        : `a constant can be added only to registers with 16, 32 or 64 integer bits: \`${name}\` is \`.${type}\``,
      { hint: 'add it first, with `add`' },
    ),
  addressOfLocal: (span: Span, name: string) => error('PTX0631', span, `\`${name}\` is a register: it has no address`),
  barrierNumber: (span: Span) => error('PTX0632', span, 'barriers are numbered 0 to 15'),
  barrierThreads: (span: Span) =>
    error('PTX0643', span, 'whole warps take part in a barrier', { hint: 'the number of threads is a multiple of 32' }),
  badSelector: (span: Span, selector: string, shape: string | undefined) =>
    error('PTX0633', span, `\`.${selector}\` is not a valid selector here`, {
      hint: shape === undefined ? undefined : `a selector of this operand is ${shape}`,
    }),

  // Versions and targets
  needsVersion: (span: Span, what: string, wanted: string, has: string, line: Span) =>
    error('PTX0701', span, `\`${what}\` needs PTX ${wanted}; this module declares ${has}`, {
      labels: [{ span: line, text: `PTX ${has} is declared here` }],
      hint: `write \`.version ${wanted}\` or later`,
    }),
  needsTarget: (span: Span, what: string, wanted: string, has: string, line: Span, hint: string) =>
    error('PTX0702', span, `\`${what}\` needs ${wanted}; this module declares ${has}`, {
      labels: [{ span: line, text: `${has} is declared here` }],
      hint,
    }),
  removed: (span: Span, what: string, since: string, target: string, instead: string, lines: readonly [Span, Span]) =>
    error('PTX0703', span, `\`${what}\` was removed in PTX ${since} for ${target} and higher`, {
      labels: [
        { span: lines[0], text: 'this version lacks the instruction' },
        { span: lines[1], text: 'for this target' },
      ],
      hint: `use \`${instead}\``,
    }),
  deprecated: (span: Span, what: string, target: string, instead: string, line: Span) =>
    warning('PTX0708', span, `\`${what}\` may return unpredictable results on ${target} and higher`, {
      labels: [{ span: line, text: 'for this target' }],
      hint: `use \`${instead}\``,
    }),
  badVersion: (span: Span) => error('PTX0704', span, '`.version` requires a number such as `8.0`'),
  badTarget: (span: Span, name: string) =>
    error('PTX0705', span, `unknown target \`${name}\``, { hint: 'a target is `sm_` and a number, such as `sm_80`' }),
  badAddressSize: (span: Span) => error('PTX0706', span, '`.address_size` is 32 or 64'),
  targetVersion: (span: Span, target: string, wanted: string, has: string, line: Span) =>
    error('PTX0707', span, `target ${target} needs PTX ${wanted}; this module declares ${has}`, {
      labels: [{ span: line, text: `PTX ${has} is declared here` }],
      hint: `write \`.version ${wanted}\` or later`,
    }),

  // Unsupported features
  unsupportedOpcode: (span: Span, opcode: string) =>
    error('PTX0801', span, `\`${opcode}\` is valid PTX, but not supported`),
  unsupportedModifier: (span: Span, opcode: string, modifier: string) =>
    error('PTX0802', span, `\`.${modifier}\` is not supported on \`${opcode}\``),
  unsupportedSpecial: (span: Span, name: string) =>
    error('PTX0803', span, `special register \`${name}\` is not supported`),
  externalCall: (span: Span, name: string, declared: Span) =>
    error('PTX0805', span, `\`${name}\` has no body in this module, so it cannot be called`, {
      labels: [{ span: declared, text: 'declared here' }],
    }),
  missingService: (span: Span, name: string, what: string) =>
    error('PTX0809', span, `\`${name}\` requires ${what}, which is not supported`),
  unsupportedVariable: (span: Span, type: string) =>
    warning('PTX0806', span, `\`${type}\` variables are not supported; this one is ignored`),
  unsupportedInitializer: (span: Span, what: string) =>
    error('PTX0807', span, `${what} is not supported in an initializer`),
  unsupportedOpaque: (span: Span, name: string, type: string) =>
    error('PTX0810', span, `\`${name}\` is a \`${type}\`, which is not supported`),
  unsupportedOperand: (span: Span, what: string) => error('PTX0814', span, `${what} is not supported`),
  sharedPerThread: (span: Span, name: string, declared: Span) =>
    error('PTX0811', span, `\`${name}\` belongs to the module, and a function that is called cannot use it`, {
      labels: [{ span: declared, text: 'declared here' }],
      hint: 'pass it as a parameter',
    }),

  // Fragments and SASS
  ...fragmentDiagnostics,
} as const;

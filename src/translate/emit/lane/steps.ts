// The function of a `steps` operation: a loop over calls, whose operands and results are elements
// of an array.
import { at } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt, type WgslType } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { StepCall, StepCalls, StepFunction, StepType } from '../../ir/operations.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';

const types: Readonly<Record<StepType, WgslType>> = { u32: 'u32', 'vec2<u32>': w.vec2u };

/**
 * The bits of a field in a call. A call is a word: the numbers of its registers are in the low
 * bytes, and the number of its function is in the highest byte.
 */
const bitsPerField = 8;
const fieldMask = 2 ** bitsPerField - 1;

const wordOf = ({ fn, registers }: StepCall): number =>
  registers.reduce((word, register, index) => word | (register << (index * bitsPerField)), fn << (3 * bitsPerField)) >>>
  0;

export function writeSteps(emitter: Emitter, { attrs, args, results }: InstNamed<'steps'>): void {
  const isPair = attrs.type === 'vec2<u32>';
  const words = args.map((arg) => emitter.read(arg, emitter.slot));
  const pairAt = (index: number): Expr =>
    w.construct(w.vec2u, at(words, 2 * index, 'a low word'), at(words, 2 * index + 1, 'a high word'));
  const inputs = isPair ? Array.from({ length: words.length / 2 }, (_, index) => pairAt(index)) : words;
  const all = emitter.name('steps', callSteps(emitter.uses, attrs, inputs));
  const parts = attrs.results.flatMap((_, index): readonly Expr[] => {
    const one = attrs.results.length === 1 ? all : w.index(all, w.u32(index));
    return isPair ? [w.swizzle(one, 'x'), w.swizzle(one, 'y')] : [one];
  });
  for (const [index, result] of results.entries()) emitter.define(result, at(parts, index, 'a result of the steps'));
}

/** Returns a call of the function for `attrs`, which is declared once. */
function callSteps(uses: ProgramUses, attrs: StepCalls, inputs: readonly Expr[]): Expr {
  const type = types[attrs.type];
  const isSingle = attrs.results.length === 1;
  const result = isSingle ? type : w.array(type, attrs.results.length);
  const head = {
    params: inputs.map((_, index) => [`x${index}`, type] as const),
    result,
    comment: 'Calls in a loop, so that the driver compiles each function once.',
  };
  const key = JSON.stringify(['steps', attrs, inputs.length]);
  const name = uses.func(key, 'steps', head, (...params) => bodyOf(attrs, params));
  return w.call(name, result, ...inputs);
}

function bodyOf({ type: kind, functions, calls, results }: StepCalls, params: readonly Expr[]): readonly Stmt[] {
  const type = types[kind];
  const [values, declaration] = w.localVariable('values', w.array(type, params.length + calls.length));
  const [word, wordDeclaration] = w.localVariable('call', 'u32');
  const step = new Name('step');
  const target = w.index(values, w.add(w.ref(step, 'u32'), w.u32(params.length)));
  const operand = (index: number): Expr => {
    const field = index === 0 ? word : w.shr(word, w.u32(index * bitsPerField));
    return w.index(values, w.and(field, w.u32(fieldMask)));
  };
  const compute = ({ name, isFloat, constants }: StepFunction): Stmt => {
    let register = 0;
    const read = (): Expr => (isFloat ? w.bitcast('f32', operand(register++)) : operand(register++));
    const args = constants.map((constant) => (constant === undefined ? read() : w.u32(constant)));
    const value = w.helper(name, isFloat ? 'f32' : type, ...args);
    return w.assign(target, isFloat ? w.bitcast('u32', value) : value);
  };
  const [only] = functions;
  const perform: Stmt =
    functions.length === 1 && only !== undefined
      ? compute(only)
      : choose(
          w.shr(word, w.u32(3 * bitsPerField)),
          functions.map((fn) => [compute(fn)]),
        );
  const loaded = calls.map((call) => [w.assign(word, w.u32(wordOf(call)))]);
  const read = (register: number): Expr => w.index(values, w.u32(register));
  const outputs = results.map(read);
  return [
    declaration,
    ...params.map((param, index) => w.assign(read(index), param)),
    w.repeat(step, calls.length, [wordDeclaration, choose(w.ref(step, 'u32'), loaded), perform]),
    w.give(outputs.length === 1 ? at(outputs, 0, 'a result') : w.construct(w.array(type, outputs.length), ...outputs)),
  ];
}

/** Returns a switch whose last case is also the default. */
const choose = (selector: Expr, bodies: readonly (readonly Stmt[])[]): Stmt => ({
  kind: 'switch',
  selector,
  cases: bodies.map((body, index) => ({ values: [index], isDefault: index === bodies.length - 1, body })),
});

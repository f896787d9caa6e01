// Calls of prelude functions, by the kinds of their parameters.
import type { HelperName } from '../../wgsl/helpers.ts';
import type { HelperCall, HelperType } from '../ir/operations.ts';

const call =
  (params: readonly HelperType[], result: HelperType) =>
  (name: HelperName): HelperCall => ({ name, params, result });

const pair = 'vec2<u32>';

/** The types of the parameters, then of the result, for functions of words. */
export const words = {
  one: call(['u32'], 'u32'),
  two: call(['u32', 'u32'], 'u32'),
  three: call(['u32', 'u32', 'u32'], 'u32'),
  four: call(['u32', 'u32', 'u32', 'u32'], 'u32'),
  /** The parameters are a signed word and an amount. */
  signedShift: call(['i32', 'u32'], 'i32'),
  signedField: call(['i32', 'u32', 'u32'], 'i32'),
};

export const pairs = {
  one: call([pair], pair),
  two: call([pair, pair], pair),
  shift: call([pair, 'u32'], pair),
  field: call([pair, 'u32', 'u32'], pair),
  insert: call([pair, pair, 'u32', 'u32'], pair),
  toWord: call([pair], 'u32'),
  /** The parameters are a pair, and a number that selects the operation. */
  toWordBy: call([pair, 'u32'], 'u32'),
  compare: call([pair, pair], 'bool'),
  test: call([pair], 'bool'),
};

/** The types of functions of f64 values, which are also pairs. */
export const doubles = {
  three: call([pair, pair, pair], pair),
  fromWord: call(['u32'], pair),
  /** The parameters are a sign bit and a magnitude. */
  fromParts: call(['u32', pair], pair),
};

export const floats = {
  one: call(['f32'], 'f32'),
  two: call(['f32', 'f32'], 'f32'),
  three: call(['f32', 'f32', 'f32'], 'f32'),
  compare: call(['f32', 'f32'], 'bool'),
  withSign: call(['f32', 'u32'], 'f32'),
  integral: call(['f32', 'u32'], 'f32'),
  ofBits: call(['u32'], 'f32'),
  toUnsigned: call(['f32'], 'u32'),
  toSigned: call(['f32'], 'i32'),
  toPair: call(['f32'], pair),
  fromWord: call(['u32', 'u32'], 'f32'),
  fromPair: call([pair, 'u32'], 'f32'),
  testBits: call(['u32'], 'bool'),
};

/** The types of functions of f16 and bf16 values in words. */
export const halves = {
  toF32: call(['u32'], 'f32'),
  fromF32: call(['f32'], 'u32'),
  fromPairOfF32: call(['f32', 'f32'], 'u32'),
  /** The parameters are a sign, a magnitude and a rounding. */
  fromPair: call(['u32', pair, 'u32'], 'u32'),
  /** The parameters are two values, and the format's infinity. */
  compare: call(['u32', 'u32', 'u32'], 'bool'),
};

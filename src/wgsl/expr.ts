// Typed WGSL expressions, and what a lowering may ask of the program it writes into.
import type { FloatProfile } from '../base/float-profile.ts';
import type { HelperName } from './helpers.ts';

/// How a PTX register is held: predicates as bool, up to 32 bits as u32 (registers declared .f32 as f32), 64 bits as vec2<u32> (low, high).
/// 8- and 16-bit values are zero-extended in a u32.
export type WgslType = 'bool' | 'u32' | 'i32' | 'f32' | 'vec2<u32>';

export interface Expr {
  /// Fully parenthesized where it is not atomic, so that it can stand anywhere.
  readonly code: string;
  readonly type: WgslType;
  /// The value's bits, where they are known at translation time.
  readonly constant?: bigint;
}

export interface LowerContext {
  readonly float: FloatProfile;
  /// Adds a function of the prelude (and what it calls) to the program; returns the name to call.
  use(helper: HelperName): string;
  /// Names a subexpression that is used more than once: writes `let t = …;` unless it is atomic already.
  name(expr: Expr): Expr;
}

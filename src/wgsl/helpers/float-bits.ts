// f32 values by their bits. WGSL lets compilers assume that there are no NaNs and infinities, and hardware may flush
// subnormals, so neither is left to float comparisons.
import { helperTable } from './helper.ts';

export const floatBitHelpers = helperTable({
  f32_of: {
    code: `
// The f32 with these bits. Infinities, NaNs and subnormals are no constants in WGSL: here they are a parameter's.
fn f32_of(bits: u32) -> f32 {
  return bitcast<f32>(bits);
}`,
  },
});

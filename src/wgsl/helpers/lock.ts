// The code that lanes execute while they wait for a lock.
import { helperTable } from './helper.ts';

export const lockHelpers = helperTable({
  back_off: {
    code: `
// Delays a lane that waits for a lock, so the owner can access memory. Each wait is twice as long
// as the previous one. The arithmetic only keeps compilers from removing the loop.
fn back_off(turns: u32) -> u32 {
  var noise = turns;
  for (var turn = 0u; turn < turns; turn++) {
    noise = noise * 747796405u + 2891336453u;
  }
  return min(turns * 2u + 1u + (noise >> 31u), 0x3ffu);
}`,
  },
});

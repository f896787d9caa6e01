// What lanes do that wait for a lock.
import { helperTable } from './helper.ts';

export const lockHelpers = helperTable({
  back_off: {
    code: `
// Lets time pass, so that those who wait leave the memory to the one who has the lock: the next wait is twice as long. The noise only keeps compilers
// from leaving the loop out.
fn back_off(turns: u32) -> u32 {
  var noise = turns;
  for (var turn = 0u; turn < turns; turn++) {
    noise = noise * 747796405u + 2891336453u;
  }
  return min(turns * 2u + 1u + (noise >> 31u), 0x3ffu);
}`,
  },
});

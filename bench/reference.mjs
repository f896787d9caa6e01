// Measures the speed of the CPU reference's shuffle on one core, in lane results per second. Needs
// `npm run build`.
import { shflInto, shflModes } from '../dist/cpu-ref/index.js';

const warpSize = 32;
const warps = 1_000_000;
const b = new Uint32Array(warpSize);
const c = new Uint32Array(warpSize);
const sources = new Uint8Array(warpSize);

function run(mode) {
  let checksum = 0;
  for (let i = 0; i < warps; i++) {
    b.fill(i & 31);
    c.fill(((i >>> 5) & 0x1f) | (((i >>> 10) & 0x1f) << 8));
    shflInto(mode, b, c, sources);
    checksum = (checksum + (sources[i & 31] ?? 0)) >>> 0;
  }
  return checksum;
}

for (const mode of Object.values(shflModes)) run(mode);
for (const mode of Object.values(shflModes)) {
  const start = performance.now();
  const checksum = run(mode);
  const seconds = (performance.now() - start) / 1000;
  const rate = (warps * warpSize) / seconds / 1e6;
  console.log(`shfl.sync.${mode.padEnd(4)}  ${rate.toFixed(0).padStart(5)} million lanes/s  (checksum ${checksum})`);
}

// Allocates all memory that its process may have, continues, and prints its observations as JSON.
// `runtime-room.test.ts` starts it with a memory limit, on Dawn over SwiftShader.
import { Runtime } from '../../dist/runtime/node.js';

const header = '.version 7.0\n.target sm_70\n.address_size 64\n';
const touch = `.visible .entry touch(.param .u64 touch_x, .param .u32 touch_n)
{ .reg .b32 %n; .reg .b64 %x; ld.param.u64 %x, [touch_x]; ld.param.u32 %n, [touch_n]; st.global.u32 [%x], %n; ret; }
.visible .entry keep(.param .u64 keep_x, .param .u64 keep_to)
{ .reg .b64 %x, %to; ld.param.u64 %x, [keep_x]; ld.param.u64 %to, [keep_to]; st.global.u64 [%to], %x; ret; }
`;

const rt = await Runtime.open();
const mod = await rt.load(header + touch);
const told = {};
const kindOf = async (work) => {
  try {
    return await work();
  } catch (error) {
    return `${error.kind ?? error.name}: ${error.message.split('\n')[0]}`;
  }
};
/**
 * Allocates memory. Tries several times, because the driver frees memory later and other threads
 * may use addresses in the meantime.
 */
const allocated = async (bytes, label) => {
  for (let tries = 0; ; tries++) {
    const pointer = rt.alloc(bytes, { label });
    const failed = await kindOf(() => rt.synchronize());
    if (failed === undefined || tries === 20) return pointer;
    pointer.free();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const write = async (pointer, n) => {
  mod.kernel('touch').launch({ grid: 1, block: 1 }, [pointer, n]);
  return (await pointer.read(Uint32Array, 1))[0];
};

const first = rt.alloc(16, { label: 'first' });
const inHeap = rt.alloc(16, { label: 'in the heap' });
void inHeap.address;
told.heapWorks = await write(inHeap, 1);
// The size of a piece in bytes.
const size = 200_000_000;
const taken = [];
while (taken.length < 50) {
  taken.push(rt.alloc(size, { label: `piece ${taken.length}` }));
  told.full = await kindOf(() => rt.synchronize());
  if (told.full !== undefined) break;
}
const missing = taken.pop();
told.others = await write(first, 2);
told.launched = await kindOf(() => write(missing, 3));
told.written = await kindOf(() => missing.write(new Uint8Array(4)));
told.address = await kindOf(() => missing.address);
told.buffer = await kindOf(() => missing.buffer);
// At first, there is room for another piece of the heap's size. Later there is not, because the
// heap would have to grow beyond the free memory.
taken.pop().free();
await rt.synchronize();
const large = await allocated(size / 8, 'large');
large.at(4).write(Uint32Array.of(17));
await rt.synchronize();
const pieces = [];
for (let full; full === undefined && pieces.length < 200; ) {
  pieces.push(rt.alloc(10_000_000));
  full = await kindOf(() => rt.synchronize());
}
told.grown = await kindOf(async () => {
  const { address } = large;
  await rt.synchronize();
  return String(address);
});
told.heapStays = [(await inHeap.read(Uint32Array))[0], await write(inHeap, 4)];
told.largeStays = (await large.read(Uint32Array, 2))[1];
for (const pointer of [missing, ...taken, ...pieces]) pointer.free();
await rt.synchronize();
const again = await allocated(size, 'again');
told.again = await kindOf(async () => {
  await rt.synchronize();
  return again.bytes;
});
told.grownNow = await kindOf(async () => {
  mod.kernel('keep').launch({ grid: 1, block: 1 }, [large.at(4), first]);
  const [address] = await first.read(BigUint64Array, 1);
  return [address === large.address + 4n, (await large.read(Uint32Array, 2))[1]];
});
told.leaks = rt.close().map(({ label }) => label);
console.log(JSON.stringify(told));
process.exit(0);

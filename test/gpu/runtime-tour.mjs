// A short tour of the runtime for pages of any browser. It returns the result of each part. `ptx`
// contains the kernels.

/** Runs the kernels of `ptx` (`tourKernels` in runtime-tour.ts), and returns the results. */
export async function tour(Runtime, ptx) {
  const printed = [];
  const rt = await Runtime.open({ onPrint: (text) => printed.push(text) });
  const mod = await rt.load(ptx, { file: 'tour.ptx' });
  const told = {};
  const messageOf = (work) => work.then(() => 'nothing went wrong', String);

  const [x, y] = [rt.alloc(4 * 100), rt.alloc(4 * 100)];
  x.write(Float32Array.from({ length: 100 }, (_, i) => i / 8));
  y.write(new Float32Array(100).fill(0.5));
  mod.kernel('saxpy').launch({ grid: [2], block: [64] }, [100, 3, x, y]);
  told.saxpy = [...(await y.read(Float32Array))];

  // Addresses in memory, written by the host and by a kernel.
  const [table, out] = [rt.alloc(16), rt.alloc(8)];
  table.write(BigUint64Array.of(x.at(8).address, y.address));
  mod.kernel('follow').launch({ grid: 1, block: 2 }, [table, out]);
  told.followed = [...(await out.read(Float32Array))];

  const n = rt.alloc(4 * 32);
  const sequence = rt.record((argument) => {
    rt.memset(n, 0);
    for (let round = 0; round < 3; round++) mod.kernel('add').launch({ grid: 1, block: 32 }, [n, argument('by', 2)]);
  });
  sequence.replay();
  sequence.replay({ by: 5 });
  told.replayed = [...new Set(await n.read(Uint32Array))];

  mod.kernel('stop').launch({ grid: 2, block: 32 }, [40]);
  told.trap = await messageOf(rt.synchronize());
  // These accesses are far out of bounds. A browser may redirect them to a buffer's last element,
  // but to no other element.
  mod.kernel('add').launch({ grid: 64, block: 32 }, [n, 1]);
  told.contained = [...new Set((await n.read(Uint32Array)).subarray(0, -1))];
  mod.kernel('vote').launch({ grid: 1, block: 32 }, [n]);
  told.vote = (await n.read(Uint32Array, 1))[0];

  told.printed = printed;
  for (const pointer of [x, y, table, out]) pointer.free();
  told.leaks = rt.close().map(({ bytes }) => bytes);
  return told;
}

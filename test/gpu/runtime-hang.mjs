// A program with an endless kernel. It prints its observations and must end by itself, in the way
// that its argument names.

const { Runtime } = await import(new URL('../../dist/runtime/node.js', import.meta.url));

const kernel = (name, body) => `.visible .entry ${name}(.param .u64 flag)
{ .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %a; ld.param.u64 %a, [flag];
${body}
ret; }
`;
const header = '.version 8.0\n.target sm_80\n.address_size 64\n';
// The word changes in every iteration, because the shader ends a wait for a word that never
// changes.
const endless = kernel('endless', 'again: atom.global.add.u32 %r1, [%a], 2; setp.ne.u32 %p, %r1, 7; @%p bra again;');
const add = kernel('add', 'ld.global.u32 %r1, [%a]; add.u32 %r1, %r1, 1; st.global.u32 [%a], %r1;');
const one = { grid: 1, block: 1 };

let ticks = 0;
const timer = setInterval(() => {
  ticks += 1;
}, 1);
// A machine under load may compile for seconds, which the runtime would log.
const rt = await Runtime.open({ onCompile: () => undefined });
const mod = await rt.load(header + endless + add);
const [flag, other] = [rt.alloc(4), rt.alloc(4)];
await mod.kernel('endless').prepare(one);
mod.kernel('endless').launch(one, [flag]);
// The shader of `add` is compiled while the endless kernel runs.
mod.kernel('add').launch(one, [other]);
const before = ticks;
const { kind, message } = await rt.synchronize({ timeoutMs: 200 }).catch((error) => error);
console.log(`${kind}: ${message}`);
console.log(`ticks: ${ticks - before > 4}`);
clearInterval(timer);

const ways = {
  /** Ends the program without closing its runtime. */
  leave() {},
  close: () => console.log(rt.close().length),
  exit: () => process.exit(3),
  throw() {
    throw new Error('thrown at the end');
  },
  signal() {
    process.on('SIGTERM', () => process.exit(5));
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => undefined, 1e6);
  },
  pending() {
    // Pending promises are rejected.
    other.read(Uint32Array).catch((error) => console.log(error.kind));
    mod
      .kernel('add')
      .prepare({ block: 2 })
      .catch((error) => console.log(error.kind));
    rt.close();
  },
  async again() {
    rt.close();
    process.on('exit', () => console.log('exit'));
    const second = await Runtime.open({ onCompile: () => undefined });
    const { kernel } = { kernel: (await second.load(header + add)).kernel('add') };
    const sum = second.alloc(4);
    for (let round = 0; round < 3; round++) kernel.launch(one, [sum]);
    await new Promise((resolve) => setImmediate(resolve));
    console.log((await sum.read(Uint32Array))[0]);
    second.close();
  },
};
await ways[process.argv[2]]();
console.log('end');

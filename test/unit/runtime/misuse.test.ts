// Misuse from JavaScript: each error is reported at once, and the call has no effect.
import { beforeAll, expect, test } from 'vitest';
import { type DevicePointer, type LoadedModule, Runtime } from '../../../src/runtime/index.ts';
import { addKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform } from './fake-runtime.ts';

const text = moduleOf(
  addKernel,
  kernelOf('_Z5scalePff', ['u64 x', 'f32 by'], ''),
  kernelOf('nothing', [], ''),
  kernelOf('tiles', [], 'mov.u64 %s1, tile; st.shared.u32 [%s1], %i;'),
).replace('.address_size 64\n', '.address_size 64\n.extern .shared .align 4 .b8 tile[];\n');

interface Stage {
  readonly rt: Runtime;
  readonly mod: LoadedModule;
  readonly x: DevicePointer;
  readonly gone: DevicePointer;
  readonly theirs: DevicePointer;
  readonly other: Runtime;
  // JavaScript has no types.
  // biome-ignore lint/suspicious/noExplicitAny: what is wrong has the wrong type.
  readonly wrong: (value: unknown) => any;
}

const one = { grid: 1, block: 1 };

const wrongs: readonly (readonly [string, (stage: Stage) => unknown, RegExp])[] = [
  ['no arguments', ({ mod, wrong }) => mod.kernel('add').launch(one, wrong(undefined)), /requires \{ grid, block \} and the list/],
  ['no shape', ({ mod, wrong }) => mod.kernel('add').launch(wrong(undefined), []), /requires \{ grid, block \} and the list/],
  ['no block', ({ mod, wrong }) => mod.kernel('nothing').launch(wrong({ grid: 1 }), []), /invalid block size undefined/],
  ['a shape to prepare without a block', ({ mod, wrong }) => mod.kernel('nothing').prepare(wrong({})), /invalid block size undefined/],
  ['four dimensions', ({ mod, wrong }) => mod.kernel('nothing').launch({ grid: wrong([1, 1, 1, 1]), block: 1 }, []), /invalid grid size \[1,1,1,1\]/],
  ['a grid given as text', ({ mod, wrong }) => mod.kernel('nothing').launch({ grid: wrong('1'), block: 1 }, []), /invalid grid size "1"/],
  ['more blocks than CUDA allows', ({ mod }) => mod.kernel('nothing').launch({ grid: [1, 65_536], block: 1 }, []), /invalid grid size: 65536 in y exceeds the maximum of 65535/],
  ['a block that is too deep', ({ mod }) => mod.kernel('nothing').launch({ grid: 1, block: [1, 1, 65] }, []), /invalid block size: 65 in z exceeds the maximum of 64/],
  ['arguments for a kernel without parameters', ({ mod, x }) => mod.kernel('nothing').launch(one, [x]), /nothing: expected no arguments, got 1/],
  ['too much shared memory', ({ mod }) => mod.kernel('tiles').launch({ ...one, shared: 2 ** 20 }, []), /`tiles` needs \d+ bytes of shared memory, with 1048576 of dynamic shared memory: a block has at most 232448/],
  ['host memory', ({ mod }) => mod.kernel('add').launch(one, [new Float32Array(4), 1]), /got Float32Array: the data is in host memory; allocate device memory/],
  ['a list', ({ mod, wrong }) => mod.kernel('add').launch(one, [wrong([1, 2]), 1]), /got Array: the data is in host memory/],
  ['a buffer', ({ mod, x, wrong }) => mod.kernel('add').launch(one, [wrong(x.buffer.buffer), 1]), /`adopt` returns a pointer to a buffer/],
  ['freed memory', ({ mod, gone }) => mod.kernel('add').launch(one, [gone, 1]), /argument 0 of add \(\.u64 add_x\): `gone` of 16 bytes is freed/],
  ['a misspelled name', ({ mod }) => mod.kernel('nothign'), /did you mean `nothing`\?/],
  ['a C++ name', ({ mod }) => mod.kernel('scale'), /its mangled C\+\+ name is `_Z5scalePff`; declare it `extern "C"`/],
  ['writing a list', ({ x, wrong }) => x.write(wrong([1, 2])), /invalid data Array: expected a typed array/],
  ['writing a number', ({ x, wrong }) => x.write(wrong(3)), /invalid data 3/],
  ['reading what', ({ x, wrong }) => x.read(wrong(undefined)), /requires the type of the array/],
  ['reading half an element', ({ x }) => x.read(Float32Array, 1.5), /invalid number of elements 1\.5/],
  ['reading past the end', ({ x }) => x.at(12).read(Float32Array, 2), /8 bytes at 12 cannot be read: it is `x` of 16 bytes/],
  ['an offset that is not a whole number of bytes', ({ x }) => x.at(0.5), /invalid offset 0\.5: expected an integer number of bytes/],
  ['the buffer of freed memory', ({ gone }) => gone.buffer, /`gone` of 16 bytes is freed/],
  ['copying from the host', ({ rt, x, wrong }) => rt.memcpy(x, wrong(new Float32Array(4)), 16), /invalid source of `memcpy` Float32Array: expected a device pointer/],
  ['copying from another runtime', ({ rt, x, theirs }) => rt.memcpy(x, theirs, 16), /the source of `memcpy` belongs to another runtime/],
  ['filling memory of another runtime', ({ rt, theirs }) => rt.memset(theirs, 0), /the target of `memset` belongs to another runtime/],
  ['adopting nothing', ({ rt, wrong }) => rt.adopt(wrong(undefined)), /`adopt` requires a GPUBuffer, got undefined/],
  ['recording a callback that waits', ({ rt }) => rt.record(async () => undefined), /must be synchronous, but it returned a promise/],
  ['recording a callback that waits and fails', ({ rt }) => rt.record(async () => { throw new Error('lost'); }), /must be synchronous, but it returned a promise/],
  ['recording a read', ({ rt, x }) => rt.record(() => x.read(Uint32Array)), /`read` cannot be recorded/],
  ['recording a read that nobody awaits', ({ rt, x }) => rt.record(() => { void x.read(Uint32Array); }), /`read` cannot be recorded/],
  ['recording a read and a wait for it', ({ rt, x }) => rt.record(async () => { await x.read(Uint32Array); }), /must be synchronous, but it returned a promise/],
  ['recording a wait', ({ rt }) => rt.record(() => { void rt.stream().synchronize(); }), /`synchronize` cannot be recorded/],
  ['recording an event that is freed', ({ rt }) => { const event = rt.event(); event.free(); event.record(); }, /the event is freed/],
  ['freeing an event twice', ({ rt }) => { const event = rt.event(); event.free(); event.free(); }, /the event is freed/],
  ['the time since a value that is not an event', ({ rt, wrong }) => { const event = rt.event(); event.record(); return event.elapsedSince(wrong(1)); }, /requires an event/],
  ['the time since an event of another runtime', ({ rt, other }) => { const [event, before] = [rt.event(), other.event()]; event.record(); before.record(); return event.elapsedSince(before); }, /belong to different runtimes/],
  ['loading nothing', ({ rt, wrong }) => rt.load(wrong(undefined)), /expected PTX text, got undefined/],
  ['loading a page', ({ rt }) => rt.load('<!doctype html><title>404</title>'), /begins with "<!doctype html><title>404<\/tit": an HTML page/],
  ['loading CUDA C++', ({ rt }) => rt.load('__global__ void k() {}'), /CUDA C\+\+: `nvcc -ptx` makes PTX of it/],
  ['loading machine code', ({ rt }) => rt.load('\x7fELF\x02'), /machine code: compile with `nvcc -ptx`/],
  ['an unknown kind of float arithmetic', ({ rt, wrong }) => Runtime.open({ device: rt.device, float: wrong('quick') }), /invalid float 'quick': expected 'exact' or 'fast'/],
  ['an unknown mode of matrix products', ({ rt, wrong }) => Runtime.open({ device: rt.device, matrix: wrong('volta') }), /invalid matrix 'volta': expected 'hopper' or 'ieee'/],
]; // biome-ignore format: a line each

onEachPlatform('an error is reported at once', (fake) => {
  let stage: Stage;
  beforeAll(async () => {
    const { rt } = fake;
    const other = await Runtime.open({ device: rt.device });
    const gone = rt.alloc(16, { label: 'gone' });
    gone.free();
    const x = rt.alloc(16, { label: 'x' });
    stage = { rt, mod: await rt.load(text), x, gone, theirs: other.alloc(16), other, wrong: (value) => value };
  });

  test.each(wrongs)('%s', async (_, work, message) => {
    await expect((async () => work(stage))()).rejects.toThrow(message);
  });

  test('a kernel of an unloaded module', async () => {
    const mod = await stage.rt.load(text);
    const kernel = mod.kernel('nothing');
    kernel.launch(one, []);
    mod.unload();
    expect(() => kernel.launch(one, [])).toThrow(/the module is unloaded/);
  });

  test('the device reported no error', async () => {
    stage.mod.kernel('add').launch({ grid: 1, block: 4 }, [stage.x, 3]);
    expect([...(await stage.x.read(Uint32Array))]).toEqual([3, 3, 3, 3]);
  });
});

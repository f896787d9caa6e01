// CUDA's runtime API over a device that records requests.
import { expect, test } from 'vitest';
import { hostBase } from '../../../src/program/device/program-device.ts';
import { HostContext } from '../../../src/program/host/cuda/host-context.ts';
import { cudaFunctions, providedFunctions } from '../../../src/program/host/cuda/index.ts';
import { GuestMemory } from '../../../src/program/host/guest-memory.ts';
import { type HostFunction, type HostWork, mayWait, performBlocking } from '../../../src/program/host/host-work.ts';
import type { DeviceReply, DeviceRequest } from '../../../src/program/protocol.ts';

/** The first address of the "program's memory" that the tests use. The memory is sparse. */
const place = hostBase;
const kernel = {
  parameters: [
    { bytes: 8, isPointer: true },
    { bytes: 4, isPointer: false },
  ],
  maxThreads: 256,
  staticSharedBytes: 1024,
  syncsGrid: false,
};

type Results<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => HostWork<infer R> ? (...args: A) => R : T[K];
};

/** Returns functions that wait for the answers to their requests. */
function blocking<T extends Readonly<Record<string, HostFunction>>>(
  functions: T,
  answer: (request: DeviceRequest) => DeviceReply,
): Results<T> {
  const entries = Object.entries(functions).map(([name, work]) => {
    if (!mayWait(work)) return [name, work];
    const call = (...args: never[]) =>
      performBlocking(work(...args), (what) => (what.kind === 'request' ? answer(what.request) : undefined));
    return [name, call];
  });
  return Object.fromEntries(entries);
}

function open() {
  const memory = new GuestMemory(new WebAssembly.Memory({ initial: hostBase / 65_536 + 1 }));
  const requests: DeviceRequest[] = [];
  let next = 0x1000;
  let error = 0;
  const context = new HostContext(
    {
      device: { name: 'test', maxThreads: 1024, maxSharedBytes: 4096, totalBytes: 1 << 20, maxCooperativeBlocks: 2 },
      modules: [
        new Map([
          ['k', kernel],
          ['waits', { ...kernel, syncsGrid: true }],
        ]),
      ],
    },
    () => memory,
    () => ({ malloc: () => place + 4096, free: () => undefined }),
    (request) => void requests.push(request),
  );
  const answer = (request: DeviceRequest) => {
    requests.push(request);
    const value = next;
    if (request.op === 'alloc') next += 0x1000;
    if (request.op === 'read') request.to.fill(9);
    return { error, value, second: 0 };
  };
  return {
    context,
    memory,
    requests,
    cuda: blocking(cudaFunctions(context), answer),
    failWith: (code: number): void => {
      error = code;
    },
  };
}

test('the direction of a copy follows from the addresses', () => {
  const { cuda, memory, requests } = open();
  expect(cuda.cudaMalloc(place, 64)).toBe(0);
  const device = memory.u32(place);
  memory.bytes(place + 16, 4).set([1, 2, 3, 4]);
  expect([
    cuda.cudaMemcpy(device + 8, place + 16, 4),
    cuda.cudaMemcpy(place + 32, device, 4),
    cuda.cudaMemcpy(device, device + 8, 4),
    cuda.cudaMemcpy(place + 48, place + 16, 4),
  ]).toEqual([0, 0, 0, 0]);
  expect(requests.slice(1)).toEqual([
    { op: 'write', address: device + 8, data: Uint8Array.of(1, 2, 3, 4) },
    { op: 'read', address: device, to: Uint8Array.of(9, 9, 9, 9) },
    { op: 'copy', to: device, from: device + 8, bytes: 4 },
  ]);
  expect([...memory.bytes(place + 32, 4)]).toEqual([9, 9, 9, 9]);
  expect([...memory.bytes(place + 48, 4)]).toEqual([1, 2, 3, 4]);
});

test('managed memory moves to the device before a launch, and back at the next wait', () => {
  const { context, cuda, memory, requests } = open();
  context.kernels.set(7, { module: 0, name: 'k' });
  cuda.cudaMallocManaged(place, 4);
  const shared = memory.u32(place);
  memory.bytes(shared, 4).set([5, 6, 7, 8]);
  memory.setU32(place + 100, shared);
  memory.setU32(place + 104, 0xffff_fff0);
  for (const at of [0, 1]) memory.setU32(place + 200 + 4 * at, place + 100 + 4 * at);
  for (const at of [0, 1, 2]) memory.setU32(place + 300 + 4 * at, 1);
  requests.length = 0;
  for (let times = 0; times < 2; times++)
    expect(cuda.cudaLaunchKernel(7, place + 300, place + 300, place + 200, 0, 0)).toBe(0);
  expect(cuda.cudaDeviceSynchronize()).toBe(0);
  expect(requests.map(({ op }) => op)).toEqual(['write', 'launch', 'launch', 'synchronize', 'read']);
  expect([...memory.bytes(shared, 4)]).toEqual([9, 9, 9, 9]);
  const [, launch] = requests;
  // The pointer is extended to 64 bits.
  const pointer = new Uint8Array(8);
  new DataView(pointer.buffer).setUint32(0, shared, true);
  expect(launch).toMatchObject({ launch: { kernel: 'k', parameters: [pointer, Uint8Array.of(0xf0, 255, 255, 255)] } });
});

test('kernels access a copy of registered memory, which moves like managed memory', () => {
  const { context, cuda, memory, requests } = open();
  context.kernels.set(7, { module: 0, name: 'k' });
  for (const at of [0, 1, 2]) memory.setU32(place + 300 + 4 * at, 1);
  for (const at of [0, 1]) memory.setU32(place + 200 + 4 * at, place + 100);
  const [own, device] = [place + 8192, 0x1000];
  memory.bytes(own, 8).set([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(cuda.cudaHostGetDevicePointer(place, own)).toBe(1);
  expect([cuda.cudaHostRegister(own, 8), cuda.cudaHostRegister(own + 4, 8)]).toEqual([0, 712]);
  expect(requests).toEqual([]);
  expect(cuda.cudaHostGetDevicePointer(place, own + 4)).toBe(0);
  expect(memory.u32(place)).toBe(device + 4);
  cuda.cudaLaunchKernel(7, place + 300, place + 300, place + 200, 0, 0);
  expect(requests.map(({ op }) => op)).toEqual(['synchronize', 'alloc', 'write', 'launch']);
  expect(requests[2]).toEqual({ op: 'write', address: device, data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) });
  requests.length = 0;
  // The copy reads what kernels have stored, also through the address on the device.
  expect(cuda.cudaMemcpy(place + 400, device + 4, 4)).toBe(0);
  expect([...memory.bytes(place + 400, 4)]).toEqual([9, 9, 9, 9]);
  expect(requests.map(({ op }) => op)).toEqual(['synchronize', 'read']);
  expect([cuda.cudaHostUnregister(own), cuda.cudaHostUnregister(own)]).toEqual([0, 713]);
  expect(requests.at(-1)).toEqual({ op: 'free', address: device });
});

test('attributes of a launch set its clusters, and whether its blocks wait for each other', () => {
  const { context, cuda, memory, requests } = open();
  context.kernels.set(7, { module: 0, name: 'k' });
  for (const at of [0, 1]) memory.setU32(place + 200 + 4 * at, place + 100);
  const [config, attributes] = [place + 300, place + 400];
  const words = [4, 1, 1, 64, 1, 1, 32, 0, attributes, 2];
  for (const [at, word] of words.entries()) memory.setU32(config + 4 * at, word);
  // An attribute has its number and 64 bytes for its value.
  for (const [at, word] of [4, 2, 1, 1].entries()) memory.setU32(attributes + 4 * at, word);
  for (const [at, word] of [6, 1].entries()) memory.setU32(attributes + 68 + 4 * at, word);
  expect(cuda.cudaLaunchKernelExC(config, 7, place + 200)).toBe(0);
  expect(requests.at(-1)).toMatchObject({
    launch: {
      kernel: 'k',
      grid: [4, 1, 1],
      block: [64, 1, 1],
      sharedBytes: 32,
      cluster: [2, 1, 1],
      cooperative: false,
    },
  });
  memory.setU32(attributes + 4, 3);
  expect(cuda.cudaLaunchKernelExC(config, 7, place + 200)).toBe(9); // 4 blocks are not a multiple of 3
});

test('invalid launches and errors of the device are returned, and kept until they are read', () => {
  const { context, cuda, memory, failWith } = open();
  context.kernels.set(7, { module: 0, name: 'k' });
  for (const at of [0, 1, 2]) memory.setU32(place + 4 * at, at === 0 ? 512 : 1);
  const launch = (address: number, block: number, shared: number) =>
    cuda.cudaLaunchKernel(address, place + 4, block, place, shared, 0);
  memory.setU32(place + 12, 1);
  expect(launch(7, place, 0)).toBe(9); // 512 threads, but the kernel has at most 256
  expect(launch(7, place + 4, 4096)).toBe(1); // with 1,024 bytes of its own
  expect(launch(8, place + 4, 0)).toBe(98);
  expect([cuda.cudaPeekAtLastError(), cuda.cudaGetLastError(), cuda.cudaGetLastError()]).toEqual([98, 98, 0]);
  failWith(700);
  expect([cuda.cudaDeviceSynchronize(), cuda.cudaMalloc(place, 4)]).toEqual([700, 700]);
  const text = memory.text(cuda.cudaGetErrorString(700));
  expect(text).toBe('an illegal memory access was encountered');
});

test('events have times only after they are recorded', () => {
  const { cuda, memory } = open();
  for (const at of [0, 4]) cuda.cudaEventCreate(place + at);
  const [start, end] = [memory.u32(place), memory.u32(place + 4)];
  expect(cuda.cudaEventElapsedTime(place + 8, start, end)).toBe(400);
  expect([cuda.cudaEventRecord(start), cuda.cudaEventRecord(end)]).toEqual([0, 0]);
  expect(cuda.cudaEventElapsedTime(place + 8, start, end)).toBe(0);
  expect(memory.view.getFloat32(place + 8, true)).toBeGreaterThanOrEqual(0);
});

test('copies of two dimensions move rows', () => {
  const { cuda, requests } = open();
  expect(cuda.cudaMemcpy2D(0x1000, 256, place, 8, 8, 2)).toBe(0);
  expect(requests).toMatchObject([
    { op: 'write', address: 0x1000 },
    { op: 'write', address: 0x1100 },
  ]);
  requests.length = 0;
  expect(cuda.cudaMemcpy2D(0x1000, 8, place, 8, 8, 2)).toBe(0);
  expect(requests).toMatchObject([{ op: 'write', address: 0x1000, data: new Uint8Array(16) }]);
});

test('the linker knows the functions that programs may import', () => {
  const names = providedFunctions();
  expect(names).toContain('cudaLaunchKernel');
  expect(names).toContain('__cxa_throw');
  expect(names).not.toContain('cudaMallocMipmappedArray');
});

test('the size of a failed allocation is kept for the message at the end', () => {
  const { context, cuda, failWith } = open();
  failWith(2);
  expect([cuda.cudaMalloc(place, 1 << 20), cuda.cudaMalloc(place, 8)]).toEqual([2, 2]);
  cuda.__lanewiseMemoryFull(16);
  expect(context.failedAllocation).toEqual({ memory: 'device', bytes: 1 << 20 });
});

test('a cooperative grid has as many blocks as the device can keep resident, if its blocks wait for each other', () => {
  const { context, cuda, memory, requests } = open();
  context.kernels.set(7, { module: 0, name: 'k' }).set(8, { module: 0, name: 'waits' });
  for (const at of [4, 8, 16, 20]) memory.setU32(place + at, 1);
  memory.setU32(place + 12, 32);
  memory.setU32(place + 100, place + 200);
  memory.setU32(place + 104, place + 200);
  const launch = (kernel: number, blocks: number) => {
    memory.setU32(place, blocks);
    return cuda.cudaLaunchCooperativeKernel(kernel, place, place + 12, place + 100, 0, 0);
  };
  expect([launch(7, 3), launch(8, 2), launch(8, 3)]).toEqual([0, 0, 720]);
  expect(requests).toMatchObject([
    { op: 'launch', launch: { kernel: 'k', cooperative: false } },
    { op: 'launch', launch: { kernel: 'waits', cooperative: true } },
  ]);
  expect(cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(place, 8, 32, 0)).toBe(0);
  expect(memory.u32(place)).toBe(2);
});

test('a captured stream records commands, and its graph performs them at each launch', () => {
  const { context, cuda, memory, requests } = open();
  context.kernels.set(7, { module: 0, name: 'k' });
  for (const at of [0, 4, 8, 12, 16, 20]) memory.setU32(place + at, 1);
  memory.setU32(place + 100, place + 200);
  memory.setU32(place + 104, place + 200);
  expect(cuda.cudaStreamBeginCapture()).toBe(0);
  cuda.cudaMemsetAsync(0x1000, 3, 16);
  cuda.cudaLaunchKernel(7, place, place + 12, place + 100, 0, 5);
  memory.setU32(place + 200, 99); // The parameters of the launch are those of the capture.
  expect(cuda.cudaStreamSynchronize()).toBe(900);
  expect(cuda.cudaStreamEndCapture(5, place + 304)).toBe(0);
  expect(requests).toEqual([]);
  const graph = memory.u32(place + 304);
  expect(cuda.cudaGraphGetNodes(graph, 0, place + 308)).toBe(0);
  expect(memory.u32(place + 308)).toBe(2);
  expect(cuda.cudaGraphInstantiateWithFlags(place + 312, graph)).toBe(0);
  expect(cuda.cudaGraphDestroy(graph)).toBe(0);
  const executable = memory.u32(place + 312);
  expect([cuda.cudaGraphLaunch(executable), cuda.cudaGraphLaunch(executable)]).toEqual([0, 0]);
  expect(requests.map(({ op }) => op)).toEqual(['fill', 'launch', 'fill', 'launch']);
  expect(requests[3]).toMatchObject({ launch: { parameters: [new Uint8Array(8), new Uint8Array(4)] } });
  expect([cuda.cudaGraphExecDestroy(executable), cuda.cudaGraphLaunch(executable)]).toEqual([0, 1]);
});

test('the memory of a graph has one address, and each launch allocates and frees it', () => {
  const { cuda, memory, requests } = open();
  cuda.cudaStreamBeginCapture();
  expect(cuda.cudaMallocAsync(place, 64)).toBe(0);
  const address = memory.u32(place);
  expect([cuda.cudaMemsetAsync(address, 1, 64), cuda.cudaFreeAsync(address)]).toEqual([0, 0]);
  cuda.cudaStreamEndCapture(0, place + 4);
  cuda.cudaGraphCreate(place + 8);
  const graph = memory.u32(place + 8);
  expect(cuda.__lanewiseGraphAddMemAllocNode(place + 12, graph, 0, 0, 32, place + 16)).toBe(0);
  const other = memory.u32(place + 16);
  for (const [index, from] of [place + 4, place + 8].entries())
    cuda.cudaGraphInstantiateWithFlags(place + 20 + 4 * index, memory.u32(from));
  const [captured, built] = [memory.u32(place + 20), memory.u32(place + 24)];
  expect([cuda.cudaGraphLaunch(captured), cuda.cudaGraphLaunch(captured)]).toEqual([0, 0]);
  // The second graph does not free its memory, so the program frees it before the next launch.
  expect([built, built].map((graph) => cuda.cudaGraphLaunch(graph))).toEqual([0, 1]);
  expect([other, other].map((pointer) => cuda.cudaFree(pointer))).toEqual([0, 1]);
  expect(cuda.cudaGraphLaunch(built)).toBe(0);
  expect(requests.map(({ op }) => op)).toEqual(['alloc', 'alloc', 'fill', 'fill']);
});

test('textures of an array share its handle, and those of linear memory are renewed before launches', () => {
  const { context, cuda, memory, requests } = open();
  // A format of one float; an address mode, the linear filter, and normalized coordinates.
  for (const [index, word] of [32, 0, 0, 0, 2].entries()) memory.setU32(place + 4 * index, word);
  for (const [at, word] of [[0, 1], [12, 1], [40, 1]] as const) memory.setU32(place + 200 + at, word); // biome-ignore format: pairs
  expect(cuda.cudaMallocArray(place + 40, place, 8, 2, 0)).toBe(0);
  const array = memory.u32(place + 40);
  expect(cuda.cudaMemcpy2DToArray(array, 4, 1, place + 500, 16, 8, 1)).toBe(0);
  expect(requests.at(-1)).toMatchObject({ op: 'write', address: array + 64 + 32 + 4, data: new Uint8Array(8) });
  memory.setU32(place + 100, 0);
  memory.setU32(place + 104, array);
  expect(cuda.cudaCreateTextureObject(place + 48, place + 100, place + 200)).toBe(0);
  expect(memory.u32(place + 48)).toBe(array);
  const sampling = { filter: 'linear', address: ['clamp', 'wrap', 'wrap'], normalizedCoordinates: true };
  expect(requests.at(-1)).toMatchObject({
    op: 'image',
    handle: array,
    image: { texel: 'f32', size: [8, 2], sampling },
  });
  // Linear memory: a pointer, the format, and the number of bytes.
  cuda.cudaMalloc(place + 44, 32);
  const linear = memory.u32(place + 44);
  for (const [index, word] of [2, linear, 32, 0, 0, 0, 2, 32].entries()) memory.setU32(place + 100 + 4 * index, word);
  expect(cuda.cudaCreateTextureObject(place + 48, place + 100, place + 200)).toBe(0);
  const texture = memory.u32(place + 48);
  expect(requests.at(-1)).toMatchObject({ op: 'image', handle: texture, image: { size: [8], linear: true } });
  context.kernels.set(7, { module: 0, name: 'k' });
  for (const at of [0, 4, 8, 12, 16, 20]) memory.setU32(place + at, 1);
  cuda.cudaLaunchKernel(7, place, place + 12, place + 300, 0, 0);
  expect(requests.slice(-2)).toMatchObject([
    { op: 'copy', to: texture + 64, from: linear, bytes: 32 },
    { op: 'launch' },
  ]);
  expect([cuda.__lanewiseDestroyTexture(texture), cuda.cudaFreeArray(array), cuda.cudaFreeArray(array)]).toEqual([
    0, 0, 1,
  ]);
});

test('the nodes of a graph run after those that they depend on', () => {
  const { cuda, memory, requests } = open();
  cuda.cudaGraphCreate(place);
  const graph = memory.u32(place);
  // dst, pitch, value, elementSize, width, height
  for (const [index, word] of [0x1000, 8, 0x0201, 2, 2, 2].entries()) memory.setU32(place + 100 + 4 * index, word);
  expect(cuda.cudaGraphAddMemsetNode(place + 4, graph, 0, 0, place + 100)).toBe(0);
  expect(cuda.cudaGraphAddMemcpyNode1D(place + 8, graph, 0, 0, 0x2000, 0x1000, 16)).toBe(0);
  expect(cuda.cudaGraphAddEmptyNode(place + 12, graph, place + 4, 2)).toBe(0);
  memory.setU32(place + 200, 5);
  expect(cuda.cudaGraphAddEmptyNode(place + 16, graph, place + 200, 1)).toBe(1);
  // The first node follows the second one.
  expect(cuda.cudaGraphAddDependencies(graph, place + 8, place + 4, 1)).toBe(0);
  cuda.cudaGraphInstantiateWithFlags(place + 20, graph);
  expect(cuda.cudaGraphLaunch(memory.u32(place + 20))).toBe(0);
  const data = Uint8Array.of(1, 2, 1, 2);
  expect(requests).toEqual([
    { op: 'copy', to: 0x2000, from: 0x1000, bytes: 16 },
    { op: 'write', address: 0x1000, data },
    { op: 'write', address: 0x1008, data },
  ]);
  expect(cuda.cudaGraphAddDependencies(graph, place + 4, place + 8, 1)).toBe(0);
  expect(cuda.cudaGraphInstantiateWithFlags(place + 20, graph)).toBe(1); // a cycle
});

// Runtimes on the fake GPU, on each platform.

import { afterAll, beforeAll, describe, expect } from 'vitest';
import { dawnInNode } from '../../../src/runtime/dawn-in-node.ts';
import { Runtime, type RuntimeOptions } from '../../../src/runtime/index.ts';
import { type Platform, page, usePlatform } from '../../../src/runtime/open-device.ts';
import { type FakeDevice, FakeGpu, type FakeGpuOptions } from '../../fake-gpu/index.ts';

/**
 * The platforms. A page compiles shaders in another process, and in Node a launch waits for its
 * shader.
 */
export const platforms: Readonly<Record<string, Platform>> = { 'a page': page, Node: dawnInNode };

/**
 * The devices of the running tests. No device may report an error of the runtime to a page that
 * listens for errors.
 */
const opened: FakeDevice[] = [];

/** A runtime on its own fake GPU. */
export interface Opened {
  readonly rt: Runtime;
  readonly gpu: FakeGpu;
  readonly device: FakeDevice;
}

/** The runtime of a group of tests. */
interface Shared extends Pick<Opened, 'rt' | 'device'> {
  /** The texts that kernels printed, each after the name of its kernel. */
  readonly printed: readonly string[];
}

/**
 * Runs the tests that `tests` registers, on each platform. The tests of a platform share the
 * runtime `fake`, which exists while they run.
 */
export function onEachPlatform(name: string, tests: (fake: Shared) => void): void {
  for (const [platformName, platform] of Object.entries(platforms))
    describe(`${name}, in ${platformName}`, () => {
      let before: Platform;
      let shared: Opened | undefined;
      const printed: string[] = [];
      const open = (): Opened => {
        if (!shared) throw new Error('the runtime is open only while the tests run');
        return shared;
      };
      beforeAll(async () => {
        before = usePlatform(platform);
        shared = await openFake({}, { onPrint: (text, kernel) => printed.push(`${kernel}: ${text}`) });
      });
      tests({
        printed,
        get rt() {
          return open().rt;
        },
        get device() {
          return open().device;
        },
      });
      afterAll(() => {
        open().rt.close();
        usePlatform(before);
        const devices = opened.splice(0);
        expect(devices.flatMap(({ uncaptured }) => uncaptured)).toEqual([]);
        expect(devices.filter(({ isLost, openScopes }) => !isLost && openScopes > 0)).toEqual([]);
      });
    });
}

/** Opens a device as a page does, with features of the adapter. */
export async function openDevice(features: GPUFeatureName[] = []): Promise<FakeDevice> {
  const gpu = new FakeGpu({ features });
  const adapter = await gpu.requestAdapter();
  await adapter?.requestDevice({ requiredFeatures: features });
  return firstDevice(gpu);
}

function firstDevice({ devices: [device] }: FakeGpu): FakeDevice {
  if (!device) throw new Error('no device was opened');
  opened.push(device);
  return device;
}

/** Opens a runtime on its own fake GPU, which lacks subgroups by default. */
export async function openFake(gpuOptions: FakeGpuOptions = {}, options: RuntimeOptions = {}): Promise<Opened> {
  const gpu = new FakeGpu({ features: ['timestamp-query'], ...gpuOptions });
  const rt = await Runtime.open({ gpu, ...options });
  return { rt, gpu, device: firstDevice(gpu) };
}

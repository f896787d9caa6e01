// Runtimes on the fake GPU, on each platform.

import { afterAll, beforeAll, describe, expect } from 'vitest';
import { dawnInNode } from '../../../src/runtime/dawn-in-node.ts';
import { Runtime, type RuntimeOptions } from '../../../src/runtime/index.ts';
import { type Platform, page, usePlatform } from '../../../src/runtime/open-device.ts';
import { type FakeDevice, FakeGpu, type FakeGpuOptions } from '../../fake-gpu/index.ts';

/** A page compiles shaders in another process. In Node a launch waits for its shader. */
export const platforms: Readonly<Record<string, Platform>> = { 'a page': page, Node: dawnInNode };

/**
 * The devices of the running tests. No device may report an error of the runtime to a page that
 * listens for errors.
 */
const opened: FakeDevice[] = [];

/** Runs the tests that `tests` registers, on each platform. */
export function onEachPlatform(name: string, tests: () => void): void {
  for (const [platformName, platform] of Object.entries(platforms))
    describe(`${name}, in ${platformName}`, () => {
      let before: Platform;
      beforeAll(() => {
        before = usePlatform(platform);
      });
      tests();
      afterAll(() => {
        usePlatform(before);
        const devices = opened.splice(0);
        expect(devices.flatMap(({ uncaptured }) => uncaptured)).toEqual([]);
        expect(devices.filter(({ isLost, openScopes }) => !isLost && openScopes > 0)).toEqual([]);
      });
    });
}

export interface Opened {
  readonly rt: Runtime;
  readonly gpu: FakeGpu;
  readonly device: FakeDevice;
}

/** Opens a runtime on its own fake GPU, which lacks subgroups by default. */
export async function openFake(gpuOptions: FakeGpuOptions = {}, options: RuntimeOptions = {}): Promise<Opened> {
  const gpu = new FakeGpu({ features: ['timestamp-query'], ...gpuOptions });
  const rt = await Runtime.open({ gpu, ...options });
  const [device] = gpu.devices;
  if (!device) throw new Error('the runtime has opened no device');
  opened.push(device);
  return { rt, gpu, device };
}

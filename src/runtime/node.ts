// The runtime in Node: devices come from Dawn, through the `webgpu` package.

import { provideGpu } from './open-device.ts';

/// Dawn crashes when what it made is collected while a device lives.
const kept: GPU[] = [];

provideGpu(async () => {
  const { create } = await import('webgpu');
  const gpu = create(['enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization']);
  kept.push(gpu);
  return gpu;
});

export * from './index.ts';

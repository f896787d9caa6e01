// Opens a WebGPU device with everything its adapter offers that a kernel can use, and says what it is.

import type { AdapterReport } from './job.ts';
import { GpuError } from './job.ts';

/// Limits that kernels run into, asked for at the adapter's own maximum (the default of several is far lower).
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxUniformBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxUniformBuffersPerShaderStage',
  'maxBindingsPerBindGroup',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupsPerDimension',
] as const satisfies readonly (keyof GPUSupportedLimits)[];

const FEATURES: readonly string[] = ['subgroups', 'subgroup-size-control', 'timestamp-query'];

/// How software rasterizers name themselves: SwiftShader, Mesa's lavapipe (llvmpipe), Windows' WARP.
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|microsoft basic render|software/i;

export type DeviceReport = Omit<AdapterReport, 'host' | 'flags'>;

export interface OpenedDevice {
  readonly adapter: GPUAdapter;
  readonly device: GPUDevice;
  readonly report: DeviceReport;
}

/// Asks `gpu` for its fastest adapter and a device on it. Throws `GpuError` 'unavailable'.
export async function openDevice(gpu: GPU | undefined): Promise<OpenedDevice> {
  if (!gpu) throw new GpuError('unavailable', 'no WebGPU here: navigator.gpu is missing');
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new GpuError('unavailable', 'WebGPU has no adapter on this machine');
  // What the adapter lists is a feature name, also where the DOM types are older than the browser.
  const isOffered = (name: string): name is GPUFeatureName => adapter.features.has(name);
  const requiredFeatures = FEATURES.filter(isOffered);
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits }).catch((error: unknown) => {
    throw new GpuError('unavailable', `the adapter gave no device: ${error instanceof Error ? error.message : error}`);
  });
  return { adapter, device, report: describe(gpu, adapter, device) };
}

function describe(gpu: GPU, adapter: GPUAdapter, device: GPUDevice): DeviceReport {
  const { info } = adapter;
  const names = [info.vendor, info.architecture, info.device, info.description].join(' ');
  return {
    vendor: info.vendor,
    architecture: info.architecture,
    device: info.device,
    description: info.description,
    software: SOFTWARE.test(names) || info.isFallbackAdapter === true,
    features: [...device.features].sort(),
    wgslFeatures: [...gpu.wgslLanguageFeatures].sort(),
    limits: Object.fromEntries(LIMITS.map((name) => [name, device.limits[name]])),
    subgroupMinSize: info.subgroupMinSize ?? 0,
    subgroupMaxSize: info.subgroupMaxSize ?? 0,
  };
}

// Opens a WebGPU device with all features of its adapter that kernels can use, and describes it.

import type { AdapterReport } from './job.ts';
import { GpuError } from './job.ts';

/**
 * Limits that kernels may reach. The device requests the adapter's maximum, because several
 * defaults are far lower.
 */
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

/** The names of software rasterizers: SwiftShader, Mesa's lavapipe (llvmpipe), Windows' WARP. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|microsoft basic render|software/i;

/** The identity, features and limits of a WebGPU device. */
export type DeviceReport = Omit<AdapterReport, 'host' | 'flags'>;

export interface OpenedDevice {
  readonly adapter: GPUAdapter;
  readonly device: GPUDevice;
  readonly report: DeviceReport;
}

/** Requests the fastest adapter of `gpu` and a device on it. Throws `GpuError` 'unavailable'. */
export async function openDevice(gpu: GPU | undefined): Promise<OpenedDevice> {
  if (!gpu) throw new GpuError('unavailable', 'WebGPU is not available: navigator.gpu is missing');
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new GpuError('unavailable', 'WebGPU found no adapter on this machine');
  // Every feature that the adapter lists is a valid feature name, even if the DOM types are older
  // than the browser.
  const isOffered = (name: string): name is GPUFeatureName => adapter.features.has(name);
  const requiredFeatures = FEATURES.filter(isOffered);
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits }).catch((error: unknown) => {
    throw new GpuError(
      'unavailable',
      `the adapter did not provide a device: ${error instanceof Error ? error.message : error}`,
    );
  });
  return { adapter, device, report: describeDevice(device, adapter.info, gpu.wgslLanguageFeatures) };
}

/**
 * Describes a device by its own limits and features: it may have fewer than the adapter. Older
 * browsers lack `info`.
 */
export function describeDevice(
  device: GPUDevice,
  given: Partial<GPUAdapterInfo> | undefined,
  wgslFeatures: ReadonlySet<string>,
): DeviceReport {
  const { vendor = '', architecture = '', device: name = '', description = '' } = given ?? {};
  // Chrome's own property, available with a developer flag.
  const driver = given && 'driver' in given && typeof given.driver === 'string' ? given.driver : '';
  const names = [vendor, architecture, name, description].join(' ');
  return {
    vendor,
    architecture,
    device: name,
    description,
    ...(driver ? { driver } : {}),
    software: SOFTWARE.test(names) || given?.isFallbackAdapter === true,
    features: [...device.features].sort(),
    wgslFeatures: [...wgslFeatures].sort(),
    limits: Object.fromEntries(LIMITS.map((name) => [name, device.limits[name]])),
    subgroupMinSize: given?.subgroupMinSize ?? 0,
    subgroupMaxSize: given?.subgroupMaxSize ?? 0,
  };
}

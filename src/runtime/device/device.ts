// Opens a WebGPU device with everything its adapter offers that a kernel can use, and says what it is.

import type { AdapterReport } from './job.ts';
import { GpuError } from './job.ts';

/** Limits that kernels run into, asked for at the adapter's own maximum (the default of several is far lower). */
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

/** How software rasterizers name themselves: SwiftShader, Mesa's lavapipe (llvmpipe), Windows' WARP. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|microsoft basic render|software/i;

/** The identity, features and limits of a WebGPU device. */
export type DeviceReport = Omit<AdapterReport, 'host' | 'flags'>;

export interface OpenedDevice {
  readonly adapter: GPUAdapter;
  readonly device: GPUDevice;
  readonly report: DeviceReport;
}

/** Asks `gpu` for its fastest adapter and a device on it. Throws `GpuError` 'unavailable'. */
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
  return { adapter, device, report: describeDevice(device, adapter.info, gpu.wgslLanguageFeatures) };
}

/** What a device is. Its own limits and features count: it may have been opened with less than the adapter has. Older browsers have no `info`. */
export function describeDevice(
  device: GPUDevice,
  given: Partial<GPUAdapterInfo> | undefined,
  wgslFeatures: ReadonlySet<string>,
): DeviceReport {
  const { vendor = '', architecture = '', device: name = '', description = '' } = given ?? {};
  // Chrome's own, with its flag for developers.
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

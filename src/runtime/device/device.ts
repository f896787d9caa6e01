// Opens a WebGPU device with all features of its adapter that kernels can use, and describes it.

import { asMatrixConfig, type MatrixConfig } from '../../base/matrix-config.ts';
import type { AdapterReport } from './job.ts';
import { GpuError } from './job.ts';

/**
 * The limits that kernels may reach. The device requests the adapter's maximum, because several
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

const MATRICES = 'chromium-experimental-subgroup-matrix';
const FEATURES: readonly string[] = ['subgroups', 'subgroup-size-control', 'timestamp-query', 'shader-f16', MATRICES];

/** The names of software rasterizers: SwiftShader, Mesa's lavapipe (llvmpipe), Windows' WARP. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|microsoft basic render|software/i;

/** The identity, features and limits of a WebGPU device. */
export type DeviceReport = Omit<AdapterReport, 'host' | 'flags'>;

export interface OpenedDevice {
  readonly adapter: GPUAdapter;
  readonly device: GPUDevice;
  readonly report: DeviceReport;
}

/**
 * Requests the fastest adapter of `gpu`, and a device of this adapter. Throws `GpuError`
 * 'unavailable' if there is none.
 */
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

/** Returns the products of subgroup matrices that shaders on the device may use. */
function matricesOf(features: ReadonlySet<string>, info: object | undefined): Pick<DeviceReport, 'matrices'> {
  const listed = info && 'subgroupMatrixConfigs' in info ? info.subgroupMatrixConfigs : undefined;
  if (!features.has(MATRICES) || !isIterable(listed)) return {};
  const configs = [...listed].flatMap((config) => matrixConfig(config) ?? []);
  const hasHalf = features.has('shader-f16');
  const matrices = configs.filter(({ component, result }) => hasHalf || (component !== 'f16' && result !== 'f16'));
  return matrices.length === 0 ? {} : { matrices };
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

/** Reads a `GPUSubgroupMatrixConfig`. Returns undefined if its types are unknown. */
function matrixConfig(value: unknown): MatrixConfig | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { componentType, resultComponentType, M, N, K }: Readonly<Record<string, unknown>> = {
    ...('componentType' in value ? { componentType: value.componentType } : {}),
    ...('resultComponentType' in value ? { resultComponentType: value.resultComponentType } : {}),
    ...('M' in value ? { M: value.M } : {}),
    ...('N' in value ? { N: value.N } : {}),
    ...('K' in value ? { K: value.K } : {}),
  };
  return asMatrixConfig({ component: componentType, result: resultComponentType, m: M, n: N, k: K });
}

/**
 * Describes a device by its own limits and features, because a device may have fewer than its
 * adapter. Older browsers lack `info`.
 */
export function describeDevice(
  device: GPUDevice,
  given: Partial<GPUAdapterInfo> | undefined,
  wgslFeatures: ReadonlySet<string>,
): DeviceReport {
  const { vendor = '', architecture = '', device: name = '', description = '' } = given ?? {};
  // `driver` is a property of Chrome only, available with a developer flag.
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
    ...matricesOf(device.features, given),
    subgroupMinSize: given?.subgroupMinSize ?? 0,
    subgroupMaxSize: given?.subgroupMaxSize ?? 0,
  };
}

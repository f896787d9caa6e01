// The default limits of the specification. https://www.w3.org/TR/webgpu/#limits

const defaults = {
  maxTextureDimension1D: 8192,
  maxTextureDimension2D: 8192,
  maxTextureDimension3D: 2048,
  maxTextureArrayLayers: 256,
  maxBindGroups: 4,
  maxBindGroupsPlusVertexBuffers: 24,
  maxBindingsPerBindGroup: 1000,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxSampledTexturesPerShaderStage: 16,
  maxSamplersPerShaderStage: 16,
  maxStorageBuffersPerShaderStage: 8,
  maxStorageTexturesPerShaderStage: 4,
  maxUniformBuffersPerShaderStage: 12,
  maxUniformBufferBindingSize: 65_536,
  maxStorageBufferBindingSize: 134_217_728,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  maxVertexBuffers: 8,
  maxBufferSize: 268_435_456,
  maxVertexAttributes: 16,
  maxVertexBufferArrayStride: 2048,
  maxInterStageShaderVariables: 16,
  maxColorAttachments: 8,
  maxColorAttachmentBytesPerSample: 32,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxImmediateSize: 64,
};

export type Limits = { readonly [name in keyof typeof defaults]: number };

export const defaultLimits: Limits = defaults;

export const limitsOf = (values: Limits): GPUSupportedLimits => ({ __brand: 'GPUSupportedLimits', ...values });

export const isLimit = (name: string): name is keyof Limits => Object.hasOwn(defaults, name);

/**
 * Returns whether a device may have the limit `wanted` if the adapter has `offered`. Smaller
 * alignments are better.
 */
export const isOffered = (name: keyof Limits, wanted: number, offered: number): boolean =>
  name.startsWith('min') ? wanted >= offered : wanted <= offered;

// The features of Dawn that the `webgpu` package enables and disables.

const enabled = [
  // Experimental subgroup features.
  'allow_unsafe_apis',
  // f16 and f16 matrices on NVIDIA's Vulkan driver, which supports them although Dawn disables them
  // by default.
  'vulkan_enable_f16_on_nvidia',
];

const disabled = [
  // Dawn would round timestamps to 65 microseconds.
  'timestamp_quantization',
  // The package would make Dawn validate the SPIR-V from Tint, which browsers do not do. This
  // validation is a sixth of the time before the driver receives the shader.
  'enable_spirv_validation',
];

/**
 * The feature with which Dawn initializes workgroup memory with a constant instead of a loop.
 * SwiftShader compiles a store for each word of the constant, in about 1 ms.
 */
export const constantInitialization = 'use_vulkan_zero_initialize_workgroup_memory_extension';

/** Returns the flags for Dawn's `create`, for the Vulkan driver that `environment` selects. */
export function dawnFlags(environment: Readonly<Record<string, string | undefined>>): string[] {
  const isSwiftShader = /swiftshader/i.test(environment.VK_DRIVER_FILES ?? '');
  return [
    `enable-dawn-features=${enabled.join(',')}`,
    `disable-dawn-features=${[...disabled, ...(isSwiftShader ? [constantInitialization] : [])].join(',')}`,
  ];
}

// The values of WebGPU's flags. The global objects that define them exist in browsers, but not in
// Dawn for Node.

/** The flags of GPUBufferUsage. */
export const bufferUsage = {
  mapRead: 0x0001,
  copySource: 0x0004,
  copyTarget: 0x0008,
  uniform: 0x0040,
  storage: 0x0080,
  queryResolve: 0x0200,
} as const;

/** The value of GPUMapMode.READ. */
export const readMode = 0x0001;

/** The value of GPUShaderStage.COMPUTE. */
export const computeStage = 0x4;

/** The usage of memory that shaders access, and that copies write and read back. */
export const memoryUsage = bufferUsage.storage | bufferUsage.copyTarget | bufferUsage.copySource;

// WebGPU's flags by value: the objects that hold them are globals of browsers that Dawn for Node does not define.

/** GPUBufferUsage. */
export const bufferUsage = {
  mapRead: 0x0001,
  copySource: 0x0004,
  copyTarget: 0x0008,
  uniform: 0x0040,
  storage: 0x0080,
  queryResolve: 0x0200,
} as const;

/** GPUMapMode.READ. */
export const readMode = 0x0001;

/** GPUShaderStage.COMPUTE. */
export const computeStage = 0x4;

/** Of memory that shaders work on, and that is written and read back by copies. */
export const memoryUsage = bufferUsage.storage | bufferUsage.copyTarget | bufferUsage.copySource;

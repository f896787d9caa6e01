// The headers of Thrust, CUB and cuBLAS.
export const libraryHeaders: Readonly<Record<string, string>> = import.meta.glob(
  ['../../src/nvptx/include/{cub,cublas,parallel,thrust}/**', '../../src/nvptx/include/cublas_v2.h'],
  { query: '?raw', import: 'default', eager: true },
);

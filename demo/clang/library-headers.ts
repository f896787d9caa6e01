// The headers of Thrust, CUB, cuBLAS and cuRAND.
export const libraryHeaders: Readonly<Record<string, string>> = import.meta.glob(
  [
    '../../src/nvptx/include/{cub,cublas,curand,parallel,thrust}/**',
    '../../src/nvptx/include/{cublas_v2,curand,curand_kernel}.h',
  ],
  { query: '?raw', import: 'default', eager: true },
);

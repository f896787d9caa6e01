// Products of matrices.
#pragma once

namespace lanewise {

// A scalar argument: a value of the host, or its address on the device.
template <class T> struct BlasScalar {
  T value;
  const T *place;
  BlasScalar(cublasHandle_t handle, const T *p)
      : value(handle->mode == CUBLAS_POINTER_MODE_HOST ? *p : T()),
        place(handle->mode == CUBLAS_POINTER_MODE_HOST ? nullptr : p) {}
  __device__ T get() const { return place ? *place : value; }
};

// The matrices of a batch: an array of addresses, or one address and the distance between matrices.
template <class T> struct BlasMatrices {
  T *const *list;
  T *first;
  long long stride;
  int ld;
  bool isTransposed;
  __device__ T *at(unsigned index) const { return list ? list[index] : first + stride * index; }
  __device__ T element(const T *matrix, int row, int column) const {
    return isTransposed ? matrix[column + size_t(ld) * row] : matrix[row + size_t(ld) * column];
  }
};

constexpr int gemm_tile = 16;

// c = alpha a b + beta c, for matrices of m x k, k x n and m x n elements.
template <class T>
__global__ void gemm_kernel(int m, int n, int k, BlasScalar<T> alpha, BlasMatrices<const T> as, BlasMatrices<const T> bs,
                            BlasScalar<T> beta, BlasMatrices<T> cs) {
  __shared__ T rows[gemm_tile][gemm_tile + 1], columns[gemm_tile][gemm_tile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.x * gemm_tile + x, column = blockIdx.y * gemm_tile + y;
  const T *a = as.at(blockIdx.z), *b = bs.at(blockIdx.z);
  T sum = 0;
#pragma nounroll
  for (int start = 0; start < k; start += gemm_tile) {
    rows[y][x] = row < m && start + y < k ? as.element(a, row, start + y) : T(0);
    columns[y][x] = column < n && start + x < k ? bs.element(b, start + x, column) : T(0);
    __syncthreads();
    for (int step = 0; step < gemm_tile; step++) sum += rows[step][x] * columns[y][step];
    __syncthreads();
  }
  if (row >= m || column >= n) return;
  T &c = cs.at(blockIdx.z)[row + size_t(cs.ld) * column];
  const T old = beta.get();
  c = old == T(0) ? alpha.get() * sum : alpha.get() * sum + old * c;
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, int m, int n, int k, const T *alpha, BlasMatrices<const T> a,
                    BlasMatrices<const T> b, const T *beta, BlasMatrices<T> c, int batches) {
  if (m < 0 || n < 0 || k < 0 || batches < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0 || batches == 0) return CUBLAS_STATUS_SUCCESS;
  const dim3 grid((m + gemm_tile - 1) / gemm_tile, (n + gemm_tile - 1) / gemm_tile, batches);
  gemm_kernel<T><<<grid, dim3(gemm_tile, gemm_tile), 0, handle->stream>>>(
      m, n, k, BlasScalar<T>(handle, alpha), a, b, BlasScalar<T>(handle, beta), c);
  return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace lanewise

#define LANEWISE_GEMM(T, letter)                                                                                       \
  static inline cublasStatus_t cublas##letter##gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, \
                                                    int m, int n, int k, const T *alpha, const T *a, int lda,          \
                                                    const T *b, int ldb, const T *beta, T *c, int ldc) {               \
    return lanewise::gemm<T>(handle, m, n, k, alpha, {nullptr, a, 0, lda, ta != CUBLAS_OP_N},                          \
                             {nullptr, b, 0, ldb, tb != CUBLAS_OP_N}, beta, {nullptr, c, 0, ldc, false}, 1);           \
  }                                                                                                                    \
  static inline cublasStatus_t cublas##letter##gemmBatched(                                                            \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha,          \
      const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int batches) {   \
    return lanewise::gemm<T>(handle, m, n, k, alpha, {a, nullptr, 0, lda, ta != CUBLAS_OP_N},                          \
                             {b, nullptr, 0, ldb, tb != CUBLAS_OP_N}, beta, {c, nullptr, 0, ldc, false}, batches);     \
  }                                                                                                                    \
  static inline cublasStatus_t cublas##letter##gemmStridedBatched(                                                     \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha,          \
      const T *a, int lda, long long strideA, const T *b, int ldb, long long strideB, const T *beta, T *c, int ldc,    \
      long long strideC, int batches) {                                                                                \
    return lanewise::gemm<T>(handle, m, n, k, alpha, {nullptr, a, strideA, lda, ta != CUBLAS_OP_N},                    \
                             {nullptr, b, strideB, ldb, tb != CUBLAS_OP_N}, beta, {nullptr, c, strideC, ldc, false},   \
                             batches);                                                                                 \
  }
LANEWISE_GEMM(float, S)
LANEWISE_GEMM(double, D)
#undef LANEWISE_GEMM


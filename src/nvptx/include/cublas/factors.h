// Factors of matrices.
#pragma once

namespace lanewise {

constexpr unsigned lu_threads = 64;

// Replaces each matrix by its factors L and U. One block factors one matrix, column by column.
// `pivots` receives the row that was exchanged with each row, from 1, and `infos` the first column
// without a pivot, from 1, or 0.
template <class T>
__global__ void lu_kernel(int n, T *const *matrices, int lda, int *pivots, int *infos) {
  T *a = matrices[blockIdx.x];
  __shared__ int chosen;
  int info = 0;
#pragma nounroll
  for (int k = 0; k < n; k++) {
    T *column = a + size_t(lda) * k;
    if (threadIdx.x == 0) {
      chosen = k;
      if (pivots) {
        for (int row = k + 1; row < n; row++)
          if (fabs(column[row]) > fabs(column[chosen])) chosen = row;
        pivots[size_t(n) * blockIdx.x + k] = chosen + 1;
      }
    }
    __syncthreads();
    for (int at = threadIdx.x; chosen != k && at < n; at += lu_threads) {
      T &upper = a[k + size_t(lda) * at], &lower = a[chosen + size_t(lda) * at];
      const T kept = upper;
      upper = lower;
      lower = kept;
    }
    __syncthreads();
    const T pivot = column[k];
    if (pivot == T(0) && info == 0) info = k + 1;
    for (int row = k + 1 + threadIdx.x; pivot != T(0) && row < n; row += lu_threads) column[row] /= pivot;
    __syncthreads();
    const int rest = n - k - 1;
    for (int at = threadIdx.x; at < rest * rest; at += lu_threads) {
      T *other = column + size_t(lda) * (1 + at / rest);
      const int row = k + 1 + at % rest;
      other[row] -= column[row] * other[k];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) infos[blockIdx.x] = info;
}

template <class T>
cublasStatus_t lu(cublasHandle_t handle, int n, T *const *matrices, int lda, int *pivots, int *infos, int batches) {
  if (n < 0 || lda < n || batches < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (batches == 0) return CUBLAS_STATUS_SUCCESS;
  lu_kernel<T><<<batches, lu_threads, 0, handle->stream>>>(n, matrices, lda, pivots, infos);
  return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace lanewise

static inline cublasStatus_t cublasSgetrfBatched(cublasHandle_t handle, int n, float *const a[], int lda, int *pivots,
                                                 int *infos, int batches) {
  return lanewise::lu<float>(handle, n, a, lda, pivots, infos, batches);
}
static inline cublasStatus_t cublasDgetrfBatched(cublasHandle_t handle, int n, double *const a[], int lda, int *pivots,
                                                 int *infos, int batches) {
  return lanewise::lu<double>(handle, n, a, lda, pivots, infos, batches);
}

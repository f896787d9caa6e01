// Copies of vectors and matrices between the host and the device.
#pragma once

static inline cublasStatus_t __lanewise_blas_status(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
// `rows` elements of each column, whose first elements have the distances `lda` and `ldb`.
static inline cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb) {
  return __lanewise_blas_status(cudaMemcpy2D(b, size_t(ldb) * size, a, size_t(lda) * size, size_t(rows) * size, columns,
                                             cudaMemcpyHostToDevice));
}
static inline cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb) {
  return __lanewise_blas_status(cudaMemcpy2D(b, size_t(ldb) * size, a, size_t(lda) * size, size_t(rows) * size, columns,
                                             cudaMemcpyDeviceToHost));
}
static inline cublasStatus_t cublasSetVector(int count, int size, const void *x, int incx, void *y, int incy) {
  return cublasSetMatrix(1, count, size, x, incx, y, incy);
}
static inline cublasStatus_t cublasGetVector(int count, int size, const void *x, int incx, void *y, int incy) {
  return cublasGetMatrix(1, count, size, x, incx, y, incy);
}

// Operations of vectors.
#pragma once

namespace lanewise {

// The products of the elements of two vectors, as an array of T.
template <class T, class X> struct BlasProducts {
  const X *x, *y;
  int incx, incy;
  __device__ T operator[](size_t index) const {
    return T(x[ptrdiff_t(index) * incx]) * T(y[ptrdiff_t(index) * incy]);
  }
};
template <class T> struct BlasMagnitudes {
  const T *x;
  int incx;
  __device__ T operator[](size_t index) const { return x[index * incx] < 0 ? -x[index * incx] : x[index * incx]; }
};
struct BlasSum {
  template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct BlasSame {
  template <class T> __device__ T operator()(const T &x) const { return x; }
};
struct BlasRoot {
  template <class T> __device__ T operator()(const T &x) const { return sqrt(x); }
};

// Stores `finish` of the sum of `count` elements at `result`, which is of the host or the device.
template <class T, class Result, class In, class Finish>
cublasStatus_t blas_sum(cublasHandle_t handle, int count, In in, Result *result, Finish finish) {
  Scratch<T> partial(reduce_scratch(count > 0 ? count : 0));
  Scratch<Result> stored(1);
  const bool isHost = handle->mode == CUBLAS_POINTER_MODE_HOST;
  Result *target = isHost ? stored.data() : result;
  const T *sum = count > 0 ? reduce<T>(in, count, partial.data(), {}, BlasSum(), handle->stream) : nullptr;
  loop(1, [=] __device__(size_t) { *target = Result(sum ? finish(*sum) : T(0)); }, handle->stream);
  if (isHost) return __lanewise_blas_status(cudaMemcpy(result, target, sizeof(Result), cudaMemcpyDeviceToHost));
  return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
// Calls `body(index)` on the device for each element.
template <class Body> cublasStatus_t blas_loop(cublasHandle_t handle, int count, Body body) {
  if (count > 0) loop(count, body, handle->stream);
  return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
// The storage of a matrix or vector begins at the last element if the increment is negative.
template <class T> T *blas_first(T *x, int count, int increment) {
  return increment < 0 ? x + ptrdiff_t(1 - count) * increment : x;
}

}  // namespace lanewise

#define LANEWISE_BLAS_VECTORS(T, letter)                                                                               \
  static inline cublasStatus_t cublas##letter##dot(cublasHandle_t handle, int count, const T *x, int incx, const T *y, \
                                                   int incy, T *result) {                                              \
    return lanewise::blas_sum<T>(handle, count,                                                                        \
                                 lanewise::BlasProducts<T, T>{lanewise::blas_first(x, count, incx),                    \
                                                              lanewise::blas_first(y, count, incy), incx, incy},       \
                                 result, lanewise::BlasSame());                                                        \
  }                                                                                                                    \
  static inline cublasStatus_t cublas##letter##nrm2(cublasHandle_t handle, int count, const T *x, int incx,            \
                                                    T *result) {                                                       \
    return lanewise::blas_sum<T>(handle, count, lanewise::BlasProducts<T, T>{x, x, incx, incx}, result,                \
                                 lanewise::BlasRoot());                                                                \
  }                                                                                                                    \
  static inline cublasStatus_t cublas##letter##asum(cublasHandle_t handle, int count, const T *x, int incx,            \
                                                    T *result) {                                                       \
    return lanewise::blas_sum<T>(handle, count, lanewise::BlasMagnitudes<T>{x, incx}, result, lanewise::BlasSame());   \
  }                                                                                                                    \
  static inline cublasStatus_t cublas##letter##axpy(cublasHandle_t handle, int count, const T *alpha, const T *x,      \
                                                    int incx, T *y, int incy) {                                        \
    const lanewise::BlasScalar<T> factor(handle, alpha);                                                               \
    const T *from = lanewise::blas_first(x, count, incx);                                                              \
    T *to = lanewise::blas_first(y, count, incy);                                                                      \
    return lanewise::blas_loop(handle, count, [=] __device__(size_t index) {                                           \
      to[ptrdiff_t(index) * incy] += factor.get() * from[ptrdiff_t(index) * incx];                                     \
    });                                                                                                                \
  }                                                                                                                    \
  static inline cublasStatus_t cublas##letter##scal(cublasHandle_t handle, int count, const T *alpha, T *x, int incx) { \
    const lanewise::BlasScalar<T> factor(handle, alpha);                                                               \
    return lanewise::blas_loop(handle, count, [=] __device__(size_t index) { x[index * incx] *= factor.get(); });      \
  }                                                                                                                    \
  static inline cublasStatus_t cublas##letter##copy(cublasHandle_t handle, int count, const T *x, int incx, T *y,      \
                                                    int incy) {                                                        \
    const T *from = lanewise::blas_first(x, count, incx);                                                              \
    T *to = lanewise::blas_first(y, count, incy);                                                                      \
    return lanewise::blas_loop(handle, count, [=] __device__(size_t index) {                                           \
      to[ptrdiff_t(index) * incy] = from[ptrdiff_t(index) * incx];                                                     \
    });                                                                                                                \
  }
LANEWISE_BLAS_VECTORS(float, S)
LANEWISE_BLAS_VECTORS(double, D)
#undef LANEWISE_BLAS_VECTORS

// A dot product of vectors of one type, with sums of `execution`.
static inline cublasStatus_t cublasDotEx(cublasHandle_t handle, int count, const void *x, cudaDataType xType, int incx,
                                         const void *y, cudaDataType yType, int incy, void *result,
                                         cudaDataType resultType, cudaDataType execution) {
  if (xType != yType || xType != resultType) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (xType == CUDA_R_64F && execution == CUDA_R_64F)
    return cublasDdot(handle, count, (const double *)x, incx, (const double *)y, incy, (double *)result);
  if (execution != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (xType == CUDA_R_32F)
    return cublasSdot(handle, count, (const float *)x, incx, (const float *)y, incy, (float *)result);
  if (xType != CUDA_R_16F) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto *a = lanewise::blas_first((const half *)x, count, incx);
  const auto *b = lanewise::blas_first((const half *)y, count, incy);
  return lanewise::blas_sum<float>(handle, count, lanewise::BlasProducts<float, half>{a, b, incx, incy}, (half *)result,
                                   lanewise::BlasSame());
}

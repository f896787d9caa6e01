// cuBLAS, compared with loops on the host. The numbers are small integers, so all results are exact.
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
#include <random>
#include <vector>

static int failures = 0;
static void expect(bool good, const char *what) {
  printf("%s: %s\n", what, good ? "passed" : "FAILED");
  failures += !good;
}
static std::mt19937 engine(5);
template <class T> struct Array {
  std::vector<T> host;
  T *data;
  explicit Array(int count) : host(count) {
    for (T &value : host) value = int(engine() % 17) - 8;
    cudaMalloc(&data, count * sizeof(T));
    cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(data); }
  std::vector<T> device() const {
    std::vector<T> values(host.size());
    cudaMemcpy(values.data(), data, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
};

// c = alpha op(a) op(b) + beta c
template <class T>
static void multiply(bool ta, bool tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c,
                     int ldc) {
  for (int column = 0; column < n; column++)
    for (int row = 0; row < m; row++) {
      T sum = 0;
      for (int step = 0; step < k; step++)
        sum += (ta ? a[step + lda * row] : a[row + lda * step]) * (tb ? b[column + ldb * step] : b[step + ldb * column]);
      T &to = c[row + ldc * column];
      to = alpha * sum + beta * to;
    }
}
static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, float alpha,
                           const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc) {
  return cublasSgemm(h, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}
static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, double alpha,
                           const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc) {
  return cublasDgemm(h, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}
template <class T> static bool products(cublasHandle_t handle) {
  const int m = 18, n = 7, k = 21, ld = 24;
  bool good = true;
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      Array<T> a(ld * 24), b(ld * 24), c(ld * n);
      const cublasStatus_t status = gemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                                         T(2), a.data, ld, b.data, ld, T(ta ? 3 : 0), c.data, ld);
      multiply<T>(ta, tb, m, n, k, 2, a.host.data(), ld, b.host.data(), ld, ta ? 3 : 0, c.host.data(), ld);
      good &= status == CUBLAS_STATUS_SUCCESS && c.device() == c.host;
    }
  return good;
}
static bool batches(cublasHandle_t handle) {
  const int size = 5, count = 3, area = size * size;
  Array<float> a(area * count), b(area * count), c(area * count), d(area * count);
  const float one = 1, zero = 0;
  std::vector<const float *> as, bs;
  std::vector<float *> cs;
  for (int i = 0; i < count; i++)
    as.push_back(a.data + i * area), bs.push_back(b.data + i * area), cs.push_back(c.data + i * area);
  const float **lists;
  float **outs;
  cudaMalloc(&lists, 2 * count * sizeof(float *));
  cudaMalloc(&outs, count * sizeof(float *));
  cudaMemcpy(lists, as.data(), count * sizeof(float *), cudaMemcpyHostToDevice);
  cudaMemcpy(lists + count, bs.data(), count * sizeof(float *), cudaMemcpyHostToDevice);
  cudaMemcpy(outs, cs.data(), count * sizeof(float *), cudaMemcpyHostToDevice);
  cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, lists, size, lists + count, size, &zero,
                     outs, size, count);
  cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, a.data, size, area, b.data, size,
                            area, &zero, d.data, size, area, count);
  for (int i = 0; i < count; i++)
    multiply<float>(false, false, size, size, size, 1, &a.host[i * area], size, &b.host[i * area], size, 0,
                    &c.host[i * area], size);
  return c.device() == c.host && d.device() == c.host;
}
static bool vectors(cublasHandle_t handle) {
  const int count = 300;
  Array<double> x(2 * count), y(count), place(1);
  double dot = 0, sum = 0, squares = 0, result, three = 3;
  for (int i = 0; i < count; i++) {
    dot += x.host[2 * i] * y.host[i];
    sum += std::fabs(y.host[i]);
    squares += y.host[i] * y.host[i];
  }
  cublasDdot(handle, count, x.data, 2, y.data, 1, &result);
  bool good = result == dot;
  cublasDasum(handle, count, y.data, 1, &result);
  good &= result == sum;
  cublasDnrm2(handle, count, y.data, 1, &result);
  good &= result == std::sqrt(squares);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cublasDotEx(handle, count, x.data, CUDA_R_64F, 2, y.data, CUDA_R_64F, 1, place.data, CUDA_R_64F, CUDA_R_64F);
  good &= place.device()[0] == dot;
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  cublasDaxpy(handle, count, &three, x.data, -2, y.data, 1);
  cublasDscal(handle, count, &three, y.data, 1);
  for (int i = 0; i < count; i++) y.host[i] = 3 * (y.host[i] + 3 * x.host[2 * (count - 1 - i)]);
  return good && y.device() == y.host;
}

// The exchanged rows of a equal the product of its factors. The last matrix is singular.
static bool factors(cublasHandle_t handle) {
  const int n = 9, ld = 11, batches = 3;
  Array<double> a(ld * n * batches);
  double **places;
  cudaMalloc(&places, batches * sizeof(double *));
  Array<int> pivots(n * batches), infos(batches);
  for (int row = 0; row < n; row++) a.host[2 * ld * n + ld * 4 + row] = 0;
  cudaMemcpy(a.data, a.host.data(), a.host.size() * sizeof(double), cudaMemcpyHostToDevice);
  for (int batch = 0; batch < batches; batch++) {
    double *const place = a.data + ld * n * batch;
    cudaMemcpy(places + batch, &place, sizeof place, cudaMemcpyHostToDevice);
  }
  bool good = cublasDgetrfBatched(handle, n, places, ld, pivots.data, infos.data, batches) == CUBLAS_STATUS_SUCCESS;
  const std::vector<double> lu = a.device();
  const std::vector<int> rows = pivots.device();
  cudaFree(places);
  good &= infos.device() == std::vector<int>({0, 0, 5});
  for (int batch = 0; batch < batches - 1; batch++) {
    double *own = &a.host[ld * n * batch];
    const double *f = &lu[ld * n * batch];
    for (int k = 0; k < n; k++)
      for (int column = 0; column < n; column++) std::swap(own[k + ld * column], own[rows[n * batch + k] - 1 + ld * column]);
    for (int row = 0; row < n; row++)
      for (int column = 0; column < n; column++) {
        double sum = 0;
        for (int k = 0; k <= row && k <= column; k++) sum += (k == row ? 1 : f[row + ld * k]) * f[k + ld * column];
        good &= std::fabs(sum - own[row + ld * column]) < 1e-12;
        good &= row <= column || std::fabs(f[row + ld * column]) <= 1;
      }
  }
  return good;
}

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  expect(products<float>(handle) && products<double>(handle), "products");
  expect(batches(handle), "batches");
  expect(vectors(handle), "vectors");
  expect(factors(handle), "factors");
  cublasDestroy(handle);
  return failures;
}

// CUDA's <mma.h>: matrices of a warp, `nvcuda::wmma`.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "mma_operands.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

template <typename Use, int M, int N, int K, typename T, typename Layout = void>
struct fragment;

// The elements that a lane holds, and the registers that they fill.
template <typename T, int Count, typename Register>
struct __lanewise_fragment {
  static constexpr int num_elements = Count;
  static constexpr int num_storage_elements = Count;
  T x[Count];
  __device__ Register *registers() { return reinterpret_cast<Register *>(x); }
  __device__ const Register *registers() const { return reinterpret_cast<const Register *>(x); }
};
template <typename Layout> constexpr bool __lanewise_is_row = false;
template <> constexpr bool __lanewise_is_row<row_major> = true;

template <typename T, int Count, typename Register, typename Value>
__device__ void __lanewise_fill(__lanewise_fragment<T, Count, Register> &f, Value value) {
  for (int i = 0; i < Count; i++) f.x[i] = value;
}
template <typename Use, int M, int N, int K, typename T, typename Layout, typename Value>
__device__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const Value &value) {
  __lanewise_fill(f, value);
}

__device__ inline float __float_to_tf32(float a) {
  float result;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"((int &)result) : "f"(a));
  return result;
}

#define LANEWISE_WMMA_LOAD(letter, layout, shape, type, count, kind)                              \
  asm volatile("wmma.load." letter ".sync.aligned." layout "." shape "." type " "                 \
               LANEWISE_NAMES##count(d) ", [%[p]], %[stride];"                                    \
               : LANEWISE_OUT##count(d, kind, d)                                                  \
               : [p] "l"(p), [stride] "r"(stride)                                                 \
               : "memory")
#define LANEWISE_WMMA_STORE(layout, shape, type, count, kind)                                     \
  asm volatile("wmma.store.d.sync.aligned." layout "." shape "." type " [%[p]], "                 \
               LANEWISE_NAMES##count(d) ", %[stride];"                                            \
               :                                                                                  \
               : [p] "l"(p), [stride] "r"(stride), LANEWISE_IN##count(d, kind, d)                 \
               : "memory")

// `T` is the type that names the fragment, `element` the type of its elements, `pointer` the type in memory.
#define LANEWISE_WMMA_INPUT(use, letter, M, N, K, shape, T, element, elements, pointer, type, count)        \
  template <typename Layout>                                                                                \
  struct fragment<use, M, N, K, T, Layout> : __lanewise_fragment<element, elements, unsigned int> {};       \
  template <typename Layout>                                                                                \
  __device__ void load_matrix_sync(fragment<use, M, N, K, T, Layout> &f, const pointer *p, unsigned int stride) { \
    unsigned int *d = f.registers();                                                                        \
    if constexpr (__lanewise_is_row<Layout>) LANEWISE_WMMA_LOAD(letter, "row", shape, type, count, "r");    \
    else LANEWISE_WMMA_LOAD(letter, "col", shape, type, count, "r");                                        \
  }
#define LANEWISE_WMMA_SUM(M, N, K, shape, T, elements, type, count, kind, Register)                         \
  template <>                                                                                               \
  struct fragment<accumulator, M, N, K, T, void> : __lanewise_fragment<T, elements, Register> {};           \
  __device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned int stride, \
                                          layout_t layout) {                                                \
    Register *d = f.registers();                                                                            \
    if (layout == mem_row_major) LANEWISE_WMMA_LOAD("c", "row", shape, type, count, kind);                  \
    else LANEWISE_WMMA_LOAD("c", "col", shape, type, count, kind);                                          \
  }                                                                                                         \
  __device__ inline void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned int stride, \
                                           layout_t layout) {                                               \
    const Register *d = f.registers();                                                                      \
    if (layout == mem_row_major) LANEWISE_WMMA_STORE("row", shape, type, count, kind);                      \
    else LANEWISE_WMMA_STORE("col", shape, type, count, kind);                                              \
  }

// `nd`, `na`, `nb` and `nc` are the numbers of registers, `kd`, `ki` and `kc` their constraints.
#define LANEWISE_WMMA_ASM(operation, layouts, shape, types, nd, na, nb, nc, kd, ki, kc)                      \
  asm volatile("wmma.mma" operation ".sync.aligned." layouts "." shape "." types " " LANEWISE_NAMES##nd(d) \
               ", " LANEWISE_NAMES##na(a) ", " LANEWISE_NAMES##nb(b) ", " LANEWISE_NAMES##nc(c) ";"         \
               : LANEWISE_OUT##nd(d, kd, d)                                                                 \
               : LANEWISE_IN##na(a, ki, a), LANEWISE_IN##nb(b, ki, b), LANEWISE_IN##nc(c, kc, c))
#define LANEWISE_WMMA_OPERANDS \
  auto *d = fd.registers();    \
  const auto *a = fa.registers(), *b = fb.registers(); \
  const auto *c = fc.registers();
#define LANEWISE_WMMA_PRODUCT(M, N, K, shape, T, D, C, types, saturating, nd, na, nb, nc, kd, ki, kc)        \
  template <typename A, typename B>                                                                         \
  __device__ void mma_sync(fragment<accumulator, M, N, K, D> &fd, const fragment<matrix_a, M, N, K, T, A> &fa, \
                           const fragment<matrix_b, M, N, K, T, B> &fb,                                     \
                           const fragment<accumulator, M, N, K, C> &fc, bool saturates = false) {           \
    LANEWISE_WMMA_OPERANDS                                                                                  \
    if (saturates) LANEWISE_WMMA_LAYOUTS(shape, types saturating, nd, na, nb, nc, kd, ki, kc)                \
    else LANEWISE_WMMA_LAYOUTS(shape, types, nd, na, nb, nc, kd, ki, kc)                                    \
  }
#define LANEWISE_WMMA_LAYOUTS(shape, types, nd, na, nb, nc, kd, ki, kc)                                     \
  {                                                                                                         \
    if constexpr (__lanewise_is_row<A> && __lanewise_is_row<B>)                                             \
      LANEWISE_WMMA_ASM("", "row.row", shape, types, nd, na, nb, nc, kd, ki, kc);                           \
    else if constexpr (__lanewise_is_row<A>)                                                                \
      LANEWISE_WMMA_ASM("", "row.col", shape, types, nd, na, nb, nc, kd, ki, kc);                           \
    else if constexpr (__lanewise_is_row<B>)                                                                \
      LANEWISE_WMMA_ASM("", "col.row", shape, types, nd, na, nb, nc, kd, ki, kc);                           \
    else                                                                                                    \
      LANEWISE_WMMA_ASM("", "col.col", shape, types, nd, na, nb, nc, kd, ki, kc);                           \
  }

// f16, with sums of f16 or f32.
#define LANEWISE_WMMA_HALF(M, N, K, shape)                                                                   \
  LANEWISE_WMMA_INPUT(matrix_a, "a", M, N, K, shape, __half, __half, 16, __half, "f16", 8)                   \
  LANEWISE_WMMA_INPUT(matrix_b, "b", M, N, K, shape, __half, __half, 16, __half, "f16", 8)                   \
  LANEWISE_WMMA_SUM(M, N, K, shape, float, 8, "f32", 8, "f", float)                                          \
  LANEWISE_WMMA_SUM(M, N, K, shape, __half, 8, "f16", 4, "r", unsigned int)                                  \
  LANEWISE_WMMA_PRODUCT(M, N, K, shape, __half, float, float, "f32.f32", "", 8, 8, 8, 8, "f", "r", "f")      \
  LANEWISE_WMMA_PRODUCT(M, N, K, shape, __half, float, __half, "f32.f16", "", 8, 8, 8, 4, "f", "r", "r")     \
  LANEWISE_WMMA_PRODUCT(M, N, K, shape, __half, __half, float, "f16.f32", "", 4, 8, 8, 8, "r", "r", "f")     \
  LANEWISE_WMMA_PRODUCT(M, N, K, shape, __half, __half, __half, "f16.f16", "", 4, 8, 8, 4, "r", "r", "r")
LANEWISE_WMMA_HALF(16, 16, 16, "m16n16k16")
LANEWISE_WMMA_HALF(32, 8, 16, "m32n8k16")
LANEWISE_WMMA_HALF(8, 32, 16, "m8n32k16")

// bf16. `na` and `nb` are the registers of a lane, with two elements each.
#define LANEWISE_WMMA_BFLOAT(M, N, K, shape, na, nb)                                                         \
  LANEWISE_WMMA_INPUT(matrix_a, "a", M, N, K, shape, __nv_bfloat16, __nv_bfloat16, 2 * na, __nv_bfloat16, "bf16", na) \
  LANEWISE_WMMA_INPUT(matrix_b, "b", M, N, K, shape, __nv_bfloat16, __nv_bfloat16, 2 * nb, __nv_bfloat16, "bf16", nb) \
  LANEWISE_WMMA_PRODUCT(M, N, K, shape, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", "", 8, na, nb, 8, "f", "r", "f")
LANEWISE_WMMA_BFLOAT(16, 16, 16, "m16n16k16", 4, 4)
LANEWISE_WMMA_BFLOAT(32, 8, 16, "m32n8k16", 8, 2)
LANEWISE_WMMA_BFLOAT(8, 32, 16, "m8n32k16", 2, 8)

// Bytes, with four elements in a register.
#define LANEWISE_WMMA_BYTES(M, N, K, shape, T, type, na, nb)                                                 \
  LANEWISE_WMMA_INPUT(matrix_a, "a", M, N, K, shape, T, T, 4 * na, T, type, na)                              \
  LANEWISE_WMMA_INPUT(matrix_b, "b", M, N, K, shape, T, T, 4 * nb, T, type, nb)                              \
  LANEWISE_WMMA_PRODUCT(M, N, K, shape, T, int, int, "s32." type "." type ".s32", ".satfinite", 8, na, nb, 8, "r", "r", "r")
#define LANEWISE_WMMA_BYTE(M, N, K, shape, na, nb)                           \
  LANEWISE_WMMA_SUM(M, N, K, shape, int, 8, "s32", 8, "r", unsigned int)     \
  LANEWISE_WMMA_BYTES(M, N, K, shape, signed char, "s8", na, nb)             \
  LANEWISE_WMMA_BYTES(M, N, K, shape, unsigned char, "u8", na, nb)
LANEWISE_WMMA_BYTE(16, 16, 16, "m16n16k16", 2, 2)
LANEWISE_WMMA_BYTE(32, 8, 16, "m32n8k16", 4, 1)
LANEWISE_WMMA_BYTE(8, 32, 16, "m8n32k16", 1, 4)

// tf32: f32 whose lowest 13 bits are ignored.
LANEWISE_WMMA_INPUT(matrix_a, "a", 16, 16, 8, "m16n16k8", precision::tf32, float, 4, float, "tf32", 4)
LANEWISE_WMMA_INPUT(matrix_b, "b", 16, 16, 8, "m16n16k8", precision::tf32, float, 4, float, "tf32", 4)
LANEWISE_WMMA_SUM(16, 16, 8, "m16n16k8", float, 8, "f32", 8, "f", float)
LANEWISE_WMMA_PRODUCT(16, 16, 8, "m16n16k8", precision::tf32, float, float, "f32.tf32.tf32.f32", "", 8, 4, 4, 8, "f", "r", "f")

// Half bytes and bits: a register of a lane is one element.
#define LANEWISE_WMMA_SMALL(T, K, shape, type)                                                               \
  LANEWISE_WMMA_INPUT(matrix_a, "a", 8, 8, K, shape, experimental::precision::T, unsigned int, 1, void, type, 1) \
  LANEWISE_WMMA_INPUT(matrix_b, "b", 8, 8, K, shape, experimental::precision::T, unsigned int, 1, void, type, 1)
#define LANEWISE_WMMA_FOUR(T, type)                \
  LANEWISE_WMMA_SMALL(T, 32, "m8n8k32", type)      \
  LANEWISE_WMMA_PRODUCT(8, 8, 32, "m8n8k32", experimental::precision::T, int, int, "s32." type "." type ".s32", \
                        ".satfinite", 2, 1, 1, 2, "r", "r", "r")
LANEWISE_WMMA_SUM(8, 8, 32, "m8n8k32", int, 2, "s32", 2, "r", unsigned int)
LANEWISE_WMMA_FOUR(s4, "s4")
LANEWISE_WMMA_FOUR(u4, "u4")
LANEWISE_WMMA_SMALL(b1, 128, "m8n8k128", "b1")
LANEWISE_WMMA_SUM(8, 8, 128, "m8n8k128", int, 2, "s32", 2, "r", unsigned int)

namespace experimental {
__device__ inline void bmma_sync(fragment<accumulator, 8, 8, 128, int> &fd,
                                 const fragment<matrix_a, 8, 8, 128, precision::b1, row_major> &fa,
                                 const fragment<matrix_b, 8, 8, 128, precision::b1, col_major> &fb,
                                 const fragment<accumulator, 8, 8, 128, int> &fc, bmmaBitOp operation = bmmaBitOpXOR,
                                 bmmaAccumulateOp = bmmaAccumulateOpPOPC) {
  LANEWISE_WMMA_OPERANDS
  if (operation == bmmaBitOpXOR)
    LANEWISE_WMMA_ASM(".xor.popc", "row.col", "m8n8k128", "s32.b1.b1.s32", 2, 1, 1, 2, "r", "r", "r");
  else
    LANEWISE_WMMA_ASM(".and.popc", "row.col", "m8n8k128", "s32.b1.b1.s32", 2, 1, 1, 2, "r", "r", "r");
}
}  // namespace experimental

// f64
#define LANEWISE_WMMA_DOUBLE(use, letter)                                                                    \
  template <typename Layout>                                                                                 \
  struct fragment<use, 8, 8, 4, double, Layout> : __lanewise_fragment<double, 1, double> {};                 \
  template <typename Layout>                                                                                 \
  __device__ void load_matrix_sync(fragment<use, 8, 8, 4, double, Layout> &f, const double *p, unsigned int stride) { \
    double *d = f.registers();                                                                               \
    if constexpr (__lanewise_is_row<Layout>) LANEWISE_WMMA_LOAD(letter, "row", "m8n8k4", "f64", 1, "d");     \
    else LANEWISE_WMMA_LOAD(letter, "col", "m8n8k4", "f64", 1, "d");                                         \
  }
LANEWISE_WMMA_DOUBLE(matrix_a, "a")
LANEWISE_WMMA_DOUBLE(matrix_b, "b")
LANEWISE_WMMA_SUM(8, 8, 4, "m8n8k4", double, 2, "f64", 2, "d", double)
LANEWISE_WMMA_PRODUCT(8, 8, 4, "m8n8k4", double, double, double, "f64.f64.f64.f64.rn", "", 2, 1, 1, 2, "d", "d", "d")

}  // namespace wmma
}  // namespace nvcuda

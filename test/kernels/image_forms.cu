// Image lookups, loads, stores and reductions in dimensions, types and modes that no other kernel
// here has.

typedef unsigned u;
typedef unsigned long long ull;
typedef cudaTextureObject_t T;
typedef cudaSurfaceObject_t S;

#define WORDS(k, form, ...) asm volatile(form : "=r"(r[k]), "=r"(r[k + 1]), "=r"(r[k + 2]), "=r"(r[k + 3]) : __VA_ARGS__)
#define PAIRS(k, form, ...) asm volatile(form : "=r"(r[k]), "=r"(r[k + 1]) : __VA_ARGS__)
#define HALVES(k, form, ...) \
  asm volatile("{ .reg .b16 h<4>; " form " mov.b32 %0, {h0, h1}; mov.b32 %1, {h2, h3}; }" : "=r"(r[k]), "=r"(r[k + 1]) : __VA_ARGS__)
#define H "{h0, h1, h2, h3}"
#define W "{%0, %1, %2, %3}"
#define P "{%0, %1}"

/// Lookups by floats at levels; each texture has only one level.
extern "C" __global__ void looks_at_levels(T line, T volume, T lines, T planes, const float *at, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
  u layer = i % 4, *r = out + 18 * i;
  WORDS(0, "tex.level.1d.v4.s32.f32 " W ", [%4, {%5}], 0f00000000;", "l"(line), "f"(x));
  WORDS(4, "tex.level.3d.v4.f32.f32 " W ", [%4, {%5, %6, %7, %7}], %6;", "l"(volume), "f"(x), "f"(y), "f"(z));
  WORDS(8, "tex.level.a1d.v4.u32.f32 " W ", [%4, {%5, %6}], 0f40000000;", "l"(lines), "r"(layer), "f"(x));
  WORDS(12, "tex.level.a2d.v4.u32.f32 " W ", [%4, {%5, %6, %7, %7}], 0fBF800000;", "l"(planes), "r"(layer), "f"(x), "f"(y));
  asm volatile("txq.depth.b32 %0, [%1];" : "=r"(r[16]) : "l"(volume));
  asm volatile("txq.level.depth.b32 %0, [%1], 0;" : "=r"(r[17]) : "l"(volume));
}

/// Lookups by gradients, which do not change the result either.
extern "C" __global__ void looks_by_gradients(T line, T volume, T lines, T planes, const float *at, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
  u layer = i % 4, *r = out + 16 * i;
  WORDS(0, "tex.grad.1d.v4.u32.f32 " W ", [%4, {%5}], {%6}, {%7};", "l"(line), "f"(x), "f"(y), "f"(z));
  WORDS(4, "tex.grad.3d.v4.s32.f32 " W ", [%4, {%5, %6, %7, %7}], {%6, %7, %5, %5}, {%7, %5, %6, %5};", "l"(volume), "f"(x), "f"(y), "f"(z));
  WORDS(8, "tex.grad.a1d.v4.f32.f32 " W ", [%4, {%5, %6}], {%7}, {%6};", "l"(lines), "r"(layer), "f"(x), "f"(y));
  WORDS(12, "tex.grad.a2d.v4.f32.f32 " W ", [%4, {%5, %6, %7, %7}], {%6, %7}, {%7, %6};", "l"(planes), "r"(layer), "f"(x), "f"(y));
}

/// Components as halves, and one component of four texels.
extern "C" __global__ void looks_for_parts(T plane, T lines, const float *at, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
  u *r = out + 20 * i;
  HALVES(0, "tex.2d.v4.f16.f32 " H ", [%2, {%3, %4}];", "l"(plane), "f"(x), "f"(y));
  HALVES(2, "tex.level.2d.v4.f16.f32 " H ", [%2, {%3, %4}], 0f3F000000;", "l"(plane), "f"(z), "f"(y));
  HALVES(4, "tex.grad.2d.v4.f16.f32 " H ", [%2, {%3, %4}], {%4, %3}, {%3, %3};", "l"(plane), "f"(y), "f"(z));
  PAIRS(6, "tex.level.a1d.v2.f16x2.f32 " P ", [%2, {%3, %4}], %4;", "l"(lines), "r"(i % 4), "f"(z));
  WORDS(8, "tld4.b.2d.v4.f32.f32 " W ", [%4, {%5, %6}];", "l"(plane), "f"(x), "f"(y));
  WORDS(12, "tld4.a.2d.v4.u32.f32 " W ", [%4, {%5, %6}];", "l"(plane), "f"(y), "f"(x));
  WORDS(16, "tld4.g.2d.v4.s32.f32 " W ", [%4, {%5, %6}];", "l"(plane), "f"(y), "f"(z));
}

/// Components as pairs of halves.
extern "C" __global__ void looks_for_pairs(T line, T volume, T planes, const float *at, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
  u *r = out + 14 * i;
  PAIRS(6, "tex.level.1d.v2.f16x2.f32 " P ", [%2, {%3}], %4;", "l"(line), "f"(z), "f"(x));
  PAIRS(8, "tex.level.3d.v2.f16x2.f32 " P ", [%2, {%3, %4, %5, %5}], 0f00000000;", "l"(volume), "f"(x), "f"(z), "f"(y));
  WORDS(10, "tld4.r.a2d.v4.f32.f32 " W ", [%4, {%5, %6, %7, %7}];", "l"(planes), "r"(i % 4), "f"(x), "f"(y));
  PAIRS(0, "tex.1d.v2.f16x2.f32 " P ", [%2, {%3}];", "l"(line), "f"(y));
  PAIRS(2, "tex.3d.v2.f16x2.f32 " P ", [%2, {%3, %4, %5, %5}];", "l"(volume), "f"(z), "f"(y), "f"(x));
  PAIRS(4, "tex.a2d.v2.f16x2.f32 " P ", [%2, {%3, %4, %5, %5}];", "l"(planes), "r"(i % 4), "f"(z), "f"(y));
}

/// Lookups by integers, inside and outside the texture, with and without a level.
extern "C" __global__ void looks_by_integers(T plane, T volume, T lines, T planes, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % 11 - 2, y = i / 11 % 9 - 2, z = i % 7 - 2, layer = i % 5 - 1;
  u *r = out + 28 * i;
  WORDS(0, "tex.2d.v4.s32.s32 " W ", [%4, {%5, %6}];", "l"(plane), "r"(x), "r"(y));
  WORDS(4, "tex.3d.v4.u32.s32 " W ", [%4, {%5, %6, %7, %7}];", "l"(volume), "r"(x), "r"(y), "r"(z));
  WORDS(8, "tex.a1d.v4.u32.s32 " W ", [%4, {%5, %6}];", "l"(lines), "r"(layer), "r"(x));
  WORDS(12, "tex.a2d.v4.u32.s32 " W ", [%4, {%5, %6, %7, %7}];", "l"(planes), "r"(layer), "r"(x), "r"(y));
  PAIRS(16, "tex.3d.v2.f16x2.s32 " P ", [%2, {%3, %4, %5, %5}];", "l"(volume), "r"(z), "r"(y), "r"(x));
  PAIRS(18, "tex.2d.v2.f16x2.s32 " P ", [%2, {%3, %4}];", "l"(plane), "r"(y), "r"(x));
  HALVES(20, "tex.a2d.v4.f16.s32 " H ", [%2, {%3, %4, %5, %5}];", "l"(planes), "r"(layer), "r"(y), "r"(z));
  PAIRS(22, "tex.a1d.v2.f16x2.s32 " P ", [%2, {%3, %4}];", "l"(lines), "r"(layer), "r"(y));
  HALVES(24, "tex.a1d.v4.f16.s32 " H ", [%2, {%3, %4}];", "l"(lines), "r"(layer), "r"(z));
  PAIRS(26, "tex.a2d.v2.f16x2.s32 " P ", [%2, {%3, %4, %5, %5}];", "l"(planes), "r"(layer), "r"(x), "r"(z));
}

/// Lookups by integers at each texture's only level, inside and outside the texture.
extern "C" __global__ void looks_at_a_level_by_integers(T plane, T volume, T lines, T planes, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % 11 - 2, y = i / 11 % 9 - 2, z = i % 7 - 2, layer = i % 5 - 1;
  u *r = out + 18 * i;
  WORDS(0, "tex.level.2d.v4.f32.s32 " W ", [%4, {%5, %6}], 0;", "l"(plane), "r"(x), "r"(y));
  WORDS(4, "tex.level.a2d.v4.s32.s32 " W ", [%4, {%5, %6, %7, %7}], 0;", "l"(planes), "r"(layer), "r"(x), "r"(y));
  WORDS(8, "tex.level.a1d.v4.u32.s32 " W ", [%4, {%5, %6}], 0;", "l"(lines), "r"(layer), "r"(x));
  PAIRS(12, "tex.level.3d.v2.f16x2.s32 " P ", [%2, {%3, %4, %5, %5}], 0;", "l"(volume), "r"(x), "r"(y), "r"(z));
  PAIRS(14, "tex.level.a2d.v2.f16x2.s32 " P ", [%2, {%3, %4, %5, %5}], 0;", "l"(planes), "r"(layer), "r"(y), "r"(x));
  PAIRS(16, "tex.level.a1d.v2.f16x2.s32 " P ", [%2, {%3, %4}], 0;", "l"(lines), "r"(layer), "r"(z));
}

/// Bytes of surfaces, loaded and stored by every number and size of them, at their edges.
extern "C" __global__ void surface_bytes(S line, S plane, S volume, S lines, S planes, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % 12 - 2, y = i / 12 % 8 - 2, z = i % 5 - 1;
  u *r = out + 17 * i, h;
  ull wide, more;
  asm volatile("{ .reg .b16 t; suld.b.1d.ca.b8.zero t, [%1, {%2}]; cvt.u32.u16 %0, t; }" : "=r"(r[0]) : "l"(line), "r"(x));
  asm volatile("suld.b.3d.cg.b64.clamp %0, [%1, {%2, %3, %4, %4}];" : "=l"(wide) : "l"(volume), "r"(8 * x), "r"(y), "r"(z));
  r[1] = (u)wide, r[2] = (u)(wide >> 32);
  asm volatile("suld.b.a1d.cs.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]) : "l"(lines), "r"(z & 1), "r"(16 * x));
  asm volatile("{ .reg .b16 s, t; suld.b.a2d.cv.v2.b8.clamp {s, t}, [%1, {%2, %3, %4, %4}]; mov.b32 %0, {s, t}; }" : "=r"(r[7]) : "l"(planes), "r"(i & 1), "r"(2 * x), "r"(y));
  asm volatile("suld.b.2d.v2.b64.zero {%0, %1}, [%2, {%3, %4}];" : "=l"(wide), "=l"(more) : "l"(plane), "r"(16 * x), "r"(y));
  r[8] = (u)wide, r[9] = (u)(wide >> 32), r[10] = (u)more, r[11] = (u)(more >> 32);
  asm volatile("{ .reg .b16 t<4>; suld.b.2d.v4.b16.clamp {t0, t1, t2, t3}, [%2, {%3, %4}]; mov.b32 %0, {t0, t1}; mov.b32 %1, {t2, t3}; }" : "=r"(r[12]), "=r"(r[13]) : "l"(plane), "r"(8 * x), "r"(y));
  asm volatile("suq.depth.b32 %0, [%1];" : "=r"(h) : "l"(volume));
  r[14] = h;
  asm volatile("suld.b.3d.b32.trap %0, [%1, {%2, %3, %4, %4}];" : "=r"(r[15]) : "l"(volume), "r"(4 * (i % 12)), "r"(i % 3), "r"(i % 2));
  asm volatile("{ .reg .b16 t; suld.b.1d.b16.clamp t, [%1, {%2}]; cvt.u32.u16 %0, t; }" : "=r"(r[16]) : "l"(line), "r"(2 * x));
}

/// One thread per texel.
extern "C" __global__ void surface_stores(S line, S plane, S volume, S lines, S planes, S texels, S deep, S rows, S sheets, const u *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + 3];
  ull wide = (ull)a << 32 | b;
  asm volatile("{ .reg .b16 t; cvt.u16.u32 t, %2; sust.b.1d.wb.b16.clamp [%0, {%1}], t; }" ::"l"(line), "r"(2 * i), "r"(a) : "memory");
  asm volatile("sust.b.2d.cg.v2.b64.zero [%0, {%1, %2}], {%3, %4};" ::"l"(plane), "r"(16 * (i % 7) - 16), "r"(i / 7 - 1), "l"(wide), "l"(wide * 3) : "memory");
  asm volatile("sust.b.3d.cs.v2.b32.trap [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(volume), "r"(8 * (i % 4)), "r"(i / 4 % 3), "r"(i / 12), "r"(c), "r"(d) : "memory");
  asm volatile("sust.b.a1d.b64.zero [%0, {%1, %2}], %3;" ::"l"(lines), "r"(i % 2), "r"(8 * (i / 2) - 8), "l"(wide) : "memory");
  asm volatile("{ .reg .b16 s, t; mov.b32 {s, t}, %4; sust.b.a2d.wt.v2.b16.zero [%0, {%1, %2, %3, %3}], {s, t}; }" ::"l"(planes), "r"(i % 2), "r"(4 * (i / 2 % 5) - 4), "r"(i / 10), "r"(d) : "memory");
  asm volatile("sust.p.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(texels), "r"(i % 7), "r"(i / 7), "r"(a & 0x3fffffff), "r"(b & 0x3fffffff) : "memory");
  asm volatile("sust.p.a1d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(rows), "r"(i % 2), "r"(i / 2 - 1), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
  asm volatile("sust.p.a2d.v2.b32.clamp [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(sheets), "r"(i % 2), "r"(i / 2 % 5), "r"(i / 10), "r"(c), "r"(d) : "memory");
  asm volatile("sust.p.3d.b32.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(deep), "r"(i % 4), "r"(i / 4 % 3), "r"(i / 12), "r"(c) : "memory");
}

/// Reductions that collide at few places.
extern "C" __global__ void surface_reductions(S line, S plane, S volume, S wide, const u *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u a = in[i], k = i % 4;
  asm volatile("sured.b.min.1d.s32.zero [%0, {%1}], %2;" ::"l"(line), "r"(4 * (int)k - 4), "r"(a) : "memory");
  asm volatile("sured.b.and.1d.b32.clamp [%0, {%1}], %2;" ::"l"(line), "r"(4 * ((int)k + 4)), "r"(a | 0xff00ff) : "memory");
  asm volatile("sured.b.or.3d.b32.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(volume), "r"(4 * k), "r"(k / 2), "r"(i % 2), "r"(a & 0x10101010) : "memory");
  asm volatile("sured.b.max.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(plane), "r"(4 * (int)k - 4), "r"(1), "r"(a) : "memory");
  asm volatile("sured.p.min.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(plane), "r"((int)k - 1), "r"(0), "r"(a) : "memory");
  asm volatile("sured.p.add.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(plane), "r"(k), "r"(2), "r"(a) : "memory");
  asm volatile("sured.p.and.1d.b32.clamp [%0, {%1}], %2;" ::"l"(line), "r"(3), "r"(a | 0xffff) : "memory");
  asm volatile("sured.p.or.3d.b32.zero [%0, {%1, %2, %3, %3}], %4;" ::"l"(volume), "r"(k), "r"((int)(k / 2) - 1), "r"(i % 2), "r"(a & 0x02020202u) : "memory");
  asm volatile("sured.b.add.1d.u64.zero [%0, {%1}], %2;" ::"l"(wide), "r"(8 * (int)k - 8), "l"((ull)a << 20) : "memory");
  asm volatile("sured.b.max.1d.s64.zero [%0, {%1}], %2;" ::"l"(wide), "r"(8 * (int)k + 32), "l"((long long)(int)a << 20) : "memory");
}

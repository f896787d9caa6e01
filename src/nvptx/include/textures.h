// CUDA's functions of texture objects.
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

namespace lanewise {

// The type of one element of a vector, or the scalar itself.
template <class T> __host__ __device__ auto element_of(int) -> decltype(T().x);
template <class T> __host__ __device__ T element_of(long);
template <class T> using Element = decltype(element_of<T>(0));
template <class T> constexpr int element_count = sizeof(T) / sizeof(Element<T>);

// The instruction returns four words of this type.
template <class T> struct Texel { typedef unsigned Word; };
template <> struct Texel<float> { typedef float Word; };
template <> struct Texel<char> { typedef int Word; };
template <> struct Texel<signed char> { typedef int Word; };
template <> struct Texel<short> { typedef int Word; };
template <> struct Texel<int> { typedef int Word; };
template <> struct Texel<long> { typedef int Word; };

template <class T, class Word> __device__ inline T texel(const Word (&words)[4]) {
  Element<T> elements[element_count<T>];
  for (int i = 0; i < element_count<T>; i++) elements[i] = (Element<T>)words[i];
  T result;
  __builtin_memcpy(&result, elements, sizeof(T));
  return result;
}
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;

}  // namespace lanewise

#define LANEWISE_TEXEL(opcode, type, kind, coordinates, ...)                                   \
  asm volatile(opcode ".v4." type " {%0, %1, %2, %3}, [%4, " coordinates ";"                   \
               : "=" kind(w[0]), "=" kind(w[1]), "=" kind(w[2]), "=" kind(w[3])                \
               : "l"(object), __VA_ARGS__)
// `from` is the type of the coordinates. The pointer form exists for each function, too.
#define LANEWISE_TEXTURE(name, parameters, arguments, opcode, from, coordinates, ...)          \
  template <class T> static __device__ inline T name(cudaTextureObject_t object, LANEWISE_LIST parameters) { \
    typedef typename lanewise::Texel<lanewise::Element<T>>::Word Word;                         \
    Word w[4];                                                                                 \
    if constexpr (lanewise::same<Word, float>) LANEWISE_TEXEL(opcode, "f32." from, "f", coordinates, __VA_ARGS__); \
    else if constexpr (lanewise::same<Word, int>) LANEWISE_TEXEL(opcode, "s32." from, "r", coordinates, __VA_ARGS__); \
    else LANEWISE_TEXEL(opcode, "u32." from, "r", coordinates, __VA_ARGS__);                   \
    return lanewise::texel<T>(w);                                                              \
  }                                                                                            \
  template <class T> static __device__ inline void name(T *result, cudaTextureObject_t object, LANEWISE_LIST parameters) { \
    *result = name<T>(object, LANEWISE_LIST arguments);                                        \
  }
#define LANEWISE_LIST(...) __VA_ARGS__

LANEWISE_TEXTURE(tex1Dfetch, (int x), (x), "tex.1d", "s32", "{%5}]", "r"(x))
LANEWISE_TEXTURE(tex1D, (float x), (x), "tex.1d", "f32", "{%5}]", "f"(x))
LANEWISE_TEXTURE(tex2D, (float x, float y), (x, y), "tex.2d", "f32", "{%5, %6}]", "f"(x), "f"(y))
LANEWISE_TEXTURE(tex3D, (float x, float y, float z), (x, y, z), "tex.3d", "f32", "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
LANEWISE_TEXTURE(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d", "f32", "{%5, %6}]", "r"(layer), "f"(x))
LANEWISE_TEXTURE(tex2DLayered, (float x, float y, int layer), (x, y, layer), "tex.a2d", "f32", "{%5, %6, %7, %7}]",
                 "r"(layer), "f"(x), "f"(y))

// A cube map is a texture with six layers, one for each face.
template <class T> static __device__ inline T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z,
                                                                int layer) {
  const float along[3] = {fabsf(x), fabsf(y), fabsf(z)};
  const int axis = along[0] >= along[1] && along[0] >= along[2] ? 0 : along[1] >= along[2] ? 1 : 2;
  const bool back = (axis == 0 ? x : axis == 1 ? y : z) < 0;
  const float s = axis == 0 ? (back ? z : -z) : axis == 2 && back ? -x : x;
  const float t = axis != 1 ? -y : back ? -z : z;
  return tex2DLayered<T>(object, (s / along[axis] + 1) / 2, (t / along[axis] + 1) / 2, 6 * layer + 2 * axis + back);
}
template <class T> static __device__ inline T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  return texCubemapLayered<T>(object, x, y, z, 0);
}
template <class T> static __device__ inline void texCubemap(T *result, cudaTextureObject_t object, float x, float y,
                                                            float z) {
  *result = texCubemap<T>(object, x, y, z);
}
template <class T> static __device__ inline void texCubemapLayered(T *result, cudaTextureObject_t object, float x, float y,
                                                                   float z, int layer) {
  *result = texCubemapLayered<T>(object, x, y, z, layer);
}

LANEWISE_TEXTURE(tex1DLod, (float x, float level), (x, level), "tex.level.1d", "f32", "{%5}], %6", "f"(x), "f"(level))
LANEWISE_TEXTURE(tex2DLod, (float x, float y, float level), (x, y, level), "tex.level.2d", "f32", "{%5, %6}], %7", "f"(x),
                 "f"(y), "f"(level))
LANEWISE_TEXTURE(tex3DLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.3d", "f32",
                 "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
LANEWISE_TEXTURE(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level), "tex.level.a1d", "f32",
                 "{%5, %6}], %7", "r"(layer), "f"(x), "f"(level))
LANEWISE_TEXTURE(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level), "tex.level.a2d", "f32",
                 "{%5, %6, %7, %7}], %8", "r"(layer), "f"(x), "f"(y), "f"(level))
LANEWISE_TEXTURE(tex1DGrad, (float x, float dx, float dy), (x, dx, dy), "tex.grad.1d", "f32", "{%5}], {%6}, {%7}", "f"(x),
                 "f"(dx), "f"(dy))
LANEWISE_TEXTURE(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "tex.grad.2d", "f32",
                 "{%5, %6}], {%7, %8}, {%9, %10}", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))

LANEWISE_TEXTURE(__lanewise_gather_r, (float x, float y), (x, y), "tld4.r.2d", "f32", "{%5, %6}]", "f"(x), "f"(y))
LANEWISE_TEXTURE(__lanewise_gather_g, (float x, float y), (x, y), "tld4.g.2d", "f32", "{%5, %6}]", "f"(x), "f"(y))
LANEWISE_TEXTURE(__lanewise_gather_b, (float x, float y), (x, y), "tld4.b.2d", "f32", "{%5, %6}]", "f"(x), "f"(y))
LANEWISE_TEXTURE(__lanewise_gather_a, (float x, float y), (x, y), "tld4.a.2d", "f32", "{%5, %6}]", "f"(x), "f"(y))
template <class T> static __device__ inline T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  switch (component) {
    case 0: return __lanewise_gather_r<T>(object, x, y);
    case 1: return __lanewise_gather_g<T>(object, x, y);
    case 2: return __lanewise_gather_b<T>(object, x, y);
    default: return __lanewise_gather_a<T>(object, x, y);
  }
}
#undef LANEWISE_TEXTURE
#undef LANEWISE_TEXEL

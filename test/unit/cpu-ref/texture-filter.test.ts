// Texture lookups of an H200: the reference returns the same bits.
import { expect, test } from 'vitest';
import type { Image, TexelType } from '../../../src/base/image.ts';
import { blend, cornersOf } from '../../../src/cpu-ref/image/filter.ts';
import { gather, lookUp } from '../../../src/cpu-ref/image/sample.ts';
import { componentWord } from '../../../src/cpu-ref/image/texel.ts';

/**
 * Fractions in 256ths along each axis, the bits of the surrounding texels (x first), and the f32 of
 * the lookup.
 */
const measured: readonly (readonly [TexelType, readonly number[], readonly number[], number])[] = [
  ['f32', [188], [0x3fe20cad, 0x3ffb7793], 0x3ff4b72e],
  ['f32', [101], [0xbf8f196b, 0xbf8a2f08], 0xbf8d28f2],
  ['f32', [164], [0xbfb393e7, 0x3fd78ab4], 0x3f131769],
  ['f32', [84], [0xbf9cf725, 0xbf899fcb], 0xbf969e7b],
  ['f32', [125], [0xbffa66bf, 0x40c1311d], 0x3ff93159],
  ['f32', [211], [0x3faea4ab, 0xbf5a4eec], 0xbeed1251],
  ['f32', [107], [0xc6f2faab, 0xce75a9d7], 0xcdcd5e2f],
  ['f32', [119], [0x3b110273, 0xb2456b29], 0x3a9b3471],
  ['f32', [252], [0x4cc0ee55, 0xb96e5a74], 0x49c0ee55],
  ['f32', [101, 105], [0x3faf3ffa, 0xbfa2fe76, 0x3ff2db20, 0x3ff06534], 0x3f769e2f],
  ['f32', [219, 195], [0xbfc8ae2d, 0x3ff2ec6a, 0xbffc262f, 0xbf805cfa], 0xbf0a0ddd],
  ['f32', [179, 113], [0x3ffa5eff, 0x3fc24f9f, 0x3faf0755, 0xbfd5fcd5], 0x3f165605],
  ['f32', [190, 126], [0x3e28dccc, 0xb9d6f983, 0xbf9bd409, 0xb4b88393], 0xbe058f0d],
  ['f32', [147, 47], [0x3a22b35f, 0x46a95bfe, 0xb3d72dea, 0xc5226df0], 0x461a7dd8],
  ['f32', [245, 63], [0x3924a450, 0xceeb5d7b, 0x338545a0, 0x404c3daa], 0xceaa168e],
  ['f32', [3, 71, 0], [0xbffd8f1b, 0xbff3d1e7, 0xbfb9f205, 0x3fa215eb, 0xbffd8f1b, 0xbff3d1e7, 0xbfb9f205, 0x3fa215eb], 0xbfe95f08],
  ['f32', [127, 121, 171], [0xbf85ffb8, 0x3fde536d, 0x3feb923a, 0x3fa5a07b, 0xbfb9cb10, 0x3fe15e09, 0xbf9f4998, 0xbfe0ee49], 0xbdf4a070],
  ['f32', [100, 103, 54], [0xbf886531, 0x3f93b54c, 0x3fa7a79a, 0xbfd4973b, 0xbf947de0, 0x3fba2b21, 0x3f9f76f1, 0x3f99f5e6], 0x3cfe12a0],
  ['f32', [58, 1, 162], [0x40e6c9ef, 0xbf2980a3, 0x3f33883b, 0x3f75c2b4, 0xc0f52296, 0x3f7dcb6d, 0xc02788ae, 0x3faf1b8f], 0xbfcc25cc],
  ['f32', [107, 203, 149], [0x3f7f90e1, 0x40b29a1c, 0x402b321e, 0x40687de4, 0xbf69a3c5, 0xbeae8d41, 0xbf76dddd, 0xbf427917], 0x3f486fcf],
  ['f32', [107, 31, 156], [0xbe91259e, 0x3ec996b3, 0xbeb77080, 0x40e25371, 0x402a1e3a, 0xbed55c1f, 0xc0f4fcba, 0x4018c849], 0x3f1cbe55],
  ['f32', [3, 30, 0], [0xc214fcab, 0xb39c7f8a, 0x456f669f, 0x422c460a, 0xc214fcab, 0xb39c7f8a, 0x456f669f, 0x422c460a], 0x43d03732],
  ['f32', [80, 7, 57], [0xb77f98e2, 0xb530a298, 0xc7af8578, 0xcc4612fd, 0xb249a64b, 0x38bb32c1, 0x468c798e, 0x3fed8d58], 0xc8c6b9bb],
  ['f32', [197, 162, 145], [0x4c403933, 0xc2e2964b, 0x438a1f4f, 0xc7e16643, 0xc38f916c, 0x4d8c074b, 0x3c1e8a01, 0x4477c639], 0x4c3ad410],
  ['f32', [117, 231, 159], [0x32f70211, 0xcb1c5e68, 0x4614baaa, 0xb10d90d4, 0x4a4b2320, 0xb7265606, 0xc1b594f6, 0xbc1167d3], 0xc754418c],
  ['f32', [196, 26, 185], [0x32c9b387, 0x45e7fc83, 0xb8af9249, 0x3d228fa4, 0xb4b00cb0, 0xb9601243, 0x4b70726c, 0xc4dedfb9], 0x4871bd46],
  ['f32', [122, 141, 218], [0xc292ab37, 0x4bf42df2, 0x36c35c20, 0xbe6e91ad, 0x49bf1c93, 0xb8b518a6, 0xbb261d6c, 0x34ec8214], 0x49a02996],
  ['f32', [0, 0, 151], [0x3318acd5, 0x3318acd5, 0x3318acd5, 0x3318acd5, 0xc9c39abf, 0xc9c39abf, 0xc9c39abf, 0xc9c39abf], 0xc966c08d],
  ['f32', [224, 0, 209], [0xcd7cb4aa, 0x44270228, 0xcd7cb4aa, 0x44270228, 0x4bf5f5ac, 0xbaadb352, 0x4bf5f5ac, 0xbaadb352], 0xca3335b7],
  ['f32', [172, 0, 178], [0xfb7b0c05, 0x7b3a9cac, 0x7ec2b497, 0xfd0e0cbf, 0xf7d365e7, 0xf974b6f1, 0x7b8d2751, 0x7c1eb734], 0x789bae86],
  ['f32', [38, 72, 146], [0x775be647, 0xf7e737f2, 0x7bf4d392, 0x7cf5c450, 0xf69130b1, 0x76897acf, 0xfe10b8d7, 0x7ae93465], 0xfc92ec50],
  ['f32', [34, 185, 130], [0xf76cf398, 0x7c0fd471, 0xf8817e0c, 0x7eec3130, 0x771367b0, 0xfea7c01c, 0x7b8acecb, 0xfce97673], 0x7c7c4679],
  ['f32', [153, 11], [0x8561db2, 0x80f0d781, 0x7ee05dd, 0x8d7d913], 0x7c0eca8],
  ['f32', [73, 255], [0x867654f3, 0x689031d, 0x764bd60, 0x4d5d792], 0x72448e1],
  ['f32', [0, 167], [0x412e79e, 0x412e79e, 0x3d4c9df, 0x3d4c9df], 0x3f0f4bc],
  ['f32', [0, 209], [0x81ece1cc, 0x3d77601, 0xb70a6d, 0x80a7887e], 0x80000000],
  ['f32', [60, 0], [0x80ea3790, 0x18d3c0d, 0x80ea3790, 0x18d3c0d], 0x80000000],
  ['f32', [137, 128], [0xbfb0e410, 0x3f98ea66, 0xbf96e992, 0xbf831fc2], 0xbf0ded29],
  ['f32', [198, 64], [0xbfc25015, 0x3fc7a191, 0x3f96a36d, 0x3f971e87], 0x3f6f8915],
  ['f32', [192, 78, 66], [0xbf8a9289, 0xbfe5667d, 0xbfe64622, 0xbfc76ac3, 0x3fd27ab3, 0x3fb6f9a7, 0x3fad61d9, 0xbf9876cd], 0xbf79dcb5],
  ['f32', [224, 205, 156], [0xbfdcea97, 0xbf8e9531, 0xbfc074bc, 0x3fde31cf, 0xbfd859f6, 0x3fff172d, 0x3fa47067, 0x3fb40cdf], 0x3f9802e4],
  ['u8', [131], [0xec, 0xb2], 0x3f4f20cf],
  ['u8', [17], [0x39, 0x56], 0x3e6ca0ed],
  ['u8', [219], [0xd4, 0x9], 0x3e19f49a],
  ['u8', [187, 22], [0x6e, 0xf1, 0x3, 0x5d], 0x3f42b1c3],
  ['u8', [164, 105], [0xb5, 0x96, 0xa3, 0x7d], 0x3f188599],
  ['u8', [0, 247, 65], [0x52, 0x11, 0xd4, 0xf6, 0xca, 0xc3, 0xcc, 0xae], 0x3f4f34cf],
  ['u8', [44, 210, 104], [0xa6, 0x74, 0x2e, 0xc7, 0x12, 0x81, 0x7, 0x8c], 0x3e81f482],
  ['s8', [76], [0xf4, 0x14], 0xbca14143],
  ['s8', [13], [0x97, 0x7f], 0xbf3be778],
  ['s8', [130], [0x9b, 0x55], 0xbd5321a6],
  ['s8', [121, 223], [0xd9, 0x87, 0x30, 0xa9], 0xbe3f317e],
  ['s8', [87, 214], [0x55, 0x13, 0xd0, 0x89], 0xbec9b993],
  ['s8', [66, 220, 241], [0x83, 0x1d, 0xe5, 0x61, 0x48, 0x2, 0xda, 0x5], 0xbdf851f1],
  ['s8', [206, 27, 48], [0x19, 0x6c, 0x93, 0xa0, 0x24, 0x11, 0xe6, 0xfb], 0x3ef715ee],
  ['u16', [151], [0x5df3, 0xf36b], 0x3f361db6],
  ['u16', [21], [0x9972, 0xc29c], 0x3f1cd29d],
  ['u16', [93], [0x4cc4, 0xf251], 0x3f08e889],
  ['u16', [219, 94], [0xf6d9, 0xf540, 0xf0f2, 0x5853], 0x3f441ec4],
  ['u16', [107, 208], [0x5d5d, 0xd442, 0x8904, 0xc470], 0x3f1e509e],
  ['u16', [211, 31, 106], [0x720, 0x6f46, 0x5ea3, 0x2e21, 0xbb37, 0x1397, 0x9eac, 0x1f40], 0x3e915291],
  ['u16', [0, 0, 201], [0xd0f1, 0xd6d5, 0xd0f1, 0xd6d5, 0x112, 0x4e4f, 0x112, 0x4e4f], 0x3e36ecb7],
  ['s16', [237], [0x6e16, 0xa389], 0xbf1adf36],
  ['s16', [249], [0x1970, 0xe21], 0x3de701ce],
  ['s16', [255], [0x1f2d, 0xac4a], 0xbf26874d],
  ['s16', [50, 102], [0x20fc, 0xb601, 0x4719, 0x5309], 0x3e924525],
  ['s16', [57, 0], [0x7ff8, 0x4556, 0x7ff8, 0x4556], 0x3f65d5cc],
  ['s16', [0, 0, 17], [0xe5c7, 0xe5c7, 0xe5c7, 0xe5c7, 0x6d15, 0x6d15, 0x6d15, 0x6d15], 0xbe09e914],
  ['s16', [254, 182, 173], [0x9e92, 0x311a, 0x3979, 0xceb1, 0x16c9, 0x2836, 0x872a, 0x1ad2], 0x3ddd21ba],
  ['s8', [131, 0], [0x80, 0x80, 0x80, 0x80], 0xbf800000],
  ['s8', [52, 17], [0x81, 0x80, 0x81, 0x81], 0xbf800000],
  ['s16', [124, 0], [0x8000, 0x8001, 0x8000, 0x8001], 0xbf800000],
  ['s16', [238, 54], [0x8001, 0x8000, 0x8001, 0x8001], 0xbf800000],
  ['f16', [134, 0], [0xc9e0, 0x6069, 0xc9e0, 0x6069], 0x43910000],
  ['f16', [157, 63], [0x8cdb, 0xad35, 0xb6e4, 0x3661], 0xbc8d2000],
  ['f16', [117, 140], [0x6efe, 0x1b02, 0xcc29, 0xd81e], 0x44d78000],
  ['f16', [66, 122, 232], [0x1a2c, 0xe50c, 0x17e9, 0x62d6, 0xd31d, 0xae8d, 0xe3a, 0x3aa8], 0xc1c68000],
  ['f16', [214, 197, 254], [0x9604, 0x6c3e, 0x571d, 0x491a, 0xf000, 0xbbc0, 0xc378, 0x140e], 0xc3a04000],
  ['f16', [42, 0, 68], [0x218f, 0x91fe, 0x218f, 0x91fe, 0x1a81, 0x637b, 0x1a81, 0x637b], 0x4224a000],
  ['f16', [100, 196], [0x35a, 0x8a0a, 0x27e, 0x83e6], 0xb71d0000],
  ['f16', [15, 21], [0x9ca, 0x3, 0x2ef, 0x391], 0x3923e000],
  ['f16', [197, 1], [0x8371, 0x828f, 0x80e6, 0x369], 0xb82f4000],
  ['f16', [242, 188, 11], [0x83bb, 0x2f9, 0x3e8, 0xb4d, 0x226, 0x881b, 0x8abd, 0x9c2], 0x392b0000],
  ['f16', [94, 0, 211], [0x8f3, 0x897b, 0x8f3, 0x897b, 0x89f, 0x86a, 0x89f, 0x86a], 0x38fb2000],
  ['f32', [181, 228], [0x40a31a7e, 0xbf0f7db4, 0x1, 0x7fc00000], 0x7fffffff],
  ['f32', [117, 252], [0x7fc00000, 0x411d5822, 0xbe3a73ec, 0x406bed50], 0x7fffffff],
  ['f32', [97, 146], [0x3e7ce988, 0xff7fffff, 0xc0be4130, 0xff800000], 0xff800000],
  ['f32', [211, 92], [0xc08a96c0, 0xff800000, 0x0, 0x401282e7], 0xff800000],
  ['f16', [208, 129], [0xbe7a, 0x7c00, 0x7e00, 0x81f2], 0x7fffe000],
  ['f16', [200, 214], [0xa9f2, 0x7bff, 0xfc00, 0xfe12], 0x7fffe000],
  ['f16', [230, 191], [0xc47d, 0x8000, 0xfc00, 0x7bff], 0xff800000],
  ['f16', [173, 54], [0x3bfa, 0x3c8, 0x7c00, 0x82a8], 0x7f800000],
  ['f32', [127, 119, 197], [0x7fffff, 0x3e22bac4, 0x7fffff, 0x3fd98546, 0x80000000, 0xc156de44, 0xbf0a95f3, 0x7fc00000], 0x7fffffff],
  ['f32', [248, 63, 130], [0xbf3c7b8a, 0xff7fffff, 0xbed4b4a1, 0x7f800001, 0xbf35efce, 0x4088b0fd, 0x3ea83bea, 0xc0626227], 0x7fffffff],
  ['f32', [28, 161, 161], [0x80000001, 0x4016c0a3, 0xc006f30f, 0xc0a4bb75, 0x80000001, 0xbf80b100, 0xbeafade2, 0xff800000], 0xff800000],
  ['f32', [224, 3, 81], [0x4062a1d6, 0x7f800000, 0x40c7d4c4, 0x80000000, 0x1, 0xbe15e858, 0x3ea340b5, 0x80800000], 0x7f800000],
  ['f16', [105, 44, 0], [0xfe12, 0x8001, 0x80, 0x8000, 0xfe12, 0x8001, 0x80, 0x8000], 0x7fffe000],
  ['f16', [253, 219, 0], [0x83ff, 0x7c01, 0x6, 0x0, 0x804d, 0xc93b, 0x8400, 0x7bff], 0x7fffe000],
  ['f16', [72, 74, 38], [0x80a6, 0xfc00, 0xd6, 0xaa91, 0x7660, 0x8001, 0xb5a9, 0x182b], 0xff800000],
  ['f16', [55, 66, 0], [0x780b, 0xf6fd, 0x7665, 0xfc00, 0x780b, 0xf6fd, 0x7665, 0xfc00], 0xff800000],
  ['f32', [136], [0x807fffff, 0x80000001], 0x80000000],
  ['f32', [66], [0x807fffff, 0x80000001], 0x80000000],
  ['f32', [129, 29, 251], [0xbee1466f, 0x413812be, 0xffc12345, 0x7f800000, 0xc0e0efbc, 0xbf68681f, 0x0, 0x41290b8d], 0x7fffffff],
]; // biome-ignore format: a line each

test.each(measured)('%s at %j', (texel, fractions, texels, expected) => {
  const corners = cornersOf(fractions).map(({ sides, weight }) => {
    const index = sides.slice(0, fractions.length).reduce<number>((sum, side, axis) => sum + side * 2 ** axis, 0);
    return { slice: sides[2] ?? 0, bits: texels[index] ?? 0, weight };
  });
  const slices = [0, 1].map((slice) => corners.filter((corner) => corner.slice === slice));
  expect(blend(texel, slices).toString(16)).toBe(expected.toString(16));
});

test('weights sum to 256', () => {
  for (let x = 0; x < 256; x += 5) {
    for (let y = 0; y < 256; y += 3) {
      for (const fractions of [[x], [x, y], [x, y, (x * 7 + y) % 256]]) {
        expect(cornersOf(fractions).reduce((sum, { weight }) => sum + weight, 0)).toBe(256);
      }
    }
  }
});

test.each([
  [0x7cdf, 0x7f9be000],
  [0x7d50, 0x7faa0000],
  [0xffb7, 0xfff6e000],
  [0xfc7f, 0xff8fe000],
])('a NaN of f16, %i, keeps its sign and payload', (bits, expected) => {
  const image: Image = { texel: 'f16', channels: 1, size: [1] };
  expect(componentWord(image, bits)).toBe(expected);
});

// Returns a texture for the tests of `tld4` and of integer coordinates outside the texture.
const texture = (texel: TexelType, size: Image['size'], more: Partial<Image> = {}): Image => ({
  texel,
  channels: 1,
  size,
  sampling: {
    filter: 'point',
    address: ['clamp', 'clamp', 'clamp'],
    normalizedCoordinates: false,
    normalizedReads: texel === 's8' || texel === 's16',
    border: [0, 0, 0, 0],
  },
  ...more,
});

test.each<readonly [TexelType, number, number]>([
  ['s8', 1, 0x3c010102],
  ['s8', 0x7e, 0x3f7dfbfc],
  ['s8', 0x41, 0x3f030706],
  ['s8', 0xff, 0xbc010102],
  ['s8', 0xfc, 0xbd010102],
  ['s8', 0xb8, 0xbf112322],
  ['s8', 0x80, 0xbf800000],
  ['s16', 0x8001, 0xbf800000],
  ['u16', 0x8001, 0x8001],
  ['f16', 0x7d50, 0x7fffe000],
  ['f16', 0xfc7f, 0x7fffe000],
  ['f16', 0xfc00, 0xff800000],
  ['f16', 0x8001, 0xb3800000],
])('four texels of %s, %i, are %i', (texel, bits, expected) => {
  const found = gather(texture(texel, [1, 1]), () => [bits, 0, 0, 0], '2d', [0x3f000000, 0x3f000000], 0);
  expect(found).toEqual([expected, expected, expected, expected]);
});

test.each<readonly [string, Image, readonly number[], number]>([
  ['1d', texture('u32', [4]), [1], 0],
  ['1d', texture('u32', [4], { linear: true }), [1], 7],
  ['1d', texture('u32', [4], { linear: true }), [4], 0],
  ['a1d', texture('u32', [4], { layers: 2 }), [0, 1], 7],
  ['a1d', texture('u32', [4], { layers: 2 }), [2, 1], 0],
  ['a1d', texture('u32', [4], { layers: 2 }), [0x8000_0000, 1], 0],
  ['2d', texture('u32', [4, 2]), [3, 1], 7],
  ['2d', texture('u32', [4, 2]), [0xffff_ffff, 1], 0],
  ['a2d', texture('u32', [4, 2], { layers: 2 }), [1, 3, 1], 7],
  ['a2d', texture('u32', [4, 2], { layers: 2 }), [2, 3, 1], 0],
  ['3d', texture('u32', [4, 2, 2]), [3, 1, 1], 7],
])('%s by integers, %j at %j: %i', (geom, image, at, expected) => {
  expect(lookUp(image, () => [7, 0, 0, 0], { geom, isInteger: true }, at)[0]).toBe(expected);
});

// H200 lookups with a level read the nearest texel in the nearest layer. They return zeros for
// levels other than 0 and for 1D textures without layers, unless the texture is in linear memory.
test.each<readonly [string, Image, readonly number[], number, readonly number[] | undefined]>([
  ['1d', texture('u32', [4]), [1], 0, undefined],
  ['1d', texture('u32', [4], { linear: true }), [0x8000_0000], 0, [0, 0, 0, 0]],
  ['1d', texture('u32', [4], { linear: true }), [9], 300, [3, 0, 0, 0]],
  ['a1d', texture('u32', [4], { layers: 2 }), [0xffff_ffff, 1], 0, [1, 0, 0, 1]],
  ['a1d', texture('u32', [4], { layers: 2 }), [0, 1], 1, undefined],
  ['2d', texture('u32', [4, 2]), [0xffff_ffff, 5], 0, [0, 1, 0, 0]],
  ['2d', texture('u32', [4, 2]), [3, 1], 0xffff_ffff, undefined],
  ['a2d', texture('u32', [4, 2], { layers: 2 }), [7, 3, 0xffff_fff0], 0, [3, 0, 0, 1]],
  ['3d', texture('u32', [4, 2, 2]), [3, 9, 0x8000_0000], 0, [3, 1, 0, 0]],
])('%s by integers, %j at %j, level %i: the texel %j', (geom, image, at, level, expected) => {
  const number = (x: number, y: number, z: number, layer: number) => 1 + x + 16 * (y + 16 * (z + 16 * layer));
  const texels = (x: number, y: number, z: number, layer: number) => [number(x, y, z, layer), 0, 0, 0];
  const [x = 0, y = 0, z = 0, layer = 0] = expected ?? [];
  const found = lookUp(image, texels, { geom, isInteger: true, level }, at)[0];
  expect(found).toBe(expected === undefined ? 0 : number(x, y, z, layer));
});

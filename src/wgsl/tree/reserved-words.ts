// The names that a program must not declare: words that WGSL reserves, and predeclared names, which
// the program's declarations would hide.

const words = (text: string): readonly string[] => text.split(' ');

/** Keywords and reserved words, which are not valid identifiers. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...words(
    'alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override',
  ),
  ...words('requires return struct switch true var while'),
  ...words(
    'NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await',
  ),
  ...words(
    'co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate',
  ),
  ...words(
    'debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter',
  ),
  ...words(
    'final finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout lowp',
  ),
  ...words(
    'macro macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation',
  ),
  ...words(
    'non_coherent noncoherent noperspective null nullptr of operator package packoffset partial pass patch pixelfragment precise',
  ),
  ...words(
    'precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require resource restrict self',
  ),
  ...words(
    'set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw',
  ),
  ...words(
    'trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where',
  ),
  ...words('with writeonly yield'),
]);

/**
 * Types, functions and enumerants that WGSL predeclares. A program that declares such a name cannot
 * use the predeclared meaning.
 */
export const predeclared: ReadonlySet<string> = new Set([
  ...words('array atomic bool f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 ptr vec2 vec3 vec4 sampler sampler_comparison'),
  ...words(
    'mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 mat2x2f mat2x3f mat2x4f mat3x2f mat3x3f mat3x4f mat4x2f mat4x3f',
  ),
  ...words('mat4x4f mat2x2h mat2x3h mat2x4h mat3x2h mat3x3h mat3x4h mat4x2h mat4x3h mat4x4h'),
  ...words('vec2i vec3i vec4i vec2u vec3u vec4u vec2f vec3f vec4f vec2h vec3h vec4h'),
  ...words(
    'texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d texture_external',
  ),
  ...words(
    'texture_depth_2d texture_depth_2d_array texture_depth_cube texture_depth_cube_array texture_depth_multisampled_2d',
  ),
  ...words('texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d'),
  ...words('subgroup_matrix_left subgroup_matrix_right subgroup_matrix_result binding_array acceleration_structure'),
  ...words(
    'read write read_write function private workgroup uniform storage immediate push_constant handle pixel_local row_major col_major',
  ),
  ...words(
    'bitcast all any select arrayLength abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh countLeadingZeros countOneBits',
  ),
  ...words(
    'countTrailingZeros cross degrees determinant distance dot dot4U8Packed dot4I8Packed exp exp2 extractBits faceForward',
  ),
  ...words(
    'firstLeadingBit firstTrailingBit floor fma fract frexp insertBits inverse inverseSqrt ldexp length log log2 max min mix modf normalize',
  ),
  ...words(
    'outerProduct pow quantizeToF16 radians reflect refract reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh transpose',
  ),
  ...words('trunc dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine'),
  ...words(
    'textureDimensions textureGather textureGatherCompare textureLoad textureNumLayers textureNumLevels textureNumSamples textureSample',
  ),
  ...words('textureSampleBias textureSampleCompare textureSampleCompareLevel textureSampleGrad textureSampleLevel'),
  ...words('textureSampleBaseClampToEdge textureStore'),
  ...words(
    'atomicLoad atomicStore atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange',
  ),
  ...words('atomicCompareExchangeWeak atomicStoreMax atomicStoreMin'),
  ...words(
    'pack4x8snorm pack4x8unorm pack4xI8 pack4xU8 pack4xI8Clamp pack4xU8Clamp pack2x16snorm pack2x16unorm pack2x16float',
  ),
  ...words('unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 unpack2x16snorm unpack2x16unorm unpack2x16float'),
  ...words('storageBarrier textureBarrier workgroupBarrier subgroupBarrier workgroupUniformLoad'),
  ...words(
    'subgroupAdd subgroupExclusiveAdd subgroupInclusiveAdd subgroupAll subgroupAnd subgroupAny subgroupBallot subgroupBroadcast',
  ),
  ...words(
    'subgroupBroadcastFirst subgroupElect subgroupMax subgroupMin subgroupMul subgroupExclusiveMul subgroupInclusiveMul subgroupOr',
  ),
  ...words('subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor subgroupXor'),
  ...words('subgroupMatrixLoad subgroupMatrixStore subgroupMatrixMultiply subgroupMatrixMultiplyAccumulate'),
  ...words('subgroupMatrixScalarAdd subgroupMatrixScalarSubtract subgroupMatrixScalarMultiply'),
  ...words('quadBroadcast quadSwapDiagonal quadSwapX quadSwapY'),
]);

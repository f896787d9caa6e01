// Kernels of one texture or surface instruction. Each lane reads its operands from `in` and stores
// its results to `out`.
import { type Image, imageBytes } from '../../src/base/image.ts';
import type { BufferParam, Launch } from '../../src/base/launch.ts';

export interface ImageKernel {
  /**
   * The number of words of `in` per lane. The registers `%c0`, `%c1`, … contain these words, and
   * `%w0`, … contain them as 64 bits.
   */
  readonly inputs: number;
  /**
   * The kind of each result: 32 bits (`d`), a float (`f`), 64 bits (`q`) or 16 bits (`h`). Result 1
   * of kind `f` is in `%f1`.
   */
  readonly results: readonly ('d' | 'f' | 'q' | 'h')[];
  /** The instructions. `[%image` is replaced by the texture or surface. */
  readonly body: string;
}

const register = { d: 'b32', f: 'f32', q: 'b64', h: 'b16' } as const;
const bytes = { d: 4, f: 4, q: 8, h: 2 } as const;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

function imageKernelText({ inputs, results, body }: ImageKernel): string {
  const stride = results.reduce((sum, kind) => sum + Math.max(bytes[kind], 4), 0);
  let at = 0;
  const stores = results.map((kind, index) => {
    const line = `st.global.${register[kind]} [%out+${at}], %${kind}${index};`;
    at += Math.max(bytes[kind], 4);
    return line;
  });
  return `.version 8.1
.target sm_90
.address_size 64
.global .texref texture_variable;
.global .surfref surface_variable;
.visible .entry one(.param .u64 in, .param .u64 out, .param .u64 image)
{
  .reg .b32 %c<8>, %d<8>, %lane; .reg .f32 %x<8>, %f<8>; .reg .b64 %w<8>, %q<8>, %in, %out, %image, %at; .reg .b16 %h<8>; .reg .pred %p<4>;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u64 %image, [image];
  mov.u32 %lane, %tid.x;
  mad.wide.u32 %in, %lane, ${4 * inputs}, %in;
  mad.wide.u32 %out, %lane, ${Math.max(stride, 4)}, %out;
  ${numbers(inputs)
    .map(
      (index) =>
        `ld.global.b32 %c${index}, [%in+${4 * index}]; mov.b32 %x${index}, %c${index}; cvt.u64.u32 %w${index}, %c${index};`,
    )
    .join('\n  ')}
  ${body}
  ${stores.join('\n  ')}
  ret;
}
`;
}

export interface ImageLaunch extends ImageKernel {
  readonly image: Image;
  readonly data: Uint8Array;
  /** The inputs by lane, `inputs` words each. */
  readonly words: Uint32Array;
}

/** Returns a launch of one block with a thread for each set of inputs. */
export function imageLaunch(id: string, launch: ImageLaunch): Launch {
  const { image, data, words, inputs, results } = launch;
  const threads = words.length / inputs;
  const stride = results.reduce((sum, kind) => sum + Math.max(bytes[kind], 4), 0);
  const buffer = (name: string, size: number, contents?: Uint8Array): BufferParam => ({
    name,
    kind: 'buffer',
    type: 'u32',
    bytes: size,
    ...(contents === undefined ? {} : { data: contents }),
  });
  const handle: BufferParam = { name: 'image', kind: 'buffer', type: 'u8', bytes: imageBytes(image), data, image };
  return {
    id,
    group: '',
    ptx: imageKernelText(launch),
    ptxFile: 'image.ptx',
    entry: 'one',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [
      buffer('in', words.byteLength, new Uint8Array(words.buffer)),
      buffer('out', Math.max(stride, 4) * threads),
      handle,
    ],
  };
}

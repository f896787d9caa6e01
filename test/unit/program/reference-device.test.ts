// The reference as the device of a program: memory that outlives launches.
import { expect, test } from 'vitest';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import { hostBase } from '../../../src/program/device/program-device.ts';
import { ReferenceDevice } from '../../../src/program/device/reference-device.ts';

/** Adds the constant `c` and the variable `sum` to the word at the address in the first parameter. */
const text = (first: number): string => `.version 8.0
.target sm_80
.address_size 64
.const .align 4 .u32 c = ${first};
.global .align 4 .u32 sum = 100;
.global .align 4 .u32 place[1] = {generic(sum)};
.visible .entry k(.param .u64 .ptr .align 1 k_param_0, .param .u32 k_param_1)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd0, [k_param_0];
	ld.param.u32 %r0, [k_param_1];
	ld.const.u32 %r1, [c];
	ld.global.u32 %rd1, [place];
	atom.global.add.u32 %r2, [%rd1], %r0;
	add.u32 %r3, %r1, %r2;
	st.global.u32 [%rd0], %r3;
	ret;
}
`;

const bytes = (size: 4 | 8, value: number): Uint8Array => {
  const data = new Uint8Array(size);
  new DataView(data.buffer).setUint32(0, value, true);
  return data;
};

async function open() {
  const warnings: string[] = [];
  const device = new ReferenceDevice(
    () => undefined,
    (text) => warnings.push(text),
  );
  await device.load([parseModule(text(1), 'a.ptx'), parseModule(text(2), 'b.ptx')]);
  const launch = (module: number, address: number, value: number) =>
    device.launch({
      module,
      kernel: 'k',
      grid: [1, 1, 1],
      block: [1, 1, 1],
      sharedBytes: 0,
      cooperative: false,
      parameters: [bytes(8, address), bytes(4, value)],
    });
  const word = async (address: number) => {
    const data = new Uint8Array(4);
    await device.read(address, data);
    return new DataView(data.buffer).getUint32(0, true);
  };
  return { device, launch, word, warnings };
}

test('variables and allocations keep their contents between launches, by module', async () => {
  const { device, launch, word } = await open();
  const address = device.alloc(8);
  expect(address).toBeLessThan(hostBase);
  launch(0, address, 5);
  expect(await word(address)).toBe(101);
  launch(0, address + 4, 5);
  expect(await word(address + 4)).toBe(106);
  launch(1, address, 5);
  expect(await word(address)).toBe(102);
  expect(await word(device.symbol(0, 'sum').address)).toBe(110);
  expect(await word(device.symbol(1, 'sum').address)).toBe(105);
});

test('the host writes constants of each module', async () => {
  const { device, launch, word } = await open();
  const address = device.alloc(4);
  device.write(device.symbol(1, 'c').address, bytes(4, 40));
  launch(0, address, 0);
  expect(await word(address)).toBe(101);
  launch(1, address, 0);
  expect(await word(address)).toBe(140);
  expect(() => device.symbol(0, 'd')).toThrow('no variable d');
});

test('freed and foreign addresses are errors', async () => {
  const { device, launch, warnings } = await open();
  const address = device.alloc(4);
  expect(() => device.write(address, new Uint8Array(5))).toThrow('no memory of 5 bytes');
  device.free(address);
  expect(() => device.free(address)).toThrow('not an allocation');
  expect(() => device.fill(address, 0, 4)).toThrow('no memory of 4 bytes');
  expect(() => launch(0, address, 1)).toThrow(expect.objectContaining({ code: 700 }));
  expect(warnings.join()).toContain('RUN008');
  expect(() => device.alloc(hostBase)).toThrow('out of memory');
});

const textured = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u64 .ptr .align 4 k_param_1)
{
	.reg .b32 %r<5>;
	.reg .f32 %f<2>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd0, [k_param_0];
	ld.param.u64 %rd1, [k_param_1];
	mov.f32 %f0, 0f3FC00000;
	tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f0}];
	st.global.u32 [%rd1], %r0;
	ret;
}
`;

test('a texture has the texels after its header, and frees them with the header', async () => {
  const device = new ReferenceDevice(
    () => undefined,
    () => undefined,
  );
  await device.load([parseModule(textured, 'a.ptx')]);
  // Two rows of two words, with gaps of one word.
  const [texture, to] = [device.alloc(64 + 24), device.alloc(4)];
  device.write(
    texture + 64,
    Uint8Array.from({ length: 24 }, (_, index) => index),
  );
  const address = ['clamp', 'clamp', 'clamp'] as const;
  const sampling = { filter: 'point', address, normalizedCoordinates: false, normalizedReads: false } as const;
  const image = { texel: 'u32', channels: 1, size: [2, 2], pitch: 12 } as const;
  device.bindImage(texture, { ...image, sampling: { ...sampling, border: [0, 0, 0, 0] } });
  device.launch({
    module: 0,
    kernel: 'k',
    grid: [1, 1, 1],
    block: [1, 1, 1],
    sharedBytes: 0,
    cooperative: false,
    parameters: [bytes(8, texture), bytes(8, to)],
  });
  const word = new Uint8Array(4);
  await device.read(to, word);
  expect([...word]).toEqual([16, 17, 18, 19]);
  device.free(texture);
  expect(device.alloc(64 + 24)).toBe(texture);
});

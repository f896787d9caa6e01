// Launches of clusters of several blocks.
import { expect, test } from 'vitest';
import { kernelText } from '../cpu-ref/interpreter/interpreter-support.ts';
import { onEachPlatform } from './fake-runtime.ts';

/** Each thread stores the number of the same thread in the other block of its cluster of two. */
const exchange = kernelText(
  `mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 1; shl.b32 %r1, %r1, 2; mov.u32 %r3, cells; add.u32 %r3, %r3, %r1;
st.shared.u32 [%r3], %r0; barrier.cluster.arrive; barrier.cluster.wait; mapa.shared::cluster.u32 %r3, %r3, %r2; ld.shared::cluster.u32 %r4, [%r3]; st.global.u32 [%rd1], %r4;
barrier.cluster.arrive; barrier.cluster.wait;`,
  { module: '.shared .b32 cells[32];' },
);

onEachPlatform('clusters', (fake) => {
  test('have the size that the launch sets', async () => {
    const kernel = (await fake.rt.load(exchange)).kernel('k');
    using out = fake.rt.alloc(4 * 128);
    kernel.launch({ grid: 4, block: 32, cluster: 2 }, [out]);
    expect([...(await out.read(Uint32Array))]).toEqual(Array.from({ length: 128 }, (_, thread) => thread ^ 32));
    expect(() => kernel.launch({ grid: 3, block: 32, cluster: 2 }, [out])).toThrow(
      'a grid of 3 x 1 x 1 blocks is not a multiple of its clusters',
    );
  });
});

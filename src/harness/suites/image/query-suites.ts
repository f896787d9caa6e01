// The suites of queries: the result of each query for a texture or surface of every geometry.

import { type Image, imageBytes, type Sampling } from '../../../base/image.ts';
import type { BufferParam } from '../../../base/launch.ts';
import { queryImage } from '../../../cpu-ref/image/query.ts';
import { type IsaRow, type Mods, textureRows } from '../../../isa/index.ts';
import { type Geometry, launchOf, launchThreads, outputBuffer } from '../geometry.ts';
import { moduleText } from '../module-text.ts';
import { anyInstructionText, modChoices, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, everyDefined, type Slot, type Suite, type SuiteGroup } from '../types.ts';
import { textureShapes } from './texture-forms.ts';

interface QuerySuite extends Suite {
  readonly isaRow: IsaRow;
  readonly modifiers: Mods;
  readonly image: Image;
}

const sampling: Sampling = {
  filter: 'point',
  address: ['clamp', 'clamp', 'clamp'],
  normalizedCoordinates: false,
  normalizedReads: false,
  border: [0, 0, 0, 0],
};

/** Returns the groups for textures and for surfaces, with one buffer for each geometry. */
export function querySuiteGroups(): SuiteGroup[] {
  const rows: readonly IsaRow[] = textureRows;
  return ['txq', 'suq'].map((name): SuiteGroup => {
    const suites = rows
      .filter((row) => row.name === name || row.name.startsWith(`${name}.`))
      .flatMap((isaRow) => modChoices(isaRow).flatMap((modifiers) => suitesOf(isaRow, modifiers, name === 'txq')));
    return {
      suites,
      blockWarps: 1,
      warps: { sample: 1, exhaustive: 1 },
      launchWarps: 1,
      build: (choice) => buildBatch(suites, choice),
    };
  });
}

function suitesOf(isaRow: IsaRow, modifiers: Mods, isTexture: boolean): QuerySuite[] {
  const mods = modsText(isaRow, modifiers);
  return Object.entries(textureShapes).map(([geom, shape]): QuerySuite => {
    const image: Image = { texel: 'u16', channels: 2, ...shape, ...(isTexture ? { sampling } : {}) };
    return {
      id: suiteId(isaRow.name, mods, geom),
      row: isaRow.name,
      mods,
      form: geom,
      variants: 1,
      isaRow,
      modifiers,
      image,
    };
  });
}

const textOf = ({ isaRow, modifiers, form }: QuerySuite): string =>
  anyInstructionText(isaRow, modifiers, { d: '%d', a: `[%image_${form}]`, lod: '0' });

function buildBatch(suites: readonly QuerySuite[], { ids, firstWarp, warps }: Choice): Batch {
  const chosen = suites.filter(({ id }) => ids.has(id));
  const geometry: Geometry = { block: [32, 1, 1], firstWarp, warps };
  const threads = launchThreads(geometry);
  const images = new Map(chosen.map(({ form, image }) => [form, image]));
  const params = [...images].map(([form, image]): BufferParam => {
    return { name: `image_${form}`, kind: 'buffer', type: 'u8', bytes: imageBytes(image), image };
  });
  return {
    launch: launchOf(chosen[0]?.row ?? '', kernelText(chosen, [...images.keys()]), geometry, [
      outputBuffer('out', threads * chosen.length),
      ...params,
    ]),
    geometry,
    slots: chosen.map(
      (suite, offset): Slot => ({
        suite,
        variant: 0,
        instruction: `${textOf(suite)};`,
        result: 'd',
        param: 0,
        stride: chosen.length,
        offset,
        expected: new Uint32Array(threads).fill(queryImage(suite.image, suite.modifiers.query ?? '')),
        state: everyDefined(threads),
      }),
    ),
    describe: ({ suite }) => ({ geometry: suite.form }),
  };
}

function kernelText(suites: readonly QuerySuite[], geometries: readonly string[]): string {
  const body = [
    `.reg .b64 %out, ${geometries.map((geom) => `%image_${geom}`).join(', ')};`,
    '.reg .b32 %thread, %d;',
    'mov.u32 %thread, %tid.x;',
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %out, %out;',
    `mad.wide.u32 %out, %thread, ${4 * suites.length}, %out;`,
    ...geometries.map((geom) => `ld.param.u64 %image_${geom}, [p_${geom}];`),
    ...suites.flatMap((suite, index) => [`${textOf(suite)};`, `st.global.b32 [%out+${4 * index}], %d;`]),
    'ret;',
  ];
  const names = ['p_out', ...geometries.map((geom) => `p_${geom}`)];
  return moduleText(names.map((name) => `.param .u64 ${name}`).join(', '), body, { version: '7.8', target: 'sm_80' });
}

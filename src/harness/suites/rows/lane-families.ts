// The families of lane instructions, all of which have suites.
import { getOrInsert } from '../../../base/maps.ts';
import {
  doubleRows,
  floatPairRows,
  floatRows,
  halfConvertRows,
  halfRows,
  integerRows,
  packedIntegerRows,
  selectRows,
  smallFloatRows,
  videoRows,
} from '../../../isa/index.ts';
import type { SuiteGroup } from '../types.ts';
import { type LaneFamily, laneSuiteGroups } from './lane-suites.ts';

const isMixed = ({ name }: { readonly name: string }): boolean => name.endsWith('.f32.half');

/** Whether a row is of 8-bit types, which are the only ones that sm_90 supports. */
const isOfBytes = ({ name }: { readonly name: string }): boolean => name.includes('f8x2');

const families: readonly LaneFamily[] = [
  {
    rows: [...integerRows, ...floatRows, ...selectRows],
    platform: { version: '8.2', target: 'sm_90' },
    kernelSuites: 32,
    exhaustiveWarps: 512,
  },
  // f64 arithmetic needs much code, so its kernels have few suites.
  { rows: doubleRows, platform: { version: '6.0', target: 'sm_70' }, kernelSuites: 12, exhaustiveWarps: 4096 },
  {
    rows: [...halfRows.filter((row) => !isMixed(row)), ...halfConvertRows],
    platform: { version: '8.1', target: 'sm_90' },
    kernelSuites: 32,
    exhaustiveWarps: 512,
  },
  {
    rows: halfRows.filter(isMixed),
    platform: { version: '8.6', target: 'sm_100' },
    kernelSuites: 32,
    exhaustiveWarps: 512,
  },
  {
    rows: [...packedIntegerRows, ...videoRows, ...smallFloatRows.filter(isOfBytes)],
    platform: { version: '8.1', target: 'sm_90' },
    kernelSuites: 32,
    exhaustiveWarps: 512,
  },
  {
    rows: [...smallFloatRows.filter((row) => !isOfBytes(row)), ...floatPairRows],
    platform: { version: '8.6', target: 'sm_100a' },
    kernelSuites: 32,
    exhaustiveWarps: 512,
  },
];

const groupsOfFamilies = new Map<LaneFamily, readonly SuiteGroup[]>();

/**
 * Returns the groups of the families that have a row with a name for which `isWanted` returns true.
 * The groups of a family are cached, because building them is slow.
 */
export const laneFamilyGroups = (isWanted: (row: string) => boolean): SuiteGroup[] =>
  families
    .filter(({ rows }) => rows.some(({ name }) => isWanted(name)))
    .flatMap((family) => getOrInsert(groupsOfFamilies, family, () => laneSuiteGroups(family)));

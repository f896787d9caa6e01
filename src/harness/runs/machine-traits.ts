// Reads the traits of a machine from a document. Traits are properties on which results may depend.

import { fieldsOf } from '../../base/json-value.ts';

export const traitNames = [
  'vendor',
  'architecture',
  'device',
  'driver',
  'browser',
  'browser version',
  'system',
  'subgroup size',
  'lane plan',
] as const;
export type TraitName = (typeof traitNames)[number];

/** The known traits, in the order of `traitNames`. */
export type Traits = ReadonlyMap<TraitName, string>;

/** Returns the traits in a document's result. */
export function traitsOf(result: unknown): Traits {
  const { adapter, lanePlan } = fieldsOf(result);
  const { vendor, architecture, device, description, subgroupSize, host } = fieldsOf(adapter);
  // Examples: `chrome/156.0.8078.79 linux`, `HeadlessChrome/156.0.8078.79`, `Dawn (webgpu 0.6.2),
  // Node 20.20.2`, `CUDA 13.0, driver 580.159.04`
  const text = typeof host === 'string' ? host : '';
  const [, browser = text, version, system] = /^([A-Za-z][\w.-]*)\/([\d.]+)(?: (.+))?$/.exec(text) ?? [];
  const values: Readonly<Record<TraitName, unknown>> = {
    vendor,
    architecture,
    device,
    driver: description,
    browser,
    'browser version': version && `${browser} ${version}`,
    system,
    'subgroup size': subgroupSize,
    'lane plan': lanePlan,
  };
  const known = traitNames.flatMap((name): [TraitName, string][] => {
    const value = values[name];
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? [[name, String(value)]] : [];
  });
  return new Map(known);
}

// Measures a device once, with the probes of the pre-flight that the shaders of a built module
// depend on.

import { driverOf } from '../../base/adapter-facts.ts';
import { choosePlan, type LanePlan } from '../../base/lane-plan.ts';
import { floatStrengths, strengthBit } from '../../base/strengths.ts';
import { probeFloats } from '../preflight/floats.ts';
import { probeSubgroups } from '../preflight/subgroups.ts';
import { probeRunner } from './probe-runner.ts';

/** The measurements of a device. `size` has the same meaning as in `BuiltShader`. */
export interface Measured {
  readonly size: number;
  readonly strengths: number;
}

/** Measures a device. A module has only the measurements that its shaders depend on. */
export type Measure = (device: GPUDevice) => Promise<Measured>;

export const measureDriver: Measure = async (device) => {
  const { vendor = '', architecture = '', device: name = '', description = '' } = device.adapterInfo ?? {};
  const driver = driverOf({ vendor, architecture, device: name, description, host: '' });
  return { size: 0, strengths: driver === undefined || driver === 'nvidia' ? 0 : strengthBit('otherDriver') };
};

export const measureFloats: Measure = async (device) => {
  const { size, strengths } = await measureDriver(device);
  return { size, strengths: strengths | floatStrengths(await probeFloats(probeRunner(device))) };
};

export const measureSubgroups: Measure = async (device) => withSubgroups(device, await measureDriver(device));

export const measureAll: Measure = async (device) => withSubgroups(device, await measureFloats(device));

async function withSubgroups(device: GPUDevice, { strengths }: Measured): Promise<Measured> {
  if (!device.features.has('subgroups')) return { size: 0, strengths };
  const plan = choosePlan(await probeSubgroups(probeRunner(device)));
  return { size: sizeOf(plan), strengths: strengths | (plan.subgroupId ? strengthBit('subgroupId') : 0) };
}

/** Returns the `size` of a plan's shaders. */
const sizeOf = ({ kind, subgroupSize, sizeControl }: LanePlan): number =>
  kind === 'portable' ? 0 : sizeControl ? -subgroupSize : subgroupSize;

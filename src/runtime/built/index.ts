// The code of built modules that all kernels share: `lanewise build` copies it into its module, and
// the output of the bundler plug-ins imports it.

export type { BuiltData } from './data.ts';
export { openBuilt } from './launcher.ts';
export { type Measure, type Measured, measureAll, measureDriver, measureFloats, measureSubgroups } from './measure.ts';

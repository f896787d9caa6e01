// Kernels whose names differ on the host, because an argument of their template is a lambda of `main`.
import { expect, test } from 'vitest';
import { deviceNameOf } from '../../../src/program/host/cuda/kernel-names.ts';

// Clang's names of `template <int n, class F, class A, class I, class O> __global__ void k(int, F, A, I, O)`.
const host = '_Z1kILi2EZ4mainiPPcEUlffffE_5ArrayIS0_Li6EE6OffsetILi4EjES5_ILi2EjEEviT0_T1_T2_T3_';
const device = '_Z1kILi2EZ4mainEUlffffE_5ArrayIPcLi6EE6OffsetILi4EjES4_ILi2EjEEviT0_T1_T2_T3_';
const kernels = (...names: readonly string[]): ReadonlyMap<string, unknown> => new Map(names.map((name) => [name, {}]));

test('a kernel with a lambda of main has another name on the device', () => {
  const others = ['_Z1kv', device.replace('UlffffE_', 'UlffffE0_'), device.replace('Li2E', 'Li3E')];
  expect(deviceNameOf(kernels(...others, device), host)).toBe(device);
  expect(deviceNameOf(kernels(...others), host)).toBeUndefined();
});

test('other kernels have the same name, and names that cannot be told apart are not found', () => {
  expect(deviceNameOf(kernels('_Z1kv', device), '_Z1kv')).toBe('_Z1kv');
  expect(deviceNameOf(kernels(device), '_Z1xv')).toBeUndefined();
  expect(deviceNameOf(kernels(device, device.replace('S4_', 'S3_')), host)).toBeUndefined();
});

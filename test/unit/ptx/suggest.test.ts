// Suggestions: names that continue or contain the typed text come before names that only look like
// it.
import { expect, test } from 'vitest';
import { nearest, nearestAll } from '../../../src/ptx/index.ts';

test.each([
  ['redux', ['tex', 'red', 'redux.sync'], 'redux.sync'],
  ['redux', ['redux.sync.f32', 'redux.sync'], 'redux.sync'],
  ['sync', ['sinc', 'shfl.sync', 'sync.warp'], 'sync.warp'],
  ['sync', ['sinc', 'shfl.sync'], 'shfl.sync'],
  ['saxp', ['saxy', 'saxpy'], 'saxpy'],
  // No part of `resync` is `sync`.
  ['sync', ['resync', 'synk'], 'synk'],
  ['shfl.sinc', ['vote.sync', 'shfl.sync'], 'shfl.sync'],
  ['REDUX', ['redux.sync'], 'redux.sync'],
  ['xy', ['xyz'], undefined],
  ['nothing', ['redux.sync', 'tex'], undefined],
])('%s of %j: %s', (name, candidates, expected) => {
  expect(nearest(name, candidates)).toBe(expected);
});

test('nearestAll returns the best of a list, at any distance', () => {
  expect(nearestAll('redux', ['tex', 'vote.sync', 'redux.sync.f32', 'redux.sync'], 2)).toEqual([
    'redux.sync',
    'redux.sync.f32',
  ]);
});

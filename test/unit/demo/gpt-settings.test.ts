// Links to a training: a written setting is read back, and a missing one has its default.
import { expect, test } from 'vitest';
import { firstSettings, hashOf, type Settings, settingsOf, withRate } from '../../../demo/gpt/settings.ts';

test('a link holds all settings', () => {
  const goal = { step: 400, bits: '4012ab9f' };
  const all: Settings = { size: 'medium', float: 'fast', matrices: 'f16', seed: 77, rates: firstSettings.rates, goal };
  const changed: Settings = { ...withRate(withRate(all, 120, 0.0005), 300, 0.0001), goal };
  for (const settings of [firstSettings, all, changed]) expect(settingsOf(`#${hashOf(settings)}`)).toEqual(settings);
});

test('a rate that is changed at a step replaces the later rates', () => {
  const twice = withRate(withRate(withRate(firstSettings, 50, 0.001), 90, 0.003), 50, 0.004);
  expect(twice.rates).toEqual([...firstSettings.rates, { after: 50, rate: 0.004 }]);
});

test.each([
  '',
  '#',
  '#size=huge&float=exactly&seed=-1&rates=&loss=',
  '#size=__proto__&seed=1e9&rates=5:0.001&loss=0:00000000',
  '#rates=0:1&loss=1:xyz',
  '#rates=0:0.001,0:0.002&loss=9999999:00000000',
  '#rates=0:NaN',
  `#rates=${'0:0.001,'.repeat(100_000)}`,
])('of %s is ignored', (hash) => expect(settingsOf(hash)).toEqual(firstSettings));

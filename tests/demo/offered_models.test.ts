import { expect, test } from '@jest/globals';
import {
  firstOf,
  multilingualOf,
  type OfferedModel,
} from '../../web/demo/models/offered_models.js';
import { convertedName } from '../../web/demo/models/own_models.js';
import type { ModelInfo } from '../../web/src/index.js';

const digits = { name: 'digits.apr', file: 'digits.apr', sample: 's', knowsDigitsAlone: true };
const module = { name: 'vad.tsm', file: 'vad.tsm', sample: 's', isModule: true };
const tiny: OfferedModel = { name: 'tiny.en', hub: 'tiny.en', sample: 's' };
const page = [digits, module];

test.each([
  ['nothing that writes down speech: asks', [...page, tiny], undefined, undefined],
  ['the ten-word model only if it was chosen', page, 'page:digits.apr', digits],
  ['a model beside the page', [...page, { name: 'a', file: 'a.apr', sample: 's' }], undefined, 'a'],
  ['one that was chosen but is not here any more: asks', [...page, tiny], 'hub:tiny.en', undefined],
  [
    'one whose download was cut short',
    [...page, { ...tiny, isBegun: true }],
    'hub:tiny.en',
    'tiny.en',
  ],
  [
    'one of which a part is here, and nobody wants it now: asks',
    [{ ...tiny, isBegun: true }],
    undefined,
    undefined,
  ],
])('a visit begins with %s', (_what, models, remembered, wanted) => {
  const name = typeof wanted === 'object' ? wanted.name : wanted;
  expect(firstOf(models, remembered)?.name).toBe(name);
});

const hub = (name: string): OfferedModel => ({ name, hub: name, sample: 's' });
const ofHub = ['tiny.en', 'tiny', 'base', 'small'].map(hub);
const kept = { ...hub('tiny'), file: 'tiny.apr' };

test.each([
  ['tiny.en', ofHub, 'base'],
  ['small.en', ofHub, 'small'],
  ['tiny.en (from model.bin)', ofHub, 'base'],
  ['small.en', [...page, ...ofHub, kept], 'tiny'],
  ['tiny.en', page, undefined],
])('for other languages than %s knows', (englishModel, models, wanted) => {
  expect(multilingualOf(models, englishModel)?.name).toBe(wanted);
});

test.each([
  [4, false, 'tiny.en (from model.bin)'],
  [6, true, 'base (from model.bin)'],
  [32, true, 'large (from model.bin)'],
  [5, true, 'model (from model.bin)'],
  [undefined, false, 'model (from model.bin)'],
])(
  'a converted model of %s layers, multilingual: %s, is called %s',
  (layers, multilingual, name) => {
    const dims = layers === undefined ? undefined : { nAudioLayer: layers };
    expect(convertedName({ dims, multilingual } as unknown as ModelInfo, 'model.bin')).toBe(name);
  },
);

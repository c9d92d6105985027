import { expect, test } from '@jest/globals';
import { otherFamilyOf } from '../../web/tools/convert/file_names.js';

test.each([
  ['model.APR', 'april', '.APR'],
  ['model.ggml', 'Whisper', undefined],
  ['model.b2l', 'Whisper', '.b2l'],
  ['model.onnx', 'TenniS', '.onnx'],
  ['model.bin', 'Whisper', undefined],
  ['model.bin', 'april', undefined],
  ['model.BIN', 'BW2L', undefined],
  ['model', 'TenniS', undefined],
])('%s for a file of %s is named after another: %s', (name, family, ending) => {
  expect(otherFamilyOf(name, family)).toBe(ending);
});

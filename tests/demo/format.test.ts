// How the demo page writes numbers and languages for people.
import { expect, test } from '@jest/globals';
import { duration, size } from '../../web/demo/shell/format.js';
import { languageName } from '../../web/demo/transcript/listening_options.js';

test.each([
  [0.44, '0.4 s'],
  [9.94, '9.9 s'],
  [9.97, '10 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [60, '1 min'],
  [61, '1 min 1 s'],
  [119.7, '2 min'],
  [200, '3 min 20 s'],
  [3600, '60 min'],
])('%p seconds are %p', (seconds, told) => {
  expect(duration(seconds)).toBe(told);
});

test.each([
  [0, '1 kB'],
  [12_345, '12 kB'],
  [999_600, '1 MB'],
  [1 << 20, '1 MB'],
  [43_400_000, '43 MB'],
  [999_600_000, '1.0 GB'],
  [1 << 30, '1.1 GB'],
])('%p bytes are %p', (bytes, told) => {
  expect(size(bytes)).toBe(told);
});

test.each([
  ['de', 'German'],
  ['en-us', 'American English'],
  ['no language', 'No Language'],
])('the language %p is %p', (code, told) => {
  expect(languageName(code)).toBe(told);
});

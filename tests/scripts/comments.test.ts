// Comments that begin with a label: scripts/check_comments.mjs.
import { expect, test } from '@jest/globals';
import { checkedFiles, labelsIn } from '../../scripts/check_comments.mjs';

test('a comment that begins with a label is named with its line', () => {
  expect(labelsIn('src/a.h', 'int a;\n  /// Of the file.\nint b;\n// The same again.')).toEqual([
    'src/a.h:2: a comment begins with "Of"',
    'src/a.h:4: a comment begins with "The same"',
  ]);
});

test.each(['//Of a', 'int a;  ///< Of a', '//! Of a', '/** Of a */', '/* Of a */', ' * The same'])(
  'every kind of comment counts: %s',
  (line) => {
    expect(labelsIn('src/a.h', `int b;\n${line}\nint c;`)).toHaveLength(1);
  },
);

test('other words, and labels within a sentence, are accepted', () => {
  const lines = ['// Offsets of the file.', '// Those of the same file.', '// Often the same.'];
  expect(labelsIn('src/a.h', [...lines, 'f("Of it");'].join('\n'))).toEqual([]);
});

test('C++, TypeScript and scripts are checked', () => {
  const files = checkedFiles();
  expect(files).toEqual(
    expect.arrayContaining([
      ...['src/align/time_warping.h', 'web/src/vad.ts', 'tests/scripts/facts.test.ts'],
      'scripts/lint.mjs',
    ]),
  );
});

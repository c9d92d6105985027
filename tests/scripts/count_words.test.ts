// Words of documents, beside their budgets: scripts/count_words.mjs.
import { expect, test } from '@jest/globals';
import { budgetedWords, countWords } from '../../scripts/count_words.mjs';

test('prose and tables that are written by hand count', () => {
  expect(countWords('# A title\n\nTwo – words.\n')).toBe(4);
  expect(countWords('| a | b |\n| - | -: |\n| one two | 3 % |\n')).toBe(5);
  expect(countWords('See the [whole page](docs/api.md#long-anchor).')).toBe(4);
});

test('code blocks, comments and generated tables do not', () => {
  expect(countWords('one\n\n```js\nconst two = 2;\n```\n\nthree\n')).toBe(2);
  expect(countWords('one\n\n<!-- model sizes -->\n\n| a | b |\n\n<!-- /model sizes -->\n')).toBe(1);
  expect(
    countWords(
      '<!-- Options, from a file: x. -->\n\n| a |\n\n<!-- End of the options. -->\n\ntwo\n',
    ),
  ).toBe(1);
  expect(countWords('<!-- size a.mjs -->30.5<!-- /size --> kB')).toBe(2);
});

test('a document counts for the budget that names it, others share one', () => {
  const groups = budgetedWords({
    'README.md': 'one',
    'docs/api.md': 'one two',
    'docs/api-live.md': 'three',
    'docs/accuracy.md': 'word '.repeat(1501),
    'docs/privacy.md': 'one',
    'docs/hosting.md': 'two three',
  });
  expect(groups.map(({ name, words }) => [name, words])).toEqual([
    ['README.md', 1],
    ['docs/api*.md', 3],
    ['docs/accuracy.md', 1501],
    ['other documents', 3],
  ]);
  expect(groups.filter(({ words, budget }) => words > budget).map(({ name }) => name)).toEqual([
    'docs/accuracy.md',
  ]);
});

// Writes src/text/unicode_tables.inc: the code points of the Unicode classes L (letters) and N (numbers) as ranges,
// as this Node knows them. The tokenizer's pre-split pattern asks for these classes.
//
//   node scripts/unicode/generate_tables.mjs
import { writeFileSync } from 'node:fs';

const destination = new URL('../../src/text/unicode_tables.inc', import.meta.url);

function rangesOf(pattern) {
  const ranges = [];
  for (let point = 0; point <= 0x10ffff; ++point) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    if (!pattern.test(String.fromCodePoint(point))) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === point - 1) {
      last[1] = point;
    } else {
      ranges.push([point, point]);
    }
  }
  return ranges;
}

function table(name, ranges) {
  const hex = (point) => `0x${point.toString(16).toUpperCase()}`;
  const lines = [`inline constexpr CodePointRange ${name}[] = {`];
  let line = '   ';
  for (const [first, last] of ranges) {
    const entry = ` {${hex(first)}, ${hex(last)}},`;
    if (line.length + entry.length > 100) {
      lines.push(line);
      line = '   ';
    }
    line += entry;
  }
  lines.push(line, '};');
  return lines.join('\n');
}

writeFileSync(
  destination,
  [
    `// Unicode ${process.versions.unicode}; written by scripts/unicode/generate_tables.mjs, do not edit.`,
    '// clang-format off',
    table('kLetterRanges', rangesOf(/^\p{L}$/u)),
    table('kNumberRanges', rangesOf(/^\p{N}$/u)),
    '// clang-format on',
    '',
  ].join('\n'),
);

// Writes src/text/unicode_tables.inc: the code points of the Unicode classes L (letters) and N (numbers) as this Node knows
// them. The tokenizer's pre-split pattern asks for these classes.
//
//   node scripts/unicode/generate_tables.mjs
import { writeFileSync } from 'node:fs';

const destination = new URL('../../src/text/unicode_tables.inc', import.meta.url);

/** How many code points in turn are not in the class and are in it. */
function runsOf(pattern) {
  const runs = [0];
  for (let point = 0; point <= 0x10ffff; ++point) {
    const isIn = pattern.test(String.fromCodePoint(point));
    if (isIn !== (runs.length % 2 === 0)) runs.push(0);
    ++runs[runs.length - 1];
  }
  if (runs.length % 2 === 1) runs.pop();
  return runs;
}

/** Seven bits a byte, the lowest first, with the eighth set where more follow. */
const bytesOf = (run) => (run < 128 ? [run] : [(run % 128) + 128, ...bytesOf(run >> 7)]);

function table(name, runs) {
  const lines = [`inline constexpr uint8_t ${name}[] = {`];
  let line = '   ';
  for (const byte of runs.flatMap(bytesOf)) {
    const entry = ` ${byte},`;
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
    table('kLetterRuns', runsOf(/^\p{L}$/u)),
    table('kNumberRuns', runsOf(/^\p{N}$/u)),
    '// clang-format on',
    '',
  ].join('\n'),
);

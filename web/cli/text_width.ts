// Where text is broken into lines of a terminal.
import { clusterColumns, clustersOf, columnsOf } from '../src/writers/columns.js';

/** What is not broken: a word with the space before it, or a wide character, between which lines may break anywhere. */
function* unbroken(text: string): Generator<string> {
  let word = '';
  for (const segment of clustersOf(text)) {
    const isBreak = segment === ' ' || clusterColumns(segment) === 2;
    if (isBreak && word !== '' && word !== ' ') {
      yield word;
      word = '';
    }
    word += segment;
    if (clusterColumns(segment) === 2) {
      yield word;
      word = '';
    }
  }
  if (word !== '') yield word;
}

/** Lines of at most `columns`, which together are the text but for spaces where it was broken. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  const breakLine = (): void => {
    lines.push(line);
    line = '';
  };
  for (const part of unbroken(text)) {
    if (columnsOf(line + part) <= columns) {
      line += part;
      continue;
    }
    if (line !== '') breakLine();
    for (const segment of clustersOf(part.replace(/^ /, ''))) {
      // A word that is longer than a line is broken anywhere.
      if (line !== '' && columnsOf(line + segment) > columns) breakLine();
      line += segment;
    }
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

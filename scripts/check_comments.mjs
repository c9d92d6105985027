// Guards the English of comments: the subject comes first. A comment that begins with "Of" or "The same" is a label for something
// near it, and leaves the reader to guess for what.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './check_layers.mjs';
import { isProgram, main, root, StepError } from './toolchain/steps.mjs';

/** Folders and files whose comments are checked. */
const checked = [
  { folders: ['src', 'bindings', 'tests'], names: /\.(h|cc)$/ },
  { folders: ['web', 'tests', 'scripts'], names: /\.(m?ts|mjs)$/ },
];

/** The test quotes such comments. */
const exempt = /^tests\/scripts\/comments\.test\.ts$/;

/** Any line of a comment, also of one after code. */
const label = /(?:\/\/[/!]?<?|\/\*{1,2}|^\s*\*) *(Of|The same)\b/;

/** The lines of `text` on which a comment begins so, as `path:line: message`. */
export function labelsIn(path, text) {
  return text.split('\n').flatMap((line, i) => {
    const found = label.exec(line);
    return found ? [`${path}:${i + 1}: a comment begins with "${found[1]}"`] : [];
  });
}

/** Paths of the checked files. */
export function checkedFiles() {
  return checked
    .flatMap(({ folders, names }) => folders.flatMap((folder) => filesBelow(folder, names)))
    .filter((path) => !exempt.test(path));
}

/** All such lines of the checked files that `selected` accepts. */
export function findLabels(selected = () => true) {
  return checkedFiles()
    .filter(selected)
    .flatMap((path) => labelsIn(path, readFileSync(join(root, path), 'utf8')));
}

if (isProgram(import.meta)) {
  await main(() => {
    const labels = findLabels();
    if (labels.length > 0) throw new StepError(labels.join('\n'));
  });
}

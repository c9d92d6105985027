import type { LanguageProbability } from '../src/node.js';
import { parse, usageError } from './arguments.js';
import { listeningArguments, listeningOptions } from './listening_options.js';
import { modelArguments, withWhisper } from './open_model.js';
import { labelOf, withAudio } from './audio_source.js';
import { languageName } from './language_name.js';
import { FileReports, forEachFile } from './several_files.js';
import { table } from './table.js';
import { tell } from './terminal.js';

/** Languages that are printed unless all are asked for. */
const mostShown = 5;

export const detectLanguageArguments = {
  ...modelArguments,
  ...listeningArguments('detectLanguage'),
  all: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

export async function detectLanguageCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { values, positionals: files } = parse(args, detectLanguageArguments);
  if (files.length === 0) throw usageError('detect-language needs at least one recording');
  const output = new FileReports(files.map(labelOf), values.json ?? false);
  await withWhisper(values, signal, (model) =>
    forEachFile(files, signal, async (file) => {
      const found = await withAudio(file, { signal }, (audio) =>
        model.detectLanguage(audio, { ...listeningOptions(values, 'detectLanguage'), signal }),
      );
      if (found.length === 0) tell('susurrus: the model knows English only\n');
      const shown = values.all ? found : found.slice(0, mostShown);
      output.add(labelOf(file), toJson(found), toText(shown));
    }).finally(() => output.finish()),
  );
}

/** All of them, whatever is shown. */
const toJson = (found: readonly LanguageProbability[]) => ({
  languages: found.map(({ language, probability }) => ({
    language,
    name: languageName(language),
    probability,
  })),
});

function toText(found: readonly LanguageProbability[]): string {
  const rows = found.map(({ language, probability }) => [
    language,
    languageName(language),
    `${(100 * probability).toFixed(1)} %`,
  ]);
  return table(rows, 2)
    .map((line) => `${line}\n`)
    .join('');
}

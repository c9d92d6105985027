import { parse, usageError } from './arguments.js';
import { listeningArguments, listeningOptions } from './listening_options.js';
import { modelArguments, withWhisper } from './open_model.js';
import { labelOf, withWindow } from './audio_source.js';
import { forEachFile } from './several_files.js';
import { print, tell } from './terminal.js';

export const detectLanguageArguments = {
  ...modelArguments,
  ...listeningArguments('detectLanguage'),
} as const;

export async function detectLanguageCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { values, positionals: files } = parse(args, detectLanguageArguments);
  if (files.length === 0) throw usageError('detect-language needs at least one recording');
  await withWhisper(values, signal, (model) =>
    forEachFile(files, signal, async (file) => {
      const found = await withWindow(file, signal, (audio) =>
        model.detectLanguage(audio, { ...listeningOptions(values, 'detectLanguage'), signal }),
      );
      if (found.length === 0) tell('susurrus: the model knows English only\n');
      if (files.length > 1) print(`${labelOf(file)}\n`);
      for (const { language, probability } of found) {
        print(`${language}\t${probability.toFixed(6)}\n`);
      }
    }),
  );
}

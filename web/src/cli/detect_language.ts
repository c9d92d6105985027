import { parse, readOptions, usageError, withValues } from './arguments.js';
import { asLanguages, audioContextReaders } from './listening_options.js';
import { modelArguments, withModel } from './open_model.js';
import { withAudio } from './recordings.js';

const readers = { ...audioContextReaders, languages: asLanguages } as const;

export async function detectLanguageCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { values, positionals } = parse(args, { ...modelArguments, ...withValues(readers) });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw usageError('detect-language wants one AUDIO');
  await withModel(values, signal, async (model) => {
    const found = await withAudio(file, (bytes) =>
      model.detectLanguage(bytes, { ...readOptions(values, readers), signal }),
    );
    if (found.length === 0) process.stderr.write('susurrus: the model knows English only\n');
    process.stdout.write(
      found.map(({ language, probability }) => `${language}\t${probability.toFixed(6)}\n`).join(''),
    );
  });
}

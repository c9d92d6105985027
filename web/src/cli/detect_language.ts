import { parse, usageError } from './arguments.js';
import { listeningArguments, listeningOptions } from './listening_options.js';
import { modelArguments, withModel } from './open_model.js';
import { withAudio } from './recordings.js';

export async function detectLanguageCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { values, positionals } = parse(args, {
    ...modelArguments,
    ...listeningArguments('detectLanguage'),
  });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw usageError('detect-language wants one AUDIO');
  await withModel(values, signal, async (model) => {
    const found = await withAudio(file, (bytes) =>
      model.detectLanguage(bytes, { ...listeningOptions(values, 'detectLanguage'), signal }),
    );
    if (found.length === 0) process.stderr.write('susurrus: the model knows English only\n');
    process.stdout.write(
      found.map(({ language, probability }) => `${language}\t${probability.toFixed(6)}\n`).join(''),
    );
  });
}

import { parse, usageError } from './arguments.js';
import { listeningArguments, listeningOptions } from './listening_options.js';
import { modelArguments, withWhisper } from './open_model.js';
import { withAudio } from './audio_source.js';
import { print } from './terminal.js';

export const scoreArguments = { ...modelArguments, ...listeningArguments('score') } as const;

export async function scoreCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, scoreArguments);
  const [file, ...candidates] = positionals;
  if (file === undefined || candidates.length === 0) {
    throw usageError('score needs a recording and at least one TEXT');
  }
  await withWhisper(values, signal, async (model) => {
    const scores = await withAudio(file, { signal }, (audio) =>
      model.score(audio, candidates, { ...listeningOptions(values, 'score'), signal }),
    );
    const lines = [...scores]
      .sort((a, b) => b.logprob - a.logprob)
      .map(({ logprob, avgLogprob, text }) =>
        [logprob.toFixed(4), avgLogprob.toFixed(4), `${text}\n`].join('\t'),
      );
    print(lines.join(''));
  });
}

import { plan, type ModelPlan } from '../src/node.js';
import { weightTypes } from '../src/api/generated/dtypes.js';
import { asNumber, numberOrAuto, parse, usageError } from './arguments.js';
import { vadArguments, vadOption } from './listening_options.js';
import { print } from './terminal.js';

export const planArguments = {
  json: { type: 'boolean' },
  dtype: { type: 'string' },
  threads: { type: 'string' },
  workers: { type: 'string' },
  'beam-size': { type: 'string' },
  revise: { type: 'boolean' },
  speakers: { type: 'boolean' },
  ...vadArguments,
} as const;

/** What a model will take, before it is fetched. */
export async function planCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, planArguments);
  const [model] = positionals;
  if (model === undefined || positionals.length > 1) throw usageError('plan needs one MODEL');
  const dtype = weightTypes.find((type) => type === values.dtype);
  if (values.dtype !== undefined && !dtype) {
    throw usageError(`--dtype is one of ${weightTypes.join(', ')}`);
  }
  const vad = vadOption(values);
  const planned = await plan(model, {
    signal,
    ...(dtype && { dtype }),
    ...(values.threads !== undefined && { threads: numberOrAuto(values, 'threads') }),
    ...(values.workers !== undefined && { workers: numberOrAuto(values, 'workers') }),
    ...(values['beam-size'] !== undefined && {
      beamSize: asNumber(values['beam-size'], 'beam-size'),
    }),
    ...(values.revise && { revise: true }),
    ...(values.speakers && { speakers: true }),
    ...(vad !== undefined && { vad }),
  });
  print(values.json ? `${JSON.stringify(planned, null, 2)}\n` : toText(planned));
}

function toText({ verdict, fetchBytes = NaN, ...bytes }: ModelPlan): string {
  const lines: readonly (readonly [string, number])[] = [
    ['to fetch', fetchBytes],
    ['kept already', bytes.keptBytes],
    ['weights', bytes.weightBytes],
    ['KV caches', bytes.kvCacheBytes],
    ['activations', bytes.activationBytes],
    ['beams', bytes.sequenceBytes],
    ['times of words', bytes.wordBytes],
    ['second hearing', bytes.revisionBytes],
    ['voice detector', bytes.detectorBytes],
    ['speakers', bytes.speakersBytes],
    ['tokenizer, windows', bytes.overheadBytes],
    ['engine', bytes.engineBytes],
    ['further engines', bytes.furtherBytes],
    ['at most', bytes.peakBytes],
  ];
  const table = lines.map(
    ([name, count]) =>
      `${name.padEnd(19)}${Number.isNaN(count) ? '  not known' : `${(count / 1e6).toFixed(1)} MB`.padStart(11)}`,
  );
  const fits = verdict.fits === 'unsure' ? 'not sure' : verdict.fits;
  return `${[...table, `fits here          ${fits}: ${verdict.reasons.join('; ')}`].join('\n')}\n`;
}

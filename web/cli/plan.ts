import { plan, type ModelPlan } from '../src/node.js';
import { weightTypes } from '../src/api/generated/dtypes.js';
import { parse, usageError } from './arguments.js';
import { print } from './terminal.js';

/** What a model will take, before it is fetched. */
export async function planCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const flags = {
    json: { type: 'boolean' },
    dtype: { type: 'string' },
    threads: { type: 'string' },
    'beam-size': { type: 'string' },
  } as const;
  const { values, positionals } = parse(args, flags);
  const [model] = positionals;
  if (model === undefined || positionals.length > 1) throw usageError('plan wants one MODEL');
  const dtype = weightTypes.find((type) => type === values.dtype);
  if (values.dtype !== undefined && !dtype) {
    throw usageError(`--dtype is one of ${weightTypes.join(', ')}`);
  }
  const planned = await plan(model, {
    signal,
    ...(dtype && { dtype }),
    ...(values.threads !== undefined && {
      threads: values.threads === 'auto' ? 'auto' : Number(values.threads),
    }),
    ...(values['beam-size'] !== undefined && { beamSize: Number(values['beam-size']) }),
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
    ['tokenizer, windows', bytes.overheadBytes],
    ['engine', bytes.engineBytes],
    ['at most', bytes.peakBytes],
  ];
  const table = lines.map(
    ([name, count]) => `${name.padEnd(19)}${Number.isNaN(count) ? 'not known' : `${count} bytes`}`,
  );
  const fits = verdict.fits === 'unsure' ? 'not sure' : verdict.fits;
  return `${[...table, `fits here          ${fits}: ${verdict.reasons.join('; ')}`].join('\n')}\n`;
}

// The command line of npm run bench.
import { parseArgs } from 'node:util';
import { weightTypes } from '../facts/read_facts.mjs';
import { StepError } from '../toolchain/steps.mjs';

export const usage = `npm run bench -- [options]: how fast this build is, stage by stage, beside ONNX Runtime Web and whisper.cpp
npm run bench -- load [options]: how fast a model file is loaded, raw and with LZ4, beside copying, decoding and checking alone
npm run bench -- large [options]: medium, large-v3 and what is distilled of it: conversion, load, memory, real-time factor
npm run bench -- trained [options]: a recording with trained tiny.en beside faster-whisper, openai-whisper, Transformers.js, whisper.cpp

  --size SIZE              tiny, base, small: Whisper's dimensions, with random weights; micro: a small one (tiny; load: base)
  --model FILE             this model file instead, without peers
  --dtype LIST             types of our weights (f32,f16,q8_0; load: f16), of ${weightTypes.join(', ')}
  --variant LIST           simd,relaxed
  --threads LIST           1 (large, trained: 1,2)
  --runs N                 alternating runs, whose medians are printed (3; large: 1)
  --audio FILE.wav         trained: the recording, 16 kHz mono (60 s of a lecture in the shared folder)
  --tokens N               tokens of which the token's time is the mean (100)
  --browser                in headless Chromium instead of Node (load, large and trained measure in both, with --browser or --node in one)
  --node PATH|current      a Node other than the pinned Node 24
  --no-peers               ours alone; fetches nothing, and runs in this Node
  --growth                 how times grow with the model's size, and time and memory with the recording's length
  --rtf FILE.wav           real-time factors of a recording (16 kHz mono) at tiny's, base's and small's dimensions
  --quick                  one short run on a small model: whether the bench works, not how fast anything is
  --json, --markdown       instead of plain tables`;

const options = {
  size: { type: 'string' },
  model: { type: 'string' },
  dtype: { type: 'string' },
  variant: { type: 'string', default: 'simd,relaxed' },
  threads: { type: 'string' },
  runs: { type: 'string' },
  tokens: { type: 'string' },
  audio: { type: 'string' },
  browser: { type: 'boolean', default: false },
  node: { type: 'string' },
  'no-peers': { type: 'boolean', default: false },
  growth: { type: 'boolean', default: false },
  rtf: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

function chosen(name, text, choices) {
  const list = text.split(',');
  const unknown = list.find((one) => !choices.includes(one));
  if (unknown === undefined) return list;
  throw new StepError(`--${name} knows ${choices.join(', ')}; not "${unknown}".`);
}

function wholeNumber(name, text, least, most) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new StepError(`--${name} wants whole numbers from ${least} to ${most}; not "${text}".`);
}

/**
 * The options as values. Throws a StepError.
 * @type {(args: readonly string[]) => {
 *   size: string;
 *   model: string | undefined;
 *   dtypes: string[];
 *   variants: string[];
 *   threads: number[];
 *   runs: number;
 *   tokens: number;
 *   isBrowser: boolean;
 *   hasPeers: boolean;
 *   node: string | undefined;
 *   mode: 'stages' | 'growth' | 'rtf' | 'load' | 'large' | 'trained';
 *   recording: string | undefined;
 *   isQuick: boolean;
 *   format: 'json' | 'markdown' | 'text';
 *   isHelp: boolean;
 * }}
 */
export function parseOptions(args) {
  let values;
  let positionals;
  try {
    ({ values, positionals } = parseArgs({ args, options, allowPositionals: true }));
  } catch (error) {
    throw new StepError(error.message, usage);
  }
  const { quick, model, growth, rtf, variant } = values;
  const [command] = positionals;
  if (positionals.length > 1 || !['load', 'large', 'trained', undefined].includes(command)) {
    throw new StepError(`There is no such measurement: ${positionals.join(' ')}.`, usage);
  }
  const isLoad = command === 'load';
  const isLarge = command === 'large';
  if (command !== undefined && (model !== undefined || growth || rtf !== undefined)) {
    throw new StepError(`${command} measures models of its own, and nothing else.`, usage);
  }
  const isTrained = command === 'trained';
  if (values.audio !== undefined && !isTrained) {
    throw new StepError('--audio goes with trained alone.', usage);
  }
  const threads = values.threads ?? (isLarge || isTrained ? '1,2' : '1');
  const short = (name, usual, whenQuick) => values[name] ?? (quick ? whenQuick : usual);
  const [size] = chosen('size', short('size', isLoad ? 'base' : 'tiny', 'micro'), [
    'micro',
    'tiny',
    'base',
    'small',
  ]);
  return {
    size,
    model,
    dtypes: chosen(
      'dtype',
      isLoad ? (values.dtype ?? 'f16') : short('dtype', 'f32,f16,q8_0', 'f32,q8_0'),
      weightTypes,
    ),
    variants: chosen('variant', variant, ['simd', 'relaxed']),
    threads: threads.split(',').map((text) => wholeNumber('threads', text, 1, 16)),
    runs: wholeNumber('runs', short('runs', isLarge ? '1' : '3', '1'), 1, 99),
    tokens: wholeNumber('tokens', short('tokens', '100', '8'), 8, 200),
    isBrowser: values.browser,
    hasPeers:
      !values['no-peers'] &&
      (isTrained || [command, model, rtf].every((one) => one === undefined)) &&
      !growth,
    node: values.node ?? (values['no-peers'] ? 'current' : undefined),
    mode: command ?? (growth ? 'growth' : rtf !== undefined ? 'rtf' : 'stages'),
    recording: isTrained ? values.audio : rtf,
    isQuick: quick,
    format: values.json ? 'json' : values.markdown ? 'markdown' : 'text',
    isHelp: values.help,
  };
}

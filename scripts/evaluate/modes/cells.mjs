// The ways to hear that are measured on sound that nobody speaks in: a model, a mode, the voice detector.
import { StepError } from '../../toolchain/steps.mjs';
import { trainedNames } from '../../trained_model.mjs';

/**
 * `detector`: undefined where the mode has none. `options`: of transcribe(), or of stream() if `isLive`.
 * @typedef {{ model: import('../../trained_model.mjs').TrainedName; mode: string; detector?: 'with' | 'without'; isLive: boolean;
 *   options: { language?: string } & Readonly<Record<string, unknown>> }} Cell
 */

/** Modes of a model that are measured unless others are named. @type {Readonly<Record<string, readonly string[]>>} */
export const usualModes = {
  base: [
    ...['auto', 'en', 'ja', 'de', 'per-window'],
    ...['live-auto', 'live-en', 'live-ja', 'live-de', 'live-per-utterance'],
  ],
  'tiny.en': ['en', 'live-en'],
};

/** @type {(model: Cell['model'], mode: string, detector: 'with' | 'without') => Cell} */
function cell(model, mode, detector) {
  if (mode === 'openai')
    return { model, mode, isLive: false, options: { compatibility: 'openai' } };
  const isLive = mode.startsWith('live-');
  const language = isLive ? mode.slice('live-'.length) : mode;
  const vad = detector === 'without' ? { vad: false } : {};
  return { model, mode, detector, isLive, options: { language, ...vad } };
}

/** Texts between commas, each one of `known`. */
function listed(option, text, known) {
  const list = text.split(',').filter(Boolean);
  const wrong = list.find((one) => !known.includes(one));
  if (list.length > 0 && wrong === undefined) return list;
  throw new StepError(`--${option}: not ${wrong ?? 'nothing'} but of ${known.join(', ')}.`);
}

/**
 * The cells that the command line names, those with the detector first.
 * @type {(asked: { model: string; modes?: string; detector: string }) => Cell[]}
 */
export function cellsOf({ model, modes, detector }) {
  const models = listed('model', model, trainedNames);
  const known = [...new Set(Object.values(usualModes).flat()), 'openai'];
  const named = modes === undefined ? undefined : listed('modes', modes, known);
  const cells = listed('detector', detector, ['with', 'without']).flatMap((how) =>
    models.flatMap((name) => (named ?? usualModes[name]).map((mode) => cell(name, mode, how))),
  );
  const isFirst = ({ model, mode, detector }, i) =>
    detector !== undefined || cells.findIndex((c) => c.model === model && c.mode === mode) === i;
  return cells.filter(isFirst);
}

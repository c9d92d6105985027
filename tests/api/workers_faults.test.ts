// What comes of a transcription in chunks when something fails, is stopped or ends, at each of its moments. The names of these tests are
// a table: fault, moment, outcome. Scripted engines stand still at the moment, so that none of it depends on speed.
import { getEventListeners } from 'node:events';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { SusurrusError } from '../../web/src/api/errors.js';
import type { Segment, Transcript, Transcription } from '../../web/src/api/types.js';
import { recordingOf, scriptedModel, type Script } from '../support/scripted_engines.js';
import { turns } from '../support/turns.js';

const chunkCount = 9;
const last = chunkCount - 1;
const recording = recordingOf(chunkCount);

const moments = {
  first: 'before the first chunk',
  amid: 'amid the first chunk',
  between: 'between two chunks',
  last: 'with only the last chunk left',
  paused: 'while paused',
} as const;
type Moment = keyof typeof moments;

interface Outcome {
  readonly shown: string;
  /** What it rejects with; the text is the same where absent. */
  readonly error?: (stage: Stage) => unknown;
  /** Whether it comes while everything stands still; absent where either will do. */
  readonly isAtOnce?: boolean;
  /** Whether all is heard as without the detector. */
  readonly isWhole?: boolean;
  /** Whether nothing was cut. */
  readonly isUncut?: boolean;
}

interface Fault {
  readonly name: string;
  readonly options?: { readonly vad?: boolean };
  /** Faults of what the script has yet to do. */
  readonly prepare?: (script: Script, struck: Promise<void>, moment: Moment) => void;
  readonly strike?: (stage: Stage) => unknown;
  /** Undefined where there is no such moment. */
  readonly outcome: (moment: Moment) => Outcome | undefined;
  /** The further engine is there from the beginning. */
  readonly isReady?: boolean;
  /** The further engine is lost. */
  readonly isGone?: boolean;
  /** The model ends with it, or is of no use any more. */
  readonly isEnd?: boolean;
  readonly disposes?: boolean;
  /** Warnings of the model; none where absent. */
  readonly warning?: string;
}

interface Stage extends ReturnType<typeof scriptedModel> {
  readonly moment: Moment;
  readonly controller: AbortController;
  readonly work: Transcription;
  readonly loop: AsyncIterator<Segment>;
  readonly script: Script;
  readonly outcome: Promise<{ readonly heard: Transcript | undefined; readonly error: unknown }>;
  readonly isOver: () => boolean;
  readonly strike: () => Promise<void>;
  readonly goOn: () => void;
  /** What the callback throws from now on. */
  thrown: Error | undefined;
}

const oneEngine = { shown: 'one engine, which hears silence too', isWhole: true, isUncut: true };
const sameText: Outcome = { shown: 'the same text' };
const aborted = (isAtOnce: boolean): Outcome => ({
  shown: 'rejects, aborted',
  error: () => expect.objectContaining({ name: 'SusurrusError', code: 'aborted' }),
  isAtOnce,
});
const reason = (shown: string): Outcome => ({
  shown: `rejects with ${shown}`,
  error: ({ controller }): unknown => controller.signal.reason,
  isAtOnce: true,
});
const rejects = (code: string): Outcome => ({
  shown: `rejects, ${code}`,
  error: () => expect.objectContaining({ name: 'SusurrusError', code }),
});

const detectorFailed = new SusurrusError('internal_error', 'A worker ended: exit code 1');
const sourceFailed = new SusurrusError('source_failed', 'The connection broke.');
const noMemory = new SusurrusError('out_of_memory', 'There is no memory for another engine.');

const cutsUntil =
  (error: Error): NonNullable<Fault['prepare']> =>
  (script, struck) => {
    const { cuts } = script;
    const state = { isStruck: false };
    void struck.then(() => (state.isStruck = true));
    script.cuts = async (chunk) => {
      await cuts?.(chunk);
      if (chunk === chunkCount) await struck;
      if (state.isStruck) throw error;
    };
  };

const stops = (
  name: string,
  stop: (controller: AbortController) => void,
  shown: string,
): Fault => ({
  name,
  strike: ({ controller }) => stop(controller),
  outcome: () => reason(shown),
});

const faults: readonly Fault[] = [
  {
    ...{ name: 'a further engine ends', isReady: true, isGone: true },
    strike: ({ engines }) => engines.slice(1).forEach((engine) => engine.die()),
    outcome: () => sameText,
    warning: 'trap',
  },
  {
    ...{ name: 'a further engine cannot be started', isGone: true },
    prepare: (script, struck, moment) => {
      const fail = (): never => {
        throw new SusurrusError('unsupported_environment', 'It did not start.');
      };
      if (moment === 'first') script.opens = fail;
      else script.loads = () => struck.then(fail);
    },
    outcome: () => sameText,
    warning: 'It did not start.',
  },
  {
    ...{ name: 'there is no memory for a copy', isGone: true },
    prepare: (script, struck) => {
      script.loads = () => struck.then(() => Promise.reject(noMemory));
    },
    outcome: () => sameText,
    warning: 'no memory',
  },
  {
    name: 'the model’s own engine ends',
    strike: ({ engines }) => engines[0]!.die(),
    // Another has the last chunk.
    outcome: (moment) => (moment === 'last' ? sameText : rejects('internal_error')),
    isEnd: true,
  },
  {
    name: 'the detector ends',
    prepare: cutsUntil(detectorFailed),
    outcome: () => rejects('internal_error'),
  },
  {
    name: 'the detector cannot be started',
    prepare: (script) => (script.detectorError = detectorFailed),
    outcome: (moment) => (moment === 'first' ? oneEngine : undefined),
    warning: 'exit code',
  },
  {
    name: 'the detector that was asked for cannot be started',
    options: { vad: true },
    prepare: (script) => (script.detectorError = detectorFailed),
    outcome: (moment) =>
      moment === 'first' ? { ...rejects('internal_error'), isUncut: true } : undefined,
  },
  {
    name: 'the audio breaks off',
    prepare: cutsUntil(sourceFailed),
    outcome: () => rejects('source_failed'),
  },
  stops('an abort with an Error', (one) => one.abort(new Error('enough')), 'that'),
  stops('an abort with text', (one) => one.abort('enough'), 'that'),
  stops('an abort without a reason', (one) => one.abort(undefined), 'the AbortError'),
  {
    name: 'a pause, then an abort',
    strike: async ({ work, controller }) => {
      work.pause();
      await turns(5);
      controller.abort('enough');
    },
    outcome: () => reason('its reason'),
  },
  {
    name: 'a pause, then disposal',
    strike: async ({ work, model }) => {
      work.pause();
      await turns(5);
      model.dispose();
    },
    outcome: () => aborted(true),
    ...{ isEnd: true, disposes: true },
  },
  {
    name: 'the caller leaves the loop',
    strike: async ({ work, loop, moment }) => {
      // A generator that waits for its first segment returns with that.
      const seen = work.soFar.segments.map(() => loop.next());
      if (moment === 'first') seen.push(loop.next());
      const leaving = loop.return!();
      if (moment !== 'first') await Promise.all([...seen, leaving]);
    },
    outcome: (moment) => aborted(moment !== 'first'),
  },
  {
    name: 'onProgress throws',
    strike: (stage) => (stage.thrown = new Error('from the callback')),
    outcome: () => ({ shown: 'rejects with that', error: ({ thrown }) => thrown }),
  },
  {
    name: 'disposal',
    strike: ({ model }) => model.dispose(),
    outcome: () => aborted(true),
    ...{ isEnd: true, disposes: true },
  },
];

const cells = faults.flatMap((fault) =>
  (Object.keys(moments) as Moment[]).flatMap((moment) => {
    const outcome = fault.outcome(moment);
    return outcome ? [{ fault, moment, outcome }] : [];
  }),
);

let whole: Transcript;
let unchunked: Transcript;
const rejections: unknown[] = [];
const onRejection = (error: unknown): number => rejections.push(error);

beforeAll(async () => {
  using model = scriptedModel().model;
  whole = await model.transcribe(recording, { workers: 2 });
  unchunked = await model.transcribe(recording, { vad: false });
});
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'performance'] });
  rejections.length = 0;
  process.on('unhandledRejection', onRejection);
});
afterEach(() => {
  process.off('unhandledRejection', onRejection);
  jest.useRealTimers();
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turns(1);
}

function signalled(): { readonly promise: Promise<void>; readonly give: () => void } {
  let give!: () => void;
  const promise = new Promise<void>((done) => (give = done));
  return { promise, give };
}

/** Without what the script holds up or breaks. */
const asEver: { readonly [Name in keyof Script]?: undefined } = {
  ...{ cuts: undefined, isHeld: undefined, opens: undefined, loads: undefined },
  detectorError: undefined,
};

/** A transcription that stands still at the moment until it is let go on. */
async function standing(fault: Fault, moment: Moment): Promise<Stage> {
  const [goesOn, struck] = [signalled(), signalled()];
  const state = { isFirstWanted: false, goesOn: false, isOver: false };
  const script: Script = {
    ...(fault.isReady && { choice: { workers: 2 } }),
    turnsOf: () => 6,
    cuts: (chunk) => {
      if (chunk === 0) state.isFirstWanted = true;
      const isHere = (moment === 'first' && chunk === 0) || (moment === 'between' && chunk === 4);
      return isHere ? goesOn.promise : undefined;
    },
    isHeld: (chunk, engine) => {
      if (state.goesOn) return false;
      if (moment === 'amid') return chunk === 0;
      if (moment !== 'last') return false;
      if (chunk === last) return true;
      // The other engine is to have the last chunk.
      const [, other] = scripted.engines;
      return engine === 0 && chunk > 3 && other?.isDead === false && !other.underWay.has(last);
    },
  };
  fault.prepare?.(script, struck.promise, moment);
  const scripted = scriptedModel(script);
  const { model, engines } = scripted;
  if (fault.isReady) await model.makeReady(undefined);
  const controller = new AbortController();
  const work = model.transcribe(recording, {
    ...{ workers: 2, signal: controller.signal, ...fault.options },
    onProgress: () => {
      if (stage.thrown) throw stage.thrown;
    },
  });
  const outcome = work.then(
    (heard) => ({ heard, error: undefined }),
    (error: unknown) => ({ heard: undefined, error }),
  );
  void outcome.then(() => (state.isOver = true));
  const stage: Stage = {
    ...{ ...scripted, moment, controller, work, outcome, script, thrown: undefined },
    loop: work[Symbol.asyncIterator](),
    isOver: () => state.isOver,
    goOn: () => {
      state.goesOn = true;
      goesOn.give();
      work.resume();
    },
    strike: async () => {
      struck.give();
      await fault.strike?.(stage);
    },
  };
  const told = (): number => work.soFar.segments.length;
  const isIdle = (): boolean => engines.every(({ underWay }) => underWay.size === 0);
  const isReached = {
    first: () => state.isFirstWanted,
    amid: () => told() === 1,
    between: () => told() === 8 && isIdle(),
    last: () => told() >= 2 * last && engines.some(({ underWay }) => underWay.has(last)),
    paused: () => told() >= 3,
  };
  await until(() => isReached[moment]() || state.isOver);
  if (moment === 'paused') {
    work.pause();
    await turns(10);
  }
  return stage;
}

describe.each(cells)('$fault.name', ({ fault, moment, outcome }) => {
  test(`${moments[moment]}: ${outcome.shown}`, async () => {
    const stage = await standing(fault, moment);
    const { model, engines, opened, counts, controller, work, script } = stage;
    await stage.strike();
    await turns(20);
    if (outcome.isAtOnce !== undefined) expect(stage.isOver()).toBe(outcome.isAtOnce);
    stage.goOn();
    const { heard, error } = await stage.outcome;

    if (outcome.error) expect(error).toEqual(outcome.error(stage));
    else expect(heard).toEqual(outcome.isWhole ? unchunked : whole);
    const told = work.soFar.segments;
    if (!outcome.isWhole) expect(told).toEqual(whole.segments.slice(0, told.length));
    await turns(20);
    expect(work.soFar.segments).toEqual(told);
    expect(model.info.warnings).toEqual(
      fault.warning === undefined ? [] : [expect.stringContaining(fault.warning)],
    );

    // All of it is given back.
    expect(engines.every(({ underWay }) => underWay.size === 0)).toBe(true);
    expect(counts.left).toBe(outcome.isUncut ? 0 : 1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(opened.length).toBeLessThanOrEqual(1);
    const [further] = opened;
    const isKept = engines.includes(further!) && !fault.isGone && !fault.disposes;
    if (further) expect(further.closings).toBe(isKept ? 0 : 1);
    if (fault.isGone && moment !== 'first') expect(further).toBeDefined();
    // What was told can be gone on from, here or with another model.
    Object.assign(script, asEver);
    const other = scriptedModel();
    const saved = work.save();
    if (saved && !outcome.isWhole) {
      const from = JSON.parse(JSON.stringify(saved)) as typeof saved;
      expect(await other.model.transcribe(recording, { from, workers: 3 })).toEqual(whole);
    }
    if (!fault.isEnd) {
      const before = opened.length;
      const again = await model.transcribe(recording, { workers: 2 });
      expect(again).toEqual(outcome.isWhole ? unchunked : whole);
      // One that was lost is not replaced.
      if (fault.isGone) expect(opened).toHaveLength(before);
    }
    if (!fault.disposes) model.dispose();
    other.model.dispose();
    for (const { closings } of [engines[0]!, ...opened]) expect(closings).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
    expect(rejections).toEqual([]);
  });
});

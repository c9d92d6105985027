// One bar out of the phases of a call, as calls of each kind report them.
import { describe, expect, test } from '@jest/globals';
import {
  anyWork,
  converting,
  loading,
  OverallProgress,
  pulling,
  repacking,
  transcribing,
  type PhaseProgress,
  type ProgressPlan,
} from '../../web/src/api/overall_progress.js';
import { withProgress } from '../../web/src/api/progress_callback.js';
import type { Progress } from '../../web/src/node.js';
import { expectOneBar } from '../support/one_bar.js';

type Phase = Progress['phase'];
const mebibyte = 2 ** 20;

const at = (phase: Phase, loaded: number, total?: number): PhaseProgress =>
  total === undefined ? { phase, loaded } : { phase, loaded, total, fraction: loaded / total };

/** Reports of one phase in equal steps, without the one at 0. */
const steps = (phase: Phase, count: number, total: number): PhaseProgress[] =>
  Array.from({ length: count }, (_, i) => at(phase, ((i + 1) * total) / count, total));

/** Bytes of a repository, whose name comes along. */
const fromHub = (events: readonly PhaseProgress[]): PhaseProgress[] =>
  events.map((event) => ({ ...event, source: 'openai/whisper-base' }));

function barOf(plan: ProgressPlan, events: readonly PhaseProgress[]): number[] {
  const progress = new OverallProgress(plan);
  return events.map((event) => progress.add(event));
}

/** The reports of a call that succeeds. */
async function reportsOf(plan: ProgressPlan, events: readonly PhaseProgress[]) {
  const reports: Progress[] = [];
  await withProgress(
    plan,
    { onProgress: (event: Progress) => void reports.push(event) },
    ({ onProgress }) => {
      for (const event of events) onProgress?.(event);
      return Promise.resolve();
    },
  );
  return reports;
}

/** As calls report them: of a small index before the weights, of a part that is decoded, of lengths that nobody knows. */
const calls: Readonly<Record<string, readonly [ProgressPlan, readonly PhaseProgress[]]>> = {
  'a model from a URL': [loading, [at('load', 0, 80), ...steps('load', 8, 80)]],
  'a model of unknown length': [loading, [0, 5e6, 9e7].map((loaded) => at('load', loaded))],
  'a model from a URL that is kept for the next time': [
    loading,
    [
      at('load', 0, 80),
      at('download', 40, 80),
      at('load', 40, 80),
      at('download', 80, 80),
      at('load', 80, 80),
    ],
  ],
  'shards, of which each is a download': [
    loading,
    [
      at('load', 0, 1),
      at('download', 1, 1),
      at('load', 0, 80),
      at('download', 40, 40),
      at('load', 40, 80),
      at('download', 40, 40),
      at('load', 80, 80),
    ],
  ],
  'a kept model': [loading, [at('load', 0, 80), at('cache', 80, 80), ...steps('load', 2, 80)]],
  'a model by its name, in Node': [
    loading,
    [
      ...fromHub([at('download', 90, 90), at('download', 90, 100 * mebibyte)]),
      at('inspect', 90, 90),
      at('convert', 0, 80 * mebibyte),
      ...fromHub(steps('download', 10, 100 * mebibyte)),
      ...steps('convert', 4, 80 * mebibyte),
      ...[at('load', 0, 60), ...steps('load', 4, 60)],
    ],
  ],
  'a model by its name, in a page': [
    loading,
    [
      at('load', 0),
      ...fromHub(steps('download', 2, 100 * mebibyte)),
      at('convert', 40 * mebibyte, 80 * mebibyte),
      at('load', 20 * mebibyte),
      at('convert', 80 * mebibyte, 80 * mebibyte),
      at('load', 40 * mebibyte),
    ],
  ],
  'a model that another tab fetches first': [
    loading,
    [
      at('download', 1e6),
      at('download', 5e6),
      at('load', 0, 8e6),
      at('cache', 8e6, 8e6),
      at('load', 8e6, 8e6),
    ],
  ],
  'a kept model that is wrong, and comes again': [
    loading,
    [at('load', 0, 80), ...steps('cache', 2, 80), at('load', 60, 80), ...steps('load', 8, 80)],
  ],
  samples: [transcribing, [at('transcribe', 0, 60), ...steps('transcribe', 2, 60)]],
  'a compressed recording': [
    transcribing,
    [...steps('decode', 4, 60), at('transcribe', 0, 60), ...steps('transcribe', 2, 60)],
  ],
  'a long recording, decoded as it is heard': [
    transcribing,
    [at('decode', 600, 3600), at('transcribe', 0, 3600), ...steps('transcribe', 9, 3600)],
  ],
  'a recording from a URL, before its model is whole': [
    transcribing,
    [
      ...steps('download', 3, 90),
      ...steps('decode', 3, 60),
      at('wait', 0),
      ...steps('transcribe', 2, 60),
    ],
  ],
  'a stream': [transcribing, [0, 30, 60].map((loaded) => at('transcribe', loaded))],
  'no sound': [transcribing, [{ phase: 'transcribe', loaded: 0, total: 0, fraction: 1 }]],
  'a conversion': [
    converting,
    [at('inspect', 8, 8), at('convert', 0, 9), ...steps('convert', 3, 9)],
  ],
  shards: [repacking, [...steps('inspect', 4, 80), ...steps('convert', 4, 80)]],
  'a pull of a file that is ready': [pulling, fromHub(steps('download', 4, 80 * mebibyte))],
  'an inspection': [anyWork, steps('inspect', 4, 80)],
  'an empty source': [anyWork, [{ phase: 'inspect', loaded: 0, total: 0, fraction: NaN }]],
};

describe.each(Object.entries(calls))('%s', (_what, [plan, events]) => {
  test('is one bar, from 0 to 1', async () => {
    const reports = await reportsOf(plan, events);
    expectOneBar(reports);
    // Phases come through as they are.
    const overall: unknown = expect.any(Number);
    expect(reports.slice(0, events.length)).toEqual(events.map((event) => ({ ...event, overall })));
    expect(reports.length - events.length).toBeLessThanOrEqual(1);
  });
});

test('whatever the phases report, it goes from 0 to 1 and never back', async () => {
  let state = 7;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const phases: readonly Phase[] = [
    ...(['load', 'wait', 'inspect', 'decode', 'transcribe', 'convert', 'download'] as const),
    'cache',
  ];
  const plans = [loading, transcribing, pulling, converting, repacking, anyWork];
  for (let round = 0; round < 60; ++round) {
    const events = Array.from({ length: 1 + random(30) }, (): PhaseProgress => {
      const phase = phases[random(phases.length)]!;
      const total = random(3) > 0 ? random(5) * 1e6 : undefined;
      const loaded = random(2e6);
      const fraction = total === undefined ? undefined : loaded / total;
      return {
        ...{ phase, loaded },
        ...(total !== undefined && { total }),
        ...(fraction !== undefined && { fraction }),
        ...(random(4) === 0 && { source: 'openai/whisper-base' }),
      };
    });
    expectOneBar(await reportsOf(plans[round % plans.length]!, events));
  }
});

describe('what a user sees', () => {
  const bar = (name: string): number[] => barOf(...calls[name]!);

  test('one phase is the bar', () => {
    expect(bar('a model from a URL')).toEqual(Array.from({ length: 9 }, (_, i) => i / 8));
    expect(bar('samples')).toEqual([0, 0.5, 1]);
    expect(bar('shards')).toEqual(Array.from({ length: 8 }, (_, i) => (i + 1) / 8));
  });

  test('bytes that are loaded as they come count once, of all shards together', () => {
    expect(bar('a model from a URL that is kept for the next time')).toEqual([0, 0, 0.5, 0.5, 1]);
    expect(bar('shards, of which each is a download')).toEqual([0, 0, 0, 0, 0.5, 0.5, 1]);
  });

  test('for a model by its name, that is the download; a small index before it does not fill the bar', () => {
    const shown = bar('a model by its name, in Node');
    expect(shown[0]).toBeLessThan(0.001);
    const downloaded = shown[13]!;
    expect(downloaded).toBeCloseTo(0.8, 9);
    expect(shown.at(-5)).toBeCloseTo(0.9, 9);
    expect(shown.at(-1)).toBe(1);
  });

  test('decoding counts little, and what is not decoded before does not hold the bar up', () => {
    const shown = bar('a compressed recording');
    expect(shown[3]).toBeCloseTo(1 / 19, 9);
    expect(shown.slice(-2)).toEqual([10 / 19, 1]);
    const long = bar('a long recording, decoded as it is heard');
    expect(long[1]).toBeLessThan(0.01);
    expect(long.at(-1)).toBe(1);
  });

  test('of a stream it advances, and is not full before the end', () => {
    const shown = bar('a stream');
    expect(shown[0]).toBe(0);
    expect(shown[2]).toBeGreaterThan(shown[1]!);
    expect(shown[2]).toBeLessThan(0.5);
    expect(barOf(transcribing, [at('transcribe', 1e6)])[0]).toBeLessThan(1);
  });
});

describe('the last report', () => {
  const stream = calls['a stream']![1];

  test('is not repeated where the phases have said that all is done', async () => {
    expect(await reportsOf(...calls.samples!)).toHaveLength(3);
  });

  test('says so where they cannot, once', async () => {
    const reports = await reportsOf(transcribing, stream);
    expect(reports.slice(-1)).toEqual([{ phase: 'transcribe', loaded: 60, overall: 1 }]);
    expect(reports).toHaveLength(stream.length + 1);
  });

  test('comes when the work asks for it, and no second time', async () => {
    const bar: number[] = [];
    const onProgress = ({ overall }: Progress): void => void bar.push(overall);
    await withProgress(loading, { onProgress }, (watched, finish) => {
      watched.onProgress?.(at('load', 5));
      finish();
      watched.onProgress?.(at('load', 9));
      return Promise.resolve();
    });
    expect(bar.slice(1)).toEqual([1, 1]);
  });

  test('of a call that fails is not 1', async () => {
    const bar: number[] = [];
    const onProgress = ({ overall }: Progress): void => void bar.push(overall);
    const failure = new Error('cut');
    const work = withProgress(loading, { onProgress }, (watched) => {
      watched.onProgress?.(at('load', 5));
      return Promise.reject(failure);
    });
    await expect(work).rejects.toBe(failure);
    expect(bar).toHaveLength(1);
    expect(bar[0]).toBeLessThan(1);
  });

  test.each([
    ['an error', new Error('my page')],
    ['nothing', undefined],
  ])('stops the call if it throws %s', async (_what, thrown: unknown) => {
    const caught: unknown[] = [];
    const onProgress = ({ overall }: Progress): void => {
      if (overall === 1) throw thrown;
    };
    await withProgress(transcribing, { onProgress }, (watched) => {
      for (const event of stream) watched.onProgress?.(event);
      return Promise.resolve();
    }).catch((error: unknown) => caught.push(error));
    expect(caught).toEqual([thrown]);
  });
});

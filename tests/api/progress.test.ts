// How far, and how long still: on a clock of the test's own.
import { describe, expect, test } from '@jest/globals';
import { ProgressMeter } from '../../web/src/engine/progress_meter.js';
import type { TranscriptionProgress } from '../../web/src/protocol/engine.js';

function meter(total: number | undefined) {
  const reports: TranscriptionProgress[] = [];
  const clock = { milliseconds: 1000 };
  const made = new ProgressMeter(
    total,
    (progress) => void reports.push(progress),
    () => clock.milliseconds,
  );
  /** A window whose audio comes now and which takes so long. */
  const window = (from: number, to: number, milliseconds: number): void => {
    made.audioGiven(from);
    made.update(from);
    clock.milliseconds += milliseconds;
    made.update(to);
  };
  return { reports, made, clock, window };
}

describe('a recording', () => {
  test('tells no time before its first window is done', () => {
    const { reports, made, clock } = meter(120);
    // The maximum of the whole recording is looked for first.
    for (let i = 0; i < 4; ++i) {
      made.audioGiven(0);
      made.update(0);
      clock.milliseconds += 5000;
    }
    expect(reports).toEqual([{ loaded: 0, total: 120, fraction: 0 }]);
  });

  test('then expects the pace of all windows so far, not of what came before them', () => {
    const { reports, window, clock, made } = meter(120);
    made.update(0);
    made.audioGiven(0);
    clock.milliseconds += 60_000;
    window(0, 30, 3000);
    expect(reports.at(-1)).toEqual({
      loaded: 30,
      total: 120,
      fraction: 0.25,
      remainingSeconds: 9,
    });
    window(30, 60, 6000);
    expect(reports.at(-1)!.remainingSeconds).toBeCloseTo(9, 9);
    window(60, 120, 1000);
    expect(reports.at(-1)).toMatchObject({ fraction: 1, remainingSeconds: 0 });
  });

  test('counts from where the first clip begins', () => {
    const { reports, window } = meter(100);
    window(40, 70, 3000);
    expect(reports.at(-1)!.remainingSeconds).toBeCloseTo(3, 9);
  });

  test('never goes back, and ends once', () => {
    const { reports, made } = meter(10);
    for (const loaded of [0, 5, 3, 5, 10]) made.update(loaded);
    made.finish(10);
    expect(reports.map(({ loaded }) => loaded)).toEqual([0, 5, 10]);
  });

  test('that is cut by a clip ends whole all the same', () => {
    const { reports, made } = meter(10);
    made.update(4);
    made.finish(10);
    expect(reports.at(-1)).toEqual({ loaded: 10, total: 10, fraction: 1, remainingSeconds: 0 });
  });

  test('of no length is all done', () => {
    const { reports, made } = meter(0);
    made.update(0);
    made.finish(0);
    expect(reports).toEqual([{ loaded: 0, total: 0, fraction: 1 }]);
  });
});

test('a stream knows its length at the end', () => {
  const { reports, window, made } = meter(undefined);
  window(0, 30, 1000);
  made.finish(42);
  expect(reports).toEqual([
    { loaded: 0 },
    { loaded: 30 },
    { loaded: 42, total: 42, fraction: 1, remainingSeconds: 0 },
  ]);
});

// The rules against what Silero's own function makes of the same probabilities (expected/silero_ranges.json).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { VadOptions } from '../../web/src/api/types.js';
import { SpeechEvents } from '../../web/tools/vad/speech_events.js';
import { SpeechRules } from '../../web/tools/vad/speech_rules.js';
import { speechLimits, vadDefaults } from '../../web/tools/vad/vad_options.js';
import { projectRoot } from '../support/shared_folder.js';

interface Case {
  readonly options: VadOptions;
  readonly sampleCount: number;
  readonly probabilities: readonly number[];
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

const { cases } = JSON.parse(
  readFileSync(join(projectRoot, 'tests/vad/expected/silero_ranges.json'), 'utf8'),
) as { cases: readonly Case[] };

test('150 drawn recordings have the ranges of the reference', () => {
  expect(cases).toHaveLength(150);
  for (const { options, sampleCount, probabilities, ranges } of cases) {
    const rules = new SpeechRules(speechLimits(options, vadDefaults.detect));
    for (const probability of probabilities) rules.push(probability);
    rules.finish(sampleCount);
    const got = rules.take().map(({ start, end }) => [start, end]);
    expect({ options, got }).toEqual({ options, got: ranges });
  }
});

test('what is told of speech under way is kept in the end', () => {
  for (const { options, sampleCount, probabilities, ranges } of cases) {
    const rules = new SpeechRules(speechLimits(options, vadDefaults.detect));
    const isKept = (start: number, end: number): boolean => {
      for (let at = start; at < Math.min(end, sampleCount);) {
        const range = ranges.find(([from, to]) => from <= at && at < to);
        if (!range) return false;
        at = range[1];
      }
      return true;
    };
    let earliest = 0;
    for (const probability of probabilities) {
      rules.push(probability);
      const { underWay } = rules;
      if (underWay) expect(isKept(underWay.start, underWay.end)).toBe(true);
      for (const { start } of rules.take()) expect(start).toBeGreaterThanOrEqual(earliest);
      if (underWay) expect(underWay.start).toBeGreaterThanOrEqual(earliest);
      expect(rules.earliest).toBeGreaterThanOrEqual(earliest);
      earliest = underWay ? earliest : rules.earliest;
    }
  }
});

test('starts and ends come in order, and are those of the ranges', () => {
  for (const { options, sampleCount, probabilities, ranges } of cases) {
    const rules = new SpeechRules(speechLimits(options, vadDefaults.detect));
    const events = new SpeechEvents(rules);
    const got: { readonly type: string; readonly time: number }[] = [];
    for (const probability of probabilities) {
      rules.push(probability);
      got.push(...events.take());
    }
    rules.finish(sampleCount);
    got.push(...events.take());
    const wanted = ranges.flatMap(([start, end]) => [
      { type: 'start', time: start / 16000 },
      { type: 'end', time: end / 16000 },
    ]);
    expect(got).toEqual(wanted);
  }
});

test.each<[string, VadOptions]>([
  ['threshold', { threshold: 0 }],
  ['threshold', { threshold: Number.NaN }],
  ['negativeThreshold', { negativeThreshold: 0.7 }],
  ['minSpeechDuration', { minSpeechDuration: -1 }],
  ['maxSpeechDuration', { maxSpeechDuration: 0 }],
  ['speechPad', { speechPad: 11 }],
  ['padding', { padding: 1 } as VadOptions],
])('%s is refused by name: %j', (subject, options) => {
  expect(() => speechLimits(options, vadDefaults.detect)).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      details: expect.objectContaining({ subject }),
    }),
  );
});

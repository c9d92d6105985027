// What npm run evaluate:languages counts, on texts and hearers made by hand.
import { describe, expect, test } from '@jest/globals';
import {
  alone,
  atLevel,
  languages,
  mixed,
  recording,
  type Said,
} from '../../scripts/evaluate/languages/material.mjs';
import {
  bestVoice,
  goalFigures,
  isCounted,
  measureLanguage,
  measureMixed,
  type LanguageRow,
} from '../../scripts/evaluate/languages/measure.mjs';
import {
  detectionTable,
  goalLine,
  languageTable,
  mixedTable,
  peerTable,
} from '../../scripts/evaluate/languages/tables.mjs';
import { counted, shownUnits, units } from '../../scripts/evaluate/languages/units.mjs';
import { readFileSync } from 'node:fs';

/** A sentence whose samples are all `level`, a second long. */
const sentence = (truth: string, level: number): Said => ({
  truth,
  samples: new Float32Array(16000).fill(level),
});
const german = {
  ...{ language: 'de', voice: 'espeak-ng de' },
  sentences: [sentence('Eins zwei.', 0.1), sentence('Drei vier.', 0.2)],
};
const spanish = {
  ...{ language: 'es', voice: 'espeak-ng es' },
  sentences: [sentence('Uno dos.', 0.3), sentence('Tres.', 0.4)],
};
const truths = [...german.sentences, ...spanish.sentences];

/** The truth of samples, in the order in which their levels follow one another. */
function said(samples: Float32Array, gain = 1) {
  const found = truths
    .map(({ truth, samples: own }) => ({
      truth,
      at: samples.indexOf(Math.fround((own[0] ?? 0) * gain)),
    }))
    .filter(({ at }) => at >= 0);
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ truth }) => truth)
    .join(' ');
}

/** Hears everything right when it is told the language; else in English, with a first word too many. */
const hear = (samples: Float32Array, language: string) =>
  Promise.resolve(
    language === 'auto'
      ? { text: `Well ${said(samples)}`, language: 'en', probability: 0.4 }
      : { text: said(samples), language },
  );
const ours = {
  ...{ title: 'Susurrus', offline: hear, close: () => undefined },
  live: async (samples: Float32Array, language: string) => ({
    ...(await hear(samples, language)),
    revised: said(samples),
  }),
};

describe('errors are counted in', () => {
  test.each([
    ['words', 'L’été, où es-tu ?', ["l'été", 'où', 'es', 'tu']],
    ['words with their marks', 'नमस्ते दुनिया।', ['नमस्ते', 'दुनिया']],
    ['characters of Chinese', '我想喝 coffee。', ['我', '想', '喝', 'coffee']],
    ['characters of Japanese', 'コーヒーを', ['コ', 'ー', 'ヒ', 'ー', 'を']],
    ['characters of Thai', 'สวัส', ['ส', 'ว', 'ั', 'ส']],
    ['words of Korean', '날씨가 좋아요', ['날씨가', '좋아요']],
    ['letters of any size', 'İSTANBUL Ärger', ['istanbul', 'ärger']],
  ])('%s', (_, text, expected) => {
    expect(units(text)).toEqual(expected.map((one) => one.normalize('NFKC')));
  });

  test('beside what was said', () => {
    expect(counted('Eins, zwei drei.', 'eins drei vier')).toEqual({ errors: 2, units: 3 });
    expect(counted('我想喝', '我喝')).toEqual({ errors: 1, units: 3 });
  });

  test.each([
    ['', 0],
    [" you. Don't!", 2],
    [' ... you ♪', 3],
    ['ご視聴 ありがとう。', 8],
  ])('as a reader sees them, where nobody spoke: "%s"', (text, count) => {
    expect(shownUnits(text)).toBe(count);
  });
});

describe('the material', () => {
  test('has six to nine sentences in twelve languages or more, and a reading of each', () => {
    const texts = JSON.parse(readFileSync('scripts/evaluate/languages/sentences.json', 'utf8')) as {
      languages: Record<string, { voices: string[]; sentences: string[]; spoken?: string[] }>;
    };
    expect(languages.length).toBeGreaterThanOrEqual(12);
    for (const { voices, sentences, spoken = sentences } of Object.values(texts.languages)) {
      expect(voices[0]).toMatch(/^espeak-ng /);
      expect(sentences.length).toBeGreaterThanOrEqual(6);
      expect(sentences.length).toBeLessThanOrEqual(9);
      expect(spoken).toHaveLength(sentences.length);
    }
  });

  test('opens with each sentence, the others behind it', () => {
    const { samples, truth } = recording(german, 1);
    expect(truth).toBe('Drei vier. Eins zwei.');
    expect(said(samples)).toBe(truth);
    expect(samples).toHaveLength(16000 * (0.5 + 1 + 0.8 + 1 + 1));
    expect(recording({ ...german, language: 'ja' }).truth).toBe('Eins zwei.Drei vier.');
  });

  test('is quieter by decibels', () => {
    const quieter = atLevel(alone(sentence('', 0.5)), -20);
    expect(Math.max(...quieter.samples)).toBeCloseTo(0.05, 6);
    expect(atLevel(quieter, 0)).toEqual(quieter);
  });

  test('changes from one language to the next with so much quiet between', () => {
    const { parts, whole } = mixed(german, spanish, 0.1);
    expect(parts.map(({ language, said: { truth } }) => `${language} ${truth}`)).toEqual([
      'de Eins zwei.',
      'es Tres.',
    ]);
    expect(whole.truth).toBe('Eins zwei. Tres.');
    expect(said(whole.samples)).toBe(whole.truth);
    expect(whole.samples).toHaveLength(16000 * (0.5 + 1 + 0.1 + 1 + 1));
  });
});

describe('a language', () => {
  const measureGerman = (others: (typeof ours)[] = []) =>
    measureLanguage(german, { ours, others }, { levels: [0], openings: [0, 1] });

  test('is measured told and detected, as a file, live and revised, and each sentence alone', async () => {
    expect(await measureGerman([{ ...ours, title: 'other' }])).toEqual({
      ...{ language: 'de', voice: 'espeak-ng de' },
      offline: {
        told: { errors: 0, units: 8 },
        auto: { errors: 2, units: 8, taken: { en: 2 }, probabilities: [0.4, 0.4] },
      },
      live: {
        told: { errors: 0, units: 8 },
        auto: { errors: 2, units: 8, taken: { en: 2 }, probabilities: [0.4, 0.4] },
        revised: { errors: 0, units: 8 },
        autoRevised: { errors: 0, units: 8 },
      },
      sentences: {
        told: { errors: 0, units: 4 },
        auto: { errors: 2, units: 4, taken: { en: 2 }, probabilities: [0.4, 0.4] },
      },
      peers: {
        other: {
          told: { errors: 0, units: 8 },
          auto: { errors: 2, units: 8, taken: { en: 2 }, probabilities: [0.4, 0.4] },
        },
      },
    });
  });

  test('is heard once where it has fewer sentences than openings', async () => {
    const short = { ...german, sentences: german.sentences.slice(0, 1) };
    const row = await measureLanguage(
      short,
      { ours, others: [] },
      { levels: [0], openings: [0, 1] },
    );
    expect(row.offline.told.units).toBe(2);
  });

  test('keeps the voice with the fewest errors, the first of equals', async () => {
    const poor = { ...german, voice: 'kokoro de', sentences: [sentence('Eins zwei.', 0.9)] };
    expect((await bestVoice([poor, german], ours)).voice).toBe('espeak-ng de');
    expect((await bestVoice([german, { ...german, voice: 'kokoro de' }], ours)).voice).toBe(
      'espeak-ng de',
    );
  });

  test('is in the table, but not in the goals, with half of its words wrong', async () => {
    const good = await measureGerman();
    const poor: LanguageRow = {
      ...good,
      language: 'fi',
      offline: { ...good.offline, told: { errors: 4, units: 8 } },
      live: { ...good.live, auto: { ...good.live.auto, errors: 8 } },
    };
    expect([good, poor].map(isCounted)).toEqual([true, false]);
    expect(goalFigures([good, poor], [])).toEqual({ languages: 1, live: 25, offline: 25 });
    expect(goalLine([good, poor], [])).toBe(
      'Points, over 1 counted languages: live auto − told +25.0, as a file +25.0.',
    );
    expect(languageTable([good, poor])).toMatch(/German \|.*8 words[^]*Finnish ¹ \|/);
    expect(detectionTable([good])).toContain('| 0 of 2 (en) | 0.40 |');
    expect(peerTable([good])).toBeUndefined();
  });

  test('is not in the goals where openai-whisper takes another one', async () => {
    const title = 'openai-whisper, float32';
    expect(isCounted(await measureGerman([{ ...ours, title }]))).toBe(false);
    const right = { ...ours, title, offline: (samples: Float32Array) => hear(samples, 'de') };
    expect(isCounted(await measureGerman([right]))).toBe(true);
    expect(isCounted(await measureGerman([{ ...ours, title: 'other' }]))).toBe(true);
  });

  test('is mixed with another, beside both alone', async () => {
    const lost = {
      ...ours,
      offline: async (samples: Float32Array, language: string) => ({
        text: language === 'per-window' ? 'Eins zwei.' : (await hear(samples, language)).text,
      }),
    };
    const row = await measureMixed(german, spanish, ['at a pause', 1.5], lost);
    expect(row).toEqual({
      ...{ languages: 'de, es', change: 'at a pause' },
      offline: { mixed: { errors: 1, units: 3 }, alone: { errors: 0, units: 3 } },
      live: {
        ...{ mixed: { errors: 0, units: 3 }, alone: { errors: 0, units: 3 } },
        revised: { errors: 0, units: 3 },
      },
    });
    expect(goalFigures([], [row])).toMatchObject({ mixedLive: 0, mixedRevised: 0 });
    expect(goalLine([], [row])).toContain('live +0.0, revised +0.0, as a file +33.3.');
    expect(mixedTable([row])).toContain('| German, then Spanish | at a pause |');
  });
});

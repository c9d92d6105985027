// Who speaks when in recordings, with the networks as they are shipped.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FoundSpeakers } from '../../web/src/api/types.js';
import type { SpeakerFinder } from '../../web/src/node_speakers.js';
import { decodedAudio } from '../support/decoded_audio.js';
import { errorOf } from '../support/embedded_model.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { describeWithSpeakers, speakersEntry, speakersPath } from '../support/speakers_model.js';

const meetings = resolve(sharedFolder, 'speakers/meetings');
const meeting = resolve(meetings, 'dev00.flac');

const { findSpeakers, identify, loadSpeakerFinder } = await speakersEntry();

/** Whose each hundredth of a second is. */
function labelsOf({ turns, duration }: Pick<FoundSpeakers, 'turns' | 'duration'>): string[] {
  const labels = new Array<string>(Math.round(100 * duration)).fill('');
  for (const { start, end, speaker } of turns) {
    for (let at = Math.round(100 * start); at < Math.round(100 * end); ++at) {
      labels[at] = (labels[at] ?? '') + speaker;
    }
  }
  return labels;
}

describeWithSpeakers('findSpeakers() in a meeting', () => {
  describeWithShared(
    ['speakers/meetings/dev00.flac', 'speakers/expected/turns.json'],
    'dev00',
    () => {
      let finder: SpeakerFinder;
      let samples: Float32Array;
      let found: FoundSpeakers;
      beforeAll(async () => {
        finder = await loadSpeakerFinder();
        ({ samples } = await decodedAudio(meeting));
        found = await finder.find(samples, { vectors: true });
      });
      afterAll(() => finder.dispose());

      test('the turns of a meeting are those of the reference, but for a few frames', () => {
        const { recordings } = JSON.parse(
          readFileSync(resolve(sharedFolder, 'speakers/expected/turns.json'), 'utf8'),
        ) as { recordings: Record<string, { turns: [number, number, number][] }> };
        const turns = recordings.dev00!.turns.map(([start, end, who]) => ({
          ...{ start, end, speaker: `S${who + 1}` },
        }));
        const [own, expected] = [labelsOf(found), labelsOf({ turns, duration: 30 })];
        // The reference has weights of 32 bits: 0.3 % of the classes of a frame are others.
        expect(own.filter((label, at) => label === expected[at]).length).toBeGreaterThan(2900);
        expect(found.duration).toBeCloseTo(30, 2);
        expect(found.speakers.map(({ id }) => id)).toEqual(['S1', 'S2']);
        const seconds = found.turns.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(found.speakers.reduce((sum, each) => sum + each.seconds, 0)).toBeCloseTo(seconds, 3);
      });

      test('samples, a stream in odd pieces, and two at a time give the same', async () => {
        const pieces = async function* () {
          for (let at = 0; at < samples.length; at += 77_777) {
            yield samples.slice(at, at + 77_777);
            await Promise.resolve();
          }
        };
        const all = await Promise.all([
          finder.find(samples),
          finder.find({ stream: pieces(), sampleRate: 16000 }),
        ]);
        const { turns } = found;
        // Without vectors, which nobody asked for here.
        const speakers = found.speakers.map(({ id, seconds }) => ({ id, seconds }));
        for (const each of all) {
          expect({ turns: each.turns, speakers: each.speakers }).toEqual({ turns, speakers });
        }
      });

      test('takes so many speakers as it is told', async () => {
        const speakersOf = async (options: object) =>
          (await finder.find(samples, options)).speakers.map(({ id }) => id);
        expect(await speakersOf({ max: 1 })).toEqual(['S1']);
        expect(await speakersOf({ min: 3, max: 4 })).toHaveLength(3);
      });

      test('voices are found again by their vectors', async () => {
        const { speakers } = await finder.find(samples.subarray(0, 13 * 16000), {
          count: 1,
          vectors: true,
        });
        const { vector } = speakers[0]!;
        expect(vector).toHaveLength(192);
        expect(Math.hypot(...vector!)).toBeCloseTo(1, 5);
        const { turns } = identify(found, { Ada: vector! });
        expect(turns[0]!.speaker).toBe('Ada');
        expect(turns.map(({ speaker }) => speaker)).toContain('S2');
      });
    },
  );
});

describeWithSpeakers('findSpeakers()', () => {
  let finder: SpeakerFinder;
  beforeAll(async () => {
    finder = await loadSpeakerFinder();
  });
  afterAll(() => finder.dispose());

  test('nothing, a blink, and silence have no turns', async () => {
    for (const count of [0, 1, 399, 400, 16000, 160001]) {
      const { turns, speakers, duration } = await finder.find(new Float32Array(count));
      expect([turns, speakers, duration]).toEqual([[], [], count / 16000]);
    }
  });

  test('reports its way through the recording', async () => {
    const seen: number[] = [];
    await finder.find(new Float32Array(25 * 16000), {
      onProgress: ({ phase, overall, loaded, total }) => {
        if (phase !== 'transcribe') return;
        seen.push(overall);
        expect(total).toBe(25);
        expect(loaded).toBeGreaterThan(0);
      },
    });
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(2);
  });

  test('refuses wrong options and samples', async () => {
    const nothing = new Float32Array(16000);
    const wrong: [object, RegExp][] = [
      [{ count: 0 }, /count.*1 to 100/],
      [{ count: 2, max: 3 }, /max.*beside count/],
      [{ min: 3, max: 2 }, /min.*at most 2/],
      [{ speakers: 2 }, /speakers/],
      [{ vectors: 1 }, /vectors/],
      [{ onProgress: 1 }, /onProgress/],
      [{ signal: {} }, /signal/],
    ];
    for (const [options, message] of wrong) {
      expect(await errorOf(finder.find(nothing, options))).toMatchObject({
        ...{ code: 'invalid_argument', message: expect.stringMatching(message) as unknown },
      });
    }
    expect(await errorOf(finder.find(nothing.fill(NaN)))).toMatchObject({
      code: 'invalid_argument',
    });
    expect(await errorOf(finder.find('no such file.wav'))).toMatchObject({ code: 'source_failed' });
  });

  test('stops with the signal’s reason, whatever it is, and goes on afterwards', async () => {
    const long = new Float32Array(600 * 16000);
    for (const reason of [new Error('enough'), undefined, null, 'text', 7]) {
      const controller = new AbortController();
      const work = finder.find(long, {
        signal: controller.signal,
        onProgress: () => controller.abort(reason),
      });
      expect(await errorOf(work)).toBe(controller.signal.reason);
    }
    const before = AbortSignal.abort('before');
    expect(await errorOf(finder.find(long, { signal: before }))).toBe('before');
    expect(await errorOf(findSpeakers(long, { signal: before }))).toBe('before');
    expect((await finder.find(new Float32Array(16000))).turns).toEqual([]);
  });

  test('a callback that throws stops it with that error', async () => {
    const thrown = new Error('mine');
    const onProgress = () => {
      throw thrown;
    };
    expect(await errorOf(finder.find(new Float32Array(32000), { onProgress }))).toBe(thrown);
    expect((await finder.find(new Float32Array(16000))).turns).toEqual([]);
  });

  test('a stream that fails or is left is cancelled', async () => {
    let isCancelled = false;
    const thrown = new Error('gone');
    const failing = async function* () {
      yield new Float32Array(16000);
      await Promise.resolve();
      throw thrown;
    };
    const error = await errorOf(finder.find({ stream: failing(), sampleRate: 16000 }));
    expect(error === thrown || (error as { cause?: unknown }).cause === thrown).toBe(true);
    const controller = new AbortController();
    const stream = new ReadableStream<Float32Array>({
      pull: (pulling) => {
        pulling.enqueue(new Float32Array(160_000));
        controller.abort('left');
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const left = finder.find({ stream, sampleRate: 16000 }, { signal: controller.signal });
    expect(await errorOf(left)).toBe('left');
    expect(isCancelled).toBe(true);
  });

  test('dispose() ends what is under way, and may be called twice', async () => {
    const own = await loadSpeakerFinder();
    const work = errorOf(own.find(new Float32Array(600 * 16000)));
    own.dispose();
    own.dispose();
    expect(await work).toMatchObject({ code: 'wrong_state' });
    expect(await errorOf(own.find(new Float32Array(10)))).toMatchObject({ code: 'wrong_state' });
  });

  test('files that are no such networks', async () => {
    const bytes = new Uint8Array(readFileSync(speakersPath));
    const errorWith = (model: Uint8Array) => errorOf(loadSpeakerFinder({ model }));
    expect(await errorWith(bytes.slice(0, 5_000_000))).toMatchObject({ code: 'truncated_input' });
    expect(await errorWith(new Uint8Array(0))).toMatchObject({ code: 'truncated_input' });
    expect(await errorWith(new Uint8Array(1000))).toMatchObject({ code: 'unknown_format' });
    const flipped = bytes.slice();
    flipped[4_000_000]! ^= 1;
    expect(await errorWith(flipped)).toMatchObject({ code: 'checksum_mismatch' });
    const whisper = new Uint8Array(readFileSync(resolve(speakersPath, '../digits.apr')));
    expect(await errorWith(whisper)).toMatchObject({ code: 'unsupported_feature' });
    expect(await errorOf(loadSpeakerFinder({ model: 'no such file' }))).toMatchObject({
      code: 'source_failed',
    });
    expect(await errorOf(loadSpeakerFinder({ model: '' }))).toMatchObject({
      code: 'invalid_argument',
    });
    expect(await errorOf(loadSpeakerFinder({ signal: AbortSignal.abort(3) }))).toBe(3);
  });
});

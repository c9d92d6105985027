// model.stream() of a Whisper: what is committed, what utterances are, and callers that misbehave.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  LiveEvent,
  LiveLag,
  LiveRevision,
  WhisperLiveOptions,
  LiveText,
  LiveTranscription,
  WhisperModel,
} from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';
import { turns } from '../support/turns.js';

const samples = sampleAudio();
const seconds = samples.length / 16000;
/** A tenth of a second. */
const block = 1600;
let model: WhisperModel;

beforeAll(async () => {
  model = await (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' });
});
afterAll(() => model.dispose());

async function read(live: LiveTranscription): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of live) events.push(event);
  return events;
}

async function feed(live: LiveTranscription, sound: Float32Array, size = block): Promise<void> {
  for (let at = 0; at < sound.length; at += size) await live.feed(sound.subarray(at, at + size));
}

/** Until the stream ends: no machine is fast enough to be done. */
async function feedOn(live: LiveTranscription): Promise<never> {
  for (;;) await feed(live, samples);
}

async function hear(
  sound: Float32Array,
  options: WhisperLiveOptions = {},
  size = block,
): Promise<LiveEvent[]> {
  const live = model.stream(options);
  const reading = read(live);
  await feed(live, sound, size);
  await live.close();
  return reading;
}

const textsOf = (events: readonly LiveEvent[]): LiveText[] =>
  events.filter((event): event is LiveText => event.type === 'partial' || event.type === 'final');
const finalText = (events: readonly LiveEvent[]): string =>
  textsOf(events)
    .filter(({ type }) => type === 'final')
    .map(({ text }) => text)
    .join('')
    .trim();
const lags = (events: readonly LiveEvent[]): LiveLag[] =>
  events.filter((event): event is LiveLag => event.type === 'lag');

/** Committed words stay as they are, ids end in order, words lie one behind the other within the sound. */
function expectContract(events: readonly LiveEvent[], until = seconds): void {
  let id = 0;
  let end = 0;
  let committed: LiveText['words'] = [];
  for (const event of textsOf(events)) {
    expect(event.id).toBe(id);
    expect(event.words.slice(0, committed.length)).toEqual(committed);
    expect(event.words.map(({ word }) => word).join('')).toBe(event.text);
    committed = event.words.slice(0, event.committed);
    let last = end;
    for (const word of event.words) {
      expect(word.start).toBeGreaterThanOrEqual(last - 1e-6);
      expect(word.end).toBeGreaterThan(word.start);
      expect(word.probability).toBeGreaterThan(0);
      last = word.end;
    }
    expect(last).toBeLessThanOrEqual(until + 0.5);
    expect(event.time).toBeLessThanOrEqual(until + 1e-6);
    if (event.type === 'partial') continue;
    expect(event.committed).toBe(event.words.length);
    committed = [];
    end = last;
    ++id;
  }
}

describe('what is heard', () => {
  test.each<WhisperLiveOptions>([{}, { policy: 'agreement' }, { vad: false }, { step: 0.5 }])(
    'is what transcribe() hears, and nothing committed changes: %j',
    async (options) => {
      const events = await hear(samples, options);
      expect(finalText(events)).toBe(sampleText);
      expectContract(events);
    },
  );

  test('has its words start where transcribe() has them, which is not in the pauses before them', async () => {
    const { segments } = await model.transcribe(samples, { timestamps: 'word' });
    const expected = segments.flatMap(({ words = [] }) => words);
    const heard = textsOf(await hear(samples))
      .filter(({ type }) => type === 'final')
      .flatMap(({ words }) => words);
    expect(heard.map(({ word }) => word)).toEqual(expected.map(({ word }) => word));
    for (const [i, { start }] of heard.entries()) {
      expect(Math.abs(start - expected[i]!.start)).toBeLessThan(0.05);
    }
  });

  test('comes while somebody speaks, words committed before the utterance ends', async () => {
    const events = textsOf(await hear(samples));
    const committedEarly = events.filter(
      ({ type, committed }) => type === 'partial' && committed > 0,
    );
    expect(committedEarly.length).toBeGreaterThan(0);
    expect(events[0]?.time).toBeLessThan(2);
  });

  test('pauses end utterances; silence is told once', async () => {
    const pause = new Float32Array(5 * 16000);
    const sound = new Float32Array(samples.length + pause.length + samples.length);
    sound.set(samples);
    sound.set(samples, samples.length + pause.length);
    const events = await hear(sound);
    expectContract(events, sound.length / 16000);
    expect(finalText(events)).toBe(`${sampleText} ${sampleText}`);
    const silences = events.filter(({ type }) => type === 'silence');
    expect(silences).toHaveLength(1);
    expect(silences[0]?.time).toBeGreaterThan(seconds);
    const second = textsOf(events).filter(({ start }) => start > seconds);
    const words = second.filter(({ type }) => type === 'final').flatMap((event) => event.words);
    // After the pause the words repeat those of the first utterance, shifted in time.
    const first = textsOf(await hear(samples))
      .filter(({ type }) => type === 'final')
      .flatMap((event) => event.words);
    expect(words).toHaveLength(first.length);
    for (const [i, word] of words.entries()) {
      const later = (first[i]?.start ?? NaN) + (samples.length + pause.length) / 16000;
      expect(Math.abs(word.start - later)).toBeLessThan(0.3);
    }
  });

  test.each([0.6])(
    'what is said again after a pause of %d s is told again, each word once and at its place',
    async (pause) => {
      const again = samples.length + Math.round(pause * 16000);
      const sound = new Float32Array(again + samples.length);
      sound.set(samples);
      sound.set(samples, again);
      const events = await hear(sound);
      expectContract(events, sound.length / 16000);
      expect(finalText(events)).toBe(`${sampleText} ${sampleText}`);
      const middles = textsOf(events)
        .filter(({ type }) => type === 'final')
        .flatMap(({ words }) => words.map(({ start, end }) => (start + end) / 2));
      const half = middles.length / 2;
      expect(middles.findIndex((middle) => middle > again / 16000)).toBe(half);
    },
  );

  test('no word at a border of utterances is told twice or lost, wherever between words the border is', async () => {
    const [{ words = [] } = {}] = (await model.transcribe(samples, { timestamps: 'word' }))
      .segments;
    expect(words.length).toBeGreaterThan(2);
    for (const [i, { end }] of words.slice(0, -1).entries()) {
      const border = Math.round(8000 * (end + words[i + 1]!.start));
      const live = model.stream({ vad: false });
      const reading = read(live);
      await feed(live, samples.subarray(0, border));
      await live.flush();
      await feed(live, samples.subarray(border));
      await live.close();
      expect([i, finalText(await reading)]).toEqual([i, sampleText]);
    }
  });

  test('the same blocks give the same events, in all that is told', async () => {
    expect(await hear(samples)).toEqual(await hear(samples));
  });

  test('all at once is heard as a recording is: a hypothesis for each window', async () => {
    const events = await hear(samples, { vad: false }, samples.length);
    expect(finalText(events)).toBe(sampleText);
    expectContract(events);
    expect(textsOf(events).length).toBeLessThan(5);
  });

  test('of other rates, and as integers', async () => {
    const doubled = Float32Array.from({ length: 2 * samples.length }, (_, i) => {
      const [left = 0, right = 0] = [samples[i >> 1], samples[(i >> 1) + 1]];
      return i % 2 === 0 ? left : (left + right) / 2;
    });
    expect(finalText(await hear(doubled, { sampleRate: 32000 }, 3200))).toBe(sampleText);
    const live = model.stream();
    const reading = read(live);
    await live.feed(Int16Array.from(samples, (value) => Math.round(value * 32767)));
    await live.close();
    expect(finalText(await reading)).toBe(sampleText);
  });

  test('flush() ends the utterance, and the sound goes on', async () => {
    const live = model.stream({ vad: false });
    const reading = read(live);
    const half = Math.round(2.4 * 16000);
    await feed(live, samples.subarray(0, half));
    await live.flush();
    await feed(live, samples.subarray(half));
    await live.close();
    const events = await reading;
    expectContract(events);
    expect(finalText(events)).toBe(sampleText);
    expect(textsOf(events).some(({ type, time }) => type === 'final' && time < 2.5)).toBe(true);
  });

  test('reset() forgets, and times and ids begin anew', async () => {
    const live = model.stream();
    const reading = read(live);
    await feed(live, samples.subarray(0, 30000));
    await live.reset();
    await feed(live, samples);
    await live.close();
    const all = await reading;
    const expected = await hear(samples);
    expect(all.slice(-expected.length)).toEqual(expected);
  });

  test.each<[WhisperLiveOptions]>([[{ vad: false, sampleRate: 32000 }]])(
    'flush(), reset() and close() keep their places among calls that nobody awaits: %j',
    async (options) => {
      const [one, other] = [samples.subarray(0, 40_000), samples.subarray(40_000)];
      const steps: ((live: LiveTranscription) => Promise<void>)[] = [
        ...[one, other].map((sound) => (live: LiveTranscription) => live.feed(sound)),
        (live) => live.flush(),
        (live) => live.feed(samples),
        (live) => live.reset(),
        (live) => live.feed(other),
        (live) => live.close(),
      ];
      const inTurn = model.stream(options);
      const expected = read(inTurn);
      // The first two feeds go out together.
      for (const [at, step] of steps.entries()) {
        const done = step(inTurn);
        if (at > 0) await done;
      }
      const atOnce = model.stream(options);
      const reading = read(atOnce);
      for (const step of steps) void step(atOnce);
      const texts = textsOf(await reading);
      expect(texts).toEqual(textsOf(await expected));
      expect(texts.map(({ id }) => id).lastIndexOf(0)).toBeGreaterThan(
        texts.findIndex(({ id }) => id > 0),
      );
    },
  );

  test('hotwords and prompts are heeded', async () => {
    const heard = await hear(samples, { hotwords: [{ text: 'eight', weight: 20 }] });
    expect(finalText(heard)).toContain('eight');
    const prompted = await hear(samples, { initialPrompt: 'one two three' });
    expect(finalText(prompted)).toBe(sampleText);
  });
});

describe('the model is behind', () => {
  test('lag events say so, onLag gets them, and nothing is lost', async () => {
    const told: LiveLag[] = [];
    const live = model.stream({ onLag: (event) => told.push(event) });
    const reading = read(live);
    // The first piece is on its way when the others come.
    const feeding = [live.feed(samples.subarray(0, block))];
    await turns(1);
    for (let at = block; at < samples.length; at += block) {
      feeding.push(live.feed(samples.subarray(at, at + block)));
    }
    expect(live.lag).toBeGreaterThan(8);
    await Promise.all(feeding);
    await live.close();
    const events = await reading;
    expect(finalText(events)).toBe(sampleText);
    expect(lags(events)).toEqual(told);
    for (const { lag, skipped } of told) {
      expect(lag).toBeGreaterThanOrEqual(0);
      expect(skipped).toBeUndefined();
    }
  });

  test('maxLag leaves out the oldest, and says from when to when', async () => {
    const told: LiveLag[] = [];
    const live = model.stream({ maxLag: 3, onLag: (event) => told.push(event) });
    const reading = read(live);
    const feeding = [live.feed(samples.subarray(0, block))];
    await turns(1);
    for (let at = block; at < samples.length; at += block) {
      feeding.push(live.feed(samples.subarray(at, at + block)));
    }
    await Promise.all(feeding);
    await live.close();
    const events = await reading;
    const skipped = told.flatMap((event) => (event.skipped ? [event.skipped] : []));
    expect(skipped).toHaveLength(1);
    expect(skipped[0]?.end).toBeCloseTo(seconds - 3, 1);
    // What is left is timed as it is in the sound.
    expectContract(events);
    const words = textsOf(events)
      .filter(({ type }) => type === 'final')
      .flatMap((event) => event.words);
    expect(words.map(({ word }) => word.trim()).at(-1)).toBe('five');
    expect(words.at(-1)?.end).toBeGreaterThan(6.5);
  });

  test('an onLag that throws ends the stream with its error', async () => {
    const mine = new Error('mine');
    const live = model.stream({
      maxLag: 1,
      onLag: () => {
        throw mine;
      },
    });
    const reading = errorOf(read(live));
    const feeding = [
      errorOf(live.feed(samples.subarray(0, block))),
      errorOf(live.feed(samples.subarray(block))),
    ];
    expect(await reading).toBe(mine);
    await Promise.all(feeding);
    expect(await errorOf(live.flush())).toBe(mine);
  });
});

describe('beside other work', () => {
  test('two streams and a transcription hear what each hears alone', async () => {
    const expected = await hear(samples);
    const [one, other, { text }] = await Promise.all([
      hear(samples),
      hear(samples),
      model.transcribe(samples),
    ]);
    expect(one).toEqual(expected);
    expect(other).toEqual(expected);
    expect(text.trim()).toBe(sampleText);
  });

  test('it says that it waits for a paused transcription, and goes on after it', async () => {
    const sound = samples.subarray(0, 32_000);
    const expected = finalText(await hear(sound, { vad: false }, sound.length));
    for (const isPausedFirst of [true, false]) {
      const told: LiveLag[] = [];
      const onProgress = (): void => {
        if (told.length === 0) paused.pause();
      };
      const paused = model.transcribe(sound, isPausedFirst ? {} : { onProgress });
      if (isPausedFirst) paused.pause();
      const live = model.stream({ vad: false, onLag: (event) => told.push(event) });
      const reading = read(live);
      void live.feed(sound);
      void live.close();
      while (told.length === 0) await turns(1);
      expect(told).toEqual([{ type: 'lag', id: 0, time: 0, lag: 2, waitsForPaused: true }]);
      paused.resume();
      const events = await reading;
      expect(finalText(events)).toBe(expected);
      expect(lags(events)).toEqual(told);
      await paused;
    }
  });

  test('an onLag that throws when a transcription is paused ends the stream alone', async () => {
    const mine = new Error('mine');
    const onLag = (): never => {
      throw mine;
    };
    const sound = samples.subarray(0, 32_000);
    const paused = model.transcribe(sound);
    const live = model.stream({ vad: false, onLag });
    const reading = errorOf(read(live));
    const feeding = errorOf(live.feed(samples));
    paused.pause();
    expect(await reading).toBe(mine);
    expect(await feeding).toBe(mine);
    paused.resume();
    await paused;
  });

  test('an abort with any reason ends it wherever it is, and no other', async () => {
    for (const [round, reason] of [new Error('enough'), 'enough', 0, null, undefined].entries()) {
      const controller = new AbortController();
      const live = model.stream({ signal: controller.signal });
      const reading = errorOf(read(live));
      const feeding = errorOf(feedOn(live));
      await turns(3 + 40 * round);
      controller.abort(reason);
      expect(await reading).toBe(controller.signal.reason);
      expect(await feeding).toBe(controller.signal.reason);
      expect(await errorOf(live.feed(samples))).toBe(controller.signal.reason);
    }
    expect(finalText(await hear(samples))).toBe(sampleText);
    const aborted = model.stream({ signal: AbortSignal.abort('before') });
    expect(await errorOf(read(aborted))).toBe('before');
  });

  test('a reader that leaves ends the stream; feeding it is refused', async () => {
    const live = model.stream();
    const feeding = feedOn(live).catch((error: unknown) => error);
    for await (const event of live) {
      expect(event.type).toBe('partial');
      break;
    }
    expect(await feeding).toMatchObject({ code: 'wrong_state' });
    expect(finalText(await hear(samples))).toBe(sampleText);
  });

  test('dispose() ends it', async () => {
    const own = await (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' });
    const live = own.stream();
    const reading = errorOf(read(live));
    const feeding = errorOf(feedOn(live));
    await turns(20);
    own.dispose();
    expect(await reading).toMatchObject({ code: 'aborted' });
    await feeding;
  });

  test.each<[WhisperLiveOptions]>([
    [{}],
    [{ vad: false }],
    [{ sampleRate: 32000 }],
    [{ vad: false, sampleRate: 32000 }],
  ])(
    'samples that are no sound are refused, with their place in the stream: %j',
    async (options) => {
      for (const value of [NaN, -Infinity, Math.fround(1e30), 5000]) {
        const live = model.stream(options);
        const reading = errorOf(read(live));
        const bad = samples.slice(16000, 20000);
        bad[5] = value;
        await live.feed(samples.subarray(0, 16000));
        await live.flush();
        const feeding = errorOf(live.feed(bad));
        const later = errorOf(live.feed(samples));
        const at = `sample 16005 (${options.sampleRate ? '0.500' : '1.000'} s)`;
        const refusal = { code: 'invalid_argument', details: { got: `${value} at ${at}` } };
        for (const error of await Promise.all([feeding, later, reading])) {
          expect(error).toMatchObject(refusal);
        }
      }
    },
  );
});

describe('a second hearing', () => {
  const options: WhisperLiveOptions = { revise: true };
  const isRevision = (event: LiveEvent): event is LiveRevision => event.type === 'revised';

  /** The text after all revisions, each of which replaces finals that follow one another, once. */
  function revisedText(events: readonly LiveEvent[]): string {
    const shown: { readonly id?: number; readonly text: string }[] = [];
    for (const event of events) {
      if (event.type === 'final') shown.push(event);
      if (!isRevision(event)) continue;
      const { replaces, segments } = event;
      const at = shown.findIndex(({ id }) => id === replaces[0]);
      expect(shown.slice(at, at + replaces.length).map(({ id }) => id)).toEqual(replaces);
      for (const { text, words } of segments) {
        expect(words.map(({ word }) => word).join('')).toBe(text);
      }
      shown.splice(at, replaces.length, ...segments);
    }
    return shown.map(({ text }) => text).join('');
  }

  /** So short steps, without the detector, spoil the first hearing: there is something to revise. */
  const hasty: WhisperLiveOptions = { ...options, vad: false, policy: 'agreement', step: 0.2 };

  test.each([options, hasty, { ...hasty, sampleRate: 32000 }])(
    'gives the text of a recording, with %j',
    async (given) => {
      const twice = Float32Array.from({ length: 2 * samples.length }, (_, i) => samples[i >> 1]!);
      const sound = given.sampleRate ? twice : samples;
      const { text } = await model.transcribe({
        samples: sound,
        sampleRate: given.sampleRate ?? 16000,
      });
      const events = await hear(sound, given);
      expectContract(events);
      expect(revisedText(events).trim()).toBe(text.trim());
      // The first hearing was as it is without the second one.
      const others = events.filter((event) => !isRevision(event));
      expect(others).toEqual(await hear(sound, { ...given, revise: false }));
    },
  );

  test('replaces what the first hearing had wrong', async () => {
    const cut = await hear(samples, hasty, 1000);
    const { text } = await model.transcribe(samples);
    expect(finalText(cut)).not.toBe(text.trim());
    expect(cut.filter(isRevision).length).toBeGreaterThan(0);
    expect(revisedText(cut).trim()).toBe(text.trim());
  });

  test('is over with the stream: closed, reset, aborted, left or disposed of, its memory is free', async () => {
    const { loadModel } = await builtPackage();
    const own = await loadModel<'whisper'>('digits', { variant: 'simd' });
    const heap = async (): Promise<number> => (await own.memory()).heapBytes;
    const sound = samples.subarray(0, 48_000);
    const speak = async (signal?: AbortSignal): Promise<LiveTranscription> => {
      const live = own.stream({ ...options, vad: false, ...(signal && { signal }) });
      await live.feed(sound);
      return live;
    };
    await (await speak()).close();
    const before = await heap();
    const once = await speak();
    const { activationBytes } = await own.memory();
    expect((await heap()) - before).toBeGreaterThan(activationBytes);
    await Promise.all([once.close(), once.close()]);
    expect(await heap()).toBe(before);

    const again = await speak();
    await again.reset();
    await again.feed(sound);
    const events = read(again);
    await again.close();
    expect((await events).filter(({ type }) => type === 'final').at(-1)?.id).toBe(0);
    expect(await heap()).toBe(before);

    for (const reason of [new Error('enough'), 'enough', undefined]) {
      const controller = new AbortController();
      const live = await speak(controller.signal);
      const closing = errorOf(live.close());
      controller.abort(reason);
      expect(await errorOf(read(live))).toBe(controller.signal.reason);
      await closing;
      while ((await heap()) !== before) await turns(1);
    }
    const left = await speak();
    for await (const event of left) if (event.type === 'partial' || event.type === 'final') break;
    while ((await heap()) !== before) await turns(1);

    const last = await speak();
    const reading = errorOf(read(last));
    own.dispose();
    expect(await reading).toMatchObject({ code: 'aborted' });
  });

  test('gives way to a transcription, and hears what it hears alone', async () => {
    const expected = await hear(samples, options);
    const live = model.stream(options);
    const reading = read(live);
    await feed(live, samples);
    const [{ text }] = await Promise.all([model.transcribe(samples), live.close()]);
    expect(text.trim()).toBe(sampleText);
    expect(await reading).toEqual(expected);
  });
});

describe('options', () => {
  test.each([
    [{ policy: 'both' }, 'policy'],
    [{ step: 0 }, 'step'],
    [{ step: 11 }, 'step'],
    [{ revise: 'yes' }, 'revise'],
    [{ language: 'per-window' }, 'language'],
    [{ vad: 1 }, 'vad'],
    [{ maxLag: 0 }, 'maxLag'],
    [{ onLag: true }, 'onLag'],
    [{ beamSize: 2 }, 'beamSize'],
    [{ stpe: 1 }, 'stpe'],
    [{ sampleRate: 10 }, 'sampleRate'],
    [{ hotwords: ['eight'] }, 'hotwords'],
  ])('%j is refused at once', (options, subject) => {
    expect(() => model.stream(options as WhisperLiveOptions)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        details: expect.objectContaining({ subject }) as unknown,
      }),
    );
  });

  test('a detector’s options that are wrong end the stream', async () => {
    const live = model.stream({ vad: { threshold: 2 } });
    expect(await errorOf(read(live))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'threshold' },
    });
  });
});

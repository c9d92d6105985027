import { describe, expect, test } from '@jest/globals';
import type { LiveEvent } from '../../web/src/index.js';
import { ModelSwitch } from '../../web/demo/live/model_switch.js';
import type { LiveStream, StreamingModel } from '../../web/page/live.js';

/** Says after each block how many samples it was, and at its end that it is the end. */
class CountingModel implements StreamingModel {
  readonly name: string;
  readonly asked: unknown[] = [];
  /** Thrown by what comes next. */
  failure: Error | undefined;
  /** It hears when this resolves. */
  hearing: Promise<void> = Promise.resolve();
  /** Its streams end when this resolves. */
  ending: Promise<void> = Promise.resolve();

  constructor(name: string) {
    this.name = name;
  }

  stream(options?: unknown): LiveStream {
    this.asked.push(options);
    const events: LiveEvent[] = [];
    let isClosed = false;
    let wake = (): void => undefined;
    let id = 0;
    const say = (text: string): void => {
      const times = { time: id, start: id, end: id + 1 };
      const words = [{ word: text, start: id, end: id + 1, probability: 1 }];
      events.push({ type: 'final', id, ...times, text, words, committed: 1, tokens: [] });
      id += 1;
      wake();
    };
    const check = (): void => {
      if (this.failure) throw this.failure;
    };
    return {
      lag: 0.5,
      feed: async (samples) => {
        await this.hearing;
        check();
        say(`${this.name} ${samples.length}`);
      },
      flush: () => Promise.resolve(),
      close: async () => {
        await Promise.all([this.ending, this.hearing]);
        if (!isClosed && !this.failure) say(`${this.name} ends`);
        isClosed = true;
        wake();
      },
      async *[Symbol.asyncIterator]() {
        for (;;) {
          check();
          const event = events.shift();
          if (event) yield event;
          else if (isClosed) return;
          else await new Promise<void>((woken) => (wake = woken));
        }
      },
    };
  }
}

interface Said {
  readonly texts: string[];
  readonly done: Promise<void>;
}

/** Notes events and changes of model in the order in which they come. */
function begin(first?: StreamingModel): { models: ModelSwitch; stream: LiveStream; said: Said } {
  const texts: string[] = [];
  const models = new ModelSwitch(
    first,
    {},
    {
      onNext: (offset) => texts.push(`at ${offset}`),
      onSound: () => undefined,
    },
  );
  const stream = models.stream({ sampleRate: 100 });
  const run = async (): Promise<void> => {
    for await (const event of stream) if (event.type === 'final') texts.push(event.text);
  };
  return { models, stream, said: { texts, done: run() } };
}

const block = (length: number): Float32Array => new Float32Array(length);

describe('a stream whose model changes', () => {
  test('the one before says all that it heard, then the next goes on where it ended', async () => {
    const [a, b] = [new CountingModel('a'), new CountingModel('b')];
    const { models, stream, said } = begin(a);
    await stream.feed(block(100));
    await stream.feed(block(50));
    await models.leave();
    models.follow(b, { language: 'de' });
    await stream.feed(block(30));
    await stream.close();
    await said.done;
    expect(said.texts).toEqual(['a 100', 'a 50', 'a ends', 'at 1.5', 'b 30', 'b ends']);
    expect(a.asked).toEqual([{ sampleRate: 100 }]);
    expect(b.asked).toEqual([{ language: 'de', sampleRate: 100 }]);
  });

  test('sound that comes while there is no model waits, and is not what a model is behind with', async () => {
    const { models, stream, said } = begin(new CountingModel('a'));
    await models.leave();
    const waiting = [stream.feed(block(100)), stream.feed(block(200))];
    expect([models.waiting, stream.lag]).toEqual([3, 0]);
    await stream.flush();
    models.follow(new CountingModel('b'), {});
    expect(stream.lag).toBe(0.5);
    await Promise.all(waiting);
    expect(models.waiting).toBe(0);
    await stream.close();
    await said.done;
    expect(said.texts).toEqual(['a ends', 'at 0', 'b 100', 'b 200', 'b ends']);
  });

  test('who asks again while it leaves waits for the same last words', async () => {
    const a = new CountingModel('a');
    const { models, stream, said } = begin(a);
    await stream.feed(block(100));
    let end!: () => void;
    a.ending = new Promise((done) => (end = done));
    let left = 0;
    const leaving = [models.leave(), models.leave()].map((leave) => leave.then(() => left++));
    await new Promise((done) => setImmediate(done));
    expect(left).toBe(0);
    end();
    await Promise.all(leaving);
    await new Promise((done) => setImmediate(done));
    expect(said.texts).toEqual(['a 100', 'a ends']);
    models.follow(new CountingModel('b'), {});
    await stream.close();
    await said.done;
  });

  test('it can end while there is no model', async () => {
    const { models, stream, said } = begin(new CountingModel('a'));
    await models.leave();
    const waiting = stream.feed(block(100));
    await stream.close();
    await waiting;
    await said.done;
    expect(said.texts).toEqual(['a ends']);
    models.follow(new CountingModel('b'), {});
    expect(said.texts).toEqual(['a ends']);
  });

  test('a model that fails while it goes does not matter', async () => {
    const a = new CountingModel('a');
    const { models, stream, said } = begin(a);
    await stream.feed(block(100));
    a.failure = new Error('disposed');
    models.follow(new CountingModel('b'), {});
    await stream.feed(block(10));
    await stream.close();
    await said.done;
    expect(said.texts.slice(-3)).toEqual(['at 1', 'b 10', 'b ends']);
  });

  test('the failure of the model in use reaches who feeds and who listens', async () => {
    const a = new CountingModel('a');
    const { stream, said } = begin(a);
    await stream.feed(block(100));
    a.failure = new Error('out of memory');
    await expect(stream.feed(block(1))).rejects.toThrow('out of memory');
    await expect(said.done).rejects.toThrow('out of memory');
  });

  test('sound that comes before the first model waits for it', async () => {
    const { models, stream, said } = begin();
    const waiting = [stream.feed(block(100)), stream.feed(block(200))];
    models.follow(new CountingModel('a'), { language: 'de' });
    await Promise.all(waiting);
    await stream.feed(block(30));
    await stream.close();
    await said.done;
    expect(said.texts).toEqual(['a 100', 'a 200', 'a 30', 'a ends']);
  });

  test('it can end before the first model comes', async () => {
    const { models, stream, said } = begin();
    const waiting = stream.feed(block(100));
    await stream.close();
    await Promise.all([waiting, said.done]);
    models.follow(new CountingModel('a'), {});
    expect(said.texts).toEqual([]);
  });

  test('a model gets what has waited bit by bit, before what comes meanwhile, and all of it when it ends', async () => {
    const { models, stream, said } = begin();
    const fed = Array.from({ length: 10 }, () => stream.feed(block(100)));
    const a = new CountingModel('a');
    let hear!: () => void;
    a.hearing = new Promise((heard) => (hear = heard));
    models.follow(a, {});
    expect(models.waiting).toBe(8);
    fed.push(stream.feed(block(50)));
    expect(models.waiting).toBe(8.5);
    const closed = stream.close();
    expect(models.waiting).toBe(0);
    hear();
    await Promise.all([...fed, closed]);
    await said.done;
    expect(said.texts).toEqual([...new Array<string>(10).fill('a 100'), 'a 50', 'a ends']);
  });

  test('a model that is slower than the sound gets all of it: it leaves out what it must', async () => {
    const { models, stream } = begin();
    const fed = Array.from({ length: 4 }, () => stream.feed(block(100)));
    const a = new CountingModel('a');
    let hear!: () => void;
    a.hearing = new Promise((heard) => (hear = heard));
    models.follow(a, {});
    for (let i = 0; i < 13; ++i) fed.push(stream.feed(block(100)));
    expect(models.waiting).toBe(15);
    hear();
    await fed[2];
    expect(models.waiting).toBe(0);
    await Promise.all(fed);
    await stream.close();
  });

  test('a model that fails with what has waited fails all that waits', async () => {
    const { models, stream, said } = begin();
    const fed = Array.from({ length: 10 }, () => stream.feed(block(100)));
    const a = new CountingModel('a');
    a.failure = new Error('out of memory');
    models.follow(a, {});
    const results = await Promise.allSettled(fed);
    expect(results.map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
    await expect(said.done).rejects.toThrow('out of memory');
  });

  test('all sound is handed over with its rate, whoever hears it', async () => {
    const heard: string[] = [];
    const models = new ModelSwitch(
      new CountingModel('a'),
      {},
      {
        onNext: () => undefined,
        onSound: (samples, rate) => heard.push(`${samples.length} at ${rate}`),
      },
    );
    const stream = models.stream();
    await stream.feed(block(5));
    await models.leave();
    void stream.feed(block(6));
    expect(heard).toEqual(['5 at 16000', '6 at 16000']);
    await stream.close();
  });
});

// susurrus/live in a page: a microphone that plays a file, tabs, media elements, and what may be wrong with each.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sampleBytes } from './browser_page.js';
import { limit } from '../support/limits.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import {
  openLivePage,
  type LiveGlobals,
  type LivePage,
  type LivePageOptions,
} from './live_page.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(180_000));
// In 4 of 40 runs nothing was heard of an element that Chromium 156 captured; why is not known. It is heard at the next try.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

/** Models that stream, what they need beside the checkout, and what they hear in which recording. */
const models = [
  {
    name: 'digits.april',
    needs: ['april-digits'],
    path: resolve(sharedFolder, 'april-digits/digits.april'),
    sound: () => wavSamples('april-digits/eval/short-0.wav'),
    says: /one six/,
  },
] as const;

const folder = mkdtempSync(join(tmpdir(), 'susurrus-live-'));
const playsFreely = '--autoplay-policy=no-user-gesture-required';
const allowsAll = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
let opened: LivePage | undefined;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser([...allowsAll, playsFreely]);
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  const { problems = [] } = opened ?? {};
  await opened?.close();
  opened = undefined;
  // A page's error is the test's.
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

/** Its page, for a test. */
async function livePage(
  options: LivePageOptions = {},
  from = browser,
  before?: (page: Page) => unknown,
) {
  opened = await openLivePage(from, options, before);
  return opened.page;
}

/** A WAV file of 16-bit samples at 16 kHz, with a second of silence before and two behind. */
function wavFile(name: string, sound: Float32Array): string {
  const samples = new Float32Array(sound.length + 48_000);
  samples.set(sound, 16_000);
  const header = Buffer.from(sampleBytes().subarray(0, 44));
  header.writeUInt32LE(36 + 2 * samples.length, 4);
  header.writeUInt32LE(2 * samples.length, 40);
  const data = Int16Array.from(samples, (value) => Math.round(32_767 * value));
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat([header, Buffer.from(data.buffer)]));
  return path;
}

for (const { name, needs, path, sound, says } of models) {
  describeWithShared([...needs], `with ${name}`, () => {
    let speaking: Browser;
    beforeAll(async () => {
      const file = wavFile('microphone.wav', sound());
      speaking = await launchBrowser([...allowsAll, `--use-file-for-fake-audio-capture=${file}`]);
    });
    afterAll(() => speaking.close());

    test.each([false, true])(
      '79 to 85: a microphone is heard while it speaks (shared memory: %s)',
      async (isolated) => {
        const page = await livePage({ isolated, files: { 'model.april': path } }, speaking);
        const result = await page.evaluate(async (pattern) => {
          const globals = globalThis as unknown as LiveGlobals;
          const { susurrus, live, microphones, contexts, wakeLocks, named } = globals;
          const model = await susurrus.loadModel<'whisper'>('/model.april');
          const states: string[] = [];
          let loudest = 0;
          const listening = live.listen(model, live.microphone(), {
            onState: (status) => void states.push(named(status)),
            onLevel: (level) => void (loudest = Math.max(loudest, level)),
          });
          const texts: Record<number, string> = {};
          let noise: boolean | undefined;
          for await (const event of listening) {
            if (!('text' in event)) continue;
            texts[event.id] = event.text;
            noise = microphones[0]!.getAudioTracks()[0]!.getSettings().noiseSuppression;
            // Twice, so that it does not depend on where the file was when listening began.
            if (Object.values(texts).join(' ').split(new RegExp(pattern)).length > 2) {
              void listening.close();
            }
          }
          const facts = {
            states,
            isLoud: loudest > 0.5,
            isReleased: microphones.every((each) => each.getTracks()[0]!.readyState === 'ended'),
            contexts: contexts.map(({ state }) => state),
            wakeLocks,
            isolated: crossOriginIsolated,
            noise,
          };
          model.dispose();
          return facts;
        }, says.source);
        expect(result).toEqual({
          states: ['listening', 'ended: closed'],
          ...{ isLoud: true, isReleased: true, contexts: ['closed'] },
          ...{ wakeLocks: ['screen', 'released'], isolated, noise: false },
        });
      },
    );

    test.each(['captured', 'rerouted'])(
      'captions of an element while it plays, pauses and goes back (%s)',
      async (way) => {
        const talk = wavFile('talk.wav', sound());
        const page = await livePage({ files: { 'model.april': path, 'talk.wav': talk } });
        const result = await page.evaluate(
          async ({ isRerouted, pattern }) => {
            const { susurrus, live, named, until } = globalThis as unknown as LiveGlobals;
            // As Firefox and Safari are.
            if (isRerouted) Reflect.deleteProperty(HTMLMediaElement.prototype, 'captureStream');
            const media = document.querySelector('audio')!;
            const model = await susurrus.loadModel<'whisper'>('/model.april');
            const states: string[] = [];
            let finals = 0;
            const captions = live.attachLiveCaptions(media, model, {
              label: 'Live',
              onState: (status) => void states.push(named(status)),
              onEvent: ({ type }) => void (finals += type === 'final' ? 1 : 0),
            });
            const { track } = captions;
            const texts = () => [...track.cues!].map((cue) => (cue as VTTCue).text).join(' ');
            media.src = '/talk.wav';
            await until(() => captions.state === 'suspended');
            await media.play();
            // Shown while it plays, at the place where it is.
            await until(() => /one|six|two|three/.test(texts()));
            const isShown =
              track.activeCues!.length === 1 && track.activeCues![0]!.startTime < media.currentTime;
            await until(() => media.ended && finals > 0);
            const first = texts();
            const before = finals;
            media.currentTime = 0;
            media.playbackRate = 1.2;
            await media.play();
            await until(() => media.ended && finals > before);
            let oldName = '';
            try {
              (captions as unknown as { stop(): void }).stop();
            } catch (error) {
              oldName = String(error);
            }
            await captions.close();
            const second = texts();
            const { startTime } = track.cues![0]!;
            captions[Symbol.dispose]();
            await captions[Symbol.asyncDispose]();
            await captions.remove();
            await captions.remove();
            const left = [track.mode, track.cues?.length ?? 0];
            model.dispose();
            return {
              isShown,
              isFirst: new RegExp(pattern).test(first),
              second,
              startTime,
              states,
              left,
              label: track.label,
              oldName,
            };
          },
          { isRerouted: way === 'rerouted', pattern: says.source },
        );
        expect(result).toMatchObject({
          ...{ isShown: true, isFirst: true, label: 'Live', left: ['disabled', 0] },
          oldName: 'SusurrusError: captions.stop() is captions.close() now.',
          states: [
            ...['suspended: paused', 'listening', 'suspended: paused', 'listening'],
            ...['suspended: paused', 'ended: closed'],
          ],
        });
        // Not twice, and where it is said: after a second of silence, by the element's clock.
        expect(result.second.split(' ').length).toBeLessThan(5);
        expect(result.startTime).toBeGreaterThan(1);
        expect(result.startTime).toBeLessThan(2.5);
      },
    );
  });
}

describe('a microphone', () => {
  test.each([
    ['NotAllowedError', 'permission', /permission was refused/],
    ['SecurityError', 'permission', /Permissions-Policy/],
    ['NotFoundError', 'no_device', /There is no microphone/],
    ['OverconstrainedError', 'no_device', /not connected/],
    ['NotReadableError', 'device_busy', /another program/],
    ['AbortError', 'device_busy', /could not be opened/],
    ['TypeError', 'source', /could not be opened/],
  ])('that cannot be had (%s) is an error that says why: %s', async (name, reason, message) => {
    const page = await livePage();
    const [error, contexts] = await page.evaluate(async (name) => {
      const { live, errorOf, fakeModel, contexts } = globalThis as unknown as LiveGlobals;
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', name));
      const error = await errorOf(() => live.listen(fakeModel(), live.microphone()));
      return [error, contexts.map(({ state }) => state)] as const;
    }, name);
    expect(error).toMatchObject({ code: 'source_failed', reason });
    expect(error.message).toMatch(message);
    expect(contexts).toEqual(['closed']);
  });

  test('that a person refuses, and one on a page without microphones', async () => {
    const refusing = await launchBrowser(['--use-fake-ui-for-media-stream=deny']);
    try {
      const page = await livePage({}, refusing);
      const errors = await page.evaluate(async () => {
        const { live, errorOf, fakeModel } = globalThis as unknown as LiveGlobals;
        const refused = await errorOf(() => live.listen(fakeModel(), live.microphone()));
        Object.defineProperty(navigator, 'mediaDevices', { value: undefined });
        const missing = await errorOf(() => live.listen(fakeModel(), live.microphone()));
        return [refused, missing];
      });
      expect(errors).toMatchObject([
        { code: 'source_failed', reason: expect.stringMatching(/^(permission|no_device)$/) },
        { code: 'unsupported_environment', reason: 'environment' },
      ]);
      await opened?.close();
      opened = undefined;
    } finally {
      await refusing.close();
    }
  });

  test('is let go when permission comes after close(), and after the worklet did not load', async () => {
    const page = await livePage();
    const result = await page.evaluate(async () => {
      const globals = globalThis as unknown as LiveGlobals;
      const { live, errorOf, fakeModel, microphones, until } = globals;
      const isReleased = () => microphones.at(-1)!.getTracks()[0]!.readyState === 'ended';
      const assets = { base: '/nowhere/' };
      const error = await errorOf(() => live.listen(fakeModel(), live.microphone(), { assets }));
      await until(() => microphones.length === 1);
      await until(isReleased);
      const released = [isReleased()];
      // eslint-disable-next-line @typescript-eslint/unbound-method -- its replacement takes no this
      const own = navigator.mediaDevices.getUserMedia;
      let allow = (): void => undefined;
      const allowed = new Promise<void>((done) => (allow = done));
      navigator.mediaDevices.getUserMedia = async (constraints) => {
        await allowed;
        return own(constraints);
      };
      const listening = live.listen(fakeModel(), live.microphone());
      await Promise.resolve();
      await Promise.resolve();
      await listening.close();
      allow();
      await until(() => microphones.length === 2);
      await until(isReleased);
      released.push(isReleased());
      return { error, released };
    });
    expect(result).toMatchObject({
      error: {
        code: 'source_failed',
        message: expect.stringMatching(/capture_worklet.*could not be loaded/),
      },
      released: [true, true],
    });
    // Firefox's console has the worklet that is not there, too: Playwright gives the last word of "X-Content-Type-Options: nosniff".
    const { problems } = opened!;
    expect(problems.filter((problem) => !problem.startsWith('nosniff'))).toEqual([]);
    problems.length = 0;
  });

  test('that is unplugged ends listening, or is followed by the next one', async () => {
    const page = await livePage();
    const result = await page.evaluate(async () => {
      const globals = globalThis as unknown as LiveGlobals;
      const { live, fakeModel, microphones, named, until } = globals;
      const run = async (followDevice: boolean) => {
        microphones.length = 0;
        const states: string[] = [];
        const model = fakeModel();
        const listening = live.listen(model, live.microphone({ followDevice }), {
          onState: (status) => void states.push(named(status)),
        });
        await until(() => model.count() > 5000);
        const [track] = microphones[0]!.getAudioTracks();
        track!.stop();
        track!.dispatchEvent(new Event('ended'));
        if (followDevice) {
          await until(() => microphones.length === 2 && listening.state === 'listening');
          const count = model.count();
          await until(() => model.count() > count + 5000);
          await listening.close();
        } else {
          await until(() => listening.state === 'ended');
        }
        return [states, model.closed, microphones.map((each) => each.getTracks()[0]!.readyState)];
      };
      return [await run(false), await run(true)];
    });
    expect(result).toEqual([
      [['listening', 'ended: device-lost'], 1, ['ended']],
      [['listening', 'starting', 'listening', 'ended: closed'], 1, ['ended', 'ended']],
    ]);
  });

  test('is heard by two at once, each with its own stop; nothing is lost on a busy page', async () => {
    for (const isolated of [false, true]) {
      const page = await livePage({ isolated });
      const result = await page.evaluate(async () => {
        const { live, fakeModel, contexts, until } = globalThis as unknown as LiveGlobals;
        const source = live.microphone();
        const [one, other] = [fakeModel(), fakeModel()];
        const first = live.listen(one, source);
        const second = live.listen(other, source);
        await until(() => one.count() > 5000 && other.count() > 5000);
        await first.close();
        const [context] = contexts.slice(-1) as [AudioContext];
        const [begin, before] = [context.currentTime, other.count()];
        // As a page that lays itself out, or one in the background whose timers wait.
        const end = performance.now() + 2000;
        while (performance.now() < end);
        await until(() => other.count() > before + 2 * context.sampleRate);
        const played = (context.currentTime - begin) * context.sampleRate;
        const heard = other.count() - before;
        await second.close();
        return { isHeard: heard > 0.9 * played, ended: [first.state, second.state] };
      });
      expect(result).toEqual({ isHeard: true, ended: ['ended', 'ended'] });
      await opened?.close();
      opened = undefined;
    }
  });

  test('84: of another rate than the context’s is heard in a context of its own rate', async () => {
    const page = await livePage();
    const result = await page.evaluate(async () => {
      const { live, fakeModel, contexts, errorOf, until } = globalThis as unknown as LiveGlobals;
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called on a context below
      const connect = AudioContext.prototype.createMediaStreamSource;
      let wanted = 32000;
      // As Firefox does.
      AudioContext.prototype.createMediaStreamSource = function (stream) {
        if (this.sampleRate !== wanted) throw new DOMException('rates', 'NotSupportedError');
        return connect.call(this, stream);
      };
      const model = fakeModel();
      const listening = live.listen(model, live.microphone());
      await until(() => model.count() > 5000);
      await listening.close();
      const rate = model.rates.at(-1);
      wanted = 1;
      const error = await errorOf(() => live.listen(fakeModel(), live.microphone()));
      await until(() => contexts.every(({ state }) => state === 'closed'));
      return { rate, error: error.code };
    });
    expect(result).toEqual({ rate: 32000, error: 'source_failed' });
  });
});

describe('a stream', () => {
  test.each([
    ['says so', '', ['suspended: needs-click']],
    [
      'does not say so of a context that only waits for the device, where browsers tell, as Firefox does',
      `let isAsked = false;
            navigator.getAutoplayPolicy = () => {
              if (!isAsked) console.info('asked');
              isAsked = true;
              return 'allowed';
            };`,
      ['asked'],
    ],
  ])('waits for a click where the browser wants one, and %s', async (_name, before, first) => {
    const strict = await launchBrowser(['--autoplay-policy=document-user-activation-required']);
    try {
      const told: string[] = [];
      const page = await livePage(
        {
          script: `
            import { listen } from '/dist/live.mjs';
            ${before}
            const context = new AudioContext();
            const source = new OscillatorNode(context);
            const out = context.createMediaStreamDestination();
            source.connect(out);
            source.start();
            // By the page's own listener, which the same click wakes.
            addEventListener('click', () => context.resume());
            let count = 0;
            let finish;
            const finished = new Promise((done) => (finish = done));
            const live = {
              lag: 0,
              feed: async ({ length }) => {
                count += length;
                if (count > 5000) void listening.close();
              },
              close: async () => finish(),
              async *[Symbol.asyncIterator]() { await finished; },
            };
            const onState = ({ state, reason }) => console.info(reason ? state + ': ' + reason : state);
            const listening = listen({ stream: () => live }, out.stream, { onState });`,
        },
        strict,
        (opening) =>
          opening.on('console', (message) => {
            if (message.type() === 'info') told.push(message.text());
          }),
      );
      const says = async (text: string) => {
        while (!told.includes(text)) await page.waitForTimeout(10);
      };
      await says(first[0]!);
      await page.mouse.click(5, 5);
      await says('ended: closed');
      expect(told).toEqual([...first, 'listening', 'ended: closed']);
    } finally {
      await strict.close();
    }
  });

  test('ends with its tracks, stays the page’s own, and says when it is silent', async () => {
    const page = await livePage();
    const result = await page.evaluate(async () => {
      const { live, fakeModel, tone, named, until, errorOf } = globalThis as unknown as LiveGlobals;
      const { stream, gain } = tone();
      const states: string[] = [];
      const listening = live.listen(fakeModel(), stream, {
        nothingHeardAfter: 0.2,
        onState: (status) => void states.push(named(status)),
      });
      await until(() => listening.level > 0.5);
      gain.gain.value = 0;
      await until(() => listening.status.reason === 'nothing-heard');
      gain.gain.value = 1;
      await until(() => listening.status.reason === undefined);
      const other = live.listen(fakeModel(), stream);
      await until(() => other.state === 'listening');
      await other.close();
      const [track] = stream.getAudioTracks();
      const isLive = track!.readyState === 'live';
      // No event comes of this.
      track!.stop();
      await until(() => listening.state === 'ended');
      const none = await errorOf(() => live.listen(fakeModel(), new MediaStream()));
      return { states, isLive, none: none.code };
    });
    expect(result).toEqual({
      states: ['listening', 'listening: nothing-heard', 'listening', 'ended: source-ended'],
      ...{ isLive: true, none: 'source_failed' },
    });
  });
});

describe('the sound of a tab', () => {
  test('is heard until sharing ends; what has no sound, and a refusal, say so', async () => {
    const page = await livePage();
    const result = await page.evaluate(async () => {
      const { live, fakeModel, tone, named, until, errorOf } = globalThis as unknown as LiveGlobals;
      const picture = () => document.createElement('canvas').captureStream().getVideoTracks()[0]!;
      const { stream } = tone();
      const share = (answer: () => Promise<MediaStream>) => {
        navigator.mediaDevices.getDisplayMedia = answer;
      };
      const hear = () => live.listen(fakeModel(), live.tabAudio());
      const [video, audio] = [picture(), stream.getAudioTracks()[0]!];
      share(() => Promise.resolve(new MediaStream([video, audio])));
      const states: string[] = [];
      const model = fakeModel();
      const listening = live.listen(model, live.tabAudio(), {
        onState: (status) => void states.push(named(status)),
      });
      await until(() => model.count() > 5000);
      const tracks = [video.readyState, audio.readyState];
      audio.stop();
      audio.dispatchEvent(new Event('ended'));
      await until(() => listening.state === 'ended');

      const mute = picture();
      share(() => Promise.resolve(new MediaStream([mute])));
      const silent = await errorOf(hear);
      share(() => Promise.reject(new DOMException('no', 'NotAllowedError')));
      const refused = await errorOf(hear);
      Object.defineProperty(navigator.mediaDevices, 'getDisplayMedia', { value: undefined });
      const missing = await errorOf(hear);
      const reasons = [silent, refused, missing].map(({ reason }) => reason);
      return { states, tracks, mute: mute.readyState, reasons };
    });
    expect(result).toEqual({
      states: ['listening', 'ended: source-ended'],
      ...{ tracks: ['ended', 'live'], mute: 'ended' },
      reasons: ['no_sound', 'permission', 'environment'],
    });
  });
});

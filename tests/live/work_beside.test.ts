// Work that an engine does beside other calls: whenever none of them needs it.
import { expect, test } from '@jest/globals';
import { Arrivals } from '../../web/src/engine/arrivals.js';
import type { RunningModule } from '../../web/src/engine/engine_module.js';
import { RunningHost } from '../../web/src/engine/running_host.js';
import type { TranscriptionEngine } from '../../web/src/engine/transcribing.js';
import type { CommonCalls, LiveCalls, LoadedFacts } from '../../web/src/protocol/engine.js';
import { turns } from '../support/turns.js';

const Step = { needAudio: {}, needWeights: {}, segmentReady: {}, rejectedReady: {} };
const steps = { ...Step, stateReady: {}, working: {}, done: {}, failed: {} };

interface Calls extends CommonCalls, LiveCalls {
  /** Work that another call of the test ends. */
  work: { request: undefined; answer: undefined };
}

class ScriptedHost extends RunningHost<Calls> {
  stepCount = 0;
  mostSteps = Infinity;
  /** Models beside the other one that were made and that are left. */
  made = 0;
  left = 0;
  endWork!: () => void;
  isBesideRefused = false;

  protected limitThreads(): void {
    // One.
  }

  protected get opened(): RunningModule {
    const step = (): unknown => (++this.stepCount < this.mostSteps ? steps.working : steps.done);
    class Transcriber {
      step = step;
      begin = (): string => '';
      delete = (): undefined => undefined;
      error = (): string => '';
      progress = (): number => 0;
      text = (): string => '""';
      language = (): string => 'en';
      languages = (): string => '{}';
    }
    return { Step: steps, Transcriber } as unknown as RunningModule;
  }
  protected get transcriptionEngine(): TranscriptionEngine {
    const model = { delete: () => undefined } as TranscriptionEngine['model'];
    return { module: this.opened, model, arrivals: new Arrivals(), hasEncoded: () => false };
  }
  protected get facts(): LoadedFacts {
    throw new Error('Nobody asks.');
  }
  protected override modelBeside(): TranscriptionEngine['model'] {
    if (this.isBesideRefused) return super.modelBeside();
    ++this.made;
    ++this.left;
    return {
      delete: () => {
        --this.left;
      },
    };
  }
  protected readonly handlers = {
    ...this.running,
    work: () => new Promise<undefined>((done) => (this.endWork = () => done(undefined))),
  } as never;
  close(): void {
    // Nothing is held.
  }

  ask<Name extends keyof Calls>(name: Name, request: Calls[Name]['request'], signal?: AbortSignal) {
    return this.handle(name, request, signal ?? new AbortController().signal, () => undefined);
  }
}

const beside = {
  samples: new Float32Array(10),
  settings: {},
  state: undefined,
  run: 1,
  beside: true,
};

test('it makes no step while another call is under way, and goes on between them', async () => {
  const host = new ScriptedHost();
  const first = host.ask('work', undefined);
  const heard = host.ask('transcribe', beside);
  await turns(20);
  expect(host.stepCount).toBe(0);
  host.endWork();
  await first;
  while (host.stepCount === 0) await turns(1);
  const second = host.ask('work', undefined);
  const third = host.ask('work', undefined);
  await turns(5);
  const count = host.stepCount;
  await turns(20);
  expect(host.stepCount).toBe(count);
  host.endWork();
  await third;
  await turns(20);
  // The other one is under way still.
  expect(host.stepCount).toBe(count);
  expect([host.made, host.left]).toEqual([1, 1]);
  void second;
  const controller = new AbortController();
  const other = host.ask('transcribe', beside, controller.signal);
  await turns(5);
  expect(host.left).toBe(2);
  controller.abort(new Error('enough'));
  await expect(other).rejects.toThrow('enough');
  expect(host.left).toBe(1);
  void heard;
});

test('it ends with its memory free; calls that only give audio do not hold it up', async () => {
  const host = new ScriptedHost();
  host.mostSteps = 50;
  const giving = host.ask('feedAudio', { run: 7, samples: new Float32Array(1) });
  expect(await host.ask('transcribe', beside)).toMatchObject({ text: '', language: 'en' });
  await giving;
  expect([host.made, host.left]).toEqual([1, 0]);
});

test('an engine that has no other state refuses it', async () => {
  const host = new ScriptedHost();
  host.isBesideRefused = true;
  await expect(host.ask('transcribe', beside)).rejects.toMatchObject({ code: 'wrong_state' });
});

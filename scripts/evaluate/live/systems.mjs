// The recognisers that are measured: Susurrus in each policy, an .april model, and a loop around faster-whisper.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ReferenceProcess } from '../../reference/reference_process.mjs';
import { root } from '../../toolchain/steps.mjs';
import { ensureTrainedFolder, ensureTrainedModel } from '../../trained_model.mjs';
import { shared } from '../accuracy/models.mjs';
import { ensureLiveEnvironment } from './environment.mjs';
import { eventsOfSteps } from './agreement_events.mjs';

const ownProcessorSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Once the reader has taken the events that wait. */
async function settled(events) {
  for (let before = -1; before !== events.count;) {
    before = events.count;
    await new Promise((turn) => setImmediate(turn));
  }
}

/** A stream of the package as hear.mjs wants it. */
export function ownStream(live, onEvent) {
  const events = { count: 0 };
  const reading = (async () => {
    for await (const event of live) {
      events.count += 1;
      onEvent(event);
    }
  })();
  reading.catch(() => undefined); // told by end()
  return {
    async feed(samples) {
      await live.feed(samples);
      await settled(events);
    },
    async end() {
      await live.close();
      await reading;
    },
    processorSeconds: ownProcessorSeconds,
  };
}

async function susurrus(path, variant, options, language) {
  const { loadModel } = await import(pathToFileURL(join(root, 'dist/node.mjs')).href);
  const model = await loadModel(path, { variant, threads: 1 });
  return {
    open: async (onEvent, told) =>
      ownStream(model.stream({ ...options, ...(told && { language: told }) }), onEvent),
    offline: async (samples) => (await model.transcribe(samples, { vad: false })).text,
    words: async (samples, told = language) => {
      const { segments } = await model.transcribe(samples, { language: told, timestamps: 'word' });
      return segments.flatMap(({ words }) => words);
    },
    memory: () => model.memory(),
    close: () => model.dispose(),
  };
}

const whisper = (policy) => async (variant, options) =>
  susurrus(await ensureTrainedModel(), variant, { policy, ...options });

/**
 * A trained Whisper in its default modes, told the language.
 * @type {(name: import('../../trained_model.mjs').TrainedName, variant: string, options: object) => Promise<System>}
 */
export async function trainedSystem(name, variant, options) {
  const path = await ensureTrainedModel({ name });
  return susurrus(path, variant, { language: 'en', ...options }, options.language ?? 'en');
}

const base64 = (samples) =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');

const python = (name) => join(import.meta.dirname, 'python', name);

/** What ReferenceProcess runs for the English normaliser of openai-whisper. */
export const normaliserWorker = async () => [
  await ensureLiveEnvironment(),
  [python('normaliser_worker.py')],
];

const fasterWhisper = (vad) => async () => {
  const worker = [python('agreement_worker.py'), await ensureTrainedFolder()];
  const process = new ReferenceProcess(await ensureLiveEnvironment(), worker);
  let seconds = 0;
  const ask = async (request) => {
    const answer = await process.need(request);
    seconds += answer.seconds;
    return answer;
  };
  return {
    async open(onEvent) {
      await ask({ command: 'begin', vad });
      const tell = eventsOfSteps(onEvent);
      return {
        async feed(samples) {
          for (const step of (await ask({ command: 'feed', samples: base64(samples) })).steps)
            tell(step);
        },
        async end() {
          for (const step of (await ask({ command: 'end' })).steps) tell(step);
        },
        processorSeconds: () => seconds,
      };
    },
    offline: async (samples) =>
      (await process.need({ command: 'offline', vad, samples: base64(samples) })).text,
    close: () => process.close(),
  };
};

/**
 * `hears`: which kind of sounds. `isOwn`: is measured in each variant and has a memory().
 * @typedef {object} System
 * @property {(onEvent: (event: import('./hear.mjs').Delivery['event']) => void, language?: string) => Promise<import('./hear.mjs').Stream>} open
 * @property {(samples: Float32Array) => Promise<string>} offline text of a whole recording
 * @property {(samples: Float32Array, language?: string) => Promise<readonly import('./latencies.mjs').TimedWord[]>} [words] of a whole recording, in the default mode
 * @property {() => Promise<import('../../../web/src/api/types.js').MemoryFacts>} [memory]
 * @property {() => void} close
 */
/**
 * @type {Readonly<Record<string, { title: string; hears: 'speech' | 'digits'; isOwn: boolean;
 *   load: (variant: string, options: object) => Promise<System> }>>}
 */
export const systems = {
  attention: {
    title: 'Susurrus, attention',
    hears: 'speech',
    isOwn: true,
    load: whisper('attention'),
  },
  agreement: {
    title: 'Susurrus, agreement',
    hears: 'speech',
    isOwn: true,
    load: whisper('agreement'),
  },
  'faster-whisper': {
    title: 'faster-whisper, agreement of two',
    hears: 'speech',
    isOwn: false,
    load: fasterWhisper(false),
  },
  'faster-whisper-vad': {
    title: 'the same with its voice detector',
    hears: 'speech',
    isOwn: false,
    load: fasterWhisper(true),
  },
  april: {
    title: 'Susurrus, digits.april',
    hears: 'digits',
    isOwn: true,
    load: (variant) => susurrus(join(shared, 'april-digits/digits.april'), variant, {}),
  },
  'april-vad': {
    title: 'digits.april with the voice detector',
    hears: 'digits',
    isOwn: true,
    load: (variant) => susurrus(join(shared, 'april-digits/digits.april'), variant, { vad: true }),
  },
};

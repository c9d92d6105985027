// A recording on its way into a document.
import { expect, test } from '@jest/globals';
import { Pausing } from '../../web/demo/files/pausing.js';
import { hearSpeech } from '../../web/demo/transcript/hear_speech.js';
import type { ListeningOptions } from '../../web/demo/transcript/listening_options.js';
import { newId, TranscriptDocument } from '../../web/demo/transcript/transcript_document.js';
import type { Model, Transcript, TranscribeOptions } from '../../web/src/node.js';

/** A model that tells so many steps, and one segment in the middle. */
function modelOf(steps: number): Model {
  const segment = { start: 0, end: 1, text: ' Hello.' };
  const transcribe = (_file: File, { onProgress }: TranscribeOptions) => {
    async function* segments() {
      for (let i = 0; i <= steps; ++i) {
        onProgress?.({ phase: 'transcribe', loaded: i, total: steps, overall: i / steps });
        if (i === steps >> 1) yield segment;
        await Promise.resolve();
      }
    }
    const result = { language: 'en', duration: 1, segments: [segment], rejected: [] };
    const told = Promise.resolve(result as unknown as Transcript);
    return Object.assign(told, {
      save: () => undefined,
      [Symbol.asyncIterator]: segments,
    });
  };
  return { transcribe } as unknown as Model;
}

test.each([
  [100_000, 1001],
  [10, 11],
])('of %i steps those are told that a bar can show', async (steps, count) => {
  const document = TranscriptDocument.begin({ id: newId(), name: 'talk.wav', created: 1 });
  const parts: number[] = [];
  await hearSpeech(modelOf(steps), new File([], 'talk.wav'), AbortSignal.any([]), document, {
    modelName: 'tiny.en',
    listening: { value: {} } as unknown as ListeningOptions,
    speakers: undefined,
    onSpeakersFailed: () => undefined,
    onPart: (part) => parts.push(part),
    pausing: new Pausing(() => undefined),
  });
  expect(parts).toHaveLength(count);
  expect([parts[0], parts.at(-1)]).toEqual([0, 1]);
  expect(parts).toEqual([...parts].sort((a, b) => a - b));
  expect(document.paragraphText).toBe('Hello.');
});

// What of the choices for recordings holds for live captions.
import type { AnyLiveOptions, ModelInfo, AnyTranscribeOptions } from '../../src/index.js';
import type { SpeakerOptions } from '../../src/speakers.js';

/** Seconds that a slow Whisper may be behind before it leaves sound out, and says so. */
const mostLag = 20;

export function liveOptionsOf(
  { family }: Pick<ModelInfo, 'family'>,
  { language, languages, script, task, initialPrompt, hotwords }: AnyTranscribeOptions,
  speakers?: SpeakerOptions,
): AnyLiveOptions {
  const people = speakers && { speakers };
  // Whisper models use the voice detector unless told otherwise.
  if (family !== 'whisper') return { vad: true, ...people };
  return {
    ...people,
    maxLag: mostLag,
    revise: true,
    ...(language !== undefined && {
      language: language === 'per-window' ? 'per-utterance' : language,
    }),
    ...(languages && { languages }),
    ...(script && { script }),
    ...(task && { task }),
    ...(initialPrompt !== undefined && { initialPrompt }),
    ...(hotwords && { hotwords }),
  };
}

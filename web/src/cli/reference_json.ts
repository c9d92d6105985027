import type { TranscriptionResult } from '../node.js';

/** The result with the field names of the reference's JSON. */
export function toReferenceJson(result: TranscriptionResult) {
  return {
    text: result.text,
    segments: result.segments.map((segment) => ({
      id: segment.id,
      seek: segment.seek,
      start: segment.start,
      end: segment.end,
      text: segment.text,
      tokens: segment.tokens,
      temperature: segment.temperature,
      avg_logprob: segment.avgLogprob,
      compression_ratio: segment.compressionRatio,
      no_speech_prob: segment.noSpeechProb,
    })),
    language: result.language,
    duration: result.duration,
  };
}

// Windows and whole recordings to text, step by step.
import type { Segment } from '../api_types.js';
import { SusurrusError } from '../errors.js';
import type { Model, Segment as SegmentValue } from './engine.mjs';
import { asText, unwrap, type EngineModule } from './glue.js';
import { fillWindow } from './mel.js';
import type { Pace } from './pace.js';
import type { DecodingSettings, EngineCalls, EngineEvent } from './protocol.js';

export async function decodeWindow(
  module: EngineModule,
  model: Model,
  samples: Float32Array,
  settings: DecodingSettings,
  pace: Pace,
): Promise<EngineCalls['decode']['answer']> {
  fillWindow(model, samples);
  const decoder = new module.WindowDecoder();
  try {
    unwrap(decoder.begin(model, settings));
    for (;;) {
      const step = decoder.step();
      if (step === module.Step.failed) unwrap(decoder.error());
      if (step === module.Step.done) break;
      await pace.step();
    }
    const result = decoder.result();
    return {
      tokens: Array.from(decoder.tokens()),
      text: asText(result.text),
      avgLogprob: result.avgLogprob,
      noSpeechProb: result.noSpeechProb,
      language: asText(result.language),
    };
  } finally {
    decoder.delete();
  }
}

export async function transcribeRecording(
  module: EngineModule,
  model: Model,
  samples: Float32Array,
  settings: DecodingSettings,
  pace: Pace,
  emit: (event: EngineEvent) => void,
): Promise<EngineCalls['transcribe']['answer']> {
  const transcriber = new module.Transcriber();
  try {
    unwrap(transcriber.begin(model, settings, samples.length));
    const { needAudio, segmentReady, working, done } = module.Step;
    let fraction = -1;
    for (;;) {
      const step = transcriber.step();
      if (step === done) break;
      if (step === needAudio) {
        const { begin, end } = transcriber.audioRequest();
        transcriber.audioWindow().set(samples.subarray(begin, end));
      } else if (step === segmentReady) {
        const tokens = Array.from(transcriber.segmentTokens());
        emit({ type: 'segment', segment: toSegment(transcriber.segment(), tokens) });
      } else if (step !== working) {
        unwrap(transcriber.error());
        throw new SusurrusError('internal_error', 'A step failed without an error.', {
          reason: 'internal',
        });
      }
      const progress = transcriber.progress();
      if (progress !== fraction) {
        fraction = progress;
        emit({ type: 'progress', fraction });
      }
      await pace.step();
    }
    return { text: transcriber.text(), language: transcriber.language() };
  } finally {
    transcriber.delete();
  }
}

function toSegment(value: SegmentValue, tokens: number[]): Segment {
  return {
    id: value.id,
    seek: value.seek,
    start: value.start,
    end: value.end,
    text: asText(value.text),
    tokens,
    temperature: value.temperature,
    avgLogprob: value.avgLogprob,
    compressionRatio: value.compressionRatio,
    noSpeechProb: value.noSpeechProb,
  };
}

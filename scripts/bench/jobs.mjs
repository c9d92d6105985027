// What a process or a page can be asked to measure. A job and its result cross as structured data.
import { measureCall } from './measure_call.mjs';
import { measureEngines } from './measure_engines.mjs';
import { measureLimits } from './measure_limits.mjs';
import { measureLoad, measureLoadPeak } from './measure_load.mjs';
import { measureLoadLimits } from './measure_load_limits.mjs';
import { measureOnnx } from './measure_onnx.mjs';
import { measureOurs } from './measure_ours.mjs';
import { measureRecording } from './measure_recording.mjs';
import { measureTransformers } from './measure_transformers.mjs';
import { measureWhisperCpp } from './measure_whisper_cpp.mjs';

const kinds = {
  call: measureCall,
  engines: measureEngines,
  limits: measureLimits,
  load: measureLoad,
  loadLimits: measureLoadLimits,
  loadPeak: measureLoadPeak,
  onnx: measureOnnx,
  ours: measureOurs,
  recording: measureRecording,
  transformers: measureTransformers,
  whisperCpp: measureWhisperCpp,
};

/** `place`: how files and modules are reached, by their path from the project's folder. */
export const doJob = (job, place) => kinds[job.kind](job, place);

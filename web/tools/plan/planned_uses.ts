// What a model takes with what it is used for: the voice detector, speakers, and a second hearing of streams.
import type { ModelPlan, PlanOptions } from '../../src/api/types.js';
import type { PlannedMemory } from '../../src/protocol/files.js';

/** INITIAL_MEMORY in bindings/link_flags.cmake. */
const engineBytes = 2 << 20;
/** The module that runs the detector's network for one recording, and the network's file (models/vad.tsm), rounded up to MiB. */
const detectorBytes = 10 << 20;
/** A second hearing has the detector too. */
const secondDetectorBytes = 1 << 20;

/**
 * The networks that tell speakers apart (22 MB when a recording begins) and the comparison of voices (45 MB at most, by calculation). An
 * hour of conversations took 48 MB in all.
 */
const speakersBytes = 70 << 20;

type Uses = 'revisionBytes' | 'detectorBytes' | 'speakersBytes' | 'engineBytes' | 'furtherBytes';

/** `plan` is the core's, of the model alone. */
export function withUses(
  plan: PlannedMemory['plan'],
  { vad = true, revise = false, speakers = false, workers = 1 }: PlanOptions,
): PlannedMemory['plan'] & Pick<ModelPlan, Uses> {
  const { kvCacheBytes, activationBytes, sequenceBytes, wordBytes } = plan;
  // The second hearing holds its beams while the first one works.
  const secondBytes = kvCacheBytes + activationBytes + Math.max(sequenceBytes, wordBytes);
  const uses = {
    revisionBytes: revise ? secondBytes : 0,
    detectorBytes: vad ? detectorBytes + (revise ? secondDetectorBytes : 0) : 0,
    speakersBytes: speakers ? speakersBytes : 0,
    engineBytes,
    // One copy more is on its way to an engine.
    furtherBytes:
      typeof workers === 'number' && workers > 1 ? workers * (plan.peakBytes + engineBytes) : 0,
  };
  const peakBytes = Object.values(uses).reduce((sum, bytes) => sum + bytes, plan.peakBytes);
  return { ...plan, ...uses, peakBytes };
}

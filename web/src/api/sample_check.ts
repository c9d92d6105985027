// Rejects invalid samples with their position, since a model would turn them into nonsense.
import { SusurrusError } from './errors.js';
import { sampleRate as heardRate } from './generated/whisper.js';

/** Full scale is 1. Larger values are a mistake, such as 16-bit values that were not divided by 32768. */
const loudest = 1e3;
/** Number of samples that are checked within a millisecond. */
const checkedAtOnce = 1 << 19;

/** Yields between steps of long work. */
interface Yielder {
  step(): Promise<void>;
}

interface Place {
  readonly sampleRate: number;
  readonly channels: number;
  /** Samples that came before these. */
  readonly before: number;
}

/** Rejects NaN, infinite values and amplitudes beyond 1000, and says which sample it is and at what time. */
export async function checkSamples(
  samples: Float32Array,
  yielder: Yielder,
  place: Place = { sampleRate: heardRate, channels: 1, before: 0 },
): Promise<void> {
  for (let begin = 0; begin < samples.length; begin += checkedAtOnce) {
    checkPiece(samples, begin, Math.min(samples.length, begin + checkedAtOnce), place);
    await yielder.step();
  }
}

/** Checks a few samples without yielding. */
export function checkPiece(
  samples: Float32Array,
  begin: number,
  end: number,
  place: Place = { sampleRate: heardRate, channels: 1, before: 0 },
): void {
  for (let i = begin; i < end; ++i) {
    const value = samples[i] as number;
    // Written so that NaN fails it too.
    if (!(value <= loudest && value >= -loudest)) throw badSample(value, place.before + i, place);
  }
}

function badSample(value: number, index: number, { sampleRate, channels }: Place): SusurrusError {
  const seconds = Math.floor(index / channels) / sampleRate;
  const at = `sample ${index} (${seconds.toFixed(3)} s)`;
  return new SusurrusError(
    'invalid_argument',
    `The audio holds ${value} at ${at}. Samples lie between -1 and 1; beyond ${loudest} they are refused.`,
    {
      reason: 'bad_audio',
      subject: 'audio',
      expected: `values between -${loudest} and ${loudest}`,
      got: `${value} at ${at}`,
    },
  );
}

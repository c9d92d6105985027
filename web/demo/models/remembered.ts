// The choice of a model, and how fast it was, for the next visit. Browsers may refuse to keep anything.
import { remember, remembered } from '../shell/text_store.js';

const modelKey = 'susurrus.model';
const speedKey = 'susurrus.speed';

export const rememberedModel = (): string | undefined => remembered(modelKey);
export const rememberModel = (key: string): void => remember(modelKey, key);

/** The next visit asks again, if this is what it would begin with. */
export function forgetModel(key: string): void {
  if (rememberedModel() !== key) return;
  try {
    localStorage.removeItem(modelKey);
  } catch {
    // What cannot be removed could not be kept.
  }
}

/** Seconds of sound in a second of work, as measured with this model here. */
export function rememberedSpeed(model: string): number | undefined {
  const speed = Number(speeds()[model]);
  return speed > 0 ? speed : undefined;
}

export function rememberSpeed(model: string, speed: number): void {
  remember(speedKey, JSON.stringify({ ...speeds(), [model]: speed }));
}

function speeds(): Record<string, unknown> {
  try {
    const all: unknown = JSON.parse(remembered(speedKey) ?? '{}');
    return typeof all === 'object' && all !== null ? (all as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

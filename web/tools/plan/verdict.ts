// Whether a model will run on this device, and why.
import type { PlanVerdict } from '../../src/api/types.js';

/** What the environment reports; members are absent if it does not. */
export interface Device {
  readonly memoryBytes?: number;
  /** The figure above is the least that there is: browsers name no more. */
  readonly isLeast?: boolean;
  readonly freeBytes?: number;
  /** Free space in the cache. */
  readonly storageBytes?: number;
}

/** All that WebAssembly's addresses of 32 bits reach; the last page is none. */
export const mostWasmBytes = 2 ** 32 - 2 ** 16;
/** Every device with a browser of today has so much for a page; phones end pages that take much more. */
const safeBytes = 2 ** 29;

export interface Needs {
  readonly peakBytes: number;
  /** Those of the peak that the first engine does not have to address. */
  readonly detectorBytes: number;
  readonly speakersBytes: number;
  readonly furtherBytes: number;
  /** Bytes to be fetched and cached. */
  readonly keptLaterBytes: number;
}

export function verdictOn(needs: Needs, device: Device): PlanVerdict {
  const { memoryBytes, isLeast = false, freeBytes, storageBytes } = device;
  const { keptLaterBytes } = needs;
  let { peakBytes } = needs;
  const reasons: string[] = [];
  if (storageBytes !== undefined && keptLaterBytes > storageBytes) {
    // What cannot be put down while it is converted waits in memory.
    peakBytes += keptLaterBytes;
    reasons.push(
      `it will not be kept: storage has room for ${inWords(storageBytes)}, and ${inWords(keptLaterBytes)} have to be fetched`,
    );
  }
  const fits = fitsInto();
  return { fits, reasons };

  function fitsInto(): PlanVerdict['fits'] {
    const needed = inWords(peakBytes);
    const { detectorBytes, speakersBytes, furtherBytes } = needs;
    const addressed = needs.peakBytes - detectorBytes - speakersBytes - furtherBytes;
    if (addressed > mostWasmBytes) {
      reasons.push(`it needs ${inWords(addressed)}, and WebAssembly addresses 4 GiB`);
      return 'no';
    }
    if (memoryBytes === undefined) {
      const isSafe = peakBytes <= safeBytes;
      reasons.push(
        `it needs ${needed}, and nothing is known of this device's memory` +
          (isSafe ? '; every device with such a browser has that much' : ''),
      );
      return isSafe ? 'yes' : 'unsure';
    }
    const memory = inWords(memoryBytes);
    if (!isLeast && peakBytes > memoryBytes) {
      reasons.push(`it needs ${needed}, and this device has ${memory}`);
      return 'no';
    }
    const left = freeBytes ?? memoryBytes / 2;
    if (peakBytes <= left) {
      reasons.push(
        freeBytes === undefined
          ? `it needs ${needed}, and this device has ${isLeast ? 'at least ' : ''}${memory}`
          : `it needs ${needed}, and ${inWords(freeBytes)} are free`,
      );
      return 'yes';
    }
    reasons.push(
      freeBytes === undefined
        ? `it needs ${needed}, which is more than half of the ${memory} that this device has`
        : `it needs ${needed}, and of ${memory} ${inWords(freeBytes)} are free`,
    );
    return 'unsure';
  }
}

const inWords = (byteCount: number): string =>
  byteCount >= 2 ** 30
    ? `${(byteCount / 2 ** 30).toFixed(1)} GiB`
    : `${Math.max(1, Math.round(byteCount / 2 ** 20))} MiB`;

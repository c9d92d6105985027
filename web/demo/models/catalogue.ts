// Whisper models of the Hugging Face hub that the menu offers: what each is good for, and what it takes.
import { strings } from '../strings.js';

export interface CatalogueModel {
  /** Its name for loadModel(). */
  readonly name: string;
  readonly isEnglish: boolean;
  readonly purpose: string;
  /** What its q8_0 file takes, on the hub and here; what it takes in memory while it works. In megabytes, about. */
  readonly download: number;
  readonly memory: number;
}

const { purposes } = strings.models;

export const catalogue: readonly CatalogueModel[] = [
  ...sizes('tiny', purposes.tiny, { download: 44, memory: 150 }),
  ...sizes('base', purposes.base, { download: 82, memory: 230 }),
  ...sizes('small', purposes.small, { download: 264, memory: 560 }),
  {
    name: 'large-v3-turbo',
    isEnglish: false,
    purpose: purposes.turbo,
    download: 874,
    memory: 1500,
  },
];

/** Each size has a model of its own for English. */
function sizes(
  name: string,
  purpose: string,
  sizes: { readonly download: number; readonly memory: number },
): CatalogueModel[] {
  return [
    { name: `${name}.en`, isEnglish: true, purpose, ...sizes },
    { name, isEnglish: false, purpose, ...sizes },
  ];
}

/** The type of weights that the page loads: half of f16's size, and faster. */
export const keptType = 'q8_0';

/** What is known of a model by its name, "base.en" or "openai/whisper-base.en". */
export function inCatalogue(name: string): CatalogueModel | undefined {
  const short = name.replace(/^openai\/whisper-/, '').replace(/(-q8_0)?(\.apr)?$/, '');
  return catalogue.find((model) => model.name === short);
}

/** Whether a device that says how much memory it has is likely to hold it; browsers say 8 GiB at most. */
export function isLikelyTooLarge({ memory }: CatalogueModel): boolean {
  const device = (navigator as { readonly deviceMemory?: number }).deviceMemory;
  return device !== undefined && memory > device * 512;
}

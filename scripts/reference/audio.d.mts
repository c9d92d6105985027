export type AudioPart =
  | { readonly recording: string; readonly start: number; readonly samples: number }
  | { readonly zeros: number }
  | {
      readonly noise: {
        readonly seed: number;
        readonly decibels: number;
        readonly samples: number;
      };
    };

export interface AudioRecipe {
  readonly parts: readonly AudioPart[];
  readonly gain: number;
}

export declare const sampleRate: number;
export declare function caseSamples(
  audio: AudioRecipe,
  recordings: ReadonlyMap<string, Float32Array>,
): Float32Array;

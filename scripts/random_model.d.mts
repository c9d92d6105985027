export declare function writeRandomModel(
  size: 'micro' | 'tiny' | 'base' | 'small',
  ranks: string,
  folder: string,
  options?: {
    dtype?: 'f32' | 'f16';
    seed?: number;
    outliers?: boolean;
    mantissaBits?: number;
    layers?: { encoderLayers: number; decoderLayers: number };
  },
): void;

// A model to write, without the contents of its parts: plain data that can be posted to a worker.
import type { AprilParams, WritableApril } from '../api/write_types.js';
import type { Dimensions } from '../api/types.js';

/** Text, or bytes that need not be valid UTF-8. */
export type TextOrBytes = string | Uint8Array;

export interface PlainTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly scale?: number;
}

export interface PlainApr {
  readonly format: 'apr2' | 'apr1';
  readonly dims?: Dimensions | undefined;
  /** JSON text of an object. */
  readonly metadata: string;
  readonly vocabulary?: readonly TextOrBytes[] | undefined;
  readonly filterbank?: Float32Array | undefined;
  readonly tensors: readonly PlainTensor[];
  readonly compress: boolean;
  readonly alignment: number;
}

export interface PlainApril {
  readonly format: 'april';
  readonly language: string;
  readonly name: string;
  readonly description: string;
  readonly params: Readonly<Record<keyof AprilParams, number>>;
  readonly tokens: readonly TextOrBytes[];
  /** Their sizes. */
  readonly networks: Readonly<Record<keyof WritableApril['networks'], number>>;
  readonly order?: readonly string[] | undefined;
}

export interface PlainBw2lArray {
  readonly dtype: string;
  readonly length: number;
}

/** What its type asks for is there. */
export interface PlainBw2lSection {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly text?: TextOrBytes;
  readonly entries?: readonly (readonly [string, string])[];
  readonly dtype?: string;
  readonly length?: number;
  readonly layers?: readonly {
    readonly arch: string;
    readonly scale: number;
    readonly offset: bigint;
    readonly arrays: readonly PlainBw2lArray[];
  }[];
  readonly byteCount?: number;
}

export interface PlainBw2l {
  readonly format: 'bw2l';
  readonly name: string;
  readonly sections: readonly PlainBw2lSection[];
}

export interface PlainTennis {
  readonly format: 'tennis';
  readonly reservedWord: number;
  readonly userBytes: Uint8Array;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly nodes: readonly {
    readonly inputs: readonly number[];
    readonly parameters: readonly {
      readonly name: string;
      readonly fields: readonly {
        readonly dtype: string;
        readonly shape: readonly number[];
        /** Bytes of texts and of values that the graph depends on; other values are written as parts. */
        readonly bytes?: Uint8Array;
      }[];
    }[];
  }[];
}

export type PlainModel = PlainApr | PlainApril | PlainBw2l | PlainTennis;

// What is asked of the module that reads model files, and what it answers.
import type { Link } from '../worker/link.js';

export interface InspectionFacts {
  readonly format: string;
  readonly version: string;
  readonly flags: readonly string[];
  readonly byteCount: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tensors: readonly {
    readonly name: string;
    readonly dtype: string;
    readonly shape: readonly number[];
    readonly offset: number;
    readonly size: number;
    readonly rawSize: number;
    readonly scale?: number;
  }[];
  readonly sections?: readonly {
    readonly name: string;
    readonly offset: number;
    readonly size: number;
  }[];
  readonly warnings: readonly string[];
}

export interface FilesCalls {
  start: { request: undefined; answer: undefined };
  beginInspect: { request: { readonly byteCount: number | undefined }; answer: undefined };
  pushInspect: { request: { readonly bytes: Uint8Array }; answer: undefined };
  finishInspect: { request: undefined; answer: InspectionFacts };
}

export type FilesLink = Link<FilesCalls>;

// Requests to the worker that downloads and keeps models, and its answers. One worker for each file.
import type { ByteRange, HubOptions } from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import type { Link } from '../../src/protocol/link.js';
import type { Repository } from '../hub/repository.js';
import type { ModelKey } from './model_store.js';

export interface OpenRequest {
  readonly key: ModelKey;
  /** Whether what comes is kept. */
  readonly isKept: boolean;
  /** What cannot be kept is refused, not passed on. */
  readonly mustKeep?: boolean;
  /** What is wrong or missing of what is here, in order: it is fetched again. */
  readonly wrong?: Wrong | undefined;
  readonly from: UrlOrigin | HubOrigin;
}

export type Wrong = 'all' | readonly ByteRange[];

export interface UrlOrigin {
  readonly url: string;
  readonly token?: string | undefined;
}

export interface HubOrigin extends Pick<HubOptions, 'dtype'> {
  readonly token?: string | undefined;
  readonly repository: Repository;
  /** The hub's URL, or a template for the user's own files. */
  readonly hub: string;
}

export interface OpenAnswer {
  /** The whole model is kept: its file, or the path of that; there are no steps then. */
  readonly kept?: Blob | string;
  readonly byteCount?: number;
  readonly remark?: string;
  /** The first bytes are kept ones. */
  readonly isResumed: boolean;
}

/** One of these; the last one has none. */
export interface StoreStep {
  readonly bytes?: Uint8Array;
  readonly progress?: PhaseProgress;
}

export interface StoreCalls {
  open: { request: OpenRequest; answer: OpenAnswer };
  next: { request: undefined; answer: StoreStep };
  /** After the last step, when the reader has verified the file. Returns why it is not kept. */
  keep: { request: undefined; answer: readonly string[] };
}

/** Events are progress of another tab that is waited for. */
export type StoreLink = Link<StoreCalls, PhaseProgress>;

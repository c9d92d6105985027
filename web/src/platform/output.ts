// Destinations of converted files.

export type Write = (bytes: Uint8Array) => Promise<void>;

/** Ends the file before and begins this one: a name beside the destination, or without one that itself. */
export type CreateFile = (name?: string) => Promise<Write>;

/** 2 GiB: the common limit of 32-bit numbers and of file transfers. */
export const mostShardBytes = 2 ** 31;

/** The warning about a file of so many bytes, if it is better split. */
export const largeFileWarnings = (byteCount: number): string[] =>
  byteCount <= mostShardBytes
    ? []
    : [
        `the file has ${byteCount.toLocaleString('en')} bytes, more than 2 GiB, which APR2 wants in shards: --shard-size 2G (the option shardSize), or "susurrus shard FILE --size 2G --output FOLDER" (shardModel()) afterwards`,
      ];

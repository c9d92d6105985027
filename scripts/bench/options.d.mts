export declare const usage: string;
export declare function parseOptions(args: readonly string[]): {
  size: string;
  model: string | undefined;
  dtypes: string[];
  variants: string[];
  threads: number[];
  runs: number;
  tokens: number;
  isBrowser: boolean;
  hasPeers: boolean;
  node: string | undefined;
  mode: 'stages' | 'growth' | 'rtf' | 'load';
  recording: string | undefined;
  isQuick: boolean;
  format: 'json' | 'markdown' | 'text';
  isHelp: boolean;
};

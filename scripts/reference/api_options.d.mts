export declare function apiOptions(
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown>;

export declare function readRanks(path: string): string[];
export declare function writeHubVocabulary(
  folder: string,
  ranks: string[],
  languageCount: number,
): Record<string, number>;

// What `script: 'traditional'` loads: a bundle of its own, with the dictionaries of OpenCC's s2t.
import { ConverterFactory } from 'opencc-js/core';
import compatibility from 'opencc-js/dict/CJK_Compatibility_Ideographs';
import characters from 'opencc-js/dict/STCharacters';
import phrases from 'opencc-js/dict/STPhrases';
import regionalPhrases from 'opencc-js/dict/STPhrases_GeneratedFromRegionalPhrases';

/** Writes Chinese text in traditional characters. */
export const convert = /* @__PURE__ */ ConverterFactory(
  [compatibility],
  [phrases, regionalPhrases, characters],
);

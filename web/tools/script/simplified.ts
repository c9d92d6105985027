// What `script: 'simplified'` loads: a bundle of its own, with the dictionaries of OpenCC's t2s.
import { ConverterFactory } from 'opencc-js/core';
import compatibility from 'opencc-js/dict/CJK_Compatibility_Ideographs';
import characters from 'opencc-js/dict/TSCharacters';
import phrases from 'opencc-js/dict/TSPhrases';

/** Writes Chinese text in simplified characters. */
export const convert = /* @__PURE__ */ ConverterFactory([compatibility], [phrases, characters]);

// What `script: 'simplified'` loads: a bundle of its own, with the dictionaries of OpenCC's t2s.
import compatibility from 'opencc-js/dict/CJK_Compatibility_Ideographs';
import characters from 'opencc-js/dict/TSCharacters';
import phrases from 'opencc-js/dict/TSPhrases';
import { converter } from './converter.js';

/** Writes Chinese text in simplified characters. */
export const convert = /* @__PURE__ */ converter([compatibility], [phrases, characters]);

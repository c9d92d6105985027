// Vocabulary files as the Hugging Face hub has them for Whisper, made from a .tiktoken rank file:
// byte-level vocab.json, merges.txt, added_tokens.json and tokenizer.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const languageCodes = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
  'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am ' +
  'yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
).split(' ');

/**
 * Token bytes by rank, each as a string of one character (0–255) per byte.
 * @type {(path: string) => string[]}
 */
export function readRanks(path) {
  const tokens = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (!line) continue;
    const [base64, rank] = line.split(' ');
    // The multilingual list ends in an empty token, written as a lone padding sign.
    tokens[Number(rank)] = base64 === '=' ? '' : Buffer.from(base64, 'base64').toString('latin1');
  }
  return tokens;
}

/** Whisper's control tokens in the order of their ids, which begin where the ranks end. */
export function specialTokens(languageCount) {
  return [
    '<|endoftext|>',
    '<|startoftranscript|>',
    ...languageCodes.slice(0, languageCount).map((code) => `<|${code}|>`),
    '<|translate|>',
    '<|transcribe|>',
    '<|startoflm|>',
    '<|startofprev|>',
    '<|nospeech|>',
    '<|notimestamps|>',
    ...Array.from({ length: 1501 }, (_, i) => `<|${(i * 0.02).toFixed(2)}|>`),
  ];
}

/** GPT-2's printable stand-in for each byte. */
const standIns = (() => {
  const isPlain = (byte) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPlain(byte) ? byte : next++),
  );
})();

const byteLevel = (token) => Array.from(token, (byte) => standIns[byte.charCodeAt(0)]).join('');

/** The two tokens that a token of more than one byte is merged from: what is left of it when only lower ranks merge. */
function mergedFrom(token, rank, rankOf) {
  const parts = Array.from(token);
  while (parts.length > 2) {
    let best = -1;
    let bestRank = rank;
    for (let i = 0; i + 1 < parts.length; ++i) {
      const candidate = rankOf.get(parts[i] + parts[i + 1]);
      if (candidate !== undefined && candidate < bestRank) {
        best = i;
        bestRank = candidate;
      }
    }
    if (best < 0) throw new Error(`Rank ${rank} is not a merge of two lower ranks.`);
    parts.splice(best, 2, parts[best] + parts[best + 1]);
  }
  return parts;
}

/**
 * Writes the four vocabulary files into `folder`. `ranks` as readRanks() gives them.
 * The hub keeps <|endoftext|> in vocab.json, and the other control tokens apart.
 * @type {(folder: string, ranks: string[], languageCount: number) => Record<string, number>}
 */
export function writeHubVocabulary(folder, ranks, languageCount) {
  const rankOf = new Map(ranks.map((token, rank) => [token, rank]));
  const merges = [];
  ranks.forEach((token, rank) => {
    if (token.length < 2) return;
    merges.push(mergedFrom(token, rank, rankOf).map(byteLevel));
  });
  const specials = specialTokens(languageCount).map((text, i) => [text, ranks.length + i]);
  const ordinary = Object.fromEntries(ranks.map((token, rank) => [byteLevel(token), rank]));
  const vocabulary = { ...ordinary, [specials[0][0]]: specials[0][1] };

  const write = (name, value) =>
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  write('vocab.json', vocabulary);
  write('merges.txt', `#version: 0.2\n${merges.map((pair) => pair.join(' ')).join('\n')}\n`);
  write('added_tokens.json', Object.fromEntries(specials.slice(1)));
  write('tokenizer.json', {
    version: '1.0',
    added_tokens: specials.map(([content, id]) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    pre_tokenizer: {
      type: 'ByteLevel',
      add_prefix_space: false,
      trim_offsets: true,
      use_regex: true,
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab: vocabulary, merges: merges.map((pair) => pair.join(' ')) },
  });
  return Object.fromEntries(specials);
}

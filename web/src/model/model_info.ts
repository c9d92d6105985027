import type { ModelInfo, NetworkInfo } from '../api/types.js';
import type { VariantChoice } from '../engine/variant.js';
import type { ThreadChoice } from '../platform/threads.js';
import { isNetwork, isWhisper } from '../protocol/families.js';
import type { VerifiedFacts } from './loading.js';

export function infoOf(choice: VariantChoice & ThreadChoice, facts: VerifiedFacts): ModelInfo {
  const common = {
    format: facts.format,
    dtypes: facts.dtypes,
    variant: choice.variant,
    variantReason: choice.reason,
    threads: choice.threads,
    threadsReason: choice.threadsReason,
    warnings: facts.warnings,
    ...(facts.signer !== undefined && { signer: facts.signer }),
  };
  if (!isWhisper(facts)) {
    const family = facts.family as NetworkInfo['family'];
    const network = isNetwork(facts) ? facts : { language: '', streams: false };
    const languages = network.language ? [network.language] : [];
    return { ...common, family, multilingual: false, languages, streams: network.streams };
  }
  const codes = Object.keys(facts.special.languages);
  return {
    ...common,
    family: 'whisper',
    dims: facts.dims,
    streams: true,
    multilingual: facts.multilingual,
    // An English-only model has all language tokens but knows one language.
    languages: facts.multilingual ? codes : codes.length === 1 ? codes : ['en'],
  };
}

import type { ModelFamily, ModelInfo } from '../api/types.js';
import type { VariantChoice } from '../engine/variant.js';
import type { ThreadChoice } from '../platform/threads.js';
import { isNetwork, isWhisper } from '../protocol/families.js';
import type { VerifiedFacts } from './loading.js';

export function infoOf(choice: VariantChoice & ThreadChoice, facts: VerifiedFacts): ModelInfo {
  const common = {
    family: facts.family as ModelFamily,
    format: facts.format,
    dtypes: facts.dtypes,
    variant: choice.variant,
    variantReason: choice.reason,
    threads: choice.threads,
    threadsReason: choice.threadsReason,
    warnings: facts.warnings,
    ...(facts.signer !== undefined && { signer: facts.signer }),
  };
  if (isNetwork(facts)) {
    const languages = facts.language ? [facts.language] : [];
    const network = { ...common, multilingual: false, languages, streams: facts.streams };
    return network as Partial<ModelInfo> as ModelInfo;
  }
  if (!isWhisper(facts)) return common as Partial<ModelInfo> as ModelInfo;
  const codes = Object.keys(facts.special.languages);
  return {
    ...common,
    dims: facts.dims,
    streams: false,
    multilingual: facts.multilingual,
    // An English-only model has all language tokens but knows one language.
    languages: facts.multilingual ? codes : codes.length === 1 ? codes : ['en'],
  };
}

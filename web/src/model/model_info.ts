import type { ModelFamily, ModelInfo } from '../api/types.js';
import type { VariantChoice } from '../engine/variant.js';
import type { ThreadChoice } from '../platform/threads.js';
import { isWhisper } from '../protocol/families.js';
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
  if (!isWhisper(facts)) return common as ModelInfo;
  const codes = Object.keys(facts.special.languages);
  return {
    ...common,
    dims: facts.dims,
    multilingual: facts.multilingual,
    // An English-only model has all language tokens but knows one language.
    languages: facts.multilingual ? codes : codes.length === 1 ? codes : ['en'],
  };
}

import type { ModelInfo, NetworkInfo } from '../api/types.js';
import { chooseWorkers, type Device } from '../platform/workers.js';
import { isNetwork, isWhisper } from '../protocol/families.js';
import type { EngineChoice } from './engine_load.js';
import type { VerifiedFacts } from './loading.js';

export function infoOf(choice: EngineChoice, facts: VerifiedFacts, device: Device): ModelInfo {
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
    return {
      ...common,
      ...{ workers: 1, workersReason: 'models of this family have one engine' },
      ...{ family, multilingual: false, languages, streams: network.streams },
    };
  }
  const { weightBytes, kvCacheBytes, activationBytes } = facts.memoryPlan;
  const codes = Object.keys(facts.special.languages);
  return {
    ...common,
    ...chooseWorkers(choice.workers ?? 'auto', device, {
      engineBytes: weightBytes + kvCacheBytes + activationBytes,
      threads: choice.threads,
    }),
    family: 'whisper',
    dims: facts.dims,
    streams: true,
    multilingual: facts.multilingual,
    // An English-only model has all language tokens but knows one language.
    languages: facts.multilingual ? codes : codes.length === 1 ? codes : ['en'],
  };
}

import { noBotId } from '@botyard/contracts/events/usage';
import type { Provider } from '@botyard/contracts/http/provider';
import type { ModelList } from '@botyard/contracts/http/provider-model';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import type { KeysClient, ResolvedKey } from '../../clients/keys.ts';
import { ModelError } from '../clients/call-failure.ts';
import type { ModelClient } from '../clients/model.ts';

const timeoutMs = 10_000;
const keptMs = 5 * 60_000;
const failureKeptMs = 30_000;
/** Beyond it the oldest list is forgotten. */
const maxLists = 500;

interface Wanted {
  tenantId: string;
  provider: Provider;
  agentId?: string | undefined;
}

/** The models of providers, as they told them during the last minutes. */
export class ModelLists {
  readonly #keys: KeysClient;
  readonly #model: Pick<ModelClient, 'list'>;
  readonly #lists = new Map<string, { until: number; list: Promise<ModelList> }>();

  constructor({ keys, model }: { keys: KeysClient; model: Pick<ModelClient, 'list'> }) {
    this.#keys = keys;
    this.#model = model;
  }

  /** @throws HttpError 503 while the keys service doesn't answer. */
  async listFor({ tenantId, provider, agentId = noBotId }: Wanted): Promise<ModelList> {
    const key = await this.#keys.resolve({ tenantId, provider, agentId, model: '' });
    if (key.source === 'none')
      return {
        models: [],
        problem: key.isLimited ? 'the provider limits the keys' : 'there is no key for it',
      };
    // A tenant's private LLM may be at an address of its own.
    const isShared = key.source === 'platform' && provider !== 'private-llm';
    const name = `${isShared ? platformTenantId : tenantId} ${provider} ${key.keyId}`;
    const kept = this.#lists.get(name);
    if (kept && kept.until > performance.now()) return await kept.list;
    const entry = { until: performance.now() + keptMs, list: this.#ask({ tenantId, provider }, key) };
    this.#lists.delete(name);
    this.#lists.set(name, entry);
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= maxLists) break;
      this.#lists.delete(oldest);
    }
    const list = await entry.list;
    if (list.problem !== null) entry.until = performance.now() + failureKeptMs;
    return list;
  }

  async #ask({ tenantId, provider }: Wanted, { apiKey, keyHost }: ResolvedKey): Promise<ModelList> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const models = await this.#model.list({ tenantId, provider, apiKey, keyHost, signal });
      return { models, problem: null };
    } catch (error) {
      const failure = error instanceof ModelError ? error.failure : 'unavailable';
      return { models: [], problem: problems[failure] ?? 'the provider does not answer' };
    }
  }
}

const problems: Readonly<Partial<Record<ModelError['failure'], string>>> = {
  'key refused': 'the provider refused the key',
  'rate limited': 'the provider limits the keys',
  'model refused': 'the provider does not tell its models',
  refused: 'the provider does not tell its models',
  'unusable answer': 'the provider does not tell its models',
};

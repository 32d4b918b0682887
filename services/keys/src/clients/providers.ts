import { type ModelProtocol, type Provider, providerTraits } from '@botyard/contracts/providers';
import { readStart } from '@botyard/shared/http/bounded-body';
import type { Secret } from '@botyard/shared/secrets/secret';
import { outcomeOf, type ProviderAnswer, type ProviderOutcome } from './provider-answers.ts';

export interface ProviderClient {
  /** Validates the key with the provider. Never throws: errors are an outcome, too. */
  check(provider: Provider, apiKey: Secret): Promise<ProviderOutcome>;
}

/** `undefined` if the provider isn't configured. */
type ProviderAddresses = Readonly<Record<Provider, string | undefined>>;

const maxBodyBytes = 64 * 1024;

/**
 * Makes one call per check without retries: at most `timeoutMs` and 64 KiB, no redirect is followed, and only the
 * operator's addresses are called. The caller has to ensure that the key was stored for that host.
 */
export function createProviderClient(addresses: ProviderAddresses, timeoutMs: number): ProviderClient {
  return {
    check: async (provider, apiKey) => {
      const question = questionTo(addresses, provider, apiKey);
      if (!question) return 'unreachable';
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return outcomeOf(provider, await ask(question, signal));
      } catch {
        // An error of the HTTP client may repeat a header, so none of it is passed on.
        return signal.aborted ? 'timeout' : 'unreachable';
      }
    },
  };
}

interface Question {
  url: string;
  headers: Record<string, string>;
}

function questionTo(addresses: ProviderAddresses, provider: Provider, apiKey: Secret): Question | undefined {
  const address = addresses[provider];
  return address === undefined ? undefined : modelsAt[providerTraits[provider].protocol](address, apiKey);
}

const withBearer = (address: string, apiKey: Secret): Question => ({
  url: `${address}/models`,
  headers: { authorization: `Bearer ${apiKey.reveal()}` },
});

/** The request for the provider's models, by its protocol. */
const modelsAt: Readonly<Record<ModelProtocol, (address: string, apiKey: Secret) => Question>> = {
  openai: withBearer,
  compatible: withBearer,
  anthropic: (address, apiKey) => ({
    url: `${address}/v1/models?limit=1`,
    headers: { 'x-api-key': apiKey.reveal(), 'anthropic-version': '2023-06-01' },
  }),
};

async function ask({ url, headers }: Question, signal: AbortSignal): Promise<ProviderAnswer> {
  const response = await fetch(url, {
    headers: { ...headers, accept: 'application/json', 'accept-encoding': 'identity' },
    redirect: 'manual',
    signal,
  });
  return { status: response.status, ...(await readStart(response, maxBodyBytes)) };
}

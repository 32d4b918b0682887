import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
import type { Provider, Resolution } from '@botyard/shared/contracts/keys';
import { resolveKey } from '@botyard/shared/events/keys';
import { createRecipient } from '@botyard/shared/secrets/handover';
import type { Secret } from '@botyard/shared/secrets/secret';

/** A key for one model call. `apiKey` is `null` when none was found, or when the private LLM needs none. */
export interface ResolvedKey extends Resolution {
  apiKey: Secret | null;
  /** The only host that the key may be sent to. */
  keyHost: string | null;
}

export interface KeysClient {
  /** Asked for every call and never remembered: an invalidated key is chosen no more. @throws HttpError 503. */
  resolve(wanted: {
    tenantId: string;
    provider: Provider;
    botId: string;
    agentId: string;
  }): Promise<ResolvedKey>;
}

export async function createKeysClient(bus: Bus): Promise<KeysClient> {
  const { recipient, open } = await createRecipient();
  return {
    resolve: async (wanted) => {
      const { sealedKey, host, ...resolution } = await ask(bus, resolveKey, { ...wanted, recipient });
      return {
        ...resolution,
        keyHost: host ?? null,
        apiKey: sealedKey === null ? null : await open(sealedKey),
      };
    },
  };
}

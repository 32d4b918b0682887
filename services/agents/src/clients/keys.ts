import { keyStored, resolveKey } from '@botyard/contracts/events/keys';
import type { Resolution } from '@botyard/contracts/http/keys';
import type { Provider } from '@botyard/contracts/http/provider';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { Remembered } from '@botyard/shared/bus/remembered';
import { ask } from '@botyard/shared/bus/requests';
import { createRecipient } from '@botyard/shared/secrets/handover';
import type { Secret } from '@botyard/shared/secrets/secret';

/** The purpose that a key is requested for. */
export interface WantedKey {
  tenantId: string;
  provider: Provider;
  /** Unset outside of chats. */
  botId?: string | undefined;
  agentId: string;
  /** The model, because a provider may limit a key for one model only. */
  model: string;
}

/** A key for one model call. `apiKey` is `null` when there is none, or when the private LLM needs none. */
export interface ResolvedKey extends Resolution {
  apiKey: Secret | null;
  /** The only host that the key may be sent to. */
  keyHost: string | null;
  /** When the keys service returned it, by that service's clock. */
  resolvedAt: string | null;
  /** A key of the tenant would fit, but its provider limits it at the moment. */
  isLimited: boolean;
  /** The time until the first limited key is free again. */
  limitedForMs: number | undefined;
}

export interface KeysClient {
  /**
   * Returns the first usable key that isn't excluded. A tenant's key is requested for each call and never cached, so
   * that an invalidated key is never used again. @throws HttpError 503.
   */
  resolve(wanted: WantedKey, excluding?: readonly string[]): Promise<ResolvedKey>;
}

/** If a tenant has no fitting key, that fact and the replacement key are cached until the tenant stores a key. */
export function createKeysClient(bus: Bus): KeysClient {
  const keyless = new Remembered<ResolvedKey>(bus);
  watch(bus, keyStored, keyless);
  return {
    resolve: async (wanted, excluding = []) => {
      const { tenantId, provider, botId, agentId } = wanted;
      const name = `${provider} ${botId} ${agentId}`;
      const cachedRefusal = keyless.get(tenantId, name);
      if (cachedRefusal) return cachedRefusal;
      const remember = keyless.asking(tenantId, name);
      const key = await askFor(bus, wanted, excluding);
      if (key.considered.length === 0 && !key.isLimited) remember(key);
      return key;
    },
  };
}

async function askFor(bus: Bus, wanted: WantedKey, excluding: readonly string[]): Promise<ResolvedKey> {
  const { recipient, open } = createRecipient();
  const question = { ...wanted, excluding: [...excluding], recipient };
  const answer = await ask(bus, resolveKey, question);
  const { sealedKey, host, resolvedAt, isLimited, limitedForMs, ...resolution } = answer;
  return {
    ...resolution,
    keyHost: host ?? null,
    apiKey: sealedKey === null ? null : await open(sealedKey),
    resolvedAt: resolvedAt ?? null,
    isLimited: isLimited ?? false,
    limitedForMs,
  };
}

import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
import type { Provider, Resolution } from '@botyard/shared/contracts/keys';
import { resolveKey } from '@botyard/shared/events/keys';
import { createRecipient } from '@botyard/shared/secrets/handover';
import type { Secret } from '@botyard/shared/secrets/secret';

/** For what a key is wanted. */
export interface WantedKey {
  tenantId: string;
  provider: Provider;
  botId: string;
  agentId: string;
  /** The provider may limit a key for one model only. */
  model: string;
}

/** A key for one model call. `apiKey` is `null` when none was found, or when the private LLM needs none. */
export interface ResolvedKey extends Resolution {
  apiKey: Secret | null;
  /** The only host that the key may be sent to. */
  keyHost: string | null;
  /** When it was handed over, by the clock of its keeper. */
  resolvedAt: string | null;
  /** None of the tenant's was found, but one that only rests, because the provider limits it, would have done. */
  isLimited: boolean;
  /** When the first of those is free again. */
  limitedForMs: number | undefined;
}

export interface KeysClient {
  /**
   * The first key in order but those that were tried before. Asked for every call and never remembered: an invalidated
   * key is chosen no more. @throws HttpError 503.
   */
  resolve(wanted: WantedKey, excluding?: readonly string[]): Promise<ResolvedKey>;
}

export function createKeysClient(bus: Bus): KeysClient {
  return {
    resolve: async (wanted, excluding = []) => {
      const { recipient, open } = createRecipient();
      const question = { ...wanted, excluding: [...excluding], recipient };
      const { sealedKey, host, resolvedAt, isLimited, limitedForMs, ...resolution } = await ask(
        bus,
        resolveKey,
        question,
      );
      return {
        ...resolution,
        keyHost: host ?? null,
        apiKey: sealedKey === null ? null : await open(sealedKey),
        resolvedAt: resolvedAt ?? null,
        isLimited: isLimited ?? false,
        limitedForMs,
      };
    },
  };
}

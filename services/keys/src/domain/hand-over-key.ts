import type { resolveKey } from '@botyard/contracts/events/keys';
import { type Recipient, sealFor } from '@botyard/shared/secrets/handover';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { resolveProviderKey, type WantedKey } from './resolve-provider-key.ts';

/**
 * Resolves a key as `resolveProviderKey` does, and seals it for the one who asks: `sealedKey` is a compact JWE that
 * only the holder of the recipient's private key can open; `null` when there is no key to hand over.
 */
export async function handOverKey(
  deps: Deps,
  wanted: WantedKey,
  recipient: Recipient,
): Promise<z.input<typeof resolveKey.response>> {
  const { resolution, apiKey, host, resolvedAt, isLimited, limitedForMs } = await resolveProviderKey(
    deps,
    wanted,
  );
  const sealedKey = apiKey && (await sealFor(recipient, apiKey));
  return {
    ...resolution,
    sealedKey,
    host,
    resolvedAt: resolvedAt?.toISOString() ?? null,
    isLimited,
    limitedForMs,
  };
}

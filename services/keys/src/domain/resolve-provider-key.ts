import type { resolveKey } from '@botyard/contracts/events/keys';
import type { Resolution } from '@botyard/contracts/http/keys';
import type { Provider } from '@botyard/contracts/http/provider';
import { withTenant } from '@botyard/shared/db/database';
import { type Recipient, sealFor } from '@botyard/shared/secrets/handover';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { type CandidateRow, listCandidates } from '../store/keys.ts';
import { openKey } from './open-key.ts';

/** The purpose of a key: a provider, in a tenant, for a bot and an agent if known. */
interface WantedKey {
  tenantId: string;
  provider: Provider;
  botId?: string | undefined;
  agentId?: string | undefined;
  /** A key can be limited for one model only. */
  model?: string | undefined;
  /** Keys that this call has already tried, so that the next one in order is returned. */
  excluding?: readonly string[] | undefined;
}

interface ResolvedKey {
  resolution: Resolution;
  /** `null` when there is none, or when the private LLM needs none. */
  apiKey: Secret | null;
  /** `name[:port]` that the key may be sent to; `null` when there is no key. */
  host: string | null;
  /** The time of the decision, by the database's clock; `null` when no key of the tenant was chosen. */
  resolvedAt: Date | null;
  /** No key of the tenant was chosen, but a paused one would have fit. */
  isLimited: boolean;
  /** The time in ms until the first paused key is available. */
  limitedForMs?: number | undefined;
}

/**
 * Chooses a key in the order agent, bot, tenant, platform, newest first (REQ-KEY-2), and gives the reason for every
 * stored key that was considered. Everything is decided on one read of the database and nothing is cached, so a key
 * that was invalidated or deleted is never chosen by a resolution that begins later.
 */
export async function resolveProviderKey(deps: Deps, wanted: WantedKey): Promise<ResolvedKey> {
  const candidates = await withTenant(deps.database, [wanted.tenantId], (tx) => listCandidates(tx, wanted), {
    isOneRoundTrip: true,
  });
  const considered: Resolution['considered'] = [];
  let chosen: { key: CandidateRow; apiKey: Secret } | undefined;
  for (const key of candidates) {
    const fault = faultOf(deps, wanted, key) ?? precedence(key, chosen?.key);
    const apiKey = fault ? undefined : await openKey(deps, key);
    if (apiKey) chosen = { key, apiKey };
    const reason = apiKey
      ? `used: the newest usable key of the ${key.scopeType}`
      : (fault ?? 'can not be opened: it has to be stored again');
    considered.push({ keyId: key.keyId, reason });
  }
  const resting = candidates.filter((key) => isOnlyResting(deps, wanted, key));
  if (!chosen) return platformKey(deps, wanted.provider, { considered, ...limitOf(resting) });
  const { keyId, scopeType, host, readAt } = chosen.key;
  const resolution: Resolution = { keyId, source: scopeType, considered };
  return { resolution, apiKey: chosen.apiKey, host, resolvedAt: readAt, isLimited: false };
}

/** The reason why a key can't be used, regardless of others. */
function faultOf(deps: Deps, wanted: WantedKey, key: CandidateRow): string | undefined {
  if (key.status === 'invalid') {
    return key.invalidatedBy === 'provider'
      ? 'is marked invalid: the provider refused it'
      : 'is marked invalid';
  }
  if (key.host !== deps.providers[wanted.provider].host)
    return 'was stored for another address of the provider';
  if (wanted.excluding?.includes(key.keyId)) return 'was tried before in this call';
  if (key.restsUntil) return `rests until ${key.restsUntil.toISOString()}: the provider limits it`;
  return undefined;
}

/** The reason why a usable key comes after the chosen one. */
function precedence(key: CandidateRow, chosen: CandidateRow | undefined): string | undefined {
  if (!chosen) return undefined;
  return chosen.scopeType === key.scopeType
    ? 'a newer key of this scope is used'
    : `a key of the ${chosen.scopeType} is used`;
}

function limitOf(resting: readonly CandidateRow[]): Pick<ResolvedKey, 'isLimited' | 'limitedForMs'> {
  if (resting.length === 0) return { isLimited: false };
  const waitsMs = resting.map(({ restsUntil, readAt }) => Number(restsUntil) - readAt.getTime());
  return { isLimited: true, limitedForMs: Math.max(0, Math.ceil(Math.min(...waitsMs))) };
}

const isOnlyResting = (deps: Deps, wanted: WantedKey, key: CandidateRow): boolean =>
  key.restsUntil !== null && !faultOf(deps, wanted, { ...key, restsUntil: null });

function platformKey(
  { providers }: Deps,
  provider: Provider,
  { considered, ...limit }: Pick<Resolution, 'considered'> & Pick<ResolvedKey, 'isLimited' | 'limitedForMs'>,
): ResolvedKey {
  const { platform, host } = providers[provider];
  const none = { keyId: null, considered };
  if (!platform) {
    return { resolution: { ...none, source: 'none' }, apiKey: null, host: null, resolvedAt: null, ...limit };
  }
  const resolution: Resolution = { ...none, source: 'platform' };
  return { resolution, apiKey: platform.apiKey, host, resolvedAt: null, ...limit };
}

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

import type { Provider, Resolution } from '@botyard/shared/contracts/keys';
import { withTenant } from '@botyard/shared/db/database';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../deps.ts';
import { type CandidateRow, listCandidates } from '../store/keys.ts';
import { keyBinding } from './key-binding.ts';

/** For what a key is wanted: a provider, in a tenant, for a bot and an agent where they are known. */
export interface WantedKey {
  tenantId: string;
  provider: Provider;
  botId?: string | undefined;
  agentId?: string | undefined;
}

export interface ResolvedKey {
  resolution: Resolution;
  /** `null` when none was found, and when the private LLM needs none. */
  apiKey: Secret | null;
  /** `name[:port]` that the key may be sent to; `null` when none was found. */
  host: string | null;
}

/**
 * Chooses a key in the order agent, bot, tenant, platform, the newest first (decisions 7), and says of every stored
 * key that was looked at why it was taken or not. Everything is decided on one read of the database and nothing is
 * remembered, so a key that was invalidated or deleted is never chosen by a resolution that begins after.
 */
export async function resolveProviderKey(deps: Deps, wanted: WantedKey): Promise<ResolvedKey> {
  const candidates = await withTenant(deps.database, [wanted.tenantId], (tx) => listCandidates(tx, wanted));
  const considered: Resolution['considered'] = [];
  let chosen: { key: CandidateRow; apiKey: Secret } | undefined;
  for (const key of candidates) {
    const verdict = await judge(deps, wanted, key, chosen?.key);
    considered.push({ keyId: key.key_id, reason: verdict.reason });
    if (verdict.apiKey) chosen = { key, apiKey: verdict.apiKey };
  }
  if (!chosen) return platformKey(deps, wanted.provider, considered);
  const { key, apiKey } = chosen;
  return { resolution: { keyId: key.key_id, source: key.scope_type, considered }, apiKey, host: key.host };
}

interface Verdict {
  reason: string;
  /** Set when the key is taken. */
  apiKey?: Secret;
}

async function judge(
  deps: Deps,
  wanted: WantedKey,
  key: CandidateRow,
  chosen: CandidateRow | undefined,
): Promise<Verdict> {
  const { host } = deps.providers[wanted.provider];
  if (key.status === 'invalid') return { reason: 'is marked invalid' };
  if (key.host !== host) return { reason: 'was stored for another address of the provider' };
  if (chosen) {
    const isSameScope = chosen.scope_type === key.scope_type;
    return {
      reason: isSameScope ? 'a newer key of this scope is used' : `a key of the ${chosen.scope_type} is used`,
    };
  }
  const apiKey = await open(deps, wanted, key);
  if (!apiKey) return { reason: 'can not be opened: it has to be stored again' };
  return { reason: `used: the newest usable key of the ${key.scope_type}`, apiKey };
}

/** `undefined` for a row that was altered or moved, or whose sealing key is gone: the next one in order is tried. */
async function open(deps: Deps, wanted: WantedKey, key: CandidateRow): Promise<Secret | undefined> {
  const { tenantId, provider } = wanted;
  try {
    return await deps.keyring.open(
      key.sealed_key,
      keyBinding({ tenantId, keyId: key.key_id, provider, host: key.host }),
    );
  } catch (error) {
    deps.log.error({ err: error, keyId: key.key_id }, 'a stored key can not be opened');
    return undefined;
  }
}

function platformKey(
  { providers }: Deps,
  provider: Provider,
  considered: Resolution['considered'],
): ResolvedKey {
  const { platform, host } = providers[provider];
  if (!platform) return { resolution: { keyId: null, source: 'none', considered }, apiKey: null, host: null };
  return { resolution: { keyId: null, source: 'platform', considered }, apiKey: platform.apiKey, host };
}

import type { PrivateLlmSettings, PutPrivateLlmBody } from '@botyard/contracts/http/integrations';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { unprocessable } from '@botyard/shared/http/errors';
import { LRUCache } from 'lru-cache';
import type { AgentsConfig } from '../../config.ts';
import { ModelError } from '../../models/clients/call-failure.ts';
import type { PrivateLlm } from '../../models/clients/model.ts';
import type { Deps } from '../deps.ts';
import { getSettings, type SettingsRow, saveSettings } from '../store/settings.ts';

type Operator = Pick<AgentsConfig, 'EGRESS_ALLOWED_HOSTS' | 'PRIVATE_LLM_BASE_URL'>;
const rememberedMs = 10_000;

/** Hosts that a private LLM may have (REQ-REL-17): those that the operator allows, and the operator's own. */
const allowedHostsOf = ({ EGRESS_ALLOWED_HOSTS, PRIVATE_LLM_BASE_URL }: Operator): string[] => [
  ...new Set([
    ...(PRIVATE_LLM_BASE_URL ? [new URL(PRIVATE_LLM_BASE_URL).host] : []),
    ...EGRESS_ALLOWED_HOSTS,
  ]),
];

/** The normalized address, or `undefined` if it may not be called. */
function allowedAddress(given: string, operator: Operator): string | undefined {
  const url = URL.parse(given);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username || url.password || url.search || url.hash) return undefined;
  return allowedHostsOf(operator).includes(url.host) ? url.href.replace(/\/+$/, '') : undefined;
}

/**
 * Cached for some seconds, since every model call needs it. An address that the operator no longer allows isn't called.
 */
export function createPrivateLlmOf(
  database: Database,
  operator: Operator,
): (tenantId: string) => Promise<PrivateLlm> {
  // Concurrent requests share one look-up.
  const settingsByTenant = new LRUCache<string, PrivateLlm>({
    max: 10_000,
    ttl: rememberedMs,
    fetchMethod: async (tenantId) => {
      const row = await withTenant(database, [tenantId], (tx) => getSettings(tx, tenantId));
      const { privateLlmAddress: address, privateLlmModel: model } = row ?? {};
      if (address && !allowedAddress(address, operator)) throw new ModelError('unavailable');
      return { address: address ?? undefined, model: model ?? undefined };
    },
  });
  return async (tenantId) => (await settingsByTenant.fetch(tenantId)) ?? {};
}

export async function showPrivateLlm(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  tenantId: string,
): Promise<PrivateLlmSettings> {
  return shown(config, await withTenant(database, [tenantId], (tx) => getSettings(tx, tenantId)));
}

/** Changes the given fields. @throws HttpError 422 for an address that the operator doesn't allow. */
export async function setPrivateLlm(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  tenantId: string,
  { address, model }: PutPrivateLlmBody,
): Promise<PrivateLlmSettings> {
  const own = address ? allowedAddress(address, config) : address;
  if (address && !own)
    throw unprocessable(
      `the operator does not allow the host of this address: allowed are ${allowedHostsOf(config).join(', ') || 'none'}`,
    );
  const row = await withTenant(database, [tenantId], (tx) =>
    saveSettings(tx, tenantId, {
      ...(own === undefined ? {} : { privateLlmAddress: own }),
      ...(model === undefined ? {} : { privateLlmModel: model }),
      privateLlmUpdatedAt: new Date(),
    }),
  );
  return shown(config, row);
}

const shown = (operator: Operator, row: SettingsRow | undefined): PrivateLlmSettings => ({
  address: row?.privateLlmAddress ?? null,
  model: row?.privateLlmModel ?? null,
  allowedHosts: allowedHostsOf(operator),
  updatedAt: row?.privateLlmUpdatedAt?.toISOString() ?? null,
});

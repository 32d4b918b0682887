import { findMissingAgents } from '@botyard/contracts/events/agents';
import { findBot } from '@botyard/contracts/events/tenancy';
import type { CreateKeyBody } from '@botyard/contracts/http/keys';
import { ask } from '@botyard/shared/bus/requests';
import { invalid } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';

/**
 * The scope of a key: the identifier of a bot or agent of the tenant, `null` for all of it. A key meant for one bot
 * must not serve the whole tenant because `scopeType` was forgotten. @throws HttpError 400, and 503 when it can't be
 * checked.
 */
export async function requireScope(
  { bus }: Pick<Deps, 'bus'>,
  tenantId: string,
  { scopeType, scopeId: named }: CreateKeyBody,
): Promise<string | null> {
  const scopeId = named?.toLowerCase() ?? null;
  if (scopeType === 'tenant') {
    if (scopeId !== null && scopeId !== tenantId) throw wrong('needs the scopeType bot or agent');
    return null;
  }
  if (scopeId === null || !(await isThere[scopeType](bus, tenantId, scopeId)))
    throw wrong(`the tenant has no ${scopeType} with this identifier`);
  return scopeId;
}

type Look = (bus: Deps['bus'], tenantId: string, scopeId: string) => Promise<boolean>;

const isThere: Readonly<Record<'bot' | 'agent', Look>> = {
  bot: async (bus, tenantId, botId) => (await ask(bus, findBot, { tenantId, botId })).bot !== null,
  agent: async (bus, tenantId, agentId) =>
    (await ask(bus, findMissingAgents, { tenantId, agentIds: [agentId] })).missing.length === 0,
};

const wrong = (message: string) => invalid([{ path: ['scopeId'], message }]);

import { countRefusals } from '@botyard/contracts/events/agents';
import type { AuthorizationStats } from '@botyard/contracts/http/auth-chat-rules';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { countAuthorization } from '../store/stats.ts';

const refusalDays = 7;

/**
 * Counts of a tenant's mutes, grants, relationships and refusals. @throws HttpError 503 when the agents service doesn't
 * answer.
 */
export async function getAuthorizationStats(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
): Promise<AuthorizationStats> {
  const [counts, refusals] = await Promise.all([
    withTenant(database, [tenantId], (tx) => countAuthorization(tx, tenantId)),
    ask(bus, countRefusals, { tenantId, days: refusalDays }),
  ]);
  return {
    activeMutes: counts.activeMutes,
    restrictedBots: { channels: counts.restrictedChannels, privateChats: counts.restrictedPrivateChats },
    grants: { channels: counts.channelGrants, privateChats: counts.privateChatGrants },
    policies: counts.policies,
    edges: { admin: counts.admins, member: counts.members },
    refusals,
  };
}

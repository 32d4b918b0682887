import { countTraffic } from '@botyard/contracts/events/agents-people';
import { sumSending } from '@botyard/contracts/events/webhook-requests';
import type { PlatformStats } from '@botyard/contracts/http/platforms';
import { platformNames } from '@botyard/contracts/platform-names';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { countIntegrations } from '../../integrations/store/integrations.ts';
import type { Deps } from '../deps.ts';

/** Figures of a platform without any traffic. */
export const noTraffic = { chats: 0, people: 0, messagesIn: 0, messagesOut: 0, lastDeliveryAt: null };
export const noSending = { repliesWaiting: 0, repliesFailed: 0, blockedChats: 0, oldestWaitingAt: null };

/** The figures of each platform in a tenant. @throws HttpError 503 when a service doesn't answer. */
export async function listPlatformStats(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
): Promise<PlatformStats[]> {
  const [counts, { traffic }, { sending }] = await Promise.all([
    withTenant(database, [tenantId], (tx) => countIntegrations(tx, tenantId)),
    ask(bus, countTraffic, { tenantId, botIds: null }),
    ask(bus, sumSending, { tenantId }),
  ]);
  return platformNames.map((platform) => {
    const own = counts.filter((row) => row.platform === platform);
    const sum = (isMeant: (row: (typeof own)[number]) => boolean) =>
      own.filter(isMeant).reduce((total, row) => total + row.count, 0);
    const inState = (state: string) => sum((row) => row.state === state);
    return {
      platform,
      integrations: sum(() => true),
      enabledIntegrations: sum(({ isEnabled }) => isEnabled),
      registrations: {
        pending: inState('pending'),
        registered: inState('registered'),
        failed: inState('failed'),
      },
      ...(traffic.find((row) => row.platform === platform && row.botId === null) ?? noTraffic),
      ...(sending.find((row) => row.platform === platform) ?? noSending),
    };
  });
}

import { useActing, useSeesTenant } from './acting.tsx';
import { useAnswer, useList } from './use-answer.ts';

/** The tenant's bots and their display names. */
export function useBots() {
  const bots = useBotList();
  const nameOf = (botId: string): string =>
    bots.data ? (bots.data.find((bot) => bot.botId === botId)?.name ?? 'deleted bot') : '…';
  const options = (bots.data ?? []).map(({ botId, name }) => [botId, name] as const);
  return { ...bots, nameOf, options };
}

/**
 * Admins list the bots page by page. The list is only for admins of the tenant, so members and operators read the
 * tenant, which contains its newest 500 bots.
 */
function useBotList() {
  const { tenantId, role } = useActing();
  const seesTenant = useSeesTenant();
  const isAdmin = role === 'admin';
  const listed = useList('/api/bots', {
    query: { tenantId: tenantId ?? undefined, limit: 500 },
    enabled: tenantId !== null && isAdmin,
  });
  const tenant = useAnswer('/api/bots/tenants/{tenantId}', {
    path: { tenantId: tenantId ?? '' },
    enabled: seesTenant && !isAdmin,
  });
  return isAdmin ? listed : { ...tenant, data: tenant.data?.bots, more: undefined, moreError: null };
}

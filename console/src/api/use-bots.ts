import { useActing } from './acting.tsx';
import { useList } from './use-answer.ts';

/** The bots of the tenant, and by which name people know one. */
export function useBots() {
  const { tenantId } = useActing();
  const bots = useList('/api/bots', {
    query: { tenantId: tenantId ?? undefined, limit: 500 },
    enabled: tenantId !== null,
  });
  const nameOf = (botId: string): string =>
    bots.data ? (bots.data.find((bot) => bot.botId === botId)?.name ?? 'a bot that is gone') : '…';
  const options = (bots.data ?? []).map(({ botId, name }) => [botId, name] as const);
  return { ...bots, nameOf, options };
}

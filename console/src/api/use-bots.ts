import { useActing } from './acting.tsx';
import { useList } from './use-answer.ts';

/** The tenant's bots and their display names. */
export function useBots() {
  const { tenantId } = useActing();
  const bots = useList('/api/bots', {
    query: { tenantId: tenantId ?? undefined, limit: 500 },
    enabled: tenantId !== null,
  });
  const nameOf = (botId: string): string =>
    bots.data ? (bots.data.find((bot) => bot.botId === botId)?.name ?? 'deleted bot') : '…';
  const options = (bots.data ?? []).map(({ botId, name }) => [botId, name] as const);
  return { ...bots, nameOf, options };
}

import { eventually } from '@botyard/testing/eventually';
import type { TestSystem } from '../rig/test-system.ts';

export async function passed(ms: number): Promise<void> {
  const sinceMs = performance.now();
  await eventually('the time is over', () => performance.now() - sinceMs > ms, { timeoutMs: ms + 60_000 });
}

/** Texts that the platform has of a thousand chats, the first of which is this one. */
export const textsOf = ({ messenger }: TestSystem, firstChat: number): string[] =>
  messenger.sent
    .filter(({ chatId }) => Number(chatId) >= firstChat && Number(chatId) < firstChat + 1000)
    .map(({ entry }) => entry.text);

/** Resolves when this many replies were created and nothing is left to send or to announce. */
export const allSettled = (
  { harness }: TestSystem,
  { replies = 0 }: { replies?: number } = {},
): Promise<unknown> =>
  eventually(
    'everything is settled',
    async () => {
      const [open] = await harness.asOwner<{ count: number }>(
        `select count(*)::int as count from webhooks.parts p join webhooks.replies r using (tenant_id, reply_id)
         where p.state in ('queued', 'sending') or p.is_unannounced or r.state not in ('sent', 'failed')`,
      );
      const [made] = await harness.asOwner<{ count: number }>(
        'select count(*)::int as count from webhooks.replies',
      );
      return open?.count === 0 && made!.count >= replies;
    },
    { timeoutMs: 180_000 },
  );

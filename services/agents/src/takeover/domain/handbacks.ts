import { handlingChanged } from '@botyard/contracts/events/agents';
import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { settleHandbacks } from '../store/handling.ts';

/**
 * Announces chats that returned to their bots because no person wrote for long enough. The return itself doesn't depend
 * on this: it happens at its time, and only listeners wait for the announcement.
 */
export function createHandbacks({
  database,
  outbox,
  log,
}: Pick<Deps, 'database' | 'outbox' | 'log'>): Worker {
  const settleSome = () =>
    withPlatform(database, 'chats that went back to their bots', async (tx) => {
      const settled = await settleHandbacks(tx);
      const events = settled.map((conversation) => ({ ...conversation, handling: 'bot' as const }));
      await outbox.emit(tx, handlingChanged, ...events);
      return settled.length;
    });
  return createPeriodic({
    name: 'handbacks',
    everyMs: 5000,
    log,
    work: async (isStopped) => {
      while (!isStopped() && (await settleSome()) > 0);
    },
  });
}

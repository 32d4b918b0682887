import { handlingChanged } from '@botyard/contracts/events/agents';
import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../../deps.ts';
import { settleHandbacks } from '../store/handling.ts';

/**
 * Announces chats that have gone back to their bots because no person wrote for long enough. They went back at their
 * time: nothing but those who listen waits for this.
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
      await outbox.emitAll(tx, handlingChanged, events);
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

import { chatUpdated } from '@botyard/contracts/events/agents';
import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { endSnoozes } from '../store/chat-state.ts';

/** Announces chats whose snooze has ended. Every read shows them as open from their time on, even without this. */
export function createSnoozeEnds({
  database,
  outbox,
  log,
}: Pick<Deps, 'database' | 'outbox' | 'log'>): Worker {
  const endSome = () =>
    withPlatform(database, 'chats whose snooze has ended', async (tx) => {
      const ended = await endSnoozes(tx);
      await outbox.emit(tx, chatUpdated, ...ended);
      return ended.length;
    });
  return createPeriodic({
    name: 'snooze ends',
    everyMs: 5000,
    log,
    work: async (isStopped) => {
      while (!isStopped() && (await endSome()) > 0);
    },
  });
}

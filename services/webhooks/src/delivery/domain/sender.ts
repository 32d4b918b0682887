import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { isUnavailable } from '@botyard/shared/http/errors';
import { Batcher } from '@botyard/shared/work/batcher';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import type { Typing } from '../../chats/domain/typing.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { SendDeps } from '../deps.ts';
import { type ClaimedChat, chatQueue, claimKey, renewLease } from '../store/chats.ts';
import { prepareSends } from './prepare.ts';
import { changesBy } from './queue-changes.ts';
import { type BegunPart, type ChatToServe, type Prepared, send } from './send.ts';
import type { Next, SendEnd } from './send-end.ts';
import { settleSends } from './settle.ts';

interface SenderOptions {
  platform: Platform;
  typing: Typing;
  /** Called after an end was written without announcing its reply. */
  onUnannounced: () => void;
}

const maxBatch = 100;
/** The end of a send can wait for others, because the message has arrived. */
const gatherMs = 25;
/** A call to the platform begins at most this long after the last check that the chat is still held. */
const freshMs = 1500;
/** The pause between two tries of a write during an outage of the database. */
const retryEveryMs = 200;

/**
 * Sends a platform's queued messages, one after another in each chat and concurrently in many chats. Every step is
 * fenced: a worker that lost its chat while it was suspended begins nothing (REQ-REL-4).
 */
export function createSender(deps: SendDeps, options: SenderOptions): LeasedQueue<ChatToServe> {
  const { name, slots } = options.platform;
  const { processId } = deps.heartbeat;
  const { prepare, sendBegun, settle } = stepsOf(deps, options);
  const queue: LeasedQueue<ChatToServe> = new LeasedQueue(deps, {
    name: `chats of ${name}`,
    table: chatQueue(name),
    slots,
    share: slots / 5,
    values: () => ({ processId, held: queue.jobs.map(claimKey) }),
    // A crash of the database ends every claim.
    isDurable: false,
    /** Sends until nothing is left in the chat, or it has to wait. */
    run: async ({ prepared: first, ...chat }: ChatToServe) => {
      for (let step = first; ; step = undefined) {
        const heldSince = performance.now();
        const prepared = step ?? (await prepare(chat));
        const isBegun = typeof prepared === 'object' && 'part' in prepared;
        const next = isBegun ? await settle(await sendBegun(prepared, heldSince)) : prepared;
        if (next === 'more') continue;
        if (next === 'lost') deps.log.warn({ botId: chat.botId }, 'a chat was taken over by another worker');
        if (typeof next === 'object') queue.wake(next.waitMs);
        return;
      }
    },
  });
  return queue;
}

/** The steps of a platform's sends: those of many chats at a time are prepared and settled together. */
function stepsOf(deps: SendDeps, { platform, typing, onUnannounced }: SenderOptions) {
  const { database, journal, log } = deps;
  // A transaction for many chats belongs to no single trace.
  const outsideTraces = AsyncLocalStorage.snapshot();
  const ownerOf = ({ tenantId }: { tenantId: string }) => tenantId;
  const isOutage = (error: unknown) => isUnavailable(error) || isContention(error);
  const preparing = new Batcher<ClaimedChat, Prepared>({
    maxBatch,
    ownerOf,
    isOutage: isUnavailable,
    write: (chats) => outsideTraces(() => prepareSends(deps, chats)),
  });
  const settling = new Batcher<SendEnd, Next>({
    maxBatch,
    gatherMs,
    ownerOf,
    isOutage,
    write: (ends) => outsideTraces(() => settleSends(deps, ends)),
  });
  const givingUp = journal.givingUpSignal;
  // Meanwhile other workers can't claim what the work holds, and only this process knows what it has begun.
  const throughOutages = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isOutage(error) || givingUp.aborted) throw error;
        await pause(retryEveryMs, undefined, { signal: givingUp }).catch(() => undefined);
      }
    }
  };
  return {
    prepare: (chat: ClaimedChat) => throughOutages(() => preparing.add(chat)),
    sendBegun: async (begun: BegunPart, heldSince: number): Promise<SendEnd> => {
      let checkedAt = heldSince;
      const mayCall = async () => {
        const now = performance.now();
        if (now - checkedAt < freshMs) return true;
        checkedAt = now;
        const { chat } = begun;
        return await throughOutages(() =>
          withTenant(database, [chat.tenantId], (tx) => renewLease(tx, chat)),
        );
      };
      const end = await send(begun, { platform, typing, log, mayCall, signal: journal.callsSignal });
      journal.unmade.delete(begun.part.partId);
      return end;
    },
    settle: async (end: SendEnd): Promise<Next> => {
      if (!journal.isHampered) {
        try {
          return await settling.add(end);
        } catch (error) {
          log.warn({ err: error, botId: end.chat?.botId }, 'the outcome of a send is written separately');
        }
      }
      const next = await journal.write(end);
      onUnannounced();
      if (next === undefined) return 'lost';
      return changesBy(end).length > 0 ? await throughOutages(() => settling.add(end)) : next;
    },
  };
}

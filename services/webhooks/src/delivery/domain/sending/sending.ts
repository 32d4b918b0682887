import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { WebhooksConfig } from '../../../config.ts';
import type { Deps } from '../../../deps.ts';
import { savePartOutcome } from '../../store/part-outcomes.ts';
import { countWaitingParts, isChatDue } from '../../store/sending.ts';
import type { ImmediateSends } from '../begin-at-once.ts';
import type { Typing } from '../chats/typing.ts';
import { createAnnouncer } from './announce-written.ts';
import { Closing } from './closing.ts';
import { KnownOutcomes } from './known-outcomes.ts';
import { type KnownOutcome, OutcomeFile } from './outcome-file.ts';
import { createSenders } from './senders.ts';
import { UnmadeSends } from './unmade-sends.ts';

/** The interval at which files of ended processes are looked for. */
const restoreEveryMs = 2000;
/** Counted from the beginning of the shutdown: a process is killed after 24 s. */
const breaksOffCallsAfterMs = 6000;
const givesUpAfterMs = 8000;

/** The folder for outcomes that the database does not accept, next to the files of mails. */
export const outcomeFolder = ({ MAIL_SPOOL_DIR, DATA_DIR }: WebhooksConfig): string =>
  MAIL_SPOOL_DIR ? join(MAIL_SPOOL_DIR, 'outcomes') : join(DATA_DIR ?? tmpdir(), 'botyard-sending');

interface SendingWorker extends Worker {
  immediate: ImmediateSends;
  wake(): void;
  /** Starts no further sends, and ends running ones within 8 s. */
  drain(): void;
}

/** Queues the mails that the previous release has left. */
export interface Takeover extends Worker {
  /** Queues a mail that its process no longer holds for certain. */
  takeOver(tx: TenantTx, mail: { tenantId: string; mailId: string }): Promise<void>;
}

/** All senders of a process, with their unsaved outcomes, in one lifecycle. */
export function createSending(
  deps: Deps,
  { typing, takeover }: { typing: Typing; takeover: Takeover },
): SendingWorker {
  const { database, heartbeat, log } = deps;
  const announcer = createAnnouncer(deps);
  const closing = new Closing();
  const outcomes = new KnownOutcomes({
    database,
    file: new OutcomeFile(deps.outcomeFolder),
    settlers: {
      part: settlePart,
      // An outcome from a process of the previous release.
      mail: async (tx, known) => {
        await takeover.takeOver(tx, { tenantId: known.tenantId, mailId: known.id });
        return await settlePart(tx, known);
      },
    },
    onWritten: () => announcer.wake(),
    log,
  });
  const restored = Promise.withResolvers<void>();
  const { processId } = heartbeat;
  const unmade = new UnmadeSends();
  const sending = { processId, outcomes, closing, isRestored: restored.promise, unmade };
  const senders = createSenders(deps, { typing, sending });
  deps.due.add({ name: 'chats', isDue: isChatDue, wake: senders.wake });
  deps.instance.watchesQueue('replies', () => withPlatform(database, 'queue depth', countWaitingParts));
  const restorer = createPeriodic({
    name: 'outcomes of other processes',
    everyMs: restoreEveryMs,
    work: () => outcomes.restore({ atStart: false }),
    log,
  });
  const timers: NodeJS.Timeout[] = [];
  const drain = () => {
    if (closing.isClosing) return;
    closing.begin();
    timers.push(
      setTimeout(() => closing.breakOffCalls(), breaksOffCallsAfterMs),
      setTimeout(() => outcomes.giveUp(), givesUpAfterMs),
    );
    void senders.stop();
  };
  return {
    immediate: { reserve: senders.reserve, unmade },
    wake: senders.wake,
    start: () => {
      heartbeat.start();
      outcomes
        .restore({ atStart: true })
        .catch((error: unknown) =>
          log.error({ err: error }, 'could not read the outcomes that an ended process left'),
        )
        .finally(restored.resolve);
      restorer.start();
      announcer.start();
      takeover.start();
      senders.start();
    },
    drain,
    stop: async () => {
      drain();
      await Promise.all([senders.stop(), takeover.stop(), restorer.stop(), announcer.stop()]);
      for (const timer of timers) clearTimeout(timer);
      if (outcomes.count > 0) log.warn({ outcomes: outcomes.count }, 'outcomes of sends are left in a file');
      await heartbeat.stop();
    },
  };
}

const settlePart = (tx: TenantTx, { tenantId, id: partId, send, outcome }: KnownOutcome) =>
  savePartOutcome(tx, { tenantId, partId, send, outcome }, { isAlone: true });

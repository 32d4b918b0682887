import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Typing } from '../../chats/domain/typing.ts';
import type { WebhooksConfig } from '../../config.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { QueueDeps, SendDeps } from '../deps.ts';
import { countWaitingParts } from '../store/chats.ts';
import { announceSaved } from './announce-replies.ts';
import { JournalFile } from './journal-file.ts';
import { SendJournal } from './send-journal.ts';
import { createSender } from './sender.ts';
import { type SettleDeps, settleSends } from './settle.ts';

/** The interval at which ends are looked for that weren't written, or not announced. */
const outcomesEveryMs = 2000;

/** The journal of a process. Its folder is next to the files of mails. */
export function createJournal(
  deps: SettleDeps & Pick<SendDeps, 'log'>,
  { MAIL_SPOOL_DIR, DATA_DIR }: WebhooksConfig,
): SendJournal {
  const folder = MAIL_SPOOL_DIR
    ? join(MAIL_SPOOL_DIR, 'outcomes')
    : join(DATA_DIR ?? tmpdir(), 'botyard-sending');
  return new SendJournal({
    database: deps.database,
    file: new JournalFile(folder),
    settle: async (end) => (await settleSends(deps, [end], { announcesLater: true }))[0]!,
    log: deps.log,
  });
}

export interface SendingWorker extends Worker, Pick<QueueDeps['sending'], 'reserve'> {
  /** Starts no further sends, and ends running ones within 8 s. */
  drain(): void;
}

/** All senders of a process, one per platform, so that a hanging platform takes no slots from the others. */
export function createSending(deps: SendDeps, typing: Typing): SendingWorker {
  const { database, heartbeat, journal, log } = deps;
  const outcomes = createPeriodic({
    name: 'outcomes of sends',
    everyMs: outcomesEveryMs,
    work: async () => {
      await journal.restore({ atStart: false });
      await announceSaved(deps);
    },
    log,
  });
  const senderOf = (platform: Platform) =>
    createSender(deps, { platform, typing, onUnannounced: outcomes.wake });
  const byPlatform = new Map(Object.values(deps.platforms).map((one) => [one.name, senderOf(one)]));
  const senders = [...byPlatform.values()];
  deps.instance.watchesQueue('replies', () => withPlatform(database, 'queue depth', countWaitingParts));
  /** Nothing is claimed before the ends that earlier processes left are written. */
  const startSenders = () => {
    if (!journal.isClosing) for (const sender of senders) sender.start();
  };
  const stopSenders = async () => {
    await Promise.all(senders.map((sender) => sender.stop()));
  };
  const drain = () => {
    journal.close();
    void stopSenders();
  };
  deps.sends.subscribe({ wake: (platform) => byPlatform.get(platform)?.wake() });
  return {
    reserve: (platform, tenantId) => byPlatform.get(platform)?.reserve(tenantId),
    drain,
    start: () => {
      heartbeat.start();
      journal
        .restore({ atStart: true })
        .catch((error: unknown) =>
          log.error({ err: error }, 'could not read the outcomes that an ended process left'),
        )
        .finally(startSenders);
      outcomes.start();
    },
    stop: async () => {
      drain();
      await Promise.all([stopSenders(), outcomes.stop()]);
      journal.closed();
      await heartbeat.stop();
    },
  };
}

import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { Worker } from '@botyard/shared/service/foundation';
import { createPeriodic } from '@botyard/shared/work/periodic';
import { lockOutboxForWriting } from '../../../admission/store/outbox-lock.ts';
import type { Deps } from '../../../deps.ts';
import { endSettledMail } from '../../../platforms/mailgun/domain/outbound/settle-mail.ts';
import { listUnannouncedMails, takeUnannouncedMail } from '../../../platforms/mailgun/store/mail-outcomes.ts';
import { lockMailThreads } from '../../../platforms/mailgun/store/outgoing.ts';
import { listUnannouncedReplies, takeUnannounced } from '../../store/part-outcomes.ts';
import { announceDone } from '../chats/settle-reply.ts';

const everyMs = 5000;

type AnnounceDeps = Pick<Deps, 'database' | 'outbox' | 'log' | 'wakeMailSender'>;

/** Announces replies of which an outcome was written by itself, as soon as the outbox takes events again. */
export function createAnnouncer(deps: AnnounceDeps): Worker & { wake(): void } {
  let running: Promise<void> | undefined;
  const announce = () => {
    running ??= announceWritten(deps).finally(() => {
      running = undefined;
    });
    return running;
  };
  const periodic = createPeriodic({
    name: 'announcement of replies',
    everyMs,
    work: announce,
    log: deps.log,
  });
  return {
    ...periodic,
    wake: () =>
      void announce().catch((error: unknown) =>
        deps.log.info({ err: error }, 'the outcome of a reply is announced later'),
      ),
  };
}

async function announceWritten(deps: AnnounceDeps): Promise<void> {
  await announceReplies(deps);
  await announceMails(deps);
}

async function announceMails(deps: AnnounceDeps): Promise<void> {
  const { database } = deps;
  for (const mail of await withPlatform(database, 'unannounced mails', listUnannouncedMails)) {
    const { tenantId, threadId, reason } = mail;
    await withTenant(database, [tenantId], async (tx: TenantTx) => {
      await lockOutboxForWriting(tx);
      await lockMailThreads(tx, tenantId, [threadId]);
      if (!(await takeUnannouncedMail(tx, mail))) return;
      await endSettledMail(deps, tx, { ...mail, reason: reason ?? undefined });
    });
  }
}

async function announceReplies(deps: AnnounceDeps): Promise<void> {
  const { database } = deps;
  for (const reply of await withPlatform(database, 'unannounced replies', listUnannouncedReplies)) {
    await withTenant(database, [reply.tenantId], async (tx: TenantTx) => {
      // First, and without waiting: nobody sends to the chat while it is locked here.
      await lockOutboxForWriting(tx);
      await takeUnannounced(tx, reply);
      await announceDone(deps, tx, reply.tenantId, [reply.replyId]);
    });
  }
}

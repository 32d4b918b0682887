import { withMoments } from '@botyard/contracts/http/common';
import type { emailThreadsRouter } from '@botyard/contracts/http/email-threads';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../../deps.ts';
import { grantByAdmin, revoke } from '../domain/senders/grants.ts';
import { admitHeldMail, refuseHeldMail } from '../domain/senders/held-mails.ts';
import { mailboxOfTenant } from '../domain/senders/mailbox-of-tenant.ts';
import { deleteBounce, listBounces } from '../store/bounce-list.ts';
import { listGrants } from '../store/grants.ts';
import { findAttachment, findMail, listAttachments, listMails } from '../store/mail-list.ts';
import { findListedThread, listThreads } from '../store/thread-list.ts';
import { toEmail, toEmailDetail, toListedEmail, toThread } from './shapes.ts';

export const emailThreadsHandlers: Handlers<typeof emailThreadsRouter, Deps> = {
  listThreads: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(
        await listThreads(tx, { ...query, tenantId }, query),
        query,
        toThread,
        ({ threadId }) => threadId,
      ),
    ),

  getThread: async ({ tenantId, params }, { database }) => {
    const thread = await withTenant(database, [tenantId], (tx) =>
      findListedThread(tx, { tenantId, threadId: params.threadId }),
    );
    if (!thread) throw notFound('thread');
    return toThread(thread);
  },

  listMails: ({ tenantId, params: { threadId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      if (!(await findListedThread(tx, { tenantId, threadId }))) throw notFound('thread');
      const rows = await listMails(tx, { tenantId, threadId }, query);
      const attachments = await listAttachments(tx, tenantId, idsOf(rows));
      return pageOf(rows, query, toListedEmail(attachments), ({ mailId }) => mailId);
    }),

  getMail: ({ tenantId, params: { mailId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const mail = await findMail(tx, { tenantId, mailId });
      if (!mail) throw notFound('mail');
      return toEmailDetail(mail, await listAttachments(tx, tenantId, [mailId]));
    }),

  getAttachment: async ({ tenantId, params: { attachmentId } }, { database, objects }) => {
    const found = await withTenant(database, [tenantId], (tx) =>
      findAttachment(tx, { tenantId, attachmentId }),
    );
    const content = found && (await objects.get(found.objectKey));
    if (!content) throw notFound('attachment');
    return { content, contentType: found.mediaType, sizeBytes: found.sizeBytes, fileName: found.name };
  },

  listHeldMails: ({ tenantId, query: { botId, address, ...page } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listMails(tx, { tenantId, botId, sender: address, state: 'held' }, page);
      const attachments = await listAttachments(tx, tenantId, idsOf(rows));
      return pageOf(rows, page, toListedEmail(attachments), ({ mailId }) => mailId);
    }),

  admitHeldMail: async ({ tenantId, params: { mailId } }, deps) =>
    toEmail(...(await admitHeldMail(deps, { tenantId, mailId }))),

  refuseHeldMail: async ({ tenantId, params: { mailId } }, deps) =>
    toEmail(...(await refuseHeldMail(deps, { tenantId, mailId }))),

  listSenderGrants: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(
        await listGrants(tx, { ...query, tenantId }, query),
        query,
        withMoments,
        ({ grantId }) => grantId,
      ),
    ),

  createSenderGrant: async ({ tenantId, body, caller }, deps) => {
    const { botId, kind, value } = body;
    const mailbox = await mailboxOfTenant(deps, { tenantId, botId });
    const { grant, releasedCount } = await grantByAdmin(deps, mailbox, {
      kind,
      value,
      userId: caller.userId,
    });
    return { ...withMoments(grant), releasedCount };
  },

  revokeSenderGrant: ({ tenantId, params: { grantId } }, deps) => revoke(deps, { tenantId, grantId }),

  listBouncedAddresses: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listBounces(tx, { tenantId, address: query.address }, query);
      return pageOf(rows, query, withMoments, ({ place }) => place);
    }),

  liftBounce: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      if (!(await deleteBounce(tx, tenantId, body.address))) throw notFound('bounce');
    }),
};

const idsOf = (rows: readonly { mailId: string }[]): string[] => rows.map(({ mailId }) => mailId);

import { withMoments } from '@botyard/contracts/http/common';
import type {
  Email,
  EmailDetail,
  EmailThread,
  emailThreadsRouter,
} from '@botyard/contracts/http/email-threads';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { z } from 'zod';
import { type AttachmentRow, attachmentsByMail, getAttachment } from '../../../files/store/attachments.ts';
import type { Deps } from '../deps.ts';
import { mailboxOfTenant } from '../domain/mailboxes.ts';
import { grantByAdmin, revoke } from '../domain/senders/grants.ts';
import { admitHeldMail, refuseHeldMail } from '../domain/senders/held-mails.ts';
import { deleteBounce, listBounces } from '../store/bounce-list.ts';
import { listGrants } from '../store/grants.ts';
import { findMail, type ListedMail, listMails, type MailRow } from '../store/mail-list.ts';
import { findListedThread, type ListedThread, listThreads } from '../store/thread-list.ts';

const toThread = ({ isBounced, ...row }: ListedThread): EmailThread => ({
  ...withMoments(row),
  state: isBounced ? 'bounced' : row.heldCount > 0 ? 'held' : 'active',
});

export const emailThreadsHandlers: Handlers<typeof emailThreadsRouter, Deps> = {
  listThreads: tenantPage(
    (tx, tenantId, query) => listThreads(tx, { ...query, tenantId }, query),
    toThread,
    ({ threadId }) => threadId,
  ),

  getThread: async ({ tenantId, params }, { database }) => {
    const thread = await withTenant(database, [tenantId], (tx) =>
      findListedThread(tx, { tenantId, threadId: params.threadId }),
    );
    return toThread(found(thread, 'thread'));
  },

  listMails: ({ tenantId, params: { threadId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      found(await findListedThread(tx, { tenantId, threadId }), 'thread');
      const rows = await listMails(tx, { tenantId, threadId }, query);
      const attachments = await attachmentsByMail(tx, tenantId, idsOf(rows));
      return pageOf(rows, query, toListedEmail(attachments), ({ mailId }) => mailId);
    }),

  getMail: ({ tenantId, params: { mailId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const mail = found(await findMail(tx, { tenantId, mailId }), 'mail');
      return toEmailDetail(mail, await attachmentsByMail(tx, tenantId, [mailId]));
    }),

  getAttachment: async ({ tenantId, params: { attachmentId } }, { database, objects }) => {
    const file = found(
      await withTenant(database, [tenantId], (tx) => getAttachment(tx, { tenantId, attachmentId })),
      'attachment',
    );
    const content = found(await objects.get(file.objectKey), 'attachment');
    return { content, contentType: file.mediaType, sizeBytes: file.sizeBytes, fileName: file.name };
  },

  listHeldMails: ({ tenantId, query: { botId, address, ...page } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listMails(tx, { tenantId, botId, sender: address, state: 'held' }, page);
      const attachments = await attachmentsByMail(tx, tenantId, idsOf(rows));
      return pageOf(rows, page, toListedEmail(attachments), ({ mailId }) => mailId);
    }),

  admitHeldMail: async ({ tenantId, params: { mailId } }, deps) =>
    toEmail(...(await admitHeldMail(deps, { tenantId, mailId }))),

  refuseHeldMail: async ({ tenantId, params: { mailId } }, deps) =>
    toEmail(...(await refuseHeldMail(deps, { tenantId, mailId }))),

  listSenderGrants: tenantPage(
    (tx, tenantId, query) => listGrants(tx, { ...query, tenantId }, query),
    withMoments,
    ({ grantId }) => grantId,
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

  listBouncedAddresses: tenantPage(
    (tx, tenantId, query) => listBounces(tx, { tenantId, address: query.address }, query),
    withMoments,
    ({ place }) => place,
  ),

  liftBounce: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      found(await deleteBounce(tx, { tenantId, address: body.address }), 'bounce');
    }),
};

const idsOf = (rows: readonly { mailId: string }[]): string[] => rows.map(({ mailId }) => mailId);

type Attachments = ReadonlyMap<string, readonly AttachmentRow[]>;

const toListedEmail =
  (attachments: Attachments) =>
  (row: ListedMail): Email =>
    withMoments({ ...row, attachments: [...(attachments.get(row.mailId) ?? [])] });

const toEmail = (row: MailRow, attachments: Attachments): Email =>
  toListedEmail(attachments)({ ...row, hasHtml: row.html !== null });

const toEmailDetail = (row: MailRow, attachments: Attachments): z.input<typeof EmailDetail> => {
  const { messageId, inReplyTo, originalText, html, isUncertain } = row;
  return { ...toEmail(row, attachments), messageId, inReplyTo, originalText, html, isUncertain };
};

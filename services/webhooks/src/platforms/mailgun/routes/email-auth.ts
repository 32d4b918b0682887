import { withMoments } from '@botyard/contracts/http/common';
import type { emailAuthRouter } from '@botyard/contracts/http/email-auth';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import { domainOf } from '@botyard/shared/mail/domains';
import { isOrganizationDomain } from '@botyard/shared/mail/organization-domains';
import type { Deps } from '../deps.ts';
import { grantByLink, revoke } from '../domain/senders/grants.ts';
import { type Link, nameOfBot, openLink, openUnusedLink } from '../domain/senders/links.ts';
import { grantedKinds } from '../domain/senders/sender-permission.ts';
import { listGrants } from '../store/grants.ts';
import { listThreadsOf } from '../store/thread-list.ts';
import { getThread } from '../store/threads.ts';

/** Every handler begins with the link: without one nothing is read. */
export const emailAuthHandlers: Handlers<typeof emailAuthRouter, Deps> = {
  validateToken: async ({ bearer, body }, deps) => {
    const link = await openUnusedLink(deps, bearer ?? body.token);
    const thread = await inTenant(deps, link, (tx) => getThread(tx, link));
    return {
      ...(await holderOf(deps, link)),
      threadId: link.threadId,
      subject: thread?.subject ?? '',
      ...(thread?.chatId == null ? {} : { continuesChat: true }),
    };
  },

  checkTenantAccess: async ({ bearer }, deps) => {
    const link = await openLink(deps, bearer);
    const kinds = await kindsOf(deps, link);
    const by = link.mailbox.senderPolicy === 'open' ? [...kinds, 'open' as const] : kinds;
    const canAuthorize = link.usedAt === null;
    return { ...(await holderOf(deps, link)), hasAccess: by.length > 0, by, canAuthorize };
  },

  listAuthorizationGroups: async ({ bearer }, deps) => {
    const link = await openLink(deps, bearer);
    const domain = domainOf(link.address);
    const hasAccess = (await kindsOf(deps, link)).includes('group');
    const isGroup = isOrganizationDomain(domain);
    if (!isGroup && !hasAccess) return [];
    return [{ domain, hasAccess, canAuthorize: isGroup && link.usedAt === null }];
  },

  authorizeThread: async ({ bearer, body }, deps) => {
    const link = await openUnusedLink(deps, bearer ?? body.token);
    const { grant, releasedCount, expiresAt } = await grantByLink(deps, link, body.kind);
    deps.log.info(
      { audit: 'mail allowed', botId: link.botId, grantId: grant.grantId, kind: grant.kind },
      'audit',
    );
    return { ...withMoments({ ...grant, expiresAt }), releasedCount };
  },

  listAuthorizedThreads: async ({ bearer, query }, deps) => {
    const link = await openLink(deps, bearer);
    const kinds = await kindsOf(deps, link);
    const areAllGranted = kinds.some((kind) => kind !== 'thread') || link.mailbox.senderPolicy === 'open';
    const rows = await inTenant(deps, link, (tx) => listThreadsOf(tx, { ...link, areAllGranted }, query));
    return pageOf(rows, query, withMoments, ({ threadId }) => threadId);
  },

  listOwnGrants: async ({ bearer, query }, deps) => {
    const link = await openLink(deps, bearer);
    const rows = await inTenant(deps, link, (tx) =>
      listGrants(tx, { ...ownOf(link), tenantId: link.tenantId }, query),
    );
    return pageOf(rows, query, withMoments, ({ grantId }) => grantId);
  },

  revokeOwnGrant: async ({ bearer, params }, deps) => {
    const link = await openLink(deps, bearer);
    await revoke(deps, { tenantId: link.tenantId, grantId: params.grantId }, ownOf(link));
  },
};

type Reading<Result> = Parameters<typeof withTenant<Result>>[2];

const inTenant = <Result>({ database }: Deps, { tenantId }: Link, work: Reading<Result>): Promise<Result> =>
  withTenant(database, [tenantId], work);

const ownOf = ({ botId, address }: Link) => ({ botId, grantedBy: address });

const kindsOf = (deps: Deps, link: Link) =>
  inTenant(deps, link, (tx) => grantedKinds(tx, { ...link, sender: link.address }));

const holderOf = async (deps: Deps, link: Link) => ({
  address: link.address,
  mailbox: link.mailbox.address,
  botName: await nameOfBot(deps, link),
  expiresAt: link.expiresAt.toISOString(),
});

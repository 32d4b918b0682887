import type { IdentityLink, identityLinksRouter } from '@botyard/contracts/http/identity-links';
import { pageOf } from '@botyard/contracts/http/page';
import { withPlatform } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { linkIdentity, unlinkIdentity } from '../domain/links.ts';
import { type IdentityLinkRow, listLinksInTenant, listLinksOf } from '../store/links.ts';

export const identityLinksHandlers: Handlers<typeof identityLinksRouter, Deps> = {
  listIdentityLinks: ({ tenantId, query }, { database }) =>
    withPlatform(database, "links of a tenant's people", async (tx) =>
      pageOf(await listLinksInTenant(tx, tenantId, query), query, toIdentityLink, ({ linkId }) => linkId),
    ),

  listOwnIdentityLinks: ({ caller }, { database }) =>
    withPlatform(database, 'own links', async (tx) =>
      (await listLinksOf(tx, caller.userId)).map(toIdentityLink),
    ),

  linkIdentity: async ({ caller, body }, deps) => toIdentityLink(await linkIdentity(deps, caller, body)),

  unlinkIdentity: ({ caller, params }, deps) => unlinkIdentity(deps, caller, params.linkId),
};

const toIdentityLink = ({ createdAt, ...row }: IdentityLinkRow): IdentityLink => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

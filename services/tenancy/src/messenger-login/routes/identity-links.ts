import { withMoments } from '@botyard/contracts/http/common';
import type { identityLinksRouter } from '@botyard/contracts/http/identity-links';
import { pageOf } from '@botyard/contracts/http/page';
import { withPlatform } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { linkIdentity, unlinkIdentity } from '../domain/links.ts';
import { listLinksInTenant, listLinksOf } from '../store/links.ts';

export const identityLinksHandlers: Handlers<typeof identityLinksRouter, Deps> = {
  listIdentityLinks: ({ tenantId, query }, { database }) =>
    withPlatform(database, "links of a tenant's people", async (tx) =>
      pageOf(await listLinksInTenant(tx, tenantId, query), query, withMoments, ({ linkId }) => linkId),
    ),

  listOwnIdentityLinks: ({ caller }, { database }) =>
    withPlatform(database, 'own links', async (tx) =>
      (await listLinksOf(tx, caller.userId)).map(withMoments),
    ),

  linkIdentity: async ({ caller, body }, deps) => withMoments(await linkIdentity(deps, caller, body)),

  unlinkIdentity: ({ caller, params }, deps) => unlinkIdentity(deps, caller, params.linkId),
};

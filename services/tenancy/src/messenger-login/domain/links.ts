import { type LinkIdentityBody, maxLinksOfPerson } from '@botyard/contracts/http/identity-links';
import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform } from '@botyard/shared/db/database';
import { conflict, notFound, unauthorized } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import {
  countLinksOf,
  deleteLink,
  type IdentityLinkRow,
  insertLink,
  lockLivingPerson,
} from '../store/links.ts';
import { requireFirstUse, requireSigned } from './login.ts';

/**
 * Makes an account the caller's: the session proves the one side, the platform's signature the other.
 * @throws HttpError 401 for a signature that is none, 404 where no login bot is set, 409 for an account that is somebody's
 * or one too many.
 */
export async function linkIdentity(
  deps: Deps,
  { userId }: Caller,
  { platform, login }: LinkIdentityBody,
): Promise<IdentityLinkRow> {
  const signed = requireSigned(deps, login);
  const { platformUserId, name, username } = signed;
  return await withPlatform(deps.database, 'link identity', async (tx) => {
    if (!(await lockLivingPerson(tx, userId))) throw unauthorized();
    await requireFirstUse(tx, signed);
    if ((await countLinksOf(tx, userId)) >= maxLinksOfPerson)
      throw conflict(`you have linked ${maxLinksOfPerson} accounts: unlink one first`, {
        code: 'limit_reached',
      });
    const link = { linkId: uuidv7(), userId, platform, platformUserId, name, username };
    const row = await insertLink(tx, link);
    deps.log.info({ audit: 'account linked', userId, linkId: row.linkId }, 'audit');
    return row;
  });
}

/**
 * Makes an account nobody's. Only its owner does that, or an operator who helps: to a tenant's admin it would be a way into
 * what a person does in other tenants. @throws HttpError 404.
 */
export async function unlinkIdentity(
  deps: Deps,
  { userId, isOperator }: Caller,
  linkId: string,
): Promise<void> {
  await withPlatform(deps.database, 'unlink identity', async (tx) => {
    const row = await deleteLink(tx, linkId, isOperator ? undefined : userId);
    if (!row) throw notFound('link');
    deps.log.info({ audit: 'account unlinked', userId: row.userId, linkId, by: userId }, 'audit');
  });
}

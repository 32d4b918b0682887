import { type LinkIdentityBody, maxLinksOfPerson } from '@botyard/contracts/http/identity-links';
import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, unauthorized } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  countLinksOf,
  deleteLink,
  type IdentityLinkRow,
  insertLink,
  lockLivingPerson,
} from '../store/links.ts';
import { requireFirstUse, requireSigned } from './login.ts';

/**
 * Links an account to the caller: the session proves one side, the platform's signature the other. @throws HttpError
 * 401 for an invalid signature, 404 without a login bot, 409 for a linked account or when the limit is reached.
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
      throw conflict(`you have linked ${maxLinksOfPerson} accounts: unlink one first`);
    const link = { linkId: uuidv7(), userId, platform, platformUserId, name, username };
    const row = await insertLink(tx, link);
    deps.log.info({ audit: 'account linked', userId, linkId: row.linkId }, 'audit');
    return row;
  });
}

/**
 * Unlinks an account. Only its owner and operators may do so: a tenant's admin could otherwise affect the person in
 * other tenants. @throws HttpError 404.
 */
export async function unlinkIdentity(
  deps: Deps,
  { userId, isOperator }: Caller,
  linkId: string,
): Promise<void> {
  await withPlatform(deps.database, 'unlink identity', async (tx) => {
    const row = found(await deleteLink(tx, linkId, isOperator ? undefined : userId), 'link');
    deps.log.info({ audit: 'account unlinked', userId: row.userId, linkId, by: userId }, 'audit');
  });
}

import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { getUserByIdpId, insertUser, type UserRow } from '../store/users.ts';

/**
 * A known person, or one whom the identity provider knows and who is then added. `undefined` for one who was deleted
 * here, or is unknown. @throws HttpError 503 when the identity provider doesn't answer.
 */
export async function findOrMeetUser(
  deps: Pick<Deps, 'database' | 'idp'>,
  idpUserId: string,
): Promise<UserRow | undefined> {
  const read = () => withPlatform(deps.database, 'find user', (tx) => getUserByIdpId(tx, idpUserId));
  const known = await read();
  if (known) return known;
  const found = await deps.idp.findUser(idpUserId);
  if (!found) return undefined;
  await withPlatform(deps.database, 'first sight of a user', (tx) => insertUser(tx, found));
  return await read();
}

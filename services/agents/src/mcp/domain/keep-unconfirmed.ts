import { createHash, randomInt } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { getLinkedBot } from '../store/linked-bots.ts';
import { getLink, keepSignedIn, type LinkRow } from '../store/server-links.ts';
import { lockServer, updateServer } from '../store/servers.ts';
import type { SignInRow } from '../store/sign-ins.ts';
import type { Ending } from './ending.ts';
import { type Grant, toColumns } from './grants.ts';
import { linkSeconds } from './links.ts';

const codeDigits = 8;

const newCode = (): string => String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');

/** The stored form of a code, which is good for one link. */
export const hashOfCode = ({ linkId }: Pick<LinkRow, 'linkId'>, code: string): string =>
  createHash('sha256').update(`${linkId}/${code}`).digest('hex');

/**
 * Keeps what a person has signed in to, sealed, until they send the code in the chat to which the link went. The code
 * is shown only in the browser of the sign-in, so a forwarded link binds nobody's account to another person.
 */
export async function keepUnconfirmed(
  { database, keyring, log }: Pick<Deps, 'database' | 'keyring' | 'log'>,
  { tenantId, serverId, linkId }: Pick<SignInRow, 'tenantId' | 'serverId'> & { linkId: string },
  grant: Grant,
): Promise<Ending> {
  const { issuer } = grant.authority;
  return await withTenant(database, [tenantId], async (tx) => {
    const server = await lockServer(tx, { tenantId, serverId });
    const link = await getLink(tx, { tenantId, linkId });
    const bot = link && (await getLinkedBot(tx, link));
    if (!bot || link.grantId !== null) return { ending: 'link over' };
    const isSame = server?.usesOauth && server.url === grant.url && (server.issuer ?? issuer) === issuer;
    if (!isSame || server.grantOf !== 'person') return { ending: 'link over' };
    const { personId, personName: person } = link;
    const names = { tenantId, serverId, personId, issuer, grantId: uuidv7() };
    const { sealedGrant, expiresAt, renewAt } = await toColumns(keyring, names, grant);
    const code = newCode();
    const times = { grantExpiresAt: expiresAt, grantRenewAt: renewAt };
    const columns = { grantId: names.grantId, issuer, url: grant.url, sealedGrant, ...times };
    const codeHash = hashOfCode(link, code);
    if (!(await keepSignedIn(tx, link, { codeHash, ...columns }, linkSeconds)))
      return { ending: 'link over' };
    if (server.issuer === null) await updateServer(tx, server, { issuer });
    tx.afterCommit(() => log.info({ audit: 'a person signed in to a tool server', serverId }, 'audit'));
    return { ending: 'to confirm', code, bot: bot.name, person, server: server.name };
  });
}

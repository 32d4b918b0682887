import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Deps } from '../deps.ts';
import {
  countPersonalGrants,
  type GrantRow,
  getGrant,
  listPersonalGrants,
  type People,
  putGrantRow,
  removeGrant,
  removeGrantsOfPeople,
  removeGrantsOfPerson,
} from '../store/server-grants.ts';
import {
  countWrongCode,
  endConfirmed,
  type LinkRow,
  lockSignedIn,
  removeLinksOfPeople,
  removeLinksOfPerson,
} from '../store/server-links.ts';
import { getServer, type ServerKey, type ServerRow } from '../store/servers.ts';
import { revokeGrants, unconfirmedIn } from './grants.ts';
import { hashOfCode } from './keep-unconfirmed.ts';

type OwnDeps = Pick<Deps, 'database' | 'egress' | 'keyring' | 'log'>;
interface Person {
  tenantId: string;
  personId: string;
}

/** So many of 100,000,000 codes may be tried. */
const maxWrongCodes = 5;
const maxPeopleOfServer = 10_000;

/**
 * Connects the account that a person signed in to, by the code that its browser was shown. Returns the server's name;
 * `undefined` if there is nothing to confirm with this code.
 */
export async function confirmAccount(
  deps: OwnDeps,
  person: Person,
  code: string,
): Promise<string | undefined> {
  const { database, log } = deps;
  const end = await withTenant(database, [person.tenantId], async (tx) => {
    await failpoint('agents.account.before-confirmed');
    const links = await lockSignedIn(tx, person);
    const link = links.find(
      (one) => one.wrongCodes < maxWrongCodes && one.codeHash === hashOfCode(one, code),
    );
    if (!link) await countWrongCode(tx, person);
    const server = link && (await getServer(tx, link));
    const stored = link && (await getGrant(tx, link));
    // The command is read again after a crash.
    if (server && stored?.grantId === link.grantId) return { name: server.name, former: undefined };
    const grant = link && grantOf(link);
    if (!server || !grant || !isStillFor(server, link)) return undefined;
    if ((await countPersonalGrants(tx, server)) >= maxPeopleOfServer) return undefined;
    const former = await putGrantRow(tx, grant);
    await endConfirmed(tx, link);
    const { serverId, name } = server;
    tx.afterCommit(() => log.info({ audit: 'a person connected their account', serverId }, 'audit'));
    return { name, former };
  });
  await failpoint('agents.account.confirmed');
  if (end?.former) void revokeGrants(deps, [end.former]);
  return end?.name;
}

/** Whether the server is still the one that was signed in to. */
const isStillFor = ({ usesOauth, grantOf, url, issuer }: ServerRow, link: LinkRow): boolean =>
  usesOauth && grantOf === 'person' && url === link.url && issuer === link.issuer;

function grantOf(link: LinkRow): GrantRow | undefined {
  const { tenantId, serverId, personId, platform, platformUserId, personName } = link;
  const { grantId, issuer, sealedGrant, grantExpiresAt: expiresAt, grantRenewAt: renewAt } = link;
  if (grantId === null || issuer === null || sealedGrant === null) return undefined;
  const names = { tenantId, serverId, grantId, personId, platform, platformUserId, personName };
  return { ...names, issuer, sealedGrant, expiresAt, renewAt, renewingUntil: null, updatedAt: new Date() };
}

/** Disconnects all accounts of a person, and revokes their tokens. Returns how many there were. */
export async function disconnectAccounts(deps: OwnDeps, person: Person): Promise<number> {
  const removed = await withTenant(deps.database, [person.tenantId], async (tx) => {
    // First, because a link that is being confirmed becomes a grant.
    const links = await removeLinksOfPerson(tx, person);
    return [...unconfirmedIn(links), ...(await removeGrantsOfPerson(tx, person))];
  });
  void revokeGrants(deps, removed);
  return removed.length;
}

/** Removes the accounts that people have connected, and revokes their tokens. Returns how many rows were removed. */
export async function eraseOwnAccounts(
  deps: Pick<Deps, 'database' | 'egress' | 'keyring' | 'log'>,
  people: People,
): Promise<{ grants: number; links: number }> {
  const { links, grants } = await withTenant(deps.database, [people.tenantId], async (tx) => ({
    // First, because a link that is being confirmed becomes a grant.
    links: await removeLinksOfPeople(tx, people),
    grants: await removeGrantsOfPeople(tx, people),
  }));
  void revokeGrants(deps, [...grants, ...unconfirmedIn(links)]);
  return { grants: grants.length, links: links.length };
}

/** The people who have connected an account of their own to a server. @throws HttpError 404. */
export async function listLinkedPeople(
  { database }: Pick<Deps, 'database'>,
  key: ServerKey,
): Promise<GrantRow[]> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    if (!(await getServer(tx, key))) throw notFound('server');
    return await listPersonalGrants(tx, key);
  });
}

/** Disconnects the account of a person. @throws HttpError 404. */
export async function disconnectPerson(deps: OwnDeps, key: ServerKey & { personId: string }): Promise<void> {
  const { serverId } = key;
  const removed = await withTenant(deps.database, [key.tenantId], async (tx) => {
    const grant = await removeGrant(tx, key);
    if (!grant) throw notFound('linked person');
    tx.afterCommit(() => deps.log.info({ audit: "a person's account disconnected", serverId }, 'audit'));
    return grant;
  });
  await revokeGrants(deps, [removed]);
}

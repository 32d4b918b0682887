import { randomBytes } from 'node:crypto';
import { oauthConnectPath } from '@botyard/contracts/http/oauth-client';
import type { PlatformName } from '@botyard/contracts/http/platform';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { Exchange } from '@botyard/shared/http/exchange';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { getLinkedBot } from '../store/linked-bots.ts';
import { findUnopened, type LinkRow, openLink, putLink } from '../store/server-links.ts';
import { getServer, type ServerKey, type ServerRow } from '../store/servers.ts';
import { beginIn, hashOf } from './begin-sign-in.ts';
import { revokeGrants, unconfirmedIn } from './grants.ts';

/** The time for opening a link, and again for confirming the account after the sign-in. */
export const linkSeconds = 600;

/** A person who may connect an account of their own: the proven sender of a private chat. */
interface LinkedPerson {
  personId: string;
  platform: PlatformName;
  platformUserId: string;
  name: string;
}

/** Makes the link that a person is sent. Their former link to this server ends. */
export async function makeLink(
  deps: Pick<Deps, 'egress' | 'keyring' | 'log' | 'publicBaseUrl'>,
  tx: TenantTx,
  { tenantId, serverId, botId, person }: ServerKey & { botId: string; person: LinkedPerson },
): Promise<string> {
  const { personId, platform, platformUserId, name: personName } = person;
  // Hexadecimal digits are the same in every platform's markup.
  const token = randomBytes(32).toString('hex');
  const tokenHash = hashOf(token);
  const names = { tenantId, linkId: uuidv7(), serverId, personId, platform, platformUserId };
  const former = await putLink(tx, { ...names, personName, botId, tokenHash }, linkSeconds);
  tx.afterCommit(() => void revokeGrants(deps, unconfirmedIn(former)));
  return `${deps.publicBaseUrl}${oauthConnectPath}/${token}`;
}

/** The words of a link's page, before its person signs in. */
export interface LinkView {
  bot: string;
  person: string;
  server: string;
  host: string;
}

type ViewDeps = Pick<Deps, 'database'>;

/** The page of a link that nobody has opened. A program that looks at it ends nothing. */
export async function viewLink({ database }: ViewDeps, token: string): Promise<LinkView | undefined> {
  const link = await withPlatform(database, 'the link of a person to a server', (tx) =>
    findUnopened(tx, hashOf(token)),
  );
  return link && (await viewOf({ database }, link))?.view;
}

async function viewOf(
  { database }: ViewDeps,
  link: LinkRow,
): Promise<{ view: LinkView; server: ServerRow } | undefined> {
  const { personName: person } = link;
  return await withTenant(database, [link.tenantId], async (tx) => {
    const [server, bot] = [await getServer(tx, link), await getLinkedBot(tx, link)];
    if (server?.grantOf !== 'person' || !server.usesOauth || !bot) return undefined;
    const view = { bot: bot.name, person, server: server.name, host: new URL(server.url).host };
    return { view, server };
  });
}

type OpenDeps = Parameters<typeof beginIn>[0];

/**
 * Opens a link, which ends it, and begins the sign-in in this browser. Returns the authorization server's page;
 * `undefined` for a link that is over. @throws HttpError 422, 503: the person needs another link then.
 */
export async function followLink(
  deps: OpenDeps,
  exchange: Exchange,
  token: string,
): Promise<string | undefined> {
  const { database } = deps;
  const link = await withPlatform(database, 'the link of a person to a server', (tx) =>
    openLink(tx, hashOf(token)),
  );
  const viewed = link && (await viewOf(deps, link));
  if (!viewed) return undefined;
  const { url } = await beginIn(deps, exchange, viewed.server, { identity: null, linkId: link.linkId });
  return url;
}

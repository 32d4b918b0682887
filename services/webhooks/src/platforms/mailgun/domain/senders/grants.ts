import { uuidOf } from '@botyard/shared/auth/uuid';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, notFound, unprocessable } from '@botyard/shared/http/errors';
import { domainOf } from '@botyard/shared/mail/domains';
import { isOrganizationDomain } from '@botyard/shared/mail/organization-domains';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import {
  countGrants,
  findGrant,
  type GrantRow,
  insertGrant,
  lockGrantsOf,
  revokeGrant,
} from '../../store/grants.ts';
import { takeSenderToken } from '../../store/sender-tokens.ts';
import { getThread } from '../../store/threads.ts';
import { releaseHeld } from '../inbound/release-held.ts';
import type { Mailbox } from '../mailboxes.ts';
import { badLink, type Link } from './links.ts';

/** More than a person can oversee. */
export const maxGrantsPerBot = 10_000;

type GrantDeps = Parameters<typeof releaseHeld>[0] & Pick<Deps, 'database'>;
type Kind = GrantRow['kind'];

interface Granted {
  grant: GrantRow;
  isNew: boolean;
  /** The number of held mails that are answered now. */
  releasedCount: number;
}

/**
 * Uses a link: admits its address, its thread or its address's domain, and releases the held mails of that. A link does
 * so once, even for concurrent requests. @throws HttpError 401, 409, 422; only a success uses the link up.
 */
export async function grantByLink(
  deps: GrantDeps,
  link: Link,
  kind: Kind,
): Promise<Granted & { expiresAt: Date }> {
  const value = grantedValue(link, kind);
  if (kind === 'group') requireGroupDomain(value);
  return await withTenant(deps.database, [link.tenantId], async (tx) => {
    await lockGrantsOf(tx, link.botId);
    const used = await takeSenderToken(tx, link);
    if (!used) throw badLink();
    const granted = await grant(deps, tx, link.mailbox, { kind, value, grantedBy: link.address });
    return { ...granted, expiresAt: used.expiresAt };
  });
}

const grantedValue = ({ address, threadId }: Link, kind: Kind): string =>
  ({ sender: address, thread: threadId, group: domainOf(address) })[kind];

function requireGroupDomain(domain: string): void {
  if (!isOrganizationDomain(domain))
    throw unprocessable('everybody can get an address of this domain: allow single addresses instead');
}

const address = /^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/;

/**
 * Admits an address, a domain or a thread in an admin's name, and releases held mails. @throws HttpError 404 when the
 * bot has no such thread, 409 when the admin has already granted it, 422 for a value that isn't of its kind.
 */
export async function grantByAdmin(
  deps: GrantDeps,
  mailbox: Mailbox,
  wanted: { kind: Kind; value: string; userId: string },
): Promise<Granted> {
  const { kind, value, userId } = wanted;
  if (kind === 'sender' && !address.test(value)) throw unprocessable('the value is not an email address');
  if (kind === 'group') requireGroupDomain(value);
  return await withTenant(deps.database, [mailbox.tenantId], async (tx) => {
    await lockGrantsOf(tx, mailbox.botId);
    if (kind === 'thread') await requireThread(tx, mailbox, value);
    const granted = await grant(deps, tx, mailbox, { kind, value, grantedBy: `user:${userId}` });
    if (!granted.isNew) throw conflict('this is already granted: revoke it first to grant it again');
    return granted;
  });
}

async function requireThread(tx: TenantTx, { tenantId, botId }: Mailbox, threadId: string): Promise<void> {
  const thread = uuidOf(threadId) === threadId ? await getThread(tx, { tenantId, threadId }) : undefined;
  if (thread?.botId !== botId) throw notFound('thread');
}

/** The caller holds the lock: a mail that is judged concurrently is either already held, or sees the grant. */
async function grant(
  deps: GrantDeps,
  tx: TenantTx,
  { tenantId, botId, integrationId }: Mailbox,
  wanted: Pick<GrantRow, 'kind' | 'value' | 'grantedBy'>,
): Promise<Granted> {
  if ((await countGrants(tx, { tenantId, botId })) >= maxGrantsPerBot)
    throw conflict('the bot has too many grants: revoke some first');
  const inserted = await insertGrant(tx, { tenantId, botId, grantId: uuidv7(), ...wanted });
  const { kind, value } = wanted;
  const held = { sender: { sender: value }, thread: { threadId: value }, group: { domain: value } }[kind];
  const releasedCount = await releaseHeld(deps, tx, { tenantId, botId, integrationId, ...held });
  return { ...inserted, releasedCount };
}

/**
 * Revokes a grant: later mail is judged without it. `by` limits this to grants by one address for a bot.
 * @throws HttpError 404.
 */
export async function revoke(
  { database }: Pick<Deps, 'database'>,
  wanted: { tenantId: string; grantId: string },
  by?: { botId: string; grantedBy: string },
): Promise<void> {
  await withTenant(database, [wanted.tenantId], async (tx) => {
    const grant = uuidOf(wanted.grantId) && (await findGrant(tx, wanted));
    const isMeant = grant && (!by || (grant.botId === by.botId && grant.grantedBy === by.grantedBy));
    if (!isMeant) throw notFound('grant');
    await lockGrantsOf(tx, grant.botId);
    if (!(await revokeGrant(tx, grant))) throw notFound('grant');
  });
}

import { createHash } from 'node:crypto';
import { findBot } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform } from '@botyard/shared/db/database';
import { HttpError, unauthorized } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';
import { findSenderToken, type SenderTokenRow } from '../../store/sender-tokens.ts';
import type { Mailbox } from '../mailboxes.ts';

/** An opened link, with the mailbox of its bot. */
export interface Link extends SenderTokenRow {
  mailbox: Mailbox;
}

const shape = /^[0-9a-f]{48}$/;

/** Only this hash of a token is stored. Tokens are random enough that no salt is needed. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The same error for every invalid token, regardless of the cause. */
export const badLink = (): HttpError => unauthorized('the link is not valid, or not any longer');

/** The link of a token, used or not. @throws HttpError 401, also when the bot no longer has a mailbox; 503. */
export async function openLink(
  { database, mailboxes }: Pick<Deps, 'database' | 'mailboxes'>,
  token: string | null | undefined,
): Promise<Link> {
  if (!token || !shape.test(token)) throw badLink();
  const row = await withPlatform(database, 'link of an email sender', (tx) =>
    findSenderToken(tx, hashToken(token)),
  );
  const mailbox = row && (await mailboxes.ofBot(row.botId));
  if (!row || mailbox?.tenantId !== row.tenantId) throw badLink();
  return { ...row, mailbox };
}

/** The link of a token that isn't used up. @throws HttpError 401, 503. */
export async function openUnusedLink(
  deps: Pick<Deps, 'database' | 'mailboxes'>,
  token: string | null | undefined,
): Promise<Link> {
  const link = await openLink(deps, token);
  if (link.usedAt) throw badLink();
  return link;
}

/** The bot's name; `null` while the tenancy service doesn't answer. */
export async function nameOfBot(
  { bus }: Pick<Deps, 'bus'>,
  { tenantId, botId }: Link,
): Promise<string | null> {
  try {
    return (await ask(bus, findBot, { tenantId, botId })).bot?.name ?? null;
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}

import { notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../../../../deps.ts';
import type { Mailbox } from '../mailboxes.ts';

/** The mailbox of a tenant's own bot. @throws HttpError 404, for the bots of others too; 503. */
export async function mailboxOfTenant(
  { mailboxes }: Pick<Deps, 'mailboxes'>,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<Mailbox> {
  const mailbox = await mailboxes.ofBot(botId);
  if (mailbox?.tenantId !== tenantId) throw notFound('mailbox of the bot');
  return mailbox;
}

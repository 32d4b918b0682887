import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { type AttachmentRow, attachmentsByMail } from '../../../../files/store/attachments.ts';
import type { Deps } from '../../deps.ts';
import { lockGrantsOf } from '../../store/grants.ts';
import { findMail, type MailRow, refuseMail } from '../../store/mail-list.ts';
import { releaseHeld } from '../inbound/release-held.ts';

interface Named {
  tenantId: string;
  mailId: string;
}
type Shown = [MailRow, Map<string, AttachmentRow[]>];
type HeldDeps = Parameters<typeof releaseHeld>[0] & Pick<Deps, 'database' | 'mailboxes'>;

/**
 * Has a held mail answered, without admitting its sender. @throws HttpError 404; 409 if it isn't held, or its bot has
 * no mailbox.
 */
export async function admitHeldMail(deps: HeldDeps, named: Named): Promise<Shown> {
  const { tenantId, mailId } = named;
  const { botId } = await withTenant(deps.database, [tenantId], (tx) => requireMail(tx, named));
  const mailbox = await deps.mailboxes.ofBot(botId);
  if (mailbox?.tenantId !== tenantId) throw conflict('the bot no longer has a mailbox');
  return await withTenant(deps.database, [tenantId], async (tx) => {
    await lockGrantsOf(tx, botId);
    const held = { tenantId, botId, integrationId: mailbox.integrationId, mailId };
    if ((await releaseHeld(deps, tx, held)) === 0) throw notHeld();
    return [await requireMail(tx, named), await attachmentsByMail(tx, tenantId, [mailId])];
  });
}

/** Refuses a held mail permanently. @throws HttpError 404; 409 when it isn't held. */
export async function refuseHeldMail({ database }: Pick<Deps, 'database'>, named: Named): Promise<Shown> {
  const { tenantId, mailId } = named;
  return await withTenant(database, [tenantId], async (tx) => {
    await requireMail(tx, named);
    if (!(await refuseMail(tx, named, 'refused by an admin'))) throw notHeld();
    return [await requireMail(tx, named), await attachmentsByMail(tx, tenantId, [mailId])];
  });
}

const notHeld = () => conflict('the mail is not held: it was admitted or refused before');

const requireMail = async (tx: TenantTx, named: Named): Promise<MailRow> =>
  found(await findMail(tx, named), 'mail');

import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { encode, newMail, type TestFile, triple } from '../../services/webhooks/test/mailboxes.ts';
import { ask } from '../rig/people.ts';
import { askFor200 } from './attack.ts';
import type { Installation } from './installation.ts';

export interface AttackedMailbox {
  address: string;
  botId: string;
  key: string;
}

/** A mailbox of the other tenant's bot, to which everybody may write. */
export async function createMailbox(installation: Installation): Promise<AttackedMailbox> {
  const { system, victim, mailDomain } = installation;
  const { tenantId, botId } = victim.demo;
  const mailbox = { address: `support-${botId}@${mailDomain}`.toLowerCase(), botId, key: randomUUID() };
  await ask(system, victim.person.bearer, `POST /api/bots/${tenantId}/${botId}/integrations`, {
    integrationType: 'email',
    credentials: { address: mailbox.address, apiKey: 'key' },
    settings: { email: { senderPolicy: 'open', webhookSigningKey: mailbox.key } },
  });
  await eventually('mail is accepted', () =>
    postMail(installation, mailbox).then(
      () => true,
      () => false,
    ),
  );
  return mailbox;
}

/** Posts a mail as the mailer does. @throws if it isn't accepted. */
export async function postMail(
  { system }: Pick<Installation, 'system'>,
  mailbox: AttackedMailbox,
  files: readonly TestFile[] = [],
): Promise<void> {
  const mail = newMail(mailbox, { from: `Ben <ben-${randomUUID()}@people.example>` });
  const { rawBody, headers } = await encode({ ...mail, ...triple(mailbox) }, files);
  const options = { method: 'POST', headers, body: rawBody };
  await askFor200(`${system.gatewayUrl}/webhooks/email/${mailbox.botId}`, options);
}

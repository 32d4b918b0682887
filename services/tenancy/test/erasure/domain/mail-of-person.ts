import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { Answer } from '@botyard/testing/test-call';
import {
  newMail,
  postMail,
  type TestFile,
  type TestMailbox,
  triple,
} from '../../../../webhooks/test/mailboxes.ts';
import { callOk } from '../../whole-platform.ts';
import type { ErasureWorld } from './erasure-world.ts';

const signingKey = 'key-of-the-mailer-1';

/** A mailbox of the world's bot, whose unknown senders wait. */
export async function openMailbox(world: ErasureWorld): Promise<TestMailbox> {
  const { tenantId, admin } = world.people;
  const { tenancy, harness } = world.platform;
  const address = `support-${randomUUID().slice(0, 8)}@bots.example`;
  const { integrationId } = await callOk(
    tenancy,
    'POST',
    `/api/bots/${tenantId}/${world.botId}/integrations`,
    {
      as: admin,
      body: {
        integrationType: 'email',
        credentials: { address },
        settings: { email: { senderPolicy: 'authorized', webhookSigningKey: signingKey } },
      },
    },
  );
  await harness.settled('webhooks', 'tenancy');
  return {
    ...{ tenantId, integrationId, botId: world.botId, address, key: signingKey, revision: 1 },
    ...{ senderPolicy: 'authorized', isEnabled: true },
  };
}

export interface Letter {
  messageId: string;
  /** Delivers it, with one signature each time or with a new one. */
  post(signed: 'once' | 'anew'): Promise<Answer>;
}

export function letterTo(
  world: ErasureWorld,
  mailbox: TestMailbox,
  { from, text, files = [] }: { from: string; text: string; files?: TestFile[] },
): Letter {
  const fields = newMail(mailbox, { from, text });
  const signature = triple({ key: signingKey });
  return {
    messageId: fields.messageId,
    post: (signed) =>
      postMail(world.webhooks, mailbox, fields, { files, ...(signed === 'once' ? { signature } : {}) }),
  };
}

/** An admin admits a sender, which releases waiting mail. */
export const letIn = (world: ErasureWorld, address: string) =>
  callOk(world.webhooks, 'POST', '/api/email-threads/senders', {
    as: world.people.admin,
    body: { botId: world.botId, kind: 'sender', value: address },
  });

export async function answeredTo(world: ErasureWorld, address: string, text: string): Promise<void> {
  await eventually(`a mail to ${address}`, () =>
    world.mailer.sent.all.some((mail) => mail.to.includes(address) && mail.text.includes(text)),
  );
}

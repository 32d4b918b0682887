import { createHmac, randomUUID } from 'node:crypto';
import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import type { Integration, WebhooksServices } from '../../webhooks-services.ts';

export const site = 'https://shop.example';
export const identitySecret = 'a-secret-of-the-site-that-nobody-guesses';

/** A bot with a web chat, as the tenancy service would announce it. */
export async function saveChat(
  services: WebhooksServices,
  settings: Record<string, unknown> = {},
): Promise<Integration> {
  const ids = { tenantId: randomUUID(), integrationId: randomUUID(), botId: randomUUID() };
  const secrets = { allowedOrigins: [site], identitySecret, ...settings };
  const sealedSecrets = await Keyring.parse(services.harness.secretsKeys).seal(
    new Secret(JSON.stringify(secrets)),
    integrationBinding(ids),
  );
  await services.harness.publish(integrationSaved, {
    ...ids,
    integrationType: 'webchat',
    isEnabled: true,
    revision: 1,
    sealedSecrets,
  });
  await services.harness.settled('webhooks', 'tenancy');
  return { ...ids, botToken: '', secret: '', isEnabled: true, revision: 1 };
}

export const hmacOf = (userId: string) => createHmac('sha256', identitySecret).update(userId).digest('hex');

interface Posting {
  origin?: string;
  file?: string;
  address?: string;
}

/** Posts as a window does: plain text, from a page of the site. */
export async function postTo(
  service: TestService,
  { botId }: Pick<Integration, 'botId'>,
  path: string,
  body: Record<string, unknown>,
  { origin = site, file, address = '192.0.2.1' }: Posting = {},
) {
  const line = JSON.stringify(body);
  return await service.call('POST', `/webhooks/webchat/${botId}/${path}`, {
    as: anonymous,
    rawBody: file === undefined ? line : `${line}\n${file}`,
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin, 'x-forwarded-for': address },
  });
}

export const say = (
  service: TestService,
  bot: Pick<Integration, 'botId'>,
  body: Record<string, unknown> = {},
  posting?: Posting,
) => postTo(service, bot, 'messages', { clientId: randomUUID(), text: 'Hello', ...body }, posting);

export interface StreamedEvent {
  event: string;
  data: Record<string, unknown>;
}

/** An open stream, and what it has said. */
export async function openStream(
  service: TestService,
  { botId }: Pick<Integration, 'botId'>,
  body: Record<string, unknown>,
) {
  const leaving = new AbortController();
  const answer = await fetch(`${service.url}/webhooks/webchat/${botId}/stream`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      origin: site,
      'x-botyard-identity': await service.identityOf(anonymous),
    },
    signal: leaving.signal,
  });
  const events: StreamedEvent[] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = `${text}${chunk}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (event) events.push({ event, data: JSON.parse(data!) });
      }
    }
  };
  const reading = read().catch(() => undefined);
  return {
    status: answer.status,
    events,
    texts: () => events.filter(({ event }) => event === 'message').map(({ data }) => data.text),
    has: (isIt: (event: StreamedEvent) => boolean) =>
      eventually('the stream says it', () => events.find(isIt)),
    close: async () => {
      leaving.abort();
      await reading;
    },
  };
}

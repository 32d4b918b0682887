import { createHash, randomBytes, randomInt } from 'node:crypto';
import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import type { EmailSecrets } from '@botyard/contracts/platforms/email';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import { firstSample } from '@botyard/testing/samples';
import { anonymous } from '@botyard/testing/test-call';
import { expect } from 'vitest';
import type { LoneService } from '../support/lone-service.ts';
import type { Step } from '../support/tables.ts';
import type { World } from '../support/world.ts';

/** A bot at the messenger that represents a world's bot, and the sealed parts of its integration. */
export interface TestBot {
  botToken: string;
  botUsername: string;
  platformBotId: string;
  webhookSecretToken: string;
}

/** The worlds' bots at one messenger. */
export class Bots {
  readonly messenger: FakeMessenger;
  readonly #bots = new Map<World, TestBot>();

  constructor(messenger: FakeMessenger) {
    this.messenger = messenger;
  }

  of(world: World): TestBot {
    const known = this.#bots.get(world);
    if (known) return known;
    const botToken = `${randomInt(1e8, 1e9)}:${randomBytes(26).toString('base64url')}`;
    const { id, username } = this.messenger.addBot({ token: botToken });
    const bot = {
      botToken,
      botUsername: username,
      platformBotId: String(id),
      webhookSecretToken: `secret-${world.tag}`,
    };
    this.#bots.set(world, bot);
    return bot;
  }
}

/** Seals as tenancy does it, bound to the integration. */
export async function seal(
  lone: LoneService,
  state: { tenantId: string; integrationId: string },
  secrets: object,
): Promise<string> {
  const keyring = Keyring.parse(lone.harness.secretsKeys);
  return await keyring.seal(new Secret(JSON.stringify(secrets)), integrationBinding(state));
}

/** Tenancy announces the world's integration with the messenger, and the platform knows where to deliver to. */
export const integrate =
  (bots: () => Bots): Step =>
  async (lone, world) => {
    const state = world.said(firstSample(integrationSaved));
    const sealedSecrets = await seal(lone, state, bots().of(world));
    await announce(lone, { ...state, sealedSecrets });
    await eventually('the webhook is registered', async () => {
      const rows = await lone.rows(
        `select from webhooks.endpoints where integration_id = $1 and registered_fingerprint is not null
         and registration_due_at is null`,
        [state.integrationId],
      );
      return rows.length === 1;
    });
  };

async function announce(lone: LoneService, state: unknown): Promise<void> {
  expect(await lone.fateOf(await lone.publish(integrationSaved, state))).toBe('taken');
}

/** A link that a sender of mail was sent, to the world's mailbox. */
export const linkTo = async (lone: LoneService, world: World): Promise<string> => {
  const secrets: EmailSecrets = { senderPolicy: 'authorized' };
  const state = {
    ...world.said(firstSample(integrationSaved)),
    integrationType: 'email',
    address: `support@${world.tag}.bots.example`,
  };
  await announce(lone, { ...state, sealedSecrets: await seal(lone, state, secrets) });
  const token = randomBytes(24).toString('hex');
  await lone.rows(
    `insert into webhooks.sender_tokens (tenant_id, token_hash, bot_id, thread_id, address, expires_at)
     values ($1, $2, $3, gen_random_uuid(), 'anna@example.com', now() + interval '1 hour')`,
    [world.tenantId, createHash('sha256').update(token).digest('base64url'), world.id('botId')],
  );
  return token;
};

/** Posts an update as the gateway passes it on. */
export const post = async (lone: LoneService, world: World, { webhookSecretToken }: TestBot, body: unknown) =>
  await lone.process.call('POST', `/webhooks/messenger/${world.id('botId')}`, {
    as: anonymous,
    body,
    headers: { 'x-telegram-bot-api-secret-token': webhookSecretToken },
  });

import { replyCreated, typing } from '@botyard/contracts/events/agents';
import { findIntegration } from '@botyard/contracts/events/tenancy';
import { dropMedia, findMedia } from '@botyard/contracts/events/webhook-requests';
import { endpointChanged } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { firstSample, samplesOf } from '@botyard/testing/samples';
import { expect } from 'vitest';
import {
  editOf,
  membershipIn,
  migrationOf,
  newGroupId,
  sayTo,
} from '../../../services/webhooks/test/chat-updates.ts';
import { deliver, sample } from '../../../services/webhooks/test/idp-deliveries.ts';
import type { AskCase, Step, Tables } from '../support/tables.ts';
import type { World } from '../support/world.ts';
import { remoteCallers } from './remote-callers.ts';
import { erasureAnswers } from './webhooks-erasure.ts';
import { type Bots, integrate, linkTo, post, seal } from './webhooks-world.ts';

const chatId = 5_512_345_678;

/** Files that came into a chat and are not fetched yet. */
async function noteFiles(
  lone: Parameters<Step>[0],
  world: World,
  mediaIds: readonly string[],
): Promise<void> {
  for (const mediaId of mediaIds)
    await lone.rows(
      `insert into webhooks.media (tenant_id, media_id, bot_id, conversation_id, platform, sender_id, name, due_at)
       values ($1, $2, $3, $4, 'messenger', $5, 'photo.jpg', null)`,
      [world.tenantId, mediaId, world.id('botId'), world.id('conversationId'), String(chatId)],
    );
}

/** Every caller is resolved again for each request: each route acts in the active tenant. */
const callers = remoteCallers({ path: () => '/api/email-threads', ofMember: 400 });

const has =
  (text: string, count: number): Step<boolean> =>
  async (lone, world) =>
    (await lone.rows(text, [world.tenantId])).length === count;

export function webhooksTables(bots: () => Bots, idpSecret: string): Tables {
  const integrated = integrate(bots);
  const take = async (lone: Parameters<Step>[0], world: World, ...updates: object[]) => {
    for (const update of updates)
      expect((await post(lone, world, bots().of(world), update)).status).toBe(200);
  };
  const wasCalled = (world: World, method: string): boolean =>
    bots().messenger.calls.all.some(
      ({ operation, path }) => operation === method && path.includes(bots().of(world).botToken),
    );
  const publishReply: Step = async (lone, world) => {
    await integrated(lone, world);
    await lone.publish(replyCreated, world.said(firstSample(replyCreated)));
  };

  const hasReply: Step = async (lone, world) => {
    await publishReply(lone, world);
    await eventually('the reply is there', () =>
      has('select from webhooks.replies where tenant_id = $1', 1)(lone, world),
    );
  };

  /** A message was taken in, which is the sample's conversation from now on, and published a minute ago. */
  const publishedMessage: Step = async (lone, world) => {
    await integrated(lone, world);
    await take(lone, world, sayTo('', chatId, 'Hello'));
    const ofWorld = `data like '{"seq":%' and data::json ->> 'tenantId' = $1`;
    const [conversation] = await lone.rows<{ id: string }>(
      `select data::json ->> 'conversationId' as id from webhooks.outbox where ${ofWorld}`,
      [world.tenantId],
    );
    world.meet({ conversationId: conversation!.id });
    const isDated = has(
      `update webhooks.outbox set published_at = now() - interval '1 minute'
       where ${ofWorld} and stream_seq is not null returning id`,
      1,
    );
    await eventually('it is published', () => isDated(lone, world));
  };

  const findsIntegration: AskCase = {
    provoke: (lone, world) => post(lone, world, bots().of(world), sayTo('', chatId, 'Hello')),
    makeTrue: async ({ integration }, { lone, world }) => {
      if (!integration) return { integration };
      const secrets = integration.integrationType === 'email' ? { senderPolicy: 'open' } : bots().of(world);
      return { integration: { ...integration, sealedSecrets: await seal(lone, integration, secrets) } };
    },
    // To a bot that has no integration of this kind nothing is delivered.
    answered: { first: 200, address: 404, none: 404, 'email-of-a-bot': 404, 'proven-domain': 404 },
  };
  const links = new Map<World, string>();
  const findsBot: AskCase = {
    arrange: async (lone, world) => void links.set(world, await linkTo(lone, world)),
    provoke: (lone, world) =>
      lone.call(world, 'POST', '/api/email-auth/validate-token', { token: links.get(world) }),
    // The page then does without the name.
    absent: 200,
    refused: 200,
  };

  return {
    answers: {
      'webhooks.endpoint.health.v1': async (lone, world) => {
        await integrated(lone, world);
        const integrationId = world.id('integrationId');
        return ({ endpoints }) => expect(endpoints).toMatchObject([{ integrationId, repliesWaiting: 0 }]);
      },
      'webhooks.sending.sum.v1': async (lone, world) => {
        await hasReply(lone, world);
        return ({ sending }) => expect(sending).toMatchObject([{ platform: 'messenger', repliesFailed: 0 }]);
      },
      // This one sends no mail.
      'webhooks.invitation.send.v1': async () => (answer) =>
        expect(answer).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('MAILER') }),
      'webhooks.endpoint.check.v1': async (lone, world) => {
        await integrated(lone, world);
        return (answer) => expect(answer).toEqual({ isKnown: true });
      },
      'webhooks.storage.limit.v1': async () => (answer) =>
        expect(answer).toMatchObject({ ownLimit: null, defaultLimit: 2 * 1024 ** 3, used: 0 }),
      'webhooks.sending.total.v1': async (lone, world) => {
        await hasReply(lone, world);
        const { tenantId } = world;
        return ({ tenants }) => expect(tenants).toMatchObject([{ tenantId, repliesFailed: 0 }]);
      },
      'webhooks.message.find.v1': async (lone, world) => {
        await publishedMessage(lone, world);
        return ({ messages }) => expect(messages).toMatchObject([{ seq: 1, text: 'Hello' }]);
      },
      'webhooks.message.recent.v1': async (lone, world) => {
        await publishedMessage(lone, world);
        const own = { tenantId: world.tenantId, conversationId: world.id('conversationId'), lastSeq: 1 };
        return ({ conversations }) => expect(conversations).toContainEqual(expect.objectContaining(own));
      },
      'webhooks.media.find.v1': async (lone, world) => {
        const [first] = samplesOf(findMedia);
        const { mediaIds } = world.said(first!.said.question);
        await noteFiles(lone, world, mediaIds);
        return ({ media }) =>
          expect(media).toEqual(
            expect.arrayContaining(mediaIds.map((mediaId) => ({ mediaId, state: 'waiting' }))),
          );
      },
      'webhooks.media.drop.v1': async (lone, world) => {
        const [first] = samplesOf(dropMedia);
        const { mediaIds } = world.said(first!.said.question);
        await noteFiles(lone, world, mediaIds);
        return (answer) => expect(answer).toEqual({ dropped: mediaIds.length });
      },
      ...erasureAnswers(hasReply),
    },
    asks: {
      ...callers.asks,
      'tenancy.integration.find.v1': findsIntegration,
      'tenancy.bot.find.v1': findsBot,
    },
    consumes: {
      'tenancy.tenant.deleted.v1': {
        arrange: integrated,
        effect: has('select from webhooks.endpoints where tenant_id = $1 and is_enabled', 0),
      },
      'tenancy.integration.saved.v1': {
        effect: has('select from webhooks.endpoints where tenant_id = $1', 1),
      },
      'tenancy.integration.deleted.v1': {
        arrange: integrated,
        effect: async (_lone, world) => !bots().messenger.bot(bots().of(world).botToken).webhook,
      },
      'agents.reply.created.v1': {
        arrange: integrated,
        effect: async (_lone, world) => wasCalled(world, 'sendMessage'),
      },
      'agents.group.saved.v1': {
        effect: has('select from webhooks.group_rules where tenant_id = $1', 1),
      },
    },
    watches: {
      ...callers.watches,
      'webhooks.endpoint.changed.v1': async (lone, world) => {
        await integrated(lone, world);
        await take(lone, world, sayTo('', chatId, 'Hello'));
        await lone.rows('delete from webhooks.endpoints where tenant_id = $1', [world.tenantId]);
        const asked = lone.neighbours.asked(findIntegration);
        const before = asked.length;
        const [first] = samplesOf(endpointChanged);
        await lone.publish(endpointChanged, world.said(first!.said));
        await eventually('what was known of the endpoint is dropped', async () => {
          await post(lone, world, bots().of(world), sayTo('', chatId, 'Hello'));
          return asked.slice(before).some((question) => world.isNamedIn(question));
        });
      },
    },
    publishes: {
      'webhooks.message.received.v1': async (lone, world) => {
        await integrated(lone, world);
        await take(lone, world, sayTo('', chatId, 'Hello'));
      },
      'webhooks.message.edited.v1': async (lone, world) => {
        await integrated(lone, world);
        const said = sayTo('', chatId, 'Hello');
        await take(lone, world, said, editOf(said, 'Hello again'));
      },
      'webhooks.chat.changed.v1': async (lone, world) => {
        await integrated(lone, world);
        const platformBotId = Number(bots().of(world).platformBotId);
        await take(lone, world, sayTo('', chatId, 'Hello'), membershipIn(platformBotId, chatId, 'kicked'));
      },
      'webhooks.chat.migrated.v1': async (lone, world) => {
        await integrated(lone, world);
        const group = newGroupId();
        const { botUsername } = bots().of(world);
        await take(lone, world, sayTo(botUsername, group, 'Hello'), migrationOf(group).to);
      },
      'webhooks.reply.delivered.v1': publishReply,
      'webhooks.endpoint.changed.v1': integrated,
      'webhooks.registration.changed.v1': integrated,
      'webhooks.identity.changed.v1': async (lone, world) => {
        const created = sample('user_created');
        const event = { ...created, data: { ...created.data, id: world.said('user_2abc') } };
        expect((await deliver(lone.process, event, { secret: idpSecret })).status).toBe(200);
      },
    },
    signals: {},
    listens: {
      'agents.turn.typing.v1': async (lone, world) => {
        await integrated(lone, world);
        for (const { said } of samplesOf(typing)) lone.hint(typing, world.said(said));
        await eventually('the bot is shown typing', () => wasCalled(world, 'sendChatAction'));
      },
    },
  };
}

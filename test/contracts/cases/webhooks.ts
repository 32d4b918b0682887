import { handlingChanged, replyCreated, typing } from '@botyard/contracts/events/agents';
import { chatHint, chatPreview, staffPresence } from '@botyard/contracts/events/chat-hints';
import { findIntegration } from '@botyard/contracts/events/tenancy';
import { dropMedia, findMedia } from '@botyard/contracts/events/webhook-requests';
import { endpointChanged } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { FakeSlack } from '@botyard/testing/fake-slack';
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
import { postTo, say } from '../../../services/webhooks/test/platforms/webchat/site.ts';
import type { AskCase, Step, Tables } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';
import { remoteCallers } from './remote-callers.ts';
import { erasureAnswers } from './webhooks-erasure.ts';
import {
  type Bots,
  installs,
  integrate,
  linkTo,
  openChat,
  post,
  rateReply,
  renamePerson,
  renews,
  reportAccount,
  reportDelivery,
  seal,
} from './webhooks-steps.ts';

const chatId = 5_512_345_678;

/** Files that came into a chat and are not fetched yet. */
async function noteFiles(
  sut: Parameters<Step>[0],
  tenant: TestTenant,
  mediaIds: readonly string[],
): Promise<void> {
  for (const mediaId of mediaIds)
    await sut.rows(
      `insert into webhooks.media (tenant_id, media_id, bot_id, conversation_id, platform, sender_id, name, due_at)
       values ($1, $2, $3, $4, 'messenger', $5, 'photo.jpg', null)`,
      [tenant.tenantId, mediaId, tenant.id('botId'), tenant.id('conversationId'), String(chatId)],
    );
}

/** A visitor of a web chat, in the conversation that the sample of a takeover names. */
async function hasVisitor(sut: Parameters<Step>[0], tenant: TestTenant): Promise<void> {
  const { platformChatId } = tenant.withOwnIds(firstSample(chatHint));
  const { conversationId } = tenant.withOwnIds(firstSample(handlingChanged));
  await sut.rows(
    `insert into webhooks.webchat_visitors (tenant_id, visitor_id, bot_id, integration_id, conversation_id, name)
     values ($1, $2, $3, gen_random_uuid(), $4, 'Visitor')`,
    [tenant.tenantId, platformChatId, tenant.id('botId'), conversationId],
  );
}

/** The tenancy service knows no integration of the sample's bot. */
const hasNoIntegration = (sut: Parameters<Step>[0]): Promise<void> =>
  sut.fakes.answerWith(findIntegration, () => ({ ok: { integration: null } }));

/** Every caller is resolved again for each request: each route acts in the active tenant. */
const callers = remoteCallers({ path: () => '/api/email-threads', ofMember: 400 });

const has =
  (text: string, count: number): Step<boolean> =>
  async (sut, tenant) =>
    (await sut.rows(text, [tenant.tenantId])).length === count;

export function webhooksTables(bots: () => Bots, slack: () => FakeSlack, idpSecret: string): Tables {
  const integrated = integrate(bots);
  const take = async (sut: Parameters<Step>[0], tenant: TestTenant, ...updates: object[]) => {
    for (const update of updates)
      expect((await post(sut, tenant, bots().of(tenant), update)).status).toBe(200);
  };
  const wasCalled = (tenant: TestTenant, method: string): boolean =>
    bots().messenger.calls.all.some(
      ({ operation, path }) => operation === method && path.includes(bots().of(tenant).botToken),
    );
  const publishReply: Step = async (sut, tenant) => {
    await integrated(sut, tenant);
    await sut.publish(replyCreated, tenant.withOwnIds(firstSample(replyCreated)));
  };

  const hasReply: Step = async (sut, tenant) => {
    await publishReply(sut, tenant);
    await eventually('the reply is there', () =>
      has('select from webhooks.replies where tenant_id = $1', 1)(sut, tenant),
    );
  };

  /** A message was taken in, which is the sample's conversation from now on, and published a minute ago. */
  const publishedMessage: Step = async (sut, tenant) => {
    await integrated(sut, tenant);
    await take(sut, tenant, sayTo('', chatId, 'Hello'));
    const ofWorld = `data like '{"seq":%' and data::json ->> 'tenantId' = $1`;
    const [conversation] = await sut.rows<{ id: string }>(
      `select data::json ->> 'conversationId' as id from webhooks.outbox where ${ofWorld}`,
      [tenant.tenantId],
    );
    tenant.useIds({ conversationId: conversation!.id });
    const isDated = has(
      `update webhooks.outbox set published_at = now() - interval '1 minute'
       where ${ofWorld} and stream_seq is not null returning id`,
      1,
    );
    await eventually('it is published', () => isDated(sut, tenant));
  };

  const findsIntegration: AskCase = {
    provoke: (sut, tenant) => post(sut, tenant, bots().of(tenant), sayTo('', chatId, 'Hello')),
    makeTrue: async ({ integration }, { sut, tenant }) => {
      if (!integration) return { integration };
      const secrets = integration.integrationType === 'email' ? { senderPolicy: 'open' } : bots().of(tenant);
      return { integration: { ...integration, sealedSecrets: await seal(sut, integration, secrets) } };
    },
    // To a bot that has no integration of this kind nothing is delivered.
    answered: { first: 200, address: 404, none: 404, 'email-of-a-bot': 404, 'proven-domain': 404 },
  };
  const links = new Map<TestTenant, string>();
  const findsBot: AskCase = {
    arrange: async (sut, tenant) => void links.set(tenant, await linkTo(sut, tenant)),
    provoke: (sut, tenant) =>
      sut.call(tenant, 'POST', '/api/email-auth/validate-token', { token: links.get(tenant) }),
    // The page then does without the name.
    absent: 200,
    refused: 200,
  };

  return {
    answers: {
      'webhooks.endpoint.health.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        const integrationId = tenant.id('integrationId');
        return ({ endpoints }) => expect(endpoints).toMatchObject([{ integrationId, repliesWaiting: 0 }]);
      },
      'webhooks.sending.sum.v1': async (sut, tenant) => {
        await hasReply(sut, tenant);
        return ({ sending }) => expect(sending).toMatchObject([{ platform: 'messenger', repliesFailed: 0 }]);
      },
      // This one sends no mail.
      'webhooks.invitation.send.v1': async () => (answer) =>
        expect(answer).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('MAILER') }),
      'webhooks.withdrawal.send.v1': async () => (answer) =>
        expect(answer).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('MAILER') }),
      'webhooks.endpoint.check.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        return (answer) => expect(answer).toEqual({ isKnown: true });
      },
      // The sample's credentials were sealed by nobody.
      'webhooks.account.check.v1': async () => (answer) =>
        expect(answer).toEqual({ outcome: 'failed', reason: 'the credentials can not be opened' }),
      'webhooks.installation.begin.v1': async () => (answer) =>
        expect(answer).toMatchObject({
          outcome: 'begun',
          url: expect.stringContaining('/oauth/v2/authorize?'),
        }),
      'webhooks.storage.limit.v1': async () => (answer) =>
        expect(answer).toMatchObject({ ownLimit: null, defaultLimit: 2 * 1024 ** 3, used: 0 }),
      'webhooks.sending.total.v1': async (sut, tenant) => {
        await hasReply(sut, tenant);
        const { tenantId } = tenant;
        return ({ tenants }) => expect(tenants).toMatchObject([{ tenantId, repliesFailed: 0 }]);
      },
      'webhooks.message.find.v1': async (sut, tenant) => {
        await publishedMessage(sut, tenant);
        return ({ messages }) => expect(messages).toMatchObject([{ seq: 1, text: 'Hello' }]);
      },
      'webhooks.message.recent.v1': async (sut, tenant) => {
        await publishedMessage(sut, tenant);
        const own = { tenantId: tenant.tenantId, conversationId: tenant.id('conversationId'), lastSeq: 1 };
        return ({ conversations }) => expect(conversations).toContainEqual(expect.objectContaining(own));
      },
      'webhooks.media.find.v1': async (sut, tenant) => {
        const [first] = samplesOf(findMedia);
        const { mediaIds } = tenant.withOwnIds(first!.payload.question);
        await noteFiles(sut, tenant, mediaIds);
        return ({ media }) =>
          expect(media).toEqual(
            expect.arrayContaining(mediaIds.map((mediaId) => ({ mediaId, state: 'waiting' }))),
          );
      },
      'webhooks.media.drop.v1': async (sut, tenant) => {
        const [first] = samplesOf(dropMedia);
        const { mediaIds } = tenant.withOwnIds(first!.payload.question);
        await noteFiles(sut, tenant, mediaIds);
        return (answer) => expect(answer).toEqual({ dropped: mediaIds.length });
      },
      'webhooks.media.reserve.v1': async () => (answer) =>
        expect(answer).toMatchObject({ outcome: 'reserved', file: { mediaType: 'application/pdf' } }),
      'webhooks.template.fill.v1': async (sut) => {
        await hasNoIntegration(sut);
        return (answer) => expect(answer).toMatchObject({ outcome: 'refused', issues: [{ path: 'name' }] });
      },
      // The first sample's chat is one of a platform without templates.
      'webhooks.template.list.v1': async (sut) => {
        await hasNoIntegration(sut);
        return (answer) =>
          expect(answer).toEqual({ isWindowOpen: true, templates: [], unavailable: [], isCut: false });
      },
      ...erasureAnswers(hasReply),
    },
    asks: {
      ...callers.asks,
      'tenancy.integration.find.v1': findsIntegration,
      'tenancy.bot.find.v1': findsBot,
      'tenancy.integration.install.v1': installs(slack),
      'tenancy.integration.secrets.v1': renews(slack),
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
        effect: async (_lone, tenant) => !bots().messenger.bot(bots().of(tenant).botToken).webhook,
      },
      'agents.reply.created.v1': {
        arrange: integrated,
        effect: async (_lone, tenant) => wasCalled(tenant, 'sendMessage'),
      },
      'agents.handling.changed.v1': {
        arrange: hasVisitor,
        effect: has("select from webhooks.webchat_messages where tenant_id = $1 and author = 'notice'", 1),
      },
      'agents.group.saved.v1': {
        effect: has('select from webhooks.group_rules where tenant_id = $1', 1),
      },
    },
    watches: {
      ...callers.watches,
      'webhooks.endpoint.changed.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        await take(sut, tenant, sayTo('', chatId, 'Hello'));
        await sut.rows('delete from webhooks.endpoints where tenant_id = $1', [tenant.tenantId]);
        const questions = sut.fakes.asked(findIntegration);
        const before = questions.length;
        const [first] = samplesOf(endpointChanged);
        await sut.publish(endpointChanged, tenant.withOwnIds(first!.payload));
        await eventually('what was known of the endpoint is dropped', async () => {
          await post(sut, tenant, bots().of(tenant), sayTo('', chatId, 'Hello'));
          return questions.slice(before).some((question) => tenant.isNamedIn(question));
        });
      },
    },
    publishes: {
      'webhooks.message.received.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        await take(sut, tenant, sayTo('', chatId, 'Hello'));
      },
      'webhooks.message.edited.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        const update = sayTo('', chatId, 'Hello');
        await take(sut, tenant, update, editOf(update, 'Hello again'));
      },
      'webhooks.message.deleted.v1': async (sut, tenant) => {
        const bot = await openChat(sut, tenant);
        const { body } = await say(sut.process, bot);
        const deletion = { token: body.token, messageId: body.message.id };
        expect((await postTo(sut.process, bot, 'deletions', deletion)).status).toBe(200);
      },
      'webhooks.chat.changed.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        const platformBotId = Number(bots().of(tenant).platformBotId);
        await take(sut, tenant, sayTo('', chatId, 'Hello'), membershipIn(platformBotId, chatId, 'kicked'));
      },
      'webhooks.chat.migrated.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        const group = newGroupId();
        const { botUsername } = bots().of(tenant);
        await take(sut, tenant, sayTo(botUsername, group, 'Hello'), migrationOf(group).to);
      },
      'webhooks.reply.delivered.v1': publishReply,
      'webhooks.reply.reported.v1': reportDelivery,
      'webhooks.reply.rated.v1': rateReply,
      'webhooks.person.renamed.v1': renamePerson,
      'webhooks.account.changed.v1': reportAccount,
      'webhooks.endpoint.changed.v1': integrated,
      'webhooks.registration.changed.v1': integrated,
      'webhooks.identity.changed.v1': async (sut, tenant) => {
        const created = sample('user_created');
        const event = { ...created, data: { ...created.data, id: tenant.withOwnIds('user_2abc') } };
        expect((await deliver(sut.process, event, { secret: idpSecret })).status).toBe(200);
      },
    },
    signals: {
      'webhooks.chat.hint.v1': async (sut, tenant) => {
        await hasVisitor(sut, tenant);
        await sut.publish(handlingChanged, tenant.withOwnIds(firstSample(handlingChanged)));
      },
    },
    listens: {
      // They wake windows, of which none is open here: the tests of the web chat look at open ones.
      'webhooks.chat.hint.v1': async (sut, tenant) => {
        for (const { payload } of samplesOf(chatHint)) sut.hint(chatHint, tenant.withOwnIds(payload));
      },
      'agents.staff.presence.v1': async (sut, tenant) => {
        for (const { payload } of samplesOf(staffPresence))
          sut.hint(staffPresence, tenant.withOwnIds(payload));
      },
      'agents.turn.preview.v1': async (sut, tenant) => {
        for (const { payload } of samplesOf(chatPreview)) sut.hint(chatPreview, tenant.withOwnIds(payload));
      },
      'agents.turn.typing.v1': async (sut, tenant) => {
        await integrated(sut, tenant);
        for (const { payload } of samplesOf(typing)) sut.hint(typing, tenant.withOwnIds(payload));
        await eventually('the bot is shown typing', () => wasCalled(tenant, 'sendChatAction'));
      },
    },
  };
}

import { randomUUID } from 'node:crypto';
import type { EventType, RequestType } from '@botyard/contracts/events/definition';
import { keyStored, resolveKey } from '@botyard/contracts/events/keys';
import { admitMessages, authorizationChanged } from '@botyard/contracts/events/tenancy';
import { quotaChanged, reserveQuota } from '@botyard/contracts/events/usage';
import { dropMedia, findMessages, listRecentMessages } from '@botyard/contracts/events/webhook-requests';
import { sealFor } from '@botyard/shared/secrets/handover';
import { Secret } from '@botyard/shared/secrets/secret';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import type { FakeModel } from '@botyard/testing/fake-model';
import { type Said, samplesOf } from '@botyard/testing/samples';
import { expect } from 'vitest';
import type { LoneService } from '../support/lone-service.ts';
import type { AskCase, Step } from '../support/tables.ts';
import type { World } from '../support/world.ts';
import { addBot, answerOnce, askBot, isAnswered, say } from './agents-world.ts';

/** Somebody else than the admin has to decide about this call of a tool. */
const openTicket: Step = async (lone, world) => {
  const requester = {
    userId: randomUUID(),
    platform: 'messenger',
    platformUserId: '5512345678',
    name: 'Anna',
  };
  await lone.rows(
    `insert into agents.tool_tickets (tenant_id, ticket_id, status, conversation_id, bot_id, agent_id, tool_id, tool_name,
       toolkit, tool, arguments_hash, requesters, arguments, requester_ids, expires_at, next_at)
     values ($1, $2, 'pending', $2, $2, $2, $2, 'send', 'gmail', 'SEND', 'hash', $3, '{}', '{}',
       now() + interval '1 hour', now() + interval '1 hour')`,
    [world.tenantId, world.id('turnId'), JSON.stringify([requester])],
  );
};

/** A picture came with everything that was said, long ago. */
const attachPicture: Step = async (lone, world) => {
  const attachment = JSON.stringify({ kind: 'photo', mediaId: randomUUID() });
  await lone.rows(
    `update agents.messages set attachment = $2, created_at = now() - interval '1 day'
     where tenant_id = $1 and direction = 'in'`,
    [world.tenantId, attachment],
  );
};

const traceOf = new Map<World, string>();

/** The requests that the agents service sends while it answers, and while somebody looks at a page. */
export function agentsAsks(model: () => FakeModel): Readonly<Record<string, AskCase>> {
  const inTurn: AskCase = { arrange: addBot(), provoke: askBot, goesOn: isAnswered };
  return {
    'tenancy.bot.find.v1': {
      provoke: (lone, world) =>
        lone.call(world, 'POST', '/api/agents/triage-preview', { message: 'Hi', botId: world.id('botId') }),
      answered: { first: 200, none: 404 },
    },
    'tenancy.message.admit.v1': {
      ...inTurn,
      // The last one refuses somebody else.
      answered: { first: 200, refused: 403, channel: 403 },
    },
    'tenancy.account.owners.v1': {
      arrange: openTicket,
      provoke: (lone, world) =>
        lone.call(world, 'POST', `/api/integrations/pending/${world.id('turnId')}/approve`, {}),
    },
    'tenancy.staff.find.v1': {
      arrange: async (lone, world) => {
        await addBot()(lone, world);
        await say()(lone, world);
      },
      provoke: async (lone, world) => {
        const [{ chatId }] = await lone.make(world, 'GET', '/api/interactions/chats');
        const body = { assigneeUserId: randomUUID() };
        return await lone.call(world, 'POST', `/api/interactions/chats/${chatId}/takeover`, body);
      },
      answered: { first: 200, none: 422 },
    },
    'keys.key.resolve.v1': {
      ...inTurn,
      makeTrue: (answer, { question }) => withKey(answer, question, model()),
      // A key that is limited for now is waited for.
      answered: { first: 200, none: 503, limited: 503 },
    },
    'usage.quota.reserve.v1': {
      ...inTurn,
      answered: {
        ...{ first: 200, 'no-quota': 200, 'used-up': 202, 'own-key': 200 },
        ...{ 'platform-key': 200, 'platform-key-unlimited': 200, 'platform-key-used-up': 202 },
        // Put off, like in an outage.
        'platform-key-reserved': 503,
      },
    },
    'usage.turn.cost.v1': {
      arrange: async (lone, world) => {
        await answerOnce(lone, world);
        const [trace] = await lone.make(world, 'GET', '/api/context-traces');
        traceOf.set(world, trace.traceId);
      },
      provoke: (lone, world) => lone.call(world, 'GET', `/api/context-traces/${traceOf.get(world)}`),
      // Reported without its cost.
      absent: 200,
    },
    'webhooks.message.find.v1': inBackground(findMessages, async (lone, world) => {
      // The first one of its conversation never comes.
      await say({ conversationId: randomUUID(), seq: 2 })(lone, world);
    }),
    'webhooks.message.recent.v1': inBackground(listRecentMessages),
    'webhooks.media.find.v1': {
      arrange: async (lone, world) => {
        await answerOnce(lone, world);
        await attachPicture(lone, world);
      },
      provoke: async (lone, world) => {
        const [{ chatId }] = await lone.make(world, 'GET', '/api/interactions/chats');
        return await lone.call(world, 'GET', `/api/interactions/chats/${chatId}/messages`);
      },
      // Messages are shown without the state of their files.
      absent: 200,
      refused: 200,
      unreadable: 200,
    },
    'webhooks.media.drop.v1': inBackground(dropMedia, async (lone, world) => {
      await askBot(lone, world);
      await attachPicture(lone, world);
      const before = new Date().toISOString();
      await lone.call(world, 'POST', '/api/archival/archive', { before });
      const isArchived = `select from agents.archive_jobs where tenant_id = $1 and kind = 'archive' and state = 'done'`;
      await eventually(
        'it is archived',
        async () => (await lone.rows(isArchived, [world.tenantId])).length > 0,
      );
      // One that found nobody to ask is still at work, and asks again.
      await lone.call(world, 'POST', '/api/archival/trim', { before });
    }),
  };
}

/**
 * The requests that the service sends in the background, for a cause or periodically. Messages are answered whatever
 * the result.
 */
function inBackground(request: RequestType, cause?: Step): AskCase {
  return {
    arrange: addBot(),
    provoke: async (lone, world) => {
      const asked = lone.neighbours.asked(request);
      const before = asked.length;
      await cause?.(lone, world);
      if (lone.neighbours.scriptOf(request))
        await eventually(`${request.name} is asked`, () => asked.length > before);
      return await askBot(lone, world);
    },
    isInBackground: true,
    absent: 200,
    refused: 200,
    unreadable: 200,
  };
}

type KeyAnswer = Said<typeof resolveKey>['answer'];
type KeyQuestion = Said<typeof resolveKey>['question'];

/** A key that was sealed for another recipient long ago is sealed for the current one, to be sent to the model. */
async function withKey(
  answer: KeyAnswer,
  { recipient }: KeyQuestion,
  model: FakeModel,
  key = 'sk-proj-0123456789abcdef',
): Promise<KeyAnswer> {
  if (answer.sealedKey === null) return answer;
  const sealedKey = await sealFor(recipient, new Secret(key));
  return { ...answer, sealedKey, host: new URL(model.url).host };
}

/** Hands this world's tenant a key of its own, which the provider refuses; calls with other keys are answered. */
export async function playRefusedKey(lone: LoneService, world: World, model: FakeModel): Promise<void> {
  const [, dated] = samplesOf(resolveKey);
  const refused = `sk-proj-${world.tag}`;
  await lone.neighbours.play(resolveKey, async (asked) => {
    const question = asked as KeyQuestion;
    const key = question.tenantId === world.tenantId ? refused : undefined;
    return { ok: await withKey(world.said(dated!.said.answer), question, model, key) };
  });
  const error = { message: 'no', type: 'x', code: 'invalid_api_key' };
  model.replyWith(({ headers }) =>
    headers.authorization === `Bearer ${refused}` ? { status: 401, body: { error } } : 'ok',
  );
}

/** A cached answer is requested again once the event was published. */
async function forgetsFor(
  lone: LoneService,
  world: World,
  [request, change, said = {}]: [RequestType, EventType, object?],
): Promise<void> {
  const asked = lone.neighbours.asked(request);
  const isAskedAgain = async () => {
    const before = asked.length;
    expect(await askBot(lone, world)).toEqual({ status: 200 });
    return asked.length > before;
  };
  await eventually(`the answer to ${request.name} is remembered`, async () => !(await isAskedAgain()));
  await lone.publish(change, { tenantId: world.tenantId, ...said });
  await eventually(`${request.name} is asked again`, isAskedAgain, beforeItExpires);
}

/** That nothing restricts a bot is asked once and remembered, until tenancy says that something has changed. */
export const forgetsAdmission: Step = async (lone, world) => {
  await addBot()(lone, world);
  await forgetsFor(lone, world, [admitMessages, authorizationChanged]);
};

/** That a tenant has no quota is asked once and remembered, until it gets one. */
export const forgetsQuota: Step = async (lone, world) => {
  await addBot()(lone, world);
  const none = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };
  const script = lone.neighbours.scriptOf(reserveQuota);
  await lone.neighbours.play(reserveQuota, () => ({ ok: none }));
  await forgetsFor(lone, world, [reserveQuota, quotaChanged]);
  if (script) await lone.neighbours.play(reserveQuota, script);
};

/** That a tenant has stored no key is asked once and remembered, until it stores one. */
export const forgetsNoKey: Step = async (lone, world) => {
  await addBot()(lone, world);
  const platforms = { keyId: null, source: 'platform', considered: [], sealedKey: null };
  const script = lone.neighbours.scriptOf(resolveKey);
  await lone.neighbours.play(resolveKey, () => ({ ok: platforms }));
  const stored = { keyId: world.id('keyId'), provider: 'private-llm' };
  await forgetsFor(lone, world, [resolveKey, keyStored, stored]);
  if (script) await lone.neighbours.play(resolveKey, script);
};

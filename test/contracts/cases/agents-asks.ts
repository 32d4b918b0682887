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
import { type PayloadOf, samplesOf } from '@botyard/testing/samples';
import type { Answer } from '@botyard/testing/test-call';
import { expect } from 'vitest';
import type { ServiceUnderTest } from '../support/service-under-test.ts';
import type { AskCase, Step } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';
import { addAgent, addBot, answerOnce, askBot, isAnswered, say } from './agents-steps.ts';

/** Somebody else than the admin has to decide about this call of a tool. */
const openTicket: Step = async (sut, tenant) => {
  const requester = {
    userId: randomUUID(),
    platform: 'messenger',
    platformUserId: '5512345678',
    name: 'Anna',
  };
  await sut.rows(
    `insert into agents.tool_tickets (tenant_id, ticket_id, status, conversation_id, bot_id, agent_id, tool_id, tool_name,
       toolkit, tool, arguments_hash, requesters, arguments, requester_ids, expires_at, next_at)
     values ($1, $2, 'pending', $2, $2, $2, $2, 'send', 'gmail', 'SEND', 'hash', $3, '{}', '{}',
       now() + interval '1 hour', now() + interval '1 hour')`,
    [tenant.tenantId, tenant.id('turnId'), JSON.stringify([requester])],
  );
};

/** A picture came with everything that was said, long ago. */
const attachPicture: Step = async (sut, tenant) => {
  const attachment = JSON.stringify({ kind: 'photo', mediaId: randomUUID() });
  await sut.rows(
    `update agents.messages set attachment = $2, created_at = now() - interval '1 day'
     where tenant_id = $1 and direction = 'in'`,
    [tenant.tenantId, attachment],
  );
};

/** A run of tests that has ended. */
const insertRun: Step = async (sut, tenant) => {
  await addAgent()(sut, tenant);
  const [agentId, runId] = [tenant.id('agentId'), tenant.id('runId')];
  await sut.rows(
    `with test_set as (
       insert into agents.evaluation_sets (tenant_id, set_id, agent_id, name, documents, may_use_platform_key)
       values ($1, $3, $2, 'Orders', 'recorded', false)
     )
     insert into agents.evaluation_runs (tenant_id, run_id, set_id, agent_id, state, documents, may_use_platform_key,
       candidate, candidate_version, last_case_id, total, ready_at)
     values ($1, $3, $3, $2, 'done', 'recorded', false, '{ "version": 1, "isDraft": false }', 1, $3, 1, null)`,
    [tenant.tenantId, agentId, runId],
  );
};

/** Somebody of the tenant sends a file into the chat that they handle. */
const sendFile: Step<Answer> = async (sut, tenant) => {
  const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
  const form = new FormData();
  form.set('files', new Blob(['%PDF-1.7']), 'offer.pdf');
  const encoded = new Response(form);
  return await sut.process.call('POST', `/api/interactions/chats/${chatId}/messages`, {
    as: tenant.admin,
    rawBody: new Uint8Array(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type')! },
  });
};

/** A chat of a platform with templates. */
const answeredAtWhatsApp: Step = async (sut, tenant) => {
  await answerOnce(sut, tenant);
  await sut.rows(`update agents.conversations set platform = 'whatsapp' where tenant_id = $1`, [
    tenant.tenantId,
  ]);
};

/** The tenant's bot, whose agent has a tool that needs an approval and calls it for every question. */
const addToolNeedingApproval =
  (model: () => FakeModel): Step =>
  async (sut, tenant) => {
    await addBot()(sut, tenant);
    const { id } = await sut.make(tenant, 'POST', '/api/definitions/tools', {
      name: 'weather',
      description: 'Tells the weather.',
      kind: 'external',
      settings: { toolkit: 'weather', tool: 'WEATHER_TODAY' },
    });
    await sut.make(tenant, 'PUT', `/api/definitions/agents/${tenant.id('agentId')}`, { toolIds: [id] });
    await sut.make(tenant, 'PUT', '/api/integrations/access-rules', {
      effect: 'approval',
      toolkit: 'weather',
    });
    model().replyWith(({ tools, messages }) =>
      tools?.length && messages.at(-1)?.role !== 'tool'
        ? { toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] }
        : 'Hello',
    );
  };

const traceOf = new Map<TestTenant, string>();

/** The requests that the agents service sends while it answers, and while somebody looks at a page. */
export function agentsAsks(model: () => FakeModel): Readonly<Record<string, AskCase>> {
  const parksCall: AskCase = {
    arrange: addToolNeedingApproval(model),
    provoke: askBot,
    // The call fails, which the model is told.
    absent: 200,
    refused: 200,
    unreadable: 200,
  };
  const inTurn: AskCase = { arrange: addBot(), provoke: askBot, resumes: isAnswered };
  return {
    'tenancy.bot.find.v1': {
      provoke: (sut, tenant) =>
        sut.call(tenant, 'POST', '/api/agents/triage-preview', { message: 'Hi', botId: tenant.id('botId') }),
      answered: { first: 200, none: 404 },
    },
    'tenancy.message.admit.v1': {
      ...inTurn,
      // The last one refuses somebody else.
      answered: { first: 200, refused: 403, channel: 403 },
    },
    'tenancy.account.owners.v1': {
      arrange: openTicket,
      provoke: (sut, tenant) =>
        sut.call(tenant, 'POST', `/api/integrations/pending/${tenant.id('turnId')}/approve`, {}),
    },
    'tenancy.staff.find.v1': {
      arrange: async (sut, tenant) => {
        await addBot()(sut, tenant);
        await say()(sut, tenant);
      },
      provoke: async (sut, tenant) => {
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        const body = { assigneeUserId: randomUUID() };
        return await sut.call(tenant, 'POST', `/api/interactions/chats/${chatId}/takeover`, body);
      },
      answered: { first: 200, none: 422 },
    },
    'keys.secret.find.v1': parksCall,
    'tenancy.secret.find.v1': parksCall,
    'keys.key.resolve.v1': {
      ...inTurn,
      makeTrue: (answer, { question }) => withKey(answer, question, model()),
      // A key that is limited for now is waited for.
      answered: { first: 200, none: 503, limited: 503 },
    },
    'usage.quota.reserve.v1': {
      ...inTurn,
      answered: {
        first: 200,
        'no-quota': 200,
        'used-up': 202,
        'own-key': 200,
        'platform-key': 200,
        'platform-key-unlimited': 200,
        'platform-key-used-up': 202,
        // Put off, like in an outage.
        'platform-key-reserved': 503,
      },
    },
    'usage.turn.cost.v1': {
      arrange: async (sut, tenant) => {
        await answerOnce(sut, tenant);
        const [trace] = await sut.make(tenant, 'GET', '/api/context-traces');
        traceOf.set(tenant, trace.traceId);
      },
      provoke: (sut, tenant) => sut.call(tenant, 'GET', `/api/context-traces/${traceOf.get(tenant)}`),
      // Reported without its cost.
      absent: 200,
    },
    'usage.run.sum.v1': {
      arrange: insertRun,
      provoke: (sut, tenant) => sut.call(tenant, 'GET', '/api/evaluations/runs'),
      // Returned without the cost.
      absent: 200,
      refused: 200,
      unreadable: 200,
    },
    'usage.chat.sum.v1': {
      provoke: (sut, tenant) => sut.call(tenant, 'GET', '/api/analytics/chats'),
      // Returned without the cost.
      absent: 200,
      refused: 200,
      unreadable: 200,
    },
    'webhooks.message.find.v1': inBackground(findMessages, async (sut, tenant) => {
      // The first one of its conversation never comes.
      await say({ conversationId: randomUUID(), seq: 2 })(sut, tenant);
    }),
    'webhooks.message.recent.v1': inBackground(listRecentMessages),
    'webhooks.media.find.v1': {
      arrange: async (sut, tenant) => {
        await answerOnce(sut, tenant);
        await attachPicture(sut, tenant);
      },
      provoke: async (sut, tenant) => {
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        return await sut.call(tenant, 'GET', `/api/interactions/chats/${chatId}/messages`);
      },
      // Messages are shown without the state of their files.
      absent: 200,
      refused: 200,
      unreadable: 200,
    },
    'webhooks.media.reserve.v1': {
      arrange: async (sut, tenant) => {
        await answerOnce(sut, tenant);
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        await sut.make(tenant, 'POST', `/api/interactions/chats/${chatId}/takeover`, {});
      },
      provoke: sendFile,
      answered: { first: 201, 'too-large': 422 },
    },
    'webhooks.template.fill.v1': {
      arrange: async (sut, tenant) => {
        await answeredAtWhatsApp(sut, tenant);
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        await sut.make(tenant, 'POST', `/api/interactions/chats/${chatId}/takeover`, {});
      },
      provoke: async (sut, tenant) => {
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        const template = { name: 'order_ready', language: 'en', parameters: ['Anna', '17'] };
        return await sut.call(tenant, 'POST', `/api/interactions/chats/${chatId}/messages`, { template });
      },
      answered: { first: 201, refused: 422, email: 422, slack: 422, webchat: 422 },
    },
    'webhooks.template.list.v1': {
      arrange: answeredAtWhatsApp,
      provoke: async (sut, tenant) => {
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        return await sut.call(tenant, 'GET', `/api/interactions/chats/${chatId}/templates`);
      },
    },
    'webhooks.media.drop.v1': inBackground(dropMedia, async (sut, tenant) => {
      await askBot(sut, tenant);
      await attachPicture(sut, tenant);
      const before = new Date().toISOString();
      await sut.call(tenant, 'POST', '/api/archival/archive', { before });
      const isArchived = `select from agents.archive_jobs where tenant_id = $1 and kind = 'archive' and state = 'done'`;
      await eventually(
        'it is archived',
        async () => (await sut.rows(isArchived, [tenant.tenantId])).length > 0,
      );
      // One that found nobody to ask is still at work, and asks again.
      await sut.call(tenant, 'POST', '/api/archival/trim', { before });
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
    provoke: async (sut, tenant) => {
      const questions = sut.fakes.asked(request);
      const before = questions.length;
      await cause?.(sut, tenant);
      if (sut.fakes.scriptOf(request))
        await eventually(`${request.name} is asked`, () => questions.length > before);
      return await askBot(sut, tenant);
    },
    isInBackground: true,
    absent: 200,
    refused: 200,
    unreadable: 200,
  };
}

type KeyAnswer = PayloadOf<typeof resolveKey>['answer'];
type KeyQuestion = PayloadOf<typeof resolveKey>['question'];

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

/** Hands this tenant a key of its own, which the provider refuses; calls with other keys are answered. */
export async function playRefusedKey(
  sut: ServiceUnderTest,
  tenant: TestTenant,
  model: FakeModel,
): Promise<void> {
  const [, dated] = samplesOf(resolveKey);
  const refused = `sk-proj-${tenant.tag}`;
  await sut.fakes.answerWith(resolveKey, async (asked) => {
    const question = asked as KeyQuestion;
    const key = question.tenantId === tenant.tenantId ? refused : undefined;
    return { ok: await withKey(tenant.withOwnIds(dated!.payload.answer), question, model, key) };
  });
  const error = { message: 'no', type: 'x', code: 'invalid_api_key' };
  model.replyWith(({ headers }) =>
    headers.authorization === `Bearer ${refused}` ? { status: 401, body: { error } } : 'ok',
  );
}

/** A cached answer is requested again once the event was published. */
async function forgetsFor(
  sut: ServiceUnderTest,
  tenant: TestTenant,
  [request, change, payload = {}]: [RequestType, EventType, object?],
): Promise<void> {
  const questions = sut.fakes.asked(request);
  const isAskedAgain = async () => {
    const before = questions.length;
    expect(await askBot(sut, tenant)).toEqual({ status: 200 });
    return questions.length > before;
  };
  await eventually(`the answer to ${request.name} is remembered`, async () => !(await isAskedAgain()));
  await sut.publish(change, { tenantId: tenant.tenantId, ...payload });
  await eventually(`${request.name} is asked again`, isAskedAgain, beforeItExpires);
}

/** That nothing restricts a bot is asked once and remembered, until tenancy says that something has changed. */
export const forgetsAdmission: Step = async (sut, tenant) => {
  await addBot()(sut, tenant);
  await forgetsFor(sut, tenant, [admitMessages, authorizationChanged]);
};

/** That a tenant has no quota is asked once and remembered, until it gets one. */
export const forgetsQuota: Step = async (sut, tenant) => {
  await addBot()(sut, tenant);
  const none = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };
  const script = sut.fakes.scriptOf(reserveQuota);
  await sut.fakes.answerWith(reserveQuota, () => ({ ok: none }));
  await forgetsFor(sut, tenant, [reserveQuota, quotaChanged]);
  if (script) await sut.fakes.answerWith(reserveQuota, script);
};

/** That a tenant has stored no key is asked once and remembered, until it stores one. */
export const forgetsNoKey: Step = async (sut, tenant) => {
  await addBot()(sut, tenant);
  const platforms = { keyId: null, source: 'platform', considered: [], sealedKey: null };
  const script = sut.fakes.scriptOf(resolveKey);
  await sut.fakes.answerWith(resolveKey, () => ({ ok: platforms }));
  const stored = { keyId: tenant.id('keyId'), provider: 'private-llm' };
  await forgetsFor(sut, tenant, [resolveKey, keyStored, stored]);
  if (script) await sut.fakes.answerWith(resolveKey, script);
};

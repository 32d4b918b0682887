import { randomInt, randomUUID } from 'node:crypto';
import { erasePerson } from '@botyard/contracts/events/agents-requests';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
let cases: string;

beforeAll(async () => {
  services = await openAgentsServices();
  const agentId = await createAgent(services, services.acme);
  bot = await createBot(services, services.acme, { agentIds: [agentId] });
  const { body } = await call('POST', '/api/evaluations/sets', { name: 'Orders', agentId });
  cases = `/api/evaluations/sets/${body.setId}/cases`;
});
afterAll(() => services?.close());

const call = (method: string, path: string, body?: object) =>
  services.agents.call(method, path, { as: services.acme.admin, ...(body ? { body } : {}) });

const caseOf = (...sourceMessageIds: string[]) => ({
  name: 'Hours',
  messages: [{ role: 'user', text: 'When do you open?' }],
  sourceMessageIds,
});

const statusOf = async (caseId: string) => (await call('GET', `${cases}/${caseId}`)).status;

/** Somebody's chat with the bot. */
class ErasedChat {
  readonly #chat = new Chat(services, bot);
  readonly #platformUserId = String(randomInt(1e9));

  async say(text: string): Promise<void> {
    await this.#chat.say(text, {
      sender: { platformUserId: this.#platformUserId, name: 'Ann' },
      chat: { platformChatId: this.#platformUserId, kind: 'private', title: 'Ann' },
      receivedAt: new Date().toISOString(),
    });
    await this.#chat.answers(1);
    await this.#chat.isIdle();
  }

  #rows = (direction: 'in' | 'out') =>
    services.harness.asOwner<{ message_id: string }>(
      'select message_id from agents.messages where conversation_id = $1 and direction = $2 order by seq desc',
      [this.#chat.conversationId, direction],
    );

  latest = async (direction: 'in' | 'out') => (await this.#rows(direction))[0]!.message_id;

  /** Erases everything from before that moment. Returns how many cases that deleted. */
  async erase(erasedBefore: Date): Promise<number> {
    const { tenantId } = services.acme;
    const account = { platform: 'messenger' as const, platformUserId: this.#platformUserId };
    const person = { tenantId, personIds: [personIdOfAccount(tenantId, account)], accounts: [account] };
    const bus = await services.harness.busAs('tenancy');
    let erasedCases = 0;
    await eventually('the erasure is done', async () => {
      const { isDone, receipts } = await ask(bus, erasePerson, {
        ...person,
        erasedBefore: erasedBefore.toISOString(),
      });
      erasedCases += receipts.find(({ store }) => store === 'agents.evaluation_cases')?.erased ?? 0;
      return isDone;
    });
    return erasedCases;
  }
}

test('an erasure deletes cases that were made or replaced after its request, of messages from before it', async () => {
  const chat = new ErasedChat();
  await chat.say('hello');
  const { body: replaced } = await call('POST', cases, caseOf());
  const { body: other } = await call('POST', cases, caseOf());
  const requestedAt = new Date();
  const [said, answered] = [await chat.latest('in'), await chat.latest('out')];
  const { body: made } = await call('POST', cases, caseOf(said));
  const { body: madeOfAnswer } = await call('POST', cases, caseOf(answered));
  expect((await call('PUT', `${cases}/${replaced.caseId}`, caseOf(said, answered))).status).toBe(200);
  expect(await chat.erase(requestedAt)).toBe(3);
  for (const { caseId } of [made, madeOfAnswer, replaced]) expect(await statusOf(caseId)).toBe(404);
  expect(await statusOf(other.caseId)).toBe(200);
  for (const messageId of [said, answered])
    expect((await call('POST', cases, caseOf(messageId))).status).toBe(422);
});

test('an erasure deletes the answers to its cases, and the marks at them', async () => {
  const chat = new ErasedChat();
  await chat.say('hello');
  const { body: made } = await call('POST', cases, caseOf(await chat.latest('in')));
  const runId = randomUUID();
  await services.harness.asOwner(
    `with run as (
       insert into agents.evaluation_runs (tenant_id, run_id, set_id, agent_id, state, documents,
         may_use_platform_key, candidate, candidate_version, last_case_id, total, ready_at)
       select tenant_id, $2, set_id, agent_id, 'done', 'recorded', false, '{}', 1, $1, 1, null
       from agents.evaluation_sets where set_id = $3 returning tenant_id)
     insert into agents.evaluation_results (tenant_id, run_id, case_id, passed, candidate)
     select tenant_id, $2, $1, true, '{}' from run`,
    [made.caseId, runId, made.setId],
  );
  await services.harness.asOwner(
    `insert into agents.evaluation_marks (tenant_id, run_id, case_id, side, mark)
     select tenant_id, run_id, case_id, 'candidate', 'good' from agents.evaluation_results where run_id = $1`,
    [runId],
  );
  expect(await chat.erase(new Date())).toBe(1);
  for (const table of ['evaluation_results', 'evaluation_marks'])
    expect(await services.harness.asOwner(`select from agents.${table} where run_id = $1`, [runId])).toEqual(
      [],
    );
});

test('an erasure that is run again keeps the cases of what the person has written since', async () => {
  const chat = new ErasedChat();
  await chat.say('hello');
  const requestedAt = new Date();
  await chat.erase(requestedAt);
  await chat.say('it is me again');
  const { body: made } = await call('POST', cases, caseOf(await chat.latest('in')));
  expect(await chat.erase(requestedAt)).toBe(0);
  expect(await statusOf(made.caseId)).toBe(200);
});

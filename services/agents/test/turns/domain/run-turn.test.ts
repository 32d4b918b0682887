import { messageReceived } from '@botyard/contracts/events/webhooks';
import { armFailpoints } from '@botyard/shared/service/failpoint';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  startAgents,
  startKeys,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterEach(() => armFailpoints({ NODE_ENV: 'test' }));

afterAll(() => services?.close());

const arm = (FAILPOINTS: string) => armFailpoints({ NODE_ENV: 'test', FAILPOINTS });

/** An agent whose definition can't be used: every try to answer with it fails inside the service. */
async function poisonedBot(): Promise<TestBot> {
  const agentIds = [await createAgent(services, services.acme)];
  const poisoned = await createBot(services, services.acme, { agentIds });
  await services.harness.asOwner(
    `update agents.agent_definitions set provider = 'x' where id = $1`,
    agentIds,
  );
  return poisoned;
}

const heal = ({ agentIds }: TestBot) =>
  services.harness.asOwner(`update agents.agent_definitions set provider = 'private-llm' where id = $1`, [
    agentIds[0],
  ]);

test.each(['agents.turn.before-answer', 'agents.turn.before-commit'])(
  'a failure at %s is tried again, and the message is answered once',
  async (name) => {
    arm(`${name}:error`);
    const chat = new Chat(services, bot);
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual(['re: hello']);
    await chat.isIdle();
    expect(await chat.replies()).toHaveLength(1);
    expect(services.harness.logLines.some((line) => line.includes(`failpoint ${name}`))).toBe(true);
  },
);

test('a failure after the commit repeats nothing', async () => {
  arm('agents.turn.after-commit:error');
  const chat = new Chat(services, bot);
  await chat.say('one');
  await chat.say('two');
  expect(await chat.answers(2)).toEqual(['re: one', 're: two']);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(2);
});

test('a database that is away while an answer is stored does not have the model asked again', async () => {
  const { harness, model } = services;
  await harness.asOwner(`
    create sequence agents.test_stores;
    grant usage on sequence agents.test_stores to public;
    create function agents.test_refuse() returns trigger language plpgsql as $$ begin
      if nextval('agents.test_stores') < 3 then
        raise exception 'too many connections' using errcode = 'too_many_connections';
      end if;
      return new;
    end $$;
    create trigger test_refuse before insert on agents.turns for each row execute function agents.test_refuse()`);
  const calls = model.requests.count;
  const chat = new Chat(services, bot);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual(['re: hello']);
  await harness.asOwner('drop function agents.test_refuse cascade');
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
  expect(model.requests.count).toBe(calls + 1);
});

test('a poisoned message is dead with its reason after 6 tries, and the next one is answered', async () => {
  const poisoned = await poisonedBot();
  const chat = new Chat(services, poisoned);
  const others = Array.from({ length: 5 }, () => new Chat(services, bot));
  await chat.say('poison');
  await Promise.all(others.map((other) => other.say('hello')));
  const dead = await eventually('the message is dead', async () => {
    const [message] = await chat.written();
    return message?.status === 'dead' && message;
  });
  expect(dead.last_error).toContain('provider');
  await Promise.all(others.map((other) => other.answers(1)));
  const failed = services.harness.logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg, tenantId }) => msg === 'a turn failed' && tenantId === poisoned.tenantId);
  expect(failed.at(-1)?.failures).toBe(5);
  await heal(poisoned);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual(['re: hello']);
  expect(await chat.written()).toMatchObject([{ status: 'dead' }, { status: 'answered' }]);
});

test('a message whose answering ends the process each time is dead after so many claims', async () => {
  const chat = new Chat(services, bot);
  await chat.say('warm up');
  await chat.answers(1);
  await chat.isIdle();
  const calls = services.model.requests.count;
  await services.harness.asOwner('update agents.conversations set claims = 20 where conversation_id = $1', [
    chat.conversationId,
  ]);
  await chat.say('killer');
  await eventually('it is dead', async () => (await chat.written())[1]?.status === 'dead');
  expect((await chat.written())[1]?.last_error).toContain('20 claims');
  expect(services.model.requests.count).toBe(calls);
  await chat.say('hello');
  expect((await chat.answers(2))[1]).toBe('re: hello');
});

test('a message that never arrives delays those behind it for less than a minute, and is answered if it arrives later', async () => {
  const chat = new Chat(services, bot);
  const missing = chat.message('late');
  await chat.say('two');
  await chat.say('three');
  await services.harness.settled('agents', 'webhooks');
  expect(await chat.replies()).toEqual([]);
  await services.harness.asOwner(
    `update agents.messages set created_at = created_at - interval '50 seconds' where conversation_id = $1`,
    [chat.conversationId],
  );
  expect(await chat.answers(2)).toEqual(['re: two', 're: three']);
  await chat.isIdle();
  await services.harness.publish(messageReceived, missing);
  expect((await chat.answers(3))[2]).toBe('re: late');
  await chat.say('four');
  expect((await chat.answers(4))[3]).toBe('re: four');
});

test('while the keys service is down messages wait, without an apology and without counting as failed', async () => {
  const unknown = await createBot(services, services.acme);
  await services.keys.stop();
  const chat = new Chat(services, unknown);
  await chat.say('hello');
  await eventually('it was tried', async () => {
    const [row] = await services.harness.asOwner<{ fence: string }>(
      'select fence from agents.conversations where conversation_id = $1',
      [chat.conversationId],
    );
    return Number(row?.fence ?? 0) >= 2;
  });
  expect(await chat.replies()).toEqual([]);
  const [row] = await services.harness.asOwner(
    'select failures, claims <= 1 as untried from agents.conversations where conversation_id = $1',
    [chat.conversationId],
  );
  expect(row).toEqual({ failures: 0, untried: true });
  services.keys = await startKeys(services);
  expect(await chat.answers(1)).toEqual(['re: hello']);
});

test('a message that arrives before its bot was announced is answered', async () => {
  const unheard = await createBot(services, services.acme);
  await services.harness.settled('agents', 'tenancy');
  await services.harness.asOwner('delete from agents.bots where bot_id = $1', [unheard.botId]);
  await startAgents(services);
  const chat = new Chat(services, unheard);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual(['re: hello']);
});

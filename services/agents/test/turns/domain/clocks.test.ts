import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { skewedClock } from '@botyard/testing/skewed-clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

const minutes10 = 10 * 60_000;

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});
afterAll(() => services?.close());

/** The one process of agents from now on. */
async function replaceBy(shiftMs: number): Promise<void> {
  await services.agents.stop();
  services.agents = await services.harness.startProcess('agents', {
    PRIVATE_LLM_BASE_URL: services.model.url,
    AGENTS_RETRY_BASE_MS: '10',
    ...(shiftMs === 0 ? {} : skewedClock(shiftMs)),
  });
}

test('F-43: processes whose clocks are 10 minutes behind and ahead give the model and the chat the messages in order', async () => {
  const chat = new Chat(services, bot);
  const texts = ['one', 'two', 'three', 'four'];
  for (const [index, shiftMs] of [0, -minutes10, minutes10, -minutes10].entries()) {
    await replaceBy(shiftMs);
    const nextRequest = services.model.nextRequest();
    await chat.say(texts[index]!);
    const said = texts.slice(0, index).flatMap((text) => [text, `re: ${text}`]);
    expect((await nextRequest).messages.slice(1).map(contentText)).toEqual([...said, texts[index]]);
    await chat.answers(index + 1);
  }
  await chat.isIdle();
  const rows = await services.harness.asOwner<{ text: string }>(
    'select text from agents.messages where conversation_id = $1 order by message_id',
    [chat.conversationId],
  );
  expect(rows.map(({ text }) => text)).toEqual(texts.flatMap((text) => [text, `re: ${text}`]));
  const turns = await services.harness.asOwner<{ text: string }>(
    `select m.text from agents.turns t join agents.messages m on m.message_id = t.reply_id
     where t.conversation_id = $1 order by t.turn_id`,
    [chat.conversationId],
  );
  expect(turns.map(({ text }) => text)).toEqual(texts.map((text) => `re: ${text}`));
});

test.each([-minutes10, minutes10])(
  'F-43: a gap is waited for as long as usual with a clock that is off by %i ms',
  async (shiftMs) => {
    await replaceBy(shiftMs);
    const chat = new Chat(services, bot);
    const [missing, behind] = [chat.message('#1'), chat.message('#2')];
    await services.harness.publish(messageReceived, behind);
    await services.harness.settled('agents', 'webhooks');
    await eventually('the gap was looked at', async () => {
      const [row] = await services.harness.asOwner<{ fence: string }>(
        'select fence from agents.conversations where conversation_id = $1',
        [chat.conversationId],
      );
      return Number(row?.fence) >= 2;
    });
    expect(await chat.replies()).toEqual([]);
    await services.harness.publish(messageReceived, missing);
    expect(await chat.answers(2)).toEqual(['re: #1', 're: #2']);
  },
);

/** Sends one text and prints every message of the answer. */

import { ChatError, type ChatFile, type Connection, type SandboxEvent } from './connection.ts';
import { createScreen, type Screen } from './screen.ts';

const answerTimeoutMs = 60_000;
/** A long answer arrives as several messages, about one per second. After this much silence it is complete. */
const quietMs = 1600;

export async function chatOnce(connection: Connection, text: string, file?: ChatFile): Promise<void> {
  const screen = createScreen();
  const finished = new AbortController();
  try {
    const events = await connection.events(finished.signal);
    const saidId = await connection.say(text, file);
    await showAnswer(connection.botName, { events, saidId, screen, finished });
  } finally {
    finished.abort();
    screen.end();
  }
}

type Waiting = {
  events: AsyncIterable<SandboxEvent>;
  saidId: number;
  screen: Screen;
  finished: AbortController;
};

async function showAnswer(botName: string, { events, saidId, screen, finished }: Waiting): Promise<void> {
  let shown = 0;
  let trouble = '';
  let timer = setTimeout(() => finished.abort(), answerTimeoutMs);
  const endAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => finished.abort(), ms);
  };
  screen.wait(`${botName} …`);
  for await (const event of events) {
    if (event.type === 'typing') {
      screen.wait(`${botName} is typing …`);
      if (shown > 0) endAfter(Math.max(quietMs, event.forMs));
    } else if (event.type === 'delivery' && event.entry.messageId === saidId) {
      trouble = troubleOf(event);
      if (trouble !== '') screen.wait(`${trouble} (retrying) …`);
    } else if (
      event.type === 'message' &&
      event.entry.direction === 'out' &&
      event.entry.messageId > saidId
    ) {
      screen.say(botName, event.entry.text);
      shown += 1;
      endAfter(quietMs);
    }
  }
  clearTimeout(timer);
  if (shown === 0)
    throw new ChatError(
      `${botName} did not answer within ${answerTimeoutMs / 1000} s. ${trouble || 'The message was delivered'}. ${advice}`,
    );
}

const advice = 'Check the output of `npm start` for the cause';

function troubleOf(event: Extract<SandboxEvent, { type: 'delivery' }>): string {
  const { state, lastStatus, lastError } = event.entry.delivery ?? { state: '' };
  if (state !== 'retrying' && state !== 'dropped') return '';
  return `Its webhook ${lastStatus === undefined ? `can't be reached (${lastError})` : `returns ${lastStatus}`}`;
}

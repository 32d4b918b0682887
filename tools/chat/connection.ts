/**
 * A client for the API of the running sandbox. It finds the sandbox by the launcher's run file, or by the port that
 * `docker compose up` publishes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainText } from '@botyard/shared/log/plain-text';

/** An error for the user of the terminal. Its message is one line that says what to do next. */
export class ChatError extends Error {}

type BotMessage = { messageId: number; direction: 'in' | 'out'; text: string };

export type SandboxEvent =
  | { type: 'message'; chatId: string; entry: BotMessage }
  | { type: 'typing'; chatId: string; forMs: number }
  | {
      type: 'delivery';
      chatId: string;
      entry: { messageId: number; delivery?: { state: string; lastStatus?: number; lastError?: string } };
    };

export type ChatFile = { name: string; base64: string };

export type Connection = {
  botName: string;
  sandboxUrl: string;
  /** Sends a message. If there is a file, the text is its caption. */
  say(text: string, file?: ChatFile): Promise<number>;
  /** Streams this chat's events until `signal` is aborted. Resolves once the stream is open. */
  events(signal: AbortSignal): Promise<AsyncIterable<SandboxEvent>>;
};

type RunFile = { sandboxUrl?: string; demoBot?: { username?: string; botId?: string | number } };
type SandboxBot = { botId: number; username: string; name: string; isConnected: boolean };

/** A separate person for the terminal, so that its chat doesn't mix with the chats of the page. */
const chatId = 700_000_002;
const demoUsername = 'botyard_demo_bot';
const lost = 'The connection to the sandbox was lost. Check that Botyard is still running.';
const notRunning = 'Botyard is not running. Start it with `npm start` or `docker compose up`.';

export async function connect(dataDir: string, sandboxPort: string): Promise<Connection> {
  const { sandboxUrl, demoBot } = (await readRunFile(join(dataDir, 'run.json'))) ?? {
    sandboxUrl: `http://127.0.0.1:${sandboxPort}`,
    demoBot: { username: demoUsername },
  };
  if (sandboxUrl === undefined || demoBot?.username === undefined) {
    throw new ChatError(
      'Botyard runs without the sandbox messenger. Chat with your bot in the real messenger instead.',
    );
  }
  const bots = (await request(`${sandboxUrl}/api/bots`)) as SandboxBot[];
  const bot = bots.find(
    (one) => one.username === demoBot.username || String(one.botId) === String(demoBot.botId),
  );
  if (bot === undefined || !bot.isConnected) {
    throw new ChatError(
      `@${demoBot.username} is not connected yet. Wait until the demo is ready, then try again.`,
    );
  }
  const messages = `${sandboxUrl}/api/bots/${bot.botId}/chats/${chatId}/messages`;
  return {
    botName: plainText(bot.name === bot.username ? `@${bot.username}` : bot.name),
    sandboxUrl,
    say: async (text, file) =>
      ((await request(messages, { text, name: 'Sam', file })) as { messageId: number }).messageId,
    events: (signal) => openEvents(sandboxUrl, bot.botId, signal),
  };
}

async function readRunFile(file: string): Promise<RunFile | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}

async function request(url: string, body?: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await reach(url, init);
  if (response.ok) return response.json();
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  throw new ChatError(`The sandbox rejected the request: ${plainText(error ?? `status ${response.status}`)}`);
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    throw new ChatError(notRunning);
  }
}

async function openEvents(
  sandboxUrl: string,
  botId: number,
  signal: AbortSignal,
): Promise<AsyncIterable<SandboxEvent>> {
  const response = await reach(`${sandboxUrl}/api/events`, { signal });
  if (response.body === null) throw new ChatError(notRunning);
  return readEvents(response.body, botId, signal);
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  botId: number,
  signal: AbortSignal,
): AsyncIterable<SandboxEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        const event = data === undefined ? undefined : (JSON.parse(data) as SandboxEvent & { botId: number });
        if (event?.botId === botId && event.chatId === String(chatId)) yield event;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw new ChatError(lost, { cause: error });
  }
  if (!signal.aborted) throw new ChatError(lost);
}

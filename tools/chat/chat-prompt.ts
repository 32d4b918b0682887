/** Shows a prompt until Ctrl-D. Answers appear as they arrive, even while the user types. */
import { createInterface } from 'node:readline/promises';
import type { Connection, SandboxEvent } from './connection.ts';
import { createScreen, type Screen } from './screen.ts';

export async function chatInteractively(connection: Connection): Promise<void> {
  const screen = createScreen();
  const finished = new AbortController();
  const events = await connection.events(finished.signal);
  process.stdout.write(
    `Chat with ${connection.botName}. Press Ctrl-D to exit. In a browser: ${connection.sandboxUrl}\n`,
  );
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
  const showing = showAll(connection.botName, { events, screen, prompt: () => terminal.prompt(true) });
  // If the stream ends, the sandbox has stopped, so the prompt is closed.
  const lost = showing.catch((error: unknown) => {
    terminal.close();
    throw error;
  });
  terminal.prompt();
  for await (const line of terminal) {
    if (line.trim() === '') terminal.prompt();
    else await connection.say(line.trim());
  }
  finished.abort();
  screen.end();
  process.stdout.write('\n');
  await lost;
}

type Showing = { events: AsyncIterable<SandboxEvent>; screen: Screen; prompt: () => void };

async function showAll(botName: string, { events, screen, prompt }: Showing): Promise<void> {
  for await (const event of events) {
    if (event.type === 'typing') screen.wait(`${botName} is typing …`);
    if (event.type !== 'message' || event.entry.direction !== 'out') continue;
    screen.say(botName, event.entry.text);
    prompt();
  }
}

import { eventually, patienceMs } from '@botyard/testing/eventually';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../attack/chromium.ts';
import { House } from '../attack/house.ts';

/** The whole system with the console built, and a browser that looks at it. */
export interface OpenConsole {
  house: House;
  /** What pages complained about: errors of their scripts, and what their content policy refused. */
  complaints: readonly string[];
  newPage(look?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export async function openConsole(): Promise<OpenConsole> {
  const house = await House.start({ CONSOLE_BUILD: 'true' });
  let browser: Browser | undefined;
  const complaints: string[] = [];
  const close = async () => {
    await browser?.close();
    await house.stop();
  };
  try {
    browser = await openBrowser([]);
    const isBuilt = async () => (await (await fetch(house.gatewayUrl)).text()).includes('<script');
    await eventually('the console is built', isBuilt, { timeoutMs: 300_000, everyMs: 500 });
  } catch (error) {
    await close();
    throw error;
  }
  const opened = browser;
  const newPage = async (look: BrowserContextOptions = {}) => {
    const context = await opened.newContext({ baseURL: house.gatewayUrl, ...look });
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text());
    });
    return page;
  };
  return { house, complaints, newPage, close };
}

/** Writes to the demo bot as somebody in the messenger does. */
export async function writeToDemoBot(
  { sandboxUrl }: House,
  text: string,
  name = 'Mallory <b>',
): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/api/bots/botyard_demo_bot/chats/700000077/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, name }),
  });
  if (answer.status !== 201) throw new Error(`the sandbox took no message: ${answer.status}`);
}

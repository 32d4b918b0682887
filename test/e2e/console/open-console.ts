import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, patienceMs } from '@botyard/testing/eventually';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { consoleFolder, hashOfSources } from '../../../console/build/sources.ts';
import { openBrowser } from '../../../tools/browser/open-browser.ts';
import { LocalInstallation } from '../attack/local-installation.ts';

/** Says of which sources the build is. */
const built = join(consoleFolder, 'dist', 'sources.txt');

/** A browser that looks at a console, once that is built. */
export interface ConsoleBrowser {
  /** Complaints of pages: errors of their scripts, and violations of their content policy. */
  complaints: readonly string[];
  newPage(look?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** The whole system with the console built, and a browser that looks at it. */
export interface OpenConsole extends ConsoleBrowser {
  installation: LocalInstallation;
}

export async function openConsole(env: Readonly<Record<string, string>> = {}): Promise<OpenConsole> {
  const installation = await LocalInstallation.start({ CONSOLE_BUILD: 'true', ...env });
  const browser = await lookAt(installation.gatewayUrl).catch(async (error: unknown) => {
    await installation.stop();
    throw error;
  });
  const close = async () => {
    await browser.close();
    await installation.stop();
  };
  return { ...browser, installation, close };
}

export async function lookAt(baseURL: string): Promise<ConsoleBrowser> {
  const complaints: string[] = [];
  const sources = hashOfSources();
  const isBuilt = async () => (await readFile(built, 'utf8').catch(() => '')) === sources;
  await eventually('the console is built', isBuilt, { timeoutMs: 300_000, everyMs: 500 });
  const browser = await openBrowser([]);
  const tellViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    console.error('content security policy: ' + violatedDirective + ' ' + blockedURI + ' ' + sample));`;
  const newPage = async (look: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ baseURL, ...look });
    const page = await context.newPage();
    await page.addInitScript(tellViolations);
    page.setDefaultTimeout(patienceMs);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text());
    });
    return page;
  };
  return { complaints, newPage, close: () => browser.close() };
}

/** Opens a page and waits until its data is loaded. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

/** The button that opens the dialog in which a page creates something. An empty list has it, too. */
export const createButton = (page: Page, title: string): Locator =>
  page.getByRole('button', { name: `${title} …`, exact: true }).first();

/** The sandbox's address of Mallory's chat with the demo bot. */
export const chatOfMallory = ({ sandboxUrl }: LocalInstallation): string =>
  `${sandboxUrl}/api/bots/botyard_demo_bot/chats/700000077/messages`;

/** Writes to the demo bot as somebody in the messenger does. */
export async function writeToDemoBot(
  installation: LocalInstallation,
  text: string,
  name = 'Mallory <b>',
): Promise<void> {
  const answer = await fetch(chatOfMallory(installation), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, name }),
  });
  if (answer.status !== 201) throw new Error(`the sandbox took no message: ${answer.status}`);
}

interface SandboxMails {
  people: { id: number; name: string; address: string }[];
  bots: string[];
  entries: { entryId: number; delivery?: string }[];
}

/** A mail to the demo bot. `piece` is one of the sandbox's ways to make it odd. */
interface MailToDemoBot {
  subject: string;
  text: string;
  piece?: string;
  /** Which of the sandbox's people writes. */
  from?: string;
}

/** Writes a mail to the demo bot, and waits until it was taken. Returns its sender's address. */
export async function writeMail(
  { sandboxUrl }: LocalInstallation,
  { from = 'Anna', ...mail }: MailToDemoBot,
): Promise<string> {
  const address = `${sandboxUrl}/api/mail`;
  const read = async () => (await (await fetch(address)).json()) as SandboxMails;
  const { people, bots } = await read();
  const person = people.find(({ name }) => name.startsWith(from));
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ personId: person?.id, to: bots[0], ...mail }),
  });
  if (!person || answer.status !== 201) throw new Error(`the sandbox took no mail: ${answer.status}`);
  const { entryId } = (await answer.json()) as { entryId: number };
  await eventually('the mail was taken', async () =>
    (await read()).entries.some((entry) => entry.entryId === entryId && entry.delivery === 'delivered'),
  );
  return person.address;
}

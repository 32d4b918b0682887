import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { consoleFolder } from '../../../console/build/sources.ts';

/** The addresses that the console's router knows, as it writes them: a new page is among them by itself. */
export const routes: readonly string[] = [
  ...readFileSync(join(consoleFolder, 'src/routes.tsx'), 'utf8').matchAll(/\bpage\(\s*'([^']+)'/g),
].map(([, path = '']) => path);

/** Every page of the console that needs no identifier, as its address. */
export const fixedPages: readonly string[] = routes.filter((path) => !path.includes('$'));

type First = (path: string) => Promise<Record<string, unknown> | undefined>;

interface Kind {
  name: string;
  route: string;
  list: string;
  id: string;
  /** Parts of an address other than the identifier. */
  also?: Readonly<Record<string, string>>;
}

const bot = { list: '/api/bots', id: 'botId' };
const kinds: readonly Kind[] = [
  { name: 'chat', route: '/inbox/$chatId', list: '/api/interactions/chats', id: 'chatId' },
  { name: 'agent', route: '/agents/$agentId', list: '/api/definitions/agents', id: 'id' },
  { name: 'bot', route: '/bots/$botId', ...bot },
  { name: 'bot-look', route: '/bots/$botId/look', ...bot },
  { name: 'bot-words', route: '/bots/$botId/words', ...bot },
  { name: 'bot-words-german', route: '/bots/$botId/words/$language', ...bot, also: { language: 'de' } },
  { name: 'app', route: '/apps/$appId', list: '/api/admin/apps', id: 'appId' },
  { name: 'tool', route: '/agents/tools/$toolId', list: '/api/definitions/tools', id: 'id' },
  {
    name: 'tool-server',
    route: '/agents/servers/$serverId',
    list: '/api/integrations/servers',
    id: 'serverId',
  },
  {
    name: 'capability',
    route: '/agents/capabilities/$capabilityId',
    list: '/api/definitions/capabilities',
    id: 'id',
  },
  { name: 'test-set', route: '/tests/$setId', list: '/api/evaluations/sets', id: 'setId' },
  { name: 'test-run', route: '/tests/runs/$runId', list: '/api/evaluations/runs', id: 'runId' },
  { name: 'policy', route: '/access/policies/$policyId', list: '/api/auth/policies', id: 'policyId' },
  {
    name: 'held-mail',
    route: '/inbox/held-mails/$mailId',
    list: '/api/email-threads/held-mails',
    id: 'mailId',
  },
];

export interface PageOfThing {
  name: string;
  /** As the router writes it. */
  route: string;
  path: string;
}

/**
 * The pages of single things: of the first of each kind that there is. @throws when the router knows a page that isn't
 * named here.
 */
export async function pagesOfThings(firstOf: First): Promise<readonly PageOfThing[]> {
  const unknown = routes.filter((path) => path.includes('$') && !kinds.some(({ route }) => route === path));
  if (unknown.length > 0) throw new Error(`say in pages.ts of what these pages are: ${unknown}`);
  const firstOfKinds = await Promise.all(
    kinds.map(async (kind) => ({ kind, first: await firstOf(kind.list) })),
  );
  return firstOfKinds.flatMap(({ kind: { name, route, id, also = {} }, first }) =>
    first
      ? [
          {
            name,
            route,
            path: route.replace(/\$(\w+)/g, (_, part: string) => also[part] ?? String(first[id])),
          },
        ]
      : [],
  );
}

/** The names of all pages when there is one resource of each kind. */
export const namesOfThings: readonly string[] = kinds.map(({ name }) => name);

/** Pages after an action, or as another person sees them. */
export const states: readonly { name: string; path: string; enter: (page: Page) => Promise<void> }[] = [
  {
    name: 'palette',
    path: '/',
    enter: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder(/^Search pages/).fill('demo');
      await page
        .getByRole('option', { name: /Demo bot/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'palette-empty',
    path: '/',
    enter: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder(/^Search pages/).fill('no such thing');
      await page.getByText('No results.').waitFor();
    },
  },
  {
    name: 'access-ended',
    path: '/bots?as=user_stranger&tenant=00000000-0000-7000-8000-000000000000',
    enter: async (page) => {
      await page.getByText('You have no access to this tenant.').waitFor();
    },
  },
];

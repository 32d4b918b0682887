import { consolePages } from '@botyard/contracts/console';
import type { Page } from 'playwright-core';

const beneath = [
  'inbox/held-mails',
  'inbox/senders',
  'agents/new',
  'agents/tools',
  'agents/capabilities',
  'agents/marketplace',
  'agents/triage',
  'people/invitations',
  'people/moderation',
  'people/accounts',
  'people/erasure',
  'access/policies',
  'operator/tenants',
  'operator/dead-letters',
  'operator/configuration',
  'operator/database',
  'operator/identity',
  'operator/archive',
] as const;

/** Every page of the console that needs no identifier, as its address. */
export const fixedPages: readonly string[] = ['', ...consolePages, ...beneath].map((path) => `/${path}`);

type First = (path: string) => Promise<Record<string, unknown> | undefined>;

/** The pages of single things: of the first of each kind that there is. */
export async function pagesOfThings(firstOf: First): Promise<readonly { name: string; path: string }[]> {
  const kinds = [
    { name: 'chat', list: '/api/interactions/chats', id: 'chatId', place: 'inbox' },
    { name: 'agent', list: '/api/definitions/agents', id: 'id', place: 'agents' },
    { name: 'bot', list: '/api/bots', id: 'botId', place: 'bots' },
    { name: 'app', list: '/api/admin/apps', id: 'appId', place: 'apps' },
    { name: 'tool', list: '/api/definitions/tools', id: 'id', place: 'agents/tools' },
    { name: 'capability', list: '/api/definitions/capabilities', id: 'id', place: 'agents/capabilities' },
    { name: 'held-mail', list: '/api/email-threads/held-mails', id: 'mailId', place: 'inbox/held-mails' },
  ] as const;
  const found = await Promise.all(kinds.map(async (kind) => ({ kind, first: await firstOf(kind.list) })));
  return found.flatMap(({ kind: { name, id, place }, first }) =>
    first ? [{ name, path: `/${place}/${String(first[id])}` }] : [],
  );
}

/** Pages as they are after somebody has done something, or as they are for somebody else. */
export const states: readonly { name: string; path: string; enter: (page: Page) => Promise<void> }[] = [
  {
    name: 'palette',
    path: '/',
    enter: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder(/^A page, or/).fill('demo');
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
      await page.getByPlaceholder(/^A page, or/).fill('no such thing');
      await page.getByText('Nothing is called that.').waitFor();
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

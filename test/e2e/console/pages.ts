import { consolePages } from '@botyard/contracts/console';

const beneath = [
  'agents/new',
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
  ] as const;
  const found = await Promise.all(kinds.map(async (kind) => ({ kind, first: await firstOf(kind.list) })));
  return found.flatMap(({ kind: { name, id, place }, first }) =>
    first ? [{ name, path: `/${place}/${String(first[id])}` }] : [],
  );
}

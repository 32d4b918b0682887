import { all, type Content, type Kind, pickFields } from './kind.ts';
import type { Names } from './names.ts';

const botDefaults = {
  agents: [],
  enabled: true,
  joinWindowMs: 1200,
  answerDeadlineSeconds: 60,
  delayNoticeSeconds: 20,
  answerWithinMinutes: 60,
  handbackAfterMinutes: 60,
  asksForRating: false,
  defaultLanguage: 'en',
  words: {},
};

/** The bots of one tenant. Their integrations hold credentials, so the folder has none of them. */
export const botsOf = (tenantId: string): Kind => ({
  name: 'bots',
  required: ['name'],
  defaults: botDefaults,
  list: async (api) =>
    (await all(api.list('/api/bots', { params: { query: { tenantId } } }))).map((bot) => ({
      id: bot.botId,
      title: bot.name,
      content: (names) => {
        const { agents: _byName, ...defaults } = botDefaults;
        const content = pickFields(bot, ['name', ...Object.keys(defaults)]);
        return { ...content, agents: bot.agentIds.map((id) => names.slugOrId('agents', id)) };
      },
    })),
  create: async (api, names, content) => {
    const body = botBody(names, content) as never;
    return (await api.post('/api/bots/{tenantId}/bots', { params: { path: { tenantId } }, body })).botId;
  },
  update: async (api, names, { id }, content) => {
    const path = { tenantId, botId: id };
    await api.put('/api/bots/{tenantId}/{botId}', { params: { path }, body: botBody(names, content) });
  },
  remove: async (api, id) => {
    await api.delete('/api/bots/{tenantId}/{botId}', { params: { path: { tenantId, botId: id } } });
  },
});

const botBody = (names: Names, { agents, ...body }: Content): Content => ({
  ...body,
  agentIds: names.ids('agents', agents),
});

import { all, type Content, type Kind } from './kind.ts';
import type { Names } from './names.ts';

/** The bots of one tenant. Their integrations hold credentials, so the folder has none of them. */
export const botsOf = (tenantId: string): Kind => ({
  name: 'bots',
  required: ['name'],
  defaults: {
    agents: [],
    enabled: true,
    joinWindowMs: 1200,
    answerDeadlineSeconds: 60,
    delayNoticeSeconds: 20,
    answerWithinMinutes: 60,
    handbackAfterMinutes: 60,
    defaultLanguage: 'en',
    words: {},
  },
  list: async (api) =>
    (await all(api.list('/api/bots', { params: { query: { tenantId } } }))).map((bot) => ({
      id: bot.botId,
      title: bot.name,
      content: (names) => {
        const {
          botId: _bot,
          tenantId: _tenant,
          createdAt: _from,
          updatedAt: _to,
          agentIds,
          ...content
        } = bot;
        return { ...content, agents: agentIds.map((id) => names.slugOrId('agents', id)) };
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

import { ApiError } from '@botyard/client/api-error';
import type { Client } from '@botyard/client/client';
import { type Content, type Kind, pickFields } from './kind.ts';
import type { Names } from './names.ts';

const path = '/api/integrations/access-rules';
const named = { bot: 'bots', agent: 'agents' } as const;

/**
 * Access rules of tools. The server knows a rule by its conditions, so a change of them adds the new rule and removes
 * the former one. People and groups are named by their identifiers.
 */
export const rules: Kind = {
  name: 'rules',
  required: ['effect'],
  defaults: {
    userId: null,
    userGroupId: null,
    bot: null,
    agent: null,
    toolkit: null,
    tool: null,
    toolGroupId: null,
    note: '',
  },
  list: async (api) =>
    (await ifSwitchedOn(api.get(path))).map((rule) => ({
      id: rule.ruleId,
      title: [rule.effect, rule.toolkit, rule.tool].filter(Boolean).join(' '),
      content: (names) => ({
        ...pickFields(rule, ['effect', 'userId', 'userGroupId', 'toolkit', 'tool', 'toolGroupId', 'note']),
        bot: rule.botId && names.slugOrId(named.bot, rule.botId),
        agent: rule.agentId && names.slugOrId(named.agent, rule.agentId),
      }),
    })),
  create: async (api, names, content) => (await api.put(path, { body: bodyOf(names, content) })).ruleId,
  update: async (api, names, { id }, content) => {
    const { ruleId } = await api.put(path, { body: bodyOf(names, content) });
    if (ruleId !== id) await removeRule(api, id);
  },
  remove: removeRule,
};

async function removeRule(api: Client, ruleId: string): Promise<void> {
  await api.delete(path, { params: { query: { ruleId } } });
}

function bodyOf(names: Names, { bot, agent, ...body }: Content) {
  const botId = bot === null ? null : names.id(named.bot, bot);
  const agentId = agent === null ? null : names.id(named.agent, agent);
  return { ...body, botId, agentId } as never;
}

/** Without external tools the installation has no rules and no servers. */
export async function ifSwitchedOn<Item>(list: Promise<Item[]>): Promise<Item[]> {
  return await list.catch((error: unknown) => {
    const isOff = error instanceof ApiError && error.status === 503 && error.message.includes('switched off');
    if (isOff) return [];
    throw error;
  });
}

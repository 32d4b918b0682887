import { ApiError } from '@botyard/client/api-error';
import type { Client } from '@botyard/client/client';
import { CliError } from '../cli-error.ts';
import { all, type Content, type Kind, pickFields } from './kind.ts';
import type { Names } from './names.ts';

export const tools: Kind = {
  name: 'tools',
  required: ['name', 'kind'],
  defaults: { description: '', settings: {} },
  list: async (api) =>
    (await all(api.list('/api/definitions/tools'))).map((tool) => ({
      id: tool.id,
      title: tool.name,
      version: tool.version,
      content: () => pickFields(tool, ['name', 'kind', 'description', 'settings']),
    })),
  create: async (api, _names, content) =>
    (await api.post('/api/definitions/tools', { body: content as never })).id,
  update: async (api, _names, { id }, { kind: _kind, ...body }) => {
    await api.put('/api/definitions/tools/{id}', { params: { path: { id } }, body });
  },
  remove: (api, id) => deleteAt(api, '/api/definitions/tools/{id}', id),
};

const capabilityFields = ['name', 'description', 'instructions', 'keywords'];

export const capabilities: Kind = {
  name: 'capabilities',
  markdown: 'instructions',
  required: ['name'],
  defaults: { description: '', instructions: '', keywords: [], tools: [] },
  list: async (api) =>
    (await all(api.list('/api/definitions/capabilities'))).map((capability) => ({
      id: capability.id,
      title: capability.name,
      version: capability.version,
      content: (names) => ({
        ...pickFields(capability, capabilityFields),
        tools: capability.toolIds.map((id) => names.slugOrId('tools', id)),
      }),
    })),
  create: async (api, names, content) => {
    const body = capabilityBody(names, content);
    return (await api.post('/api/definitions/capabilities', { body: body as never })).id;
  },
  update: async (api, names, { id }, content) => {
    const body = capabilityBody(names, content);
    await api.put('/api/definitions/capabilities/{id}', { params: { path: { id } }, body });
  },
  remove: (api, id) => deleteAt(api, '/api/definitions/capabilities/{id}', id),
};

const capabilityBody = (names: Names, { tools: toolNames, ...body }: Content): Content => ({
  ...body,
  toolIds: names.ids('tools', toolNames),
});

const agentFields = [
  'name',
  'description',
  'instructions',
  'provider',
  'model',
  'keywords',
  'keepsSummary',
  'modelSettings',
];

export const agents: Kind = {
  name: 'agents',
  markdown: 'instructions',
  required: ['name', 'instructions', 'provider', 'model'],
  defaults: {
    description: '',
    keywords: [],
    tools: [],
    capabilities: [],
    servers: [],
    keepsSummary: false,
    modelSettings: {},
  },
  list: async (api) =>
    (await all(api.list('/api/definitions/agents'))).map((agent) => ({
      id: agent.id,
      title: agent.name,
      version: agent.version,
      hasDraft: agent.hasDraft,
      content: (names) => ({
        ...pickFields(agent, agentFields),
        tools: agent.toolIds.map((id) => names.slugOrId('tools', id)),
        capabilities: agent.capabilityIds.map((id) => names.slugOrId('capabilities', id)),
        servers: agent.serverIds.map((id) => names.slugOrId('servers', id)),
      }),
    })),
  create: async (api, names, content) => {
    const body = agentBody(names, content);
    return (await api.post('/api/definitions/agents', { body: body as never })).id;
  },
  /** Through the draft, whose base makes the server refuse what somebody else changed meanwhile. */
  update: async (api, names, { id, title, version }, content, { note, overrideReason, isDraft }) => {
    const at = { params: { path: { id } } };
    const body = { ...agentBody(names, content), base: version } as never;
    await api.put('/api/definitions/agents/{id}/draft', { ...at, body });
    if (isDraft) return;
    const words = { ...(note ? { note } : {}), ...(overrideReason ? { overrideReason } : {}) };
    await api
      .post('/api/definitions/agents/{id}/draft/go-live', { ...at, body: words })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
        const issues = error.issues.map((issue) => `\n  ${issue.path}: ${issue.message}`).join('');
        throw new CliError(`${title} did not go live, its draft is kept: ${error.message}${issues}`);
      });
  },
  remove: (api, id) => deleteAt(api, '/api/definitions/agents/{id}', id),
};

const agentBody = (names: Names, { tools, capabilities, servers, ...body }: Content): Content => ({
  ...body,
  toolIds: names.ids('tools', tools),
  capabilityIds: names.ids('capabilities', capabilities),
  serverIds: names.ids('servers', servers),
});

type DefinitionPath =
  | '/api/definitions/tools/{id}'
  | '/api/definitions/capabilities/{id}'
  | '/api/definitions/agents/{id}';

async function deleteAt(api: Client, path: DefinitionPath, id: string): Promise<void> {
  await api.delete(path, { params: { path: { id } } });
}

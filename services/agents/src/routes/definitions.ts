import type { AgentDefinition, definitionsRouter } from '@botyard/shared/contracts/definitions';
import { withTenant } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { pageOf } from '@botyard/shared/http/page';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  type AgentDefinitionRow,
  deleteAgentDefinition,
  getAgentDefinition,
  insertAgentDefinition,
  listAgentDefinitions,
  listBotsUsing,
} from '../store/definitions/agent-definitions.ts';

export const definitionsHandlers: Handlers<typeof definitionsRouter, Deps> = {
  listAgentDefinitions: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listAgentDefinitions(tx, tenantId, query), query, toAgentDefinition, ({ id }) => id),
    ),

  createAgentDefinition: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      toAgentDefinition(await insertAgentDefinition(tx, { ...body, tenantId, id: uuidv7() })),
    ),

  getAgentDefinition: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const definition = await getAgentDefinition(tx, tenantId, params.id);
      if (!definition) throw notFound('agent definition');
      return toAgentDefinition(definition);
    }),

  deleteAgentDefinition: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const bots = await listBotsUsing(tx, tenantId, params.id);
      if (bots.length > 0) throw conflict('the agent is in use by a bot', { details: { bots } });
      if (!(await deleteAgentDefinition(tx, tenantId, params.id))) throw notFound('agent definition');
    }),
};

const toAgentDefinition = ({ createdAt, updatedAt, ...row }: AgentDefinitionRow): AgentDefinition => ({
  ...row,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

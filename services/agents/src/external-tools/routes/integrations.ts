import { withMoments } from '@botyard/contracts/http/common';
import type { integrationsRouter } from '@botyard/contracts/http/integrations';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem } from '@botyard/shared/http/tenant-item';
import type { Deps } from '../deps.ts';
import { approveTicket, rejectTicket, requireTicket } from '../domain/calls/decide-ticket.ts';
import { deleteConnection } from '../domain/connections.ts';
import { setPrivateLlm, showPrivateLlm } from '../domain/private-llm.ts';
import { deleteRules, putGroup, putRule, removeGroup } from '../domain/rules.ts';
import { toConnection, toTicket } from '../domain/shown.ts';
import { listToolkits, showToolkit } from '../domain/toolkits.ts';
import { getConnection } from '../store/connections.ts';
import { listGroups } from '../store/rules.ts';
import { connectionsPage, historyPage, rulesOf, ticketsPage } from './lists.ts';

export const integrationsHandlers: Handlers<typeof integrationsRouter, Deps> = {
  listToolkits: ({ tenantId, query: { search } }, deps) => listToolkits(deps, tenantId, search),

  getToolkit: ({ tenantId, params: { name } }, deps) => showToolkit(deps, tenantId, name),

  listConnections: connectionsPage,

  getConnection: tenantItem('connection', getConnection, toConnection),

  deleteConnection: ({ tenantId, params: { connectionId } }, deps) =>
    deleteConnection(deps, { tenantId, connectionId }),

  listAccessRules: ({ tenantId }, deps) => rulesOf(deps, tenantId),

  putAccessRule: async ({ tenantId, caller: { userId }, body }, deps) =>
    withMoments(await putRule(deps, { tenantId, userId }, body)),

  deleteAccessRules: ({ tenantId, query: { ruleId } }, deps) => deleteRules(deps, tenantId, ruleId),

  listAccessGroups: ({ tenantId }, { database }) =>
    withTenant(database, [tenantId], async (tx) => (await listGroups(tx, tenantId)).map(withMoments)),

  putAccessGroup: async ({ tenantId, body }, deps) => withMoments(await putGroup(deps, tenantId, body)),

  deleteAccessGroup: ({ tenantId, params: { accessGroupId } }, deps) =>
    removeGroup(deps, { tenantId, accessGroupId }),

  getPrivateLlm: ({ tenantId }, deps) => showPrivateLlm(deps, tenantId),

  putPrivateLlm: ({ tenantId, body }, deps) => setPrivateLlm(deps, tenantId, body),

  listPendingTickets: ticketsPage,

  getTicket: async ({ tenantId, params: { ticketId } }, deps) =>
    toTicket(await requireTicket(deps, { tenantId, ticketId })),

  approveTicket: async (
    { tenantId, params: { ticketId }, caller: by, body: { note = null, inputs } },
    deps,
  ) => toTicket(await approveTicket(deps, { tenantId, ticketId }, { by, note, inputs })),

  rejectTicket: async ({ tenantId, params: { ticketId }, caller: by, body: { note = null } }, deps) =>
    toTicket(await rejectTicket(deps, { tenantId, ticketId }, { by, note })),

  listHistory: historyPage,
};

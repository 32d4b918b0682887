import { withMoments } from '@botyard/contracts/http/common';
import type { AccessRule } from '@botyard/contracts/http/integrations-rules';
import type { ToolExecution, ToolTicket } from '@botyard/contracts/http/integrations-tickets';
import { type Page, pageOf } from '@botyard/contracts/http/page';
import type { ToolConnection } from '@botyard/contracts/http/tools';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { toConnection, toExecution, toTicket } from '../domain/shown.ts';
import { listConnections } from '../store/connections.ts';
import { listExecutions } from '../store/executions.ts';
import { listRules } from '../store/rules.ts';
import { listTickets } from '../store/tickets.ts';

/** The dependencies of lists that a tenant's admins and the platform's operators share. */
type ListDeps = Pick<Deps, 'database'>;

export const rulesOf = ({ database }: ListDeps, tenantId: string): Promise<AccessRule[]> =>
  withTenant(database, [tenantId], async (tx) => (await listRules(tx, tenantId)).map(withMoments));

export const connectionsPage = (
  { database }: ListDeps,
  tenantId: string,
  query: Parameters<typeof listConnections>[2],
): Promise<Page<ToolConnection>> =>
  withTenant(database, [tenantId], async (tx) => {
    const rows = await listConnections(tx, tenantId, query);
    return pageOf(rows, query, toConnection, ({ connectionId }) => connectionId);
  });

export const ticketsPage = (
  { database }: ListDeps,
  tenantId: string,
  query: Parameters<typeof listTickets>[2],
): Promise<Page<ToolTicket>> =>
  withTenant(database, [tenantId], async (tx) =>
    pageOf(await listTickets(tx, tenantId, query), query, toTicket, ({ ticketId }) => ticketId),
  );

export const historyPage = (
  { database }: ListDeps,
  tenantId: string,
  query: Parameters<typeof listExecutions>[2],
): Promise<Page<ToolExecution>> =>
  withTenant(database, [tenantId], async (tx) => {
    const rows = await listExecutions(tx, tenantId, query);
    return pageOf(rows, query, toExecution, ({ executionId }) => executionId);
  });

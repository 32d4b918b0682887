import { withMoments } from '@botyard/contracts/http/common';
import type { AccessRule } from '@botyard/contracts/http/integrations-rules';
import { withTenant } from '@botyard/shared/db/database';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Deps } from '../deps.ts';
import { toConnection, toExecution, toTicket } from '../domain/shown.ts';
import { listConnections } from '../store/connections.ts';
import { listExecutions } from '../store/executions.ts';
import { listRules } from '../store/rules.ts';
import { listTickets } from '../store/tickets.ts';

/** The dependencies of lists that a tenant's admins and the platform's operators share. */
type ListDeps = Pick<Deps, 'database'>;

export const rulesOf = ({ database }: ListDeps, tenantId: string): Promise<AccessRule[]> =>
  withTenant(database, [tenantId], async (tx) => (await listRules(tx, tenantId)).map(withMoments));

export const connectionsPage = tenantPage(listConnections, toConnection, ({ connectionId }) => connectionId);
export const ticketsPage = tenantPage(listTickets, toTicket, ({ ticketId }) => ticketId);
export const historyPage = tenantPage(listExecutions, toExecution, ({ executionId }) => executionId);

import type { contextTracesRouter } from '@botyard/shared/contracts/context-traces';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import { pageOf } from '@botyard/shared/http/page';
import type { Deps } from '../deps.ts';
import { getTrace, toSummary } from '../domain/traces/trace.ts';
import { listTurns } from '../store/history/traces.ts';

export const contextTracesHandlers: Handlers<typeof contextTracesRouter, Deps> = {
  listTraces: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listTurns(tx, tenantId, query), query, toSummary, ({ turn }) => turn.turnId),
    ),

  getTrace: ({ tenantId, params: { traceId } }, deps) => getTrace(deps, tenantId, traceId),
};

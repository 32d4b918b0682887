import type { contextTracesRouter } from '@botyard/contracts/http/context-traces';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { getTrace, getTraceForResponder, toSummary } from '../domain/trace.ts';
import { listTurns } from '../store/traces.ts';

export const contextTracesHandlers: Handlers<typeof contextTracesRouter, Deps> = {
  listTraces: ({ tenantId, botIds, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(
        await listTurns(tx, tenantId, { ...query, botIds }),
        query,
        toSummary,
        ({ turn }) => turn.turnId,
      ),
    ),

  getTrace: ({ tenantId, botIds, params: { traceId } }, deps) =>
    botIds ? getTraceForResponder(deps, { tenantId, traceId, botIds }) : getTrace(deps, tenantId, traceId),
};

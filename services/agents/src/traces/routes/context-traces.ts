import type { contextTracesRouter } from '@botyard/contracts/http/context-traces';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { getTrace, toSummary } from '../domain/trace.ts';
import { listTurns } from '../store/traces.ts';

export const contextTracesHandlers: Handlers<typeof contextTracesRouter, Deps> = {
  listTraces: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listTurns(tx, tenantId, query), query, toSummary, ({ turn }) => turn.turnId),
    ),

  getTrace: ({ tenantId, params: { traceId } }, deps) => getTrace(deps, tenantId, traceId),
};

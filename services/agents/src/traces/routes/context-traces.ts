import type { contextTracesRouter } from '@botyard/contracts/http/context-traces';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { getTrace, toSummary } from '../domain/trace.ts';
import { listTurns } from '../store/traces.ts';

export const contextTracesHandlers: Handlers<typeof contextTracesRouter, Deps> = {
  listTraces: tenantPage(listTurns, toSummary, ({ turn }) => turn.turnId),

  getTrace: ({ tenantId, params: { traceId } }, deps) => getTrace(deps, tenantId, traceId),
};

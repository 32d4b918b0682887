import type { gdprRouter } from '@botyard/contracts/http/gdpr';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { reapplyErasures, requestErasure, rerunErasure, toRequest } from '../domain/requests.ts';
import { getErasure, listErasures } from '../store/erasures.ts';

export const gdprHandlers: Handlers<typeof gdprRouter, Deps> = {
  requestErasure: ({ tenantId, caller, body }, deps) =>
    requestErasure(deps, { tenantId, createdBy: caller.userId }, body),

  listErasures: tenantPage(listErasures, toRequest, ({ erasureId }) => erasureId),

  getErasure: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      toRequest(found(await getErasure(tx, { tenantId, erasureId: params.requestId }), 'request')),
    ),

  rerunErasure: ({ tenantId, params }, deps) => rerunErasure(deps, { tenantId, erasureId: params.requestId }),

  reapplyErasures: ({ tenantId }, deps) => reapplyErasures(deps, tenantId),
};

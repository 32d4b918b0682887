import type { authTokenRoutes } from '@botyard/contracts/http/auth-tokens';
import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { createApiToken, revokeApiToken } from '../domain/api-tokens.ts';
import { listApiTokens } from '../store/api-tokens.ts';

/** The part of `/api/auth` that is about API tokens. */
export const authTokenHandlers: Handlers<Router<typeof authTokenRoutes>, Deps> = {
  listApiTokens: tenantPage(listApiTokens, withMoments, ({ tokenId }) => tokenId),

  createApiToken: async ({ tenantId, caller, body }, deps) => {
    const { token, row } = await createApiToken(deps, { tenantId, createdBy: caller.userId }, body);
    return { ...withMoments(row), token };
  },

  deleteApiToken: ({ tenantId, params: { tokenId } }, deps) => revokeApiToken(deps, { tenantId, tokenId }),
};

import type { platformUsersRouter } from '@botyard/contracts/http/platform-users';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { getPlatformUser, listPlatformUsers } from '../domain/platform-users.ts';

export const platformUsersHandlers: Handlers<typeof platformUsersRouter, Deps> = {
  listPlatformUsers: ({ tenantId, query }, deps) => listPlatformUsers(deps, tenantId, query),

  getPlatformUser: ({ tenantId, params }, deps) => getPlatformUser(deps, tenantId, params.personId),
};

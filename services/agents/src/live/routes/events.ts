import type { liveRouter } from '@botyard/contracts/http/live';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';

export const liveHandlers: Handlers<typeof liveRouter, Deps> = {
  listenToEvents: ({ tenantId, botIds, caller, mayStill, exchange }, { live }) => {
    const { userId, idpUserId, isOperator } = caller;
    return live.listen({ tenantId, userId, idpUserId, isOperator, botIds, mayStill }, exchange.lastEventId);
  },
};

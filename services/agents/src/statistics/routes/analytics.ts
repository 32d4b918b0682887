import type { analyticsRouter } from '@botyard/contracts/http/analytics';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { getChatAnalytics } from '../domain/chat-analytics.ts';
import { getOutcomeAnalytics } from '../domain/outcome-analytics.ts';

export const analyticsHandlers: Handlers<typeof analyticsRouter, Deps> = {
  getChatAnalytics: ({ tenantId, query }, deps) => getChatAnalytics(deps, tenantId, query),

  getOutcomeAnalytics: ({ tenantId, query }, deps) => getOutcomeAnalytics(deps, tenantId, query),
};

import { on, type Subscription } from '@botyard/shared/bus/consumer';
import { replyCreated } from '@botyard/shared/events/agents';
import { integrationDeleted, integrationSaved } from '@botyard/shared/events/tenancy';
import { onIntegrationDeleted } from './consumers/on-integration-deleted.ts';
import { onIntegrationSaved } from './consumers/on-integration-saved.ts';
import { onReplyCreated } from './consumers/on-reply-created.ts';
import type { Deps } from './deps.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(integrationSaved, onIntegrationSaved),
  on(integrationDeleted, onIntegrationDeleted),
  on(replyCreated, onReplyCreated),
];

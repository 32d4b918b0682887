import type { EventType, RequestType, SignalType } from '../bus/definition.ts';
import {
  countBotDays,
  countRefusals,
  findMissingAgents,
  groupSaved,
  keyFailed,
  listAgents,
  listChats,
  listQuotes,
  registryRefreshed,
  replyCreated,
  summaryMade,
  turnCompleted,
  typing,
} from './agents.ts';
import { countTraffic, listPeople } from './agents-people.ts';
import { keyInvalidated, resolveKey } from './keys.ts';
import {
  accessChanged,
  admitMessages,
  authorizationChanged,
  botDeleted,
  botSaved,
  decideAccess,
  findAccountOwners,
  findBot,
  findIntegration,
  integrationDeleted,
  integrationSaved,
  resolveCaller,
  tenantDeleted,
  tenantExists,
} from './tenancy.ts';
import { findTurnCosts, quotaChanged, quotaWarned, reserveQuota, sumBotDays } from './usage.ts';
import { checkEndpoint, listEndpointHealth, sumSending } from './webhook-requests.ts';
import {
  chatChanged,
  chatMigrated,
  endpointChanged,
  messageEdited,
  messageReceived,
  registrationChanged,
  replyDelivered,
} from './webhooks.ts';
import { identityChanged } from './webhooks-identity.ts';

/** Everything that is said over the bus. `docs/events.md` and the tests of samples are made from it. */
export const events: readonly EventType[] = [
  botSaved,
  botDeleted,
  integrationSaved,
  integrationDeleted,
  tenantDeleted,
  accessChanged,
  authorizationChanged,
  messageReceived,
  messageEdited,
  chatChanged,
  chatMigrated,
  replyDelivered,
  endpointChanged,
  registrationChanged,
  identityChanged,
  replyCreated,
  turnCompleted,
  summaryMade,
  keyFailed,
  groupSaved,
  registryRefreshed,
  keyInvalidated,
  quotaChanged,
  quotaWarned,
];

export const requests: readonly RequestType[] = [
  resolveCaller,
  tenantExists,
  decideAccess,
  findIntegration,
  findAccountOwners,
  findBot,
  admitMessages,
  findMissingAgents,
  listAgents,
  listChats,
  listQuotes,
  listPeople,
  countTraffic,
  listEndpointHealth,
  sumSending,
  checkEndpoint,
  countBotDays,
  sumBotDays,
  findTurnCosts,
  countRefusals,
  resolveKey,
  reserveQuota,
];

export const signals: readonly SignalType[] = [typing];

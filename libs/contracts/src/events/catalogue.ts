import * as agents from './agents.ts';
import { evaluationChanged } from './agents-evaluations.ts';
import { countTraffic, listPeople } from './agents-people.ts';
import { releaseChanged } from './agents-releases.ts';
import * as agentsRequests from './agents-requests.ts';
import { chatHint, chatPreview, staffPresence } from './chat-hints.ts';
import type { EventType, RequestType, SignalType } from './definition.ts';
import * as keys from './keys.ts';
import * as tenancy from './tenancy.ts';
import { installIntegration, renewSecrets } from './tenancy-installations.ts';
import * as usage from './usage.ts';
import { beginInstallation, checkAccount } from './webhook-accounts.ts';
import * as webhookRequests from './webhook-requests.ts';
import { fillTemplate, listTemplates } from './webhook-templates.ts';
import * as webhooks from './webhooks.ts';
import { identityChanged } from './webhooks-identity.ts';

/** All events on the bus. `docs/events.md` and the tests of samples are made from this file. */
export const events: readonly EventType[] = [
  tenancy.botSaved,
  tenancy.botDeleted,
  tenancy.integrationSaved,
  tenancy.integrationDeleted,
  tenancy.tenantDeleted,
  tenancy.accessChanged,
  tenancy.authorizationChanged,
  webhooks.messageReceived,
  webhooks.messageEdited,
  webhooks.messageDeleted,
  webhooks.chatChanged,
  webhooks.chatMigrated,
  webhooks.personRenamed,
  webhooks.replyDelivered,
  webhooks.replyRated,
  webhooks.replyReported,
  webhooks.accountChanged,
  webhooks.endpointChanged,
  webhooks.registrationChanged,
  identityChanged,
  agents.replyCreated,
  agents.turnCompleted,
  agents.summaryMade,
  evaluationChanged,
  releaseChanged,
  agents.trialEnded,
  agents.keyFailed,
  agents.groupSaved,
  agents.registryRefreshed,
  agents.attentionNeeded,
  agents.chatUpdated,
  agents.noteCreated,
  agents.handlingChanged,
  keys.keyInvalidated,
  keys.keyStored,
  usage.quotaChanged,
  usage.quotaWarned,
];

export const requests: readonly RequestType[] = [
  tenancy.resolveCaller,
  tenancy.findApiToken,
  tenancy.tenantExists,
  tenancy.decideAccess,
  tenancy.findIntegration,
  tenancy.findAccountOwners,
  tenancy.findStaff,
  tenancy.findCredentialIn,
  tenancy.findBot,
  installIntegration,
  renewSecrets,
  tenancy.admitMessages,
  agents.findMissingAgents,
  agents.listAgents,
  agents.listChats,
  agents.listQuotes,
  listPeople,
  countTraffic,
  webhookRequests.listEndpointHealth,
  webhookRequests.sumSending,
  webhookRequests.keepMails,
  agentsRequests.keepDocuments,
  webhookRequests.checkEndpoint,
  agents.countBotDays,
  usage.sumBotDays,
  usage.findTurnCosts,
  usage.sumChatCosts,
  usage.sumRunCosts,
  agents.countRefusals,
  keys.resolveKey,
  usage.reserveQuota,
  usage.findAllowance,
  usage.setAllowance,
  agentsRequests.countHeldWork,
  agentsRequests.sumSaid,
  usage.sumUsed,
  usage.listQuotasLeft,
  keys.countKeys,
  keys.findKeyIn,
  webhookRequests.sumSendingOfTenants,
  agentsRequests.findPerson,
  agentsRequests.erasePerson,
  webhookRequests.eraseTransport,
  webhookRequests.findCorrespondents,
  webhookRequests.findMessages,
  webhookRequests.listRecentMessages,
  webhookRequests.findMedia,
  webhookRequests.dropMedia,
  webhookRequests.reserveFile,
  listTemplates,
  fillTemplate,
  webhookRequests.sendInvitation,
  webhookRequests.sendWithdrawalMail,
  checkAccount,
  beginInstallation,
];

export const signals: readonly SignalType[] = [agents.typing, chatHint, chatPreview, staffPresence];

import * as agentsEvents from '@botyard/contracts/events/agents';
import * as agentsEvaluations from '@botyard/contracts/events/agents-evaluations';
import * as agentsPeople from '@botyard/contracts/events/agents-people';
import * as agentsReleases from '@botyard/contracts/events/agents-releases';
import * as agentsRequests from '@botyard/contracts/events/agents-requests';
import * as chatHints from '@botyard/contracts/events/chat-hints';
import type { EventType, RequestType, SignalType } from '@botyard/contracts/events/definition';
import * as keysEvents from '@botyard/contracts/events/keys';
import * as tenancyEvents from '@botyard/contracts/events/tenancy';
import * as tenancyInstallations from '@botyard/contracts/events/tenancy-installations';
import * as usageEvents from '@botyard/contracts/events/usage';
import * as webhookAccounts from '@botyard/contracts/events/webhook-accounts';
import * as webhookRequests from '@botyard/contracts/events/webhook-requests';
import * as webhookTemplates from '@botyard/contracts/events/webhook-templates';
import * as webhooksEvents from '@botyard/contracts/events/webhooks';
import * as webhooksIdentity from '@botyard/contracts/events/webhooks-identity';
import type { Subscription } from '@botyard/shared/bus/consumer';
import { subscriptions as agents } from '../../services/agents/src/consumers.ts';
import { subscriptions as keys } from '../../services/keys/src/consumers.ts';
import { subscriptions as tenancy } from '../../services/tenancy/src/consumers.ts';
import { subscriptions as usage } from '../../services/usage/src/consumers.ts';
import { subscriptions as webhooks } from '../../services/webhooks/src/consumers.ts';
import { type BusCall, callsOf } from './bus-use.ts';
import { fileAt, filesAt, type SourceFile, services } from './sources.ts';

export type Definition = EventType | RequestType | SignalType;

export const modules = {
  agents: {
    ...agentsEvents,
    ...agentsRequests,
    ...agentsPeople,
    ...agentsReleases,
    ...agentsEvaluations,
    chatPreview: chatHints.chatPreview,
    staffPresence: chatHints.staffPresence,
  },
  keys: keysEvents,
  tenancy: {
    ...tenancyEvents,
    installIntegration: tenancyInstallations.installIntegration,
    renewSecrets: tenancyInstallations.renewSecrets,
  },
  usage: usageEvents,
  webhooks: {
    ...webhooksEvents,
    ...webhooksIdentity,
    ...webhookRequests,
    ...webhookTemplates,
    ...webhookAccounts,
    chatHint: chatHints.chatHint,
  },
};

/** The events that each service consumes. */
export const consumerTables: Readonly<Record<string, readonly Subscription<never>[]>> = {
  gateway: [],
  tenancy,
  keys,
  usage,
  webhooks,
  agents,
};

/** Everything that is defined, by the name under which it is exported. */
export const defined = new Map<string, Definition>(
  Object.values(modules).flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (isDefinition(value) ? [[name, value] as const] : [])),
  ),
);

function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'owner' in value && 'summary' in value;
}

export function findDefinition(name: string): Definition {
  const definition = defined.get(name);
  if (!definition) throw new Error(`nothing is exported as ${name} from libs/contracts/src/events`);
  return definition;
}

export const filesOf = (service: string): SourceFile[] =>
  filesAt(new RegExp(`^services/${service}/src/.*\\.ts$`));

/** The files that cache callers, in all services with a database. All but the tenancy service ask that one. */
function callersOf(service: string): SourceFile[] {
  const { text } = fileAt(`services/${service}/src/app.ts`);
  if (!text.includes('createDomainApp(')) return [];
  const remembered = fileAt('libs/shared/src/auth/remembered-callers.ts');
  return /\bcallers[:,]/.test(text)
    ? [remembered]
    : [remembered, fileAt('libs/shared/src/auth/remote-callers.ts')];
}

/** The service's own files, and those of the library that work in its name. */
export function filesInNameOf(service: string): SourceFile[] {
  return [...filesOf(service), ...callersOf(service)];
}

/** Everything that a service does with one of the bus's functions. */
export const usedBy = (service: string, call: BusCall): Definition[] =>
  callsOf(filesInNameOf(service), call).map(({ what }) => findDefinition(what));

/** The services that use one of the bus's functions for this. */
export const using = (call: BusCall, definition: Definition): string[] =>
  services.filter((service) => usedBy(service, call).includes(definition));

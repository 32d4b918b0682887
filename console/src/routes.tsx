import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { acting } from './api/acting.tsx';
import { Fault, Skeleton } from './parts/states.tsx';
import { readSearch } from './search.ts';
import { isMissingCode } from './shell/missing-code.ts';
import { NoSuchPage, Shell } from './shell/shell.tsx';

const root = createRootRoute({
  validateSearch: readSearch,
  search: { middlewares: [retainSearchParams(['as', 'tenant'])] },
  beforeLoad: ({ search }) => {
    acting.as = search.as ?? null;
  },
  component: Shell,
  notFoundComponent: NoSuchPage,
});

/** A page whose code is loaded with its address. `name` is the export that is its component. */
const page = <Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) });

const tree = root.addChildren([
  page('/', () => import('./pages/home/home.tsx'), 'Home'),
  page('/inbox', () => import('./pages/inbox/inbox.tsx'), 'Inbox'),
  page('/inbox/held-mails', () => import('./pages/held-mails.tsx'), 'HeldMails'),
  page('/inbox/held-mails/$mailId', () => import('./pages/held-mail.tsx'), 'HeldMail'),
  page('/inbox/texts', () => import('./pages/inbox/texts.tsx'), 'Texts'),
  page('/inbox/senders', () => import('./pages/senders.tsx'), 'Senders'),
  page('/inbox/$chatId', () => import('./pages/inbox/inbox.tsx'), 'Inbox'),
  page('/agents', () => import('./pages/agents.tsx'), 'Agents'),
  page('/agents/marketplace', () => import('./pages/marketplace.tsx'), 'Marketplace'),
  page('/agents/tools', () => import('./pages/tools.tsx'), 'Tools'),
  page('/agents/tools/$toolId', () => import('./pages/tools.tsx'), 'ToolPage'),
  page('/agents/servers', () => import('./pages/tool-servers/servers.tsx'), 'Servers'),
  page('/agents/servers/$serverId', () => import('./pages/tool-servers/server.tsx'), 'ServerPage'),
  page('/tests', () => import('./pages/tests/sets.tsx'), 'Tests'),
  page('/tests/$setId', () => import('./pages/tests/set.tsx'), 'TestSetPage'),
  page('/tests/runs/$runId', () => import('./pages/tests/run.tsx'), 'TestRunPage'),
  page('/agents/capabilities', () => import('./pages/capabilities.tsx'), 'Capabilities'),
  page('/agents/capabilities/$capabilityId', () => import('./pages/capabilities.tsx'), 'CapabilityPage'),
  page('/agents/documents', () => import('./pages/documents.tsx'), 'Documents'),
  page('/agents/triage', () => import('./pages/triage.tsx'), 'Triage'),
  page('/agents/new', () => import('./pages/agent-studio/new-agent.tsx'), 'NewAgent'),
  page('/agents/$agentId', () => import('./pages/agent-studio/studio.tsx'), 'Studio'),
  page('/bots', () => import('./pages/bots.tsx'), 'Bots'),
  page('/bots/set-up', () => import('./pages/set-up/set-up.tsx'), 'SetUp'),
  page('/bots/$botId', () => import('./pages/bot.tsx'), 'Bot'),
  page('/bots/$botId/look', () => import('./pages/channels/chat-look.tsx'), 'ChatLook'),
  page('/bots/$botId/words', () => import('./pages/bot-words.tsx'), 'BotWords'),
  page('/bots/$botId/words/$language', () => import('./pages/bot-words.tsx'), 'BotWords'),
  page('/approvals', () => import('./pages/approvals.tsx'), 'Approvals'),
  page('/apps', () => import('./pages/apps.tsx'), 'Apps'),
  page('/apps/$appId', () => import('./pages/app.tsx'), 'App'),
  page('/people', () => import('./pages/people.tsx'), 'People'),
  page('/people/invitations', () => import('./pages/invitations.tsx'), 'Invitations'),
  page('/people/moderation', () => import('./pages/moderation.tsx'), 'Moderation'),
  page('/people/accounts', () => import('./pages/accounts.tsx'), 'Accounts'),
  page('/people/erasure', () => import('./pages/erasure.tsx'), 'Erasure'),
  page('/access', () => import('./pages/access.tsx'), 'Access'),
  page('/access/policies', () => import('./pages/policies.tsx'), 'Policies'),
  page('/access/policies/$policyId', () => import('./pages/policies.tsx'), 'PolicyPage'),
  page('/access/migration', () => import('./pages/policy-migration.tsx'), 'PolicyMigration'),
  page('/analytics', () => import('./pages/analytics/analytics.tsx'), 'Analytics'),
  page('/usage', () => import('./pages/usage.tsx'), 'Usage'),
  page('/keys', () => import('./pages/keys.tsx'), 'Keys'),
  page('/failures', () => import('./pages/failures.tsx'), 'Failures'),
  page('/operator', () => import('./pages/operator.tsx'), 'Operator'),
  page('/operator/tenants', () => import('./pages/operator-tenants.tsx'), 'OperatorTenants'),
  page('/operator/dead-letters', () => import('./pages/operator-dead-letters.tsx'), 'OperatorDeadLetters'),
  page(
    '/operator/configuration',
    () => import('./pages/operator-configuration.tsx'),
    'OperatorConfiguration',
  ),
  page('/operator/database', () => import('./pages/operator-database.tsx'), 'OperatorDatabase'),
  page('/operator/identity', () => import('./pages/operator-identity.tsx'), 'OperatorIdentity'),
  page('/operator/archive', () => import('./pages/operator-archive.tsx'), 'OperatorArchive'),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  // The page scrolls within its frame, and a new page begins at its top.
  scrollRestoration: true,
  scrollToTopSelectors: ['#page'],
  defaultPendingComponent: Skeleton,
  // The page of another item starts anew. Otherwise what was typed for the last item would be saved for this one.
  defaultRemountDeps: ({ params }) => ({ ...params, chatId: undefined }),
  defaultErrorComponent: ({ error, reset }) => (
    <Fault
      error={error as Error}
      retry={isMissingCode(error as Error) ? () => window.location.reload() : reset}
    />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

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

const page = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const tree = root.addChildren([
  page(
    '/',
    lazyRouteComponent(() => import('./pages/home/home.tsx'), 'Home'),
  ),
  page(
    '/inbox',
    lazyRouteComponent(() => import('./pages/inbox/inbox.tsx'), 'Inbox'),
  ),
  page(
    '/inbox/held-mails',
    lazyRouteComponent(() => import('./pages/held-mails.tsx'), 'HeldMails'),
  ),
  page(
    '/inbox/held-mails/$mailId',
    lazyRouteComponent(() => import('./pages/held-mail.tsx'), 'HeldMail'),
  ),
  page(
    '/inbox/texts',
    lazyRouteComponent(() => import('./pages/inbox/texts.tsx'), 'Texts'),
  ),
  page(
    '/inbox/senders',
    lazyRouteComponent(() => import('./pages/senders.tsx'), 'Senders'),
  ),
  page(
    '/inbox/$chatId',
    lazyRouteComponent(() => import('./pages/inbox/inbox.tsx'), 'Inbox'),
  ),
  page(
    '/agents',
    lazyRouteComponent(() => import('./pages/agents.tsx'), 'Agents'),
  ),
  page(
    '/agents/marketplace',
    lazyRouteComponent(() => import('./pages/marketplace.tsx'), 'Marketplace'),
  ),
  page(
    '/agents/tools',
    lazyRouteComponent(() => import('./pages/tools.tsx'), 'Tools'),
  ),
  page(
    '/agents/tools/$toolId',
    lazyRouteComponent(() => import('./pages/tools.tsx'), 'ToolPage'),
  ),
  page(
    '/agents/servers',
    lazyRouteComponent(() => import('./pages/tool-servers/servers.tsx'), 'Servers'),
  ),
  page(
    '/agents/servers/$serverId',
    lazyRouteComponent(() => import('./pages/tool-servers/server.tsx'), 'ServerPage'),
  ),
  page(
    '/tests',
    lazyRouteComponent(() => import('./pages/tests/sets.tsx'), 'Tests'),
  ),
  page(
    '/tests/$setId',
    lazyRouteComponent(() => import('./pages/tests/set.tsx'), 'TestSetPage'),
  ),
  page(
    '/tests/runs/$runId',
    lazyRouteComponent(() => import('./pages/tests/run.tsx'), 'TestRunPage'),
  ),
  page(
    '/agents/capabilities',
    lazyRouteComponent(() => import('./pages/capabilities.tsx'), 'Capabilities'),
  ),
  page(
    '/agents/capabilities/$capabilityId',
    lazyRouteComponent(() => import('./pages/capabilities.tsx'), 'CapabilityPage'),
  ),
  page(
    '/agents/documents',
    lazyRouteComponent(() => import('./pages/documents.tsx'), 'Documents'),
  ),
  page(
    '/agents/triage',
    lazyRouteComponent(() => import('./pages/triage.tsx'), 'Triage'),
  ),
  page(
    '/agents/new',
    lazyRouteComponent(() => import('./pages/agent-studio/new-agent.tsx'), 'NewAgent'),
  ),
  page(
    '/agents/$agentId',
    lazyRouteComponent(() => import('./pages/agent-studio/studio.tsx'), 'Studio'),
  ),
  page(
    '/bots',
    lazyRouteComponent(() => import('./pages/bots.tsx'), 'Bots'),
  ),
  page(
    '/bots/set-up',
    lazyRouteComponent(() => import('./pages/set-up/set-up.tsx'), 'SetUp'),
  ),
  page(
    '/bots/$botId',
    lazyRouteComponent(() => import('./pages/bot.tsx'), 'Bot'),
  ),
  page(
    '/bots/$botId/look',
    lazyRouteComponent(() => import('./pages/channels/chat-look.tsx'), 'ChatLook'),
  ),
  page(
    '/bots/$botId/words',
    lazyRouteComponent(() => import('./pages/bot-words.tsx'), 'BotWords'),
  ),
  page(
    '/bots/$botId/words/$language',
    lazyRouteComponent(() => import('./pages/bot-words.tsx'), 'BotWords'),
  ),
  page(
    '/approvals',
    lazyRouteComponent(() => import('./pages/approvals.tsx'), 'Approvals'),
  ),
  page(
    '/apps',
    lazyRouteComponent(() => import('./pages/apps.tsx'), 'Apps'),
  ),
  page(
    '/apps/$appId',
    lazyRouteComponent(() => import('./pages/app.tsx'), 'App'),
  ),
  page(
    '/people',
    lazyRouteComponent(() => import('./pages/people.tsx'), 'People'),
  ),
  page(
    '/people/invitations',
    lazyRouteComponent(() => import('./pages/invitations.tsx'), 'Invitations'),
  ),
  page(
    '/people/moderation',
    lazyRouteComponent(() => import('./pages/moderation.tsx'), 'Moderation'),
  ),
  page(
    '/people/accounts',
    lazyRouteComponent(() => import('./pages/accounts.tsx'), 'Accounts'),
  ),
  page(
    '/people/erasure',
    lazyRouteComponent(() => import('./pages/erasure.tsx'), 'Erasure'),
  ),
  page(
    '/access',
    lazyRouteComponent(() => import('./pages/access.tsx'), 'Access'),
  ),
  page(
    '/access/policies',
    lazyRouteComponent(() => import('./pages/policies.tsx'), 'Policies'),
  ),
  page(
    '/access/policies/$policyId',
    lazyRouteComponent(() => import('./pages/policies.tsx'), 'PolicyPage'),
  ),
  page(
    '/access/migration',
    lazyRouteComponent(() => import('./pages/policy-migration.tsx'), 'PolicyMigration'),
  ),
  page(
    '/analytics',
    lazyRouteComponent(() => import('./pages/analytics/analytics.tsx'), 'Analytics'),
  ),
  page(
    '/usage',
    lazyRouteComponent(() => import('./pages/usage.tsx'), 'Usage'),
  ),
  page(
    '/keys',
    lazyRouteComponent(() => import('./pages/keys.tsx'), 'Keys'),
  ),
  page(
    '/failures',
    lazyRouteComponent(() => import('./pages/failures.tsx'), 'Failures'),
  ),
  page(
    '/operator',
    lazyRouteComponent(() => import('./pages/operator.tsx'), 'Operator'),
  ),
  page(
    '/operator/tenants',
    lazyRouteComponent(() => import('./pages/operator-tenants.tsx'), 'OperatorTenants'),
  ),
  page(
    '/operator/dead-letters',
    lazyRouteComponent(() => import('./pages/operator-dead-letters.tsx'), 'OperatorDeadLetters'),
  ),
  page(
    '/operator/configuration',
    lazyRouteComponent(() => import('./pages/operator-configuration.tsx'), 'OperatorConfiguration'),
  ),
  page(
    '/operator/database',
    lazyRouteComponent(() => import('./pages/operator-database.tsx'), 'OperatorDatabase'),
  ),
  page(
    '/operator/identity',
    lazyRouteComponent(() => import('./pages/operator-identity.tsx'), 'OperatorIdentity'),
  ),
  page(
    '/operator/archive',
    lazyRouteComponent(() => import('./pages/operator-archive.tsx'), 'OperatorArchive'),
  ),
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

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { acting } from './api/acting.tsx';
import { Fault, Skeleton } from './parts/states.tsx';
import { NoSuchPage, Shell } from './shell/shell.tsx';

/** What any page's address may say: as whom, in which tenant, and what is open beside the page. */
export interface Search {
  as?: string | undefined;
  tenant?: string | undefined;
  json?: boolean | undefined;
  trace?: string | undefined;
  text?: string | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

const root = createRootRoute({
  validateSearch: (search: Record<string, unknown>): Search => ({
    as: textOf(search.as),
    tenant: textOf(search.tenant),
    json: search.json === true || undefined,
    trace: textOf(search.trace),
    text: textOf(search.text),
  }),
  search: { middlewares: [retainSearchParams(['as', 'tenant'])] },
  beforeLoad: ({ search }) => {
    acting.as = search.as ?? null;
  },
  component: Shell,
  notFoundComponent: NoSuchPage,
});

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

const tree = root.addChildren([
  page(
    '/',
    lazyRouteComponent(() => import('./pages/home.tsx'), 'Home'),
  ),
  page(
    '/inbox',
    lazyRouteComponent(() => import('./pages/inbox.tsx'), 'Inbox'),
  ),
  page(
    '/inbox/$chatId',
    lazyRouteComponent(() => import('./pages/inbox.tsx'), 'Inbox'),
  ),
  page(
    '/agents',
    lazyRouteComponent(() => import('./pages/agents.tsx'), 'Agents'),
  ),
  page(
    '/agents/new',
    lazyRouteComponent(() => import('./pages/agent.tsx'), 'NewAgent'),
  ),
  page(
    '/agents/$agentId',
    lazyRouteComponent(() => import('./pages/agent.tsx'), 'Agent'),
  ),
  page(
    '/bots',
    lazyRouteComponent(() => import('./pages/bots.tsx'), 'Bots'),
  ),
  page(
    '/bots/$botId',
    lazyRouteComponent(() => import('./pages/bot.tsx'), 'Bot'),
  ),
  page(
    '/bots/$botId/$language',
    lazyRouteComponent(() => import('./pages/bot.tsx'), 'Bot'),
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
    '/people',
    lazyRouteComponent(() => import('./pages/people.tsx'), 'People'),
  ),
  page(
    '/access',
    lazyRouteComponent(() => import('./pages/access.tsx'), 'Access'),
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
    '/tokens',
    lazyRouteComponent(() => import('./pages/tokens.tsx'), 'Tokens'),
  ),
  page(
    '/failures',
    lazyRouteComponent(() => import('./pages/failures.tsx'), 'Failures'),
  ),
  page(
    '/operator',
    lazyRouteComponent(() => import('./pages/operator.tsx'), 'Operator'),
  ),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPendingComponent: Skeleton,
  defaultErrorComponent: ({ error, reset }) => <Fault error={error as Error} retry={reset} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

import { ApiError } from '@botyard/client/api-error';
import type { Schema } from '@botyard/client/client';
import { Link, Outlet, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { type Acting, ActingContext, acting, nowhere, useActing } from '../api/acting.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { useConfig } from '../api/use-config.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { useCurrentInView } from '../parts/sections.tsx';
import { Empty, Fault, Loaded, Skeleton } from '../parts/states.tsx';
import { AccessEnded, SessionEnded } from './access-ended.tsx';
import { DevelopmentBanner } from './development-banner.tsx';
import { pagesFor } from './pages.ts';
import { whoAmI } from './refusals.ts';
import { SignIn } from './sign-in.tsx';
import { TenantSwitch } from './tenant-switch.tsx';
import { Toasts } from './toasts.tsx';
import { useAccessWatch } from './use-access-watch.ts';
import { usePalette } from './use-palette.tsx';

/** The frame around each page. It calls the API only after it has loaded the sign-in configuration. */
export function Shell() {
  const config = useConfig();
  if (config.error) return <Fault error={config.error} retry={() => void config.refetch()} />;
  if (!config.data) return <Skeleton />;
  if (config.data.developmentMode)
    return (
      <>
        <DevelopmentBanner />
        <SignedIn />
      </>
    );
  return (
    <SignIn publishableKey={config.data.idp.publishableKey ?? null}>
      <SignedIn />
    </SignIn>
  );
}

function SignedIn() {
  const { as = null, tenant = null } = useSearch({ strict: false });
  return (
    // The keys reset all state when the acting user or the tenant changes.
    <ActingContext.Provider key={`${as}`} value={{ ...nowhere, as }}>
      <InTenant key={`${tenant}`} as={as} chosen={tenant} />
      <Toasts />
    </ActingContext.Provider>
  );
}

function InTenant({ as, chosen }: { as: string | null; chosen: string | null }) {
  const me = useAnswer(whoAmI);
  const { refetch } = me;
  // A response in flight may predate the change, so the request is canceled and repeated.
  const look = useCallback(() => refetch({ cancelRefetch: true }), [refetch]);
  if (me.error instanceof ApiError && me.error.status === 401) return <SessionEnded as={as} />;
  return (
    <Loaded answer={me}>{(found) => <AsCaller me={found} as={as} chosen={chosen} look={look} />}</Loaded>
  );
}

interface AsCallerProps {
  me: Schema<'CurrentUser'>;
  as: string | null;
  chosen: string | null;
  /** Refetches the current user and their tenants. */
  look: () => Promise<unknown>;
}

function AsCaller({ me, as, chosen, look }: AsCallerProps) {
  // Losing access to the current tenant must not silently switch the page to another tenant.
  const [reached, reach] = useState<string | null>(null);
  const tenantId = chosen ?? reached ?? me.activeTenantId ?? me.tenants[0]?.tenantId ?? null;
  const role = me.tenants.find((one) => one.tenantId === tenantId)?.role ?? null;
  const { isOperator } = me;
  const isReached = tenantId === null || isOperator || role !== null;
  if (isReached && reached !== tenantId) reach(tenantId);
  useAccessWatch(look);
  if (!isReached) return <AccessEnded had={reached === tenantId} as={as} retry={() => void look()} />;
  const now: Acting = { as, tenantId, role, isOperator };
  Object.assign(acting, now);
  return (
    <ActingContext.Provider key={`${tenantId}`} value={now}>
      <Frame />
    </ActingContext.Provider>
  );
}

function Frame() {
  const { palette, open } = usePalette();
  return (
    <div className="md:grid md:min-h-screen md:grid-cols-[15rem_1fr]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <aside className="flex flex-col gap-3 border-line p-3 max-md:border-b md:border-r">
        <div className="flex items-center justify-between gap-2">
          <span className="px-2 text-lg font-bold">Botyard</span>
          <Button onClick={open} aria-keyshortcuts="Control+K Meta+K">
            <span className="whitespace-nowrap">
              Go to… <kbd className="ml-1 text-xs text-soft">Ctrl K</kbd>
            </span>
          </Button>
        </div>
        <TenantSwitch />
        <Navigation />
      </aside>
      <main id="page" tabIndex={-1} className="min-w-0">
        <Outlet />
      </main>
      {palette}
    </div>
  );
}

function Navigation() {
  const nav = useCurrentInView();
  const caller = useActing();
  return (
    <nav ref={nav} aria-label="Pages" className="flex gap-1 overflow-x-auto md:flex-col">
      {pagesFor(caller).map(({ to, title }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          className="rounded-md px-2 py-1.5 text-sm whitespace-nowrap hover:bg-hover"
          activeProps={{ className: 'bg-hover font-semibold', 'aria-current': 'page' }}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty title="This page doesn't exist.">
        <Link to="/" className="text-accent underline">
          Go to home
        </Link>
      </Empty>
    </Page>
  );
}

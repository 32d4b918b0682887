import type { ConsoleConfig } from '@botyard/contracts/console';
import { consolePaths } from '@botyard/contracts/console';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Acting, ActingContext, acting } from '../api/acting.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault, Loaded, Skeleton } from '../parts/states.tsx';
import { DevelopmentBanner } from './development-banner.tsx';
import { pages } from './pages.ts';
import { Palette } from './palette.tsx';
import { SignIn } from './sign-in.tsx';
import { TenantSwitch } from './tenant-switch.tsx';
import { Toasts } from './toasts.tsx';

/** Everything around a page. Nothing is asked of the API before it is known how one signs in here. */
export function Shell() {
  const config = useQuery({
    queryKey: ['config'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await (await fetch(consolePaths.config)).json()) as ConsoleConfig,
  });
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
    // Another person or tenant begins with nothing of the one before.
    <ActingContext.Provider key={`${as}`} value={{ as, tenantId: null }}>
      <InTenant as={as} chosen={tenant} />
    </ActingContext.Provider>
  );
}

function InTenant({ as, chosen }: { as: string | null; chosen: string | null }) {
  const me = useAnswer('/api/current-user');
  return (
    <Loaded answer={me}>
      {({ activeTenantId, tenants }) => {
        const tenantId = chosen ?? activeTenantId ?? tenants[0]?.tenantId ?? null;
        const now: Acting = { as, tenantId };
        Object.assign(acting, now);
        return (
          <ActingContext.Provider key={`${tenantId}`} value={now}>
            <Frame />
          </ActingContext.Provider>
        );
      }}
    </Loaded>
  );
}

function Frame() {
  const [isPaletteOpen, openPalette] = useState(false);
  return (
    <div className="md:grid md:min-h-screen md:grid-cols-[15rem_1fr]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to the page
      </a>
      <aside className="flex flex-col gap-3 border-line p-3 max-md:border-b md:border-r">
        <div className="flex items-center justify-between gap-2">
          <span className="px-2 text-lg font-bold">Botyard</span>
          <Button onClick={() => openPalette(true)} aria-keyshortcuts="Control+K Meta+K">
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
      <Palette isOpen={isPaletteOpen} onOpen={openPalette} />
      <Toasts />
    </div>
  );
}

function Navigation() {
  return (
    <nav aria-label="Pages" className="flex gap-1 overflow-x-auto md:flex-col">
      {pages.map(({ to, title }) => (
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
    <Page title="No such page">
      <Empty title="This address leads nowhere.">
        <Link to="/" className="text-accent underline">
          Go home
        </Link>
      </Empty>
    </Page>
  );
}

import { ApiError } from '@botyard/client/api-error';
import type { Schema } from '@botyard/client/client';
import { Navigate, Outlet, useLocation, useRouterState, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { type Acting, ActingContext, acting, nowhere, useActing } from '../api/acting.tsx';
import { firstTenantOf, roleIn, whoAmI } from '../api/first-tenant.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useConfig } from '../api/use-config.ts';
import { OwnInvitations } from '../pages/home/own-invitations.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault, Loaded, Skeleton } from '../parts/states.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { AccessEnded, SessionEnded } from './access-ended.tsx';
import { DevelopmentBanner } from './development-banner.tsx';
import { NotificationListener, useNotifications } from './notifications.tsx';
import { isForResponders, mayRead } from './pages.ts';
import { PhoneBar } from './phone-bar.tsx';
import { Sidebar } from './sidebar.tsx';
import { SignIn } from './sign-in.tsx';
import { Toasts } from './toasts.tsx';
import { useAccessWatch } from './use-access-watch.ts';
import { useCounts } from './use-counts.ts';
import { usePalette } from './use-palette.tsx';

/** The frame around each page. It calls the API only after it has loaded the sign-in configuration. */
export function Shell() {
  const config = useConfig();
  if (config.error) return <Fault error={config.error} retry={() => void config.refetch()} />;
  if (!config.data) return <Skeleton />;
  if (config.data.developmentMode)
    return (
      <div className="flex h-dvh flex-col">
        <DevelopmentBanner />
        <SignedIn />
      </div>
    );
  return (
    <SignIn publishableKey={config.data.idp.publishableKey ?? null}>
      <div className="flex h-dvh flex-col">
        <SignedIn />
      </div>
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
  const tenantId = chosen ?? reached ?? firstTenantOf(me);
  const role = roleIn(me, tenantId);
  const { isOperator } = me;
  const isReached = tenantId === null || isOperator || role !== null;
  if (isReached && reached !== tenantId) reach(tenantId);
  useAccessWatch(look);
  if (!isReached) return <AccessEnded had={reached === tenantId} as={as} retry={() => void look()} />;
  const now: Acting = { as, tenantId, role, isOperator, userId: me.userId };
  Object.assign(acting, now);
  return (
    <ActingContext.Provider key={`${tenantId}`} value={now}>
      <Frame name={me.email ?? 'You'} />
    </ActingContext.Provider>
  );
}

function Frame({ name }: { name: string }) {
  const { palette, open } = usePalette();
  const counts = useCounts();
  const notifications = useNotifications();
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <Sidebar name={name} counts={counts} notifications={notifications} onSearch={open} />
      <main id="page" tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <PageForCaller />
      </main>
      <PhoneBar counts={counts} notifications={notifications} />
      {notifications.isOn && <NotificationListener onRefused={notifications.giveUp} />}
      {palette}
    </div>
  );
}

/** A responder is led to the inbox, everybody else is told, from every page that the API would refuse them. */
function PageForCaller() {
  const caller = useActing();
  const { pathname } = useLocation();
  const { invitation } = useSearch({ strict: false });
  // While the next page is being loaded, the last one is still shown.
  const shown = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname ?? pathname });
  if (caller.role !== 'responder' || caller.isOperator)
    return mayRead(shown, caller) ? <Outlet /> : <NotForReader />;
  if (invitation)
    return (
      <Page title="Invitation">
        <OwnInvitations />
      </Page>
    );
  if (isForResponders(shown)) return <Outlet />;
  if (isForResponders(pathname)) return <Skeleton />;
  return <Navigate to="/inbox" search={({ as, tenant }) => ({ as, tenant })} replace />;
}

/** Replaces a page whose requests the API would refuse. */
function NotForReader() {
  const { tenantId } = useActing();
  return (
    <Page title="No access">
      <Empty title={tenantId ? 'Your role has no access to this page.' : 'You have no tenant yet.'}>
        <TextLink to="/">Go to home</TextLink>
      </Empty>
    </Page>
  );
}

export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty title="This page doesn't exist.">
        <TextLink to="/">Go to home</TextLink>
      </Empty>
    </Page>
  );
}

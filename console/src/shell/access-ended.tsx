import type { ReactNode } from 'react';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';

const link = 'text-accent underline';

/**
 * Replaces every page of a tenant that the caller can't access. Its links reload the page, so that no earlier data
 * remains.
 */
export function AccessEnded({ had, as, retry }: { had: boolean; as: string | null; retry: () => void }) {
  const title = had ? 'Your access to this tenant has ended.' : 'You have no access to this tenant.';
  return (
    <Notice title={title}>
      <p>
        {had
          ? 'An admin removed you, or the tenant was deleted.'
          : 'Ask an admin of the tenant to invite you.'}
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <a href={homeOf(as)} className={link}>
          Go to your tenants
        </a>
        <Button onClick={retry}>Try again</Button>
      </div>
    </Notice>
  );
}

/** Replaces the whole page when the session has ended. */
export function SessionEnded({ as }: { as: string | null }) {
  return (
    <Notice title="Your session has ended.">
      <p>You signed out elsewhere, or your account was closed.</p>
      <a href={homeOf(as)} className={link}>
        Sign in again
      </a>
    </Notice>
  );
}

const homeOf = (as: string | null): string => (as === null ? '/' : `/?${new URLSearchParams({ as })}`);

function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main>
      <Page title="No access">
        <div
          role="alert"
          className="grid justify-items-start gap-3 rounded-lg border border-bad bg-panel p-6"
        >
          <p className="font-medium text-bad">{title}</p>
          {children}
        </div>
      </Page>
    </main>
  );
}

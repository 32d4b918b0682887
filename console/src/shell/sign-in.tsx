import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Empty, Fault, Skeleton } from '../parts/states.tsx';

/** Returns the identity provider's host. The publishable key contains it in base64, followed by `$`. */
const hostOf = (publishableKey: string): string => atob(publishableKey.split('_')[2] ?? '').slice(0, -1);

/**
 * Creates the policy that Trusted Types require. It allows scripts from the identity provider only, and no HTML from
 * text.
 */
function trustScriptsOf(host: string): void {
  window.trustedTypes?.createPolicy('default', {
    createScriptURL: (address) => {
      const { protocol, hostname, origin } = new URL(address, window.location.href);
      const isTheirs = protocol === 'https:' && hostname === host.toLowerCase();
      // The library creates its worker, which renews the session, from a blob.
      return isTheirs || (protocol === 'blob:' && origin === window.location.origin) ? address : null;
    },
  });
}

async function loadLibrary(publishableKey: string): Promise<IdentityProviderLibrary> {
  if (!window.trustedTypes?.defaultPolicy) trustScriptsOf(hostOf(publishableKey));
  const script = document.createElement('script');
  script.src = `https://${hostOf(publishableKey)}/npm/@clerk/clerk-js@5/dist/clerk.browser.js`;
  script.crossOrigin = 'anonymous';
  script.dataset.clerkPublishableKey = publishableKey;
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () =>
      reject(new Error('The identity provider could not be reached. Try again.')),
    );
    document.head.append(script);
  });
  if (!window.Clerk)
    throw new Error('The identity provider sent an unexpected library. Check IDP_PUBLISHABLE_KEY.');
  await window.Clerk.load();
  return window.Clerk;
}

/** Shows the page to signed-in users. The provider's library keeps and renews the session token. */
export function SignIn({ publishableKey, children }: { publishableKey: string | null; children: ReactNode }) {
  const library = useQuery({
    queryKey: ['sign-in', publishableKey],
    // An action refetches every query. Reloading the library would leave the page without a session in the
    // meantime.
    staleTime: 'static',
    retry: false,
    enabled: publishableKey !== null,
    queryFn: async () => await loadLibrary(publishableKey ?? ''),
  });
  if (!publishableKey)
    return (
      <Empty title="Sign-in is not configured yet.">
        Set IDP_PUBLISHABLE_KEY to the publishable key of the identity provider. The API is described at{' '}
        <a href="/docs" className="text-accent underline">
          /docs
        </a>
        .
      </Empty>
    );
  if (library.error) return <Fault error={library.error} retry={() => void library.refetch()} />;
  if (!library.data) return <Skeleton />;
  return <WithSession library={library.data}>{children}</WithSession>;
}

function WithSession({ library, children }: { library: IdentityProviderLibrary; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const sessionId = useSyncExternalStore(
    (changed) => library.addListener(changed),
    () => library.session?.id ?? null,
  );
  const [begun, begin] = useState(sessionId);
  if (begun === null && sessionId !== null) begin(sessionId);
  // The session has ended or changed. Reloading the page discards everything that was shown.
  const isOver = begun !== null && begun !== sessionId;
  useEffect(() => {
    if (isOver) window.location.reload();
    else if (sessionId === null && place.current) library.mountSignIn(place.current);
  }, [isOver, sessionId, library]);
  if (isOver) return <Skeleton />;
  if (sessionId !== null) return children;
  return (
    <main className="grid min-h-screen place-items-center p-4">
      <h1 className="sr-only">Sign in</h1>
      <div ref={place} />
    </main>
  );
}

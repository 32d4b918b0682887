import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Empty, Fault, Skeleton } from '../parts/states.tsx';

/** The host of the identity provider, which its publishable key holds with `$` behind it. */
const hostOf = (publishableKey: string): string => atob(publishableKey.split('_')[2] ?? '').slice(0, -1);

/**
 * The content policy asks for it: nobody gets a script from elsewhere than the provider, and text never becomes HTML.
 */
function trustScriptsOf(host: string): void {
  window.trustedTypes?.createPolicy('default', {
    createScriptURL: (address) => {
      const { protocol, hostname, origin } = new URL(address, window.location.href);
      const isTheirs = protocol === 'https:' && hostname === host.toLowerCase();
      // The library makes its worker, which waits for the next renewal, of a text of its own.
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
    script.addEventListener('error', () => reject(new Error('the identity provider cannot be reached')));
    document.head.append(script);
  });
  if (!window.Clerk) throw new Error('the identity provider sent another library than its own');
  await window.Clerk.load();
  return window.Clerk;
}

/** Shows the page to who has signed in. The library renews the session's token; it is kept nowhere else. */
export function SignIn({ publishableKey, children }: { publishableKey: string | null; children: ReactNode }) {
  const library = useQuery({
    queryKey: ['sign-in', publishableKey],
    // An action asks for every answer again. Loading the library once more would leave the page without a session
    // meanwhile.
    staleTime: 'static',
    retry: false,
    enabled: publishableKey !== null,
    queryFn: async () => await loadLibrary(publishableKey ?? ''),
  });
  if (!publishableKey)
    return (
      <Empty title="Nobody can sign in here yet.">
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
  // Somebody has signed out, or somebody else in: a new load of the page keeps nothing of what was shown.
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

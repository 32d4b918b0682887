import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { Empty, Fault, Skeleton } from '../parts/states.tsx';

/** The host of the identity provider, which its publishable key holds with `$` behind it. */
const hostOf = (publishableKey: string): string => atob(publishableKey.split('_')[2] ?? '').slice(0, -1);

async function loadLibrary(publishableKey: string): Promise<IdentityProviderLibrary> {
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
    staleTime: Number.POSITIVE_INFINITY,
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
  const hasSession = useSyncExternalStore(
    (changed) => library.addListener(changed),
    () => Boolean(library.session),
  );
  useEffect(() => {
    if (!hasSession && place.current) library.mountSignIn(place.current);
  }, [hasSession, library]);
  if (hasSession) return children;
  return (
    <main className="grid min-h-screen place-items-center p-4">
      <h1 className="sr-only">Sign in</h1>
      <div ref={place} />
    </main>
  );
}

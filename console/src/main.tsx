import { ApiError } from '@botyard/client/api-error';
import { consolePaths } from '@botyard/contracts/console-paths';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './routes.tsx';
import { afterRefusal } from './shell/refusals.ts';

window.addEventListener('vite:preloadError', () => {
  reloadForNewerBuild().catch(() => undefined);
});

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => afterRefusal(queries, error, queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => afterRefusal(queries, error) }),
  defaultOptions: {
    // Without a network, requests fail and say so. By default they would wait for the network unseen, and an action
    // would then be sent from whatever page is open.
    queries: { staleTime: 2000, retry: isWorthAnotherTry, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

const place = document.getElementById('console');
if (place)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );

/**
 * A part of the code can't be loaded. If the gateway answers, a newer build has replaced this one, and its files have
 * other names. Without an answer a reload would lose the page, and what is typed in it.
 */
async function reloadForNewerBuild(): Promise<void> {
  const { ok } = await fetch(consolePaths.config, { cache: 'no-store' });
  if (ok) window.location.reload();
}

/** A read is retried once if a service or the network fails. Rejected requests are not retried. */
function isWorthAnotherTry(tries: number, error: Error): boolean {
  const mayPass = !(error instanceof ApiError) || error.status >= 500;
  return mayPass && tries < 1;
}

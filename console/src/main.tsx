import { ApiError } from '@botyard/client/api-error';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './routes.tsx';
import { afterMissingCode } from './shell/missing-code.ts';
import { afterRefusal } from './shell/refusals.ts';

window.addEventListener('vite:preloadError', ({ payload }) => afterMissingCode(payload, import.meta.url));

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

/** A read is retried once if a service or the network fails. Rejected requests are not retried. */
function isWorthAnotherTry(tries: number, error: Error): boolean {
  const mayPass = !(error instanceof ApiError) || error.status >= 500;
  return mayPass && tries < 1;
}

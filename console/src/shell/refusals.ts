import { ApiError } from '@botyard/client/api-error';
import type { QueryClient } from '@tanstack/react-query';
import { whoAmI } from '../api/first-tenant.ts';

/** Refetches the current user after any 401 or 403, because their access may have ended. */
export function afterRefusal(queries: QueryClient, error: Error, queryKey: readonly unknown[] = []): void {
  const isRefusal = error instanceof ApiError && (error.status === 401 || error.status === 403);
  if (!isRefusal || queryKey.includes(whoAmI)) return;
  void queries.invalidateQueries({ predicate: ({ queryKey: key }) => key.includes(whoAmI) });
}

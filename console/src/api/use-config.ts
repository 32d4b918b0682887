import type { ConsoleConfig } from '@botyard/contracts/console';
import { consolePaths } from '@botyard/contracts/console-paths';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { fetchOnce } from './first-requests.ts';

const configRequest = () => new Request(`${window.location.origin}${consolePaths.config}`);

export const configQuery = queryOptions({
  queryKey: ['config'],
  staleTime: 'static',
  queryFn: async () => (await (await fetchOnce(configRequest())).json()) as ConsoleConfig,
});

/** How to sign in here, and which features are switched on. */
export const useConfig = () => useQuery(configQuery);

/** Whether external tools are switched on. The frame loads the configuration before any page. */
export const useExternalTools = (): boolean => useConfig().data?.externalTools ?? false;

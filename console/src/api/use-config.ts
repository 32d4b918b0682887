import type { ConsoleConfig } from '@botyard/contracts/console';
import { consolePaths } from '@botyard/contracts/console-paths';
import { useQuery } from '@tanstack/react-query';
import { fetchOnce } from './first-requests.ts';

const configRequest = () => new Request(`${window.location.origin}${consolePaths.config}`);

/** How to sign in here, and which features are switched on. */
export const useConfig = () =>
  useQuery({
    queryKey: ['config'],
    staleTime: 'static',
    queryFn: async () => (await (await fetchOnce(configRequest())).json()) as ConsoleConfig,
  });

/** Whether external tools are switched on. The frame loads the configuration before any page. */
export const useExternalTools = (): boolean => useConfig().data?.externalTools ?? false;

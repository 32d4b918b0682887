import type { ConsoleConfig } from '@botyard/contracts/console';
import { consolePaths } from '@botyard/contracts/console-paths';
import { useQuery } from '@tanstack/react-query';

/** How to sign in here, and which features are switched on. */
export const useConfig = () =>
  useQuery({
    queryKey: ['config'],
    staleTime: 'static',
    queryFn: async () => (await (await fetch(consolePaths.config)).json()) as ConsoleConfig,
  });

/** Whether external tools are switched on. The frame loads the configuration before any page. */
export const useExternalTools = (): boolean => useConfig().data?.externalTools ?? false;

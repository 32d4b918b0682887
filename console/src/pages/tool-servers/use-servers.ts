import { useMayChange } from '../../api/acting.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { useExternalTools } from '../../api/use-config.ts';
import { serverIdOf, serversPath } from './server-words.ts';

/** The tenant's servers, for readers who may see them, while external tools are switched on. */
export function useServers() {
  const isOn = useExternalTools();
  const mayChange = useMayChange();
  return useAnswer(serversPath, { enabled: isOn && mayChange });
}

/** Says where external tools come from: the name of the server, or of the toolkit. */
export function useOrigins(): (settings: Readonly<Record<string, unknown>>) => string {
  const servers = useServers();
  return ({ toolkit }) => {
    const serverId = serverIdOf(toolkit);
    if (serverId === undefined) return typeof toolkit === 'string' ? toolkit : 'Botyard';
    const server = servers.data?.find((one) => one.serverId === serverId);
    return server?.name ?? (servers.data ? 'deleted server' : 'tool server');
  };
}

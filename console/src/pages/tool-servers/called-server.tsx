import type { Schema } from '@botyard/client/client';
import { milliseconds } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { toolkitOf } from './server-words.ts';
import { useOrigins } from './use-servers.ts';

type Call = Pick<Schema<'ContextTrace'>['toolCalls'][number], 'server' | 'durationMs'>;

/** The server whose tool was called, the server's name for it, its definition, and the time of the call. */
export function CalledServer({ call: { server, durationMs } }: { call: Call }) {
  const originOf = useOrigins();
  if (!server) return null;
  const { serverId, tool, pin } = server;
  return (
    <p className="text-sm text-soft [overflow-wrap:anywhere]">
      <TextLink to="/agents/servers/$serverId" params={{ serverId }} search={{ tool }}>
        <bdi>{originOf({ toolkit: toolkitOf(server) })}</bdi> <span className="font-mono">{tool}</span>
      </TextLink>
      {pin && (
        <>
          , definition <span title={pin}>{pin.slice(0, 8)}</span>
        </>
      )}
      , {milliseconds(durationMs)}
    </p>
  );
}

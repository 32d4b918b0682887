import { Link } from '@tanstack/react-router';
import { Circle, CircleCheckBig, FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { useActing } from '../../api/acting.tsx';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { useConfig, useExternalTools } from '../../api/use-config.ts';
import { Panel } from '../../parts/controls.tsx';
import { TextLink } from '../../parts/text-link.tsx';

interface Prepared {
  bots: number;
  channels: number;
  keys: number;
}

/** The steps to the first chat. They disappear once there is a chat. */
export function FirstSteps(prepared: Prepared) {
  const chats = useList('/api/interactions/chats', { query: { limit: 1 } });
  return chats.data?.length === 0 && <Steps {...prepared} />;
}

function Steps({ bots, channels, keys }: Prepared) {
  const model = useAnswer('/api/integrations/private-llm', { enabled: useExternalTools() });
  const agents = useList('/api/definitions/agents', { query: { limit: 1 } });
  const sandboxUrl = useConfig().data?.sandboxUrl;
  const { tenantId } = useActing();
  const key = useAnswer('/api/keys/{tenantId}/resolve/{provider}', {
    path: { tenantId: tenantId ?? '', provider: agents.data?.[0]?.provider ?? 'private-llm' },
    enabled: agents.data !== undefined && tenantId !== null,
  });
  const hasModel = keys > 0 || model.data?.address != null || key.data?.source === 'platform';
  return (
    <Panel title="Get started">
      <div className="grid gap-4">
        <p className="max-w-2xl text-soft">
          People write to a bot in a messenger or by email, and your agents answer. Three minutes lead to the
          first answer.
        </p>
        <ol className="grid gap-1">
          <Step isDone>Create a tenant.</Step>
          <Step isDone={hasModel} to="/keys">
            Add a provider's key, or use the private model.
          </Step>
          <Step isDone={(agents.data?.length ?? 0) > 0} to="/agents">
            Create an agent and describe in plain words what it does.
          </Step>
          <Step isDone={bots > 0} to="/bots">
            Create a bot that people can write to.
          </Step>
          <Step isDone={channels > 0} to="/bots">
            Connect the bot to a channel.
          </Step>
          <Step isDone={false}>Say hello to the bot. The chat appears in the inbox.</Step>
        </ol>
        <div className="flex flex-wrap gap-3">
          <Link
            to="/bots/set-up"
            className="inline-flex min-h-9 items-center rounded-md bg-accent px-3 text-sm font-medium text-accent-ink hover:opacity-90"
          >
            Set up a bot
          </Link>
          {sandboxUrl && (
            <a
              href={sandboxUrl}
              target="_blank"
              rel="noreferrer"
              className="inline-flex min-h-9 items-center gap-2 rounded-md border border-line px-3 text-sm font-medium hover:bg-hover"
            >
              <FlaskConical aria-hidden="true" className="size-4" />
              Open the sandbox
            </a>
          )}
        </div>
      </div>
    </Panel>
  );
}

interface StepProps {
  isDone: boolean;
  to?: '/keys' | '/agents' | '/bots';
  children: ReactNode;
}

function Step({ isDone, to, children }: StepProps) {
  const Icon = isDone ? CircleCheckBig : Circle;
  return (
    <li className="flex items-center gap-3 py-1">
      <Icon aria-hidden="true" className={`size-5 shrink-0 ${isDone ? 'text-good' : 'text-soft'}`} />
      <span className="sr-only">{isDone ? 'Done:' : 'To do:'}</span>
      {to && !isDone ? (
        <TextLink to={to}>{children}</TextLink>
      ) : (
        <span className={isDone ? 'text-soft' : ''}>{children}</span>
      )}
    </li>
  );
}

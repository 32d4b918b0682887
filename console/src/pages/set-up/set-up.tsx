import { useSearch } from '@tanstack/react-router';
import { Circle, CircleCheckBig } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useActing } from '../../api/acting.tsx';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { Button } from '../../parts/controls.tsx';
import { Page } from '../../parts/page.tsx';
import { useChangeSearch } from '../../parts/use-change-search.ts';
import { Trial } from '../agent-studio/trial.tsx';
import { BotChannels } from '../channels/bot-channels.tsx';
import { Describe } from './describe.tsx';
import { Knowledge } from './knowledge.tsx';

type StepName = 'describe' | 'knowledge' | 'try' | 'connect';
const order: readonly StepName[] = ['describe', 'knowledge', 'try', 'connect'];

/** From a sentence to the first answer of one's own bot. The address names the bot and the agent that were made. */
export function SetUp() {
  const { bot: botId, agent: agentId } = useSearch({ strict: false });
  const tenantId = useActing().tenantId ?? '';
  const change = useChangeSearch({ replace: true });
  const [chosen, choose] = useState<StepName>();
  const [isTried, setTried] = useState(false);
  const agent = useAnswer('/api/definitions/agents/{id}', {
    path: { id: agentId ?? '' },
    enabled: agentId !== undefined,
  });
  const names = { tenantId, botId: botId ?? '' };
  const channels = useList('/api/bots/{tenantId}/{botId}/integrations', {
    path: names,
    enabled: tenantId !== '' && botId !== undefined,
  });
  const isDone: Record<StepName, boolean> = {
    describe: botId !== undefined && agentId !== undefined,
    knowledge: (agent.data?.toolIds.length ?? 0) > 0,
    try: isTried,
    connect: (channels.data?.length ?? 0) > 0,
  };
  const open = chosen ?? order.find((name) => !isDone[name]) ?? 'connect';
  const after = (name: StepName) => () => {
    if (name === 'try') setTried(true);
    choose(order[order.indexOf(name) + 1] ?? name);
  };
  const made = (ids: { bot: string; agent: string }) => {
    change(ids);
    choose('knowledge');
  };
  const stepOf = (name: StepName) => ({
    isDone: isDone[name],
    isOpen: open === name,
    isReady: name === 'describe' || isDone.describe,
    onOpen: () => choose(name),
    onSkip: after(name),
  });
  return (
    <Page
      title="Set up a bot"
      about="Describe it, give it knowledge, try it, and connect it. Only the first step is needed."
    >
      <ol className="grid gap-3">
        <Step title="Describe the bot" {...stepOf('describe')} isNeeded={!isDone.describe}>
          {isDone.describe ? (
            <p>{agent.data?.name} is ready. Change its instructions on the agent's page.</p>
          ) : (
            <Describe onMade={made} />
          )}
        </Step>
        <Step title="Add knowledge" {...stepOf('knowledge')}>
          {agent.data && <Knowledge agent={agent.data} onAdded={after('knowledge')} />}
        </Step>
        <Step title="Try it" {...stepOf('try')} skip="Go on">
          {agentId && <Trial agentId={agentId} />}
        </Step>
        <Step title="Connect it" {...stepOf('connect')} isNeeded>
          {botId && <BotChannels names={names} />}
        </Step>
      </ol>
    </Page>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  isOpen: boolean;
  /** False while an earlier step is needed first. */
  isReady: boolean;
  isNeeded?: boolean;
  /** The label of the button that leads to the next step. */
  skip?: string;
  onOpen: () => void;
  onSkip: () => void;
  children: ReactNode;
}

function Step({
  title,
  isDone,
  isOpen,
  isReady,
  isNeeded,
  skip = 'Skip',
  onOpen,
  onSkip,
  children,
}: StepProps) {
  const Icon = isDone ? CircleCheckBig : Circle;
  return (
    <li className="grid gap-4 rounded-xl border border-line bg-panel p-4 md:p-5">
      <div className="flex flex-wrap items-center gap-3">
        <Icon aria-hidden="true" className={`size-5 shrink-0 ${isDone ? 'text-good' : 'text-soft'}`} />
        <h2 className="flex-1 text-lg font-semibold">
          {title} <span className="sr-only">{isDone ? '(done)' : '(to do)'}</span>
        </h2>
        {!isOpen && isReady && (
          <Button onClick={onOpen}>
            Open<span className="sr-only"> {title}</span>
          </Button>
        )}
        {isOpen && !isNeeded && <Button onClick={onSkip}>{isDone ? 'Next' : skip}</Button>}
      </div>
      {isOpen && children}
    </li>
  );
}

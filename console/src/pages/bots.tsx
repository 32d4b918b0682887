import { Link } from '@tanstack/react-router';
import { useActing, useMayChange } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';

export function Bots() {
  const bots = useBots();
  const mayChange = useMayChange();
  return (
    <Page title="Bots" about="People write to a bot, and its agents answer." answers={[bots]}>
      <Table
        label="Bots"
        list={bots}
        keyOf={({ botId }) => botId}
        empty={<NoBots />}
        columns={[
          {
            title: 'Name',
            of: ({ botId, name }) => (
              <Link to="/bots/$botId" params={{ botId }} className="font-medium text-accent underline">
                {name}
              </Link>
            ),
          },
          { title: 'State', of: ({ enabled }) => <State word={enabled ? 'active' : 'disabled'} /> },
          { title: 'Agents', of: ({ agentIds }) => agentIds.length, isNumber: true },
          {
            title: 'Answer timeout',
            of: ({ answerDeadlineSeconds }) => `${answerDeadlineSeconds} s`,
            isNumber: true,
          },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      {mayChange && (
        <>
          <Channels />
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <NewBot />
            <Connect bots={bots.data ?? []} />
          </div>
        </>
      )}
    </Page>
  );
}

function NoBots() {
  const mayChange = useMayChange();
  return (
    <Empty title="No bots yet.">
      {mayChange ? 'Create one below, then connect it to a channel.' : 'An admin can create one.'}
    </Empty>
  );
}

function Channels() {
  const channels = useList('/api/platforms/integrations', { everyMs: 4000 });
  return (
    <>
      <h2 className="text-lg font-semibold">Channels</h2>
      <Table
        label="Channels"
        list={channels}
        keyOf={({ integrationId }) => integrationId}
        empty={<Empty title="No channels yet.">Connect a bot to Telegram below.</Empty>}
        columns={[
          { title: 'Bot', of: ({ botName }) => botName },
          { title: 'Platform', of: ({ platform }) => platform },
          { title: 'Registration', of: ({ registration }) => <Registration {...registration} /> },
          { title: 'Received', of: ({ messagesIn }) => count(messagesIn), isNumber: true },
          { title: 'Sent', of: ({ messagesOut }) => count(messagesOut), isNumber: true },
          { title: 'Queued', of: ({ repliesWaiting }) => count(repliesWaiting), isNumber: true },
          { title: 'Failed', of: ({ repliesFailed }) => count(repliesFailed), isNumber: true },
          { title: 'Last delivery', of: ({ lastDeliveryAt }) => <Time at={lastDeliveryAt} /> },
          { title: 'Actions', of: ({ integrationId }) => <Check integrationId={integrationId} /> },
        ]}
      />
    </>
  );
}

function Registration({ state, mode, lastError }: { state: string; mode?: string; lastError?: string }) {
  return (
    <>
      <State word={state.replaceAll('_', ' ')} /> {mode && <span className="text-soft">{mode}</span>}{' '}
      {lastError && <span className="text-bad">{lastError}</span>}
    </>
  );
}

function Check({ integrationId }: { integrationId: string }) {
  return (
    <ActButton
      action={{
        what: 'Channel checked',
        method: 'post',
        path: '/api/platforms/integrations/{integrationId}/check',
        names: { integrationId },
      }}
    >
      Check now
    </ActButton>
  );
}

function NewBot() {
  const { tenantId } = useActing();
  const agents = useList('/api/definitions/agents');
  const create = useAction();
  const send = ({ name, ...rest }: Record<string, string>) =>
    create.mutate({
      what: 'Bot created',
      method: 'post',
      path: '/api/bots/{tenantId}/bots',
      names: { tenantId: tenantId ?? '' },
      body: { name, agentIds: agents.data?.map(({ id }) => id).filter((id) => rest[id] === 'on') ?? [] },
    });
  return (
    <Panel title="Create a bot">
      {create.error && <Fault error={create.error} />}
      <Form onSend={send}>
        <Field label="Name" name="name" isRequired />
        <fieldset className="grid gap-1">
          <legend className="text-sm font-medium">Agents</legend>
          {agents.data?.map(({ id, name }) => (
            <label key={id} className="flex gap-2 text-sm">
              <input type="checkbox" name={id} defaultChecked /> {name}
            </label>
          ))}
        </fieldset>
        <SubmitRow button="Create bot" disabled={create.isPending} />
      </Form>
    </Panel>
  );
}

const lostTopicWords = { general: 'Go to the general topic', none: 'Are not sent' } as const;

function Connect({ bots }: { bots: readonly { botId: string; name: string }[] }) {
  const { tenantId } = useActing();
  const connect = useAction();
  const send = ({ botId = '', botToken, botName, lostTopic }: Record<string, string>) =>
    connect.mutate({
      what: 'Bot connected',
      method: 'post',
      path: '/api/bots/{tenantId}/{botId}/integrations',
      names: { tenantId: tenantId ?? '', botId },
      body: {
        integrationType: 'messenger',
        credentials: { botToken, botName },
        settings: { messenger: { lostTopic } },
      },
    });
  if (bots.length === 0) return null;
  return (
    <Panel title="Connect a bot to Telegram">
      {connect.error && <Fault error={connect.error} />}
      <Form onSend={send}>
        <Field label="Bot" name="botId" options={bots.map(({ botId, name }) => [botId, name] as const)} />
        <Field label="Telegram bot username" name="botName" isRequired />
        <Field
          label="Token from BotFather"
          name="botToken"
          isSecret
          isRequired
          hint="Encrypted before it is stored."
        />
        <Field
          label="Replies to a group's deleted topic"
          name="lostTopic"
          options={Object.entries(lostTopicWords)}
        />
        <SubmitRow button="Connect" disabled={connect.isPending} />
      </Form>
    </Panel>
  );
}

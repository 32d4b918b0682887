import { platforms } from 'virtual:platforms';
import type { Schema } from '@botyard/client/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { useActing, useMayChange } from '../api/acting.tsx';
import { postAction, useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { Field, State } from '../parts/controls.tsx';
import { CreateButton, CreateDialog } from '../parts/create-dialog.tsx';
import { SendingForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { stateOf } from './channels/channel-state.ts';

const newBot = { name: 'bot', title: 'New bot' };

export function Bots() {
  const bots = useBots();
  const mayChange = useMayChange();
  return (
    <Page
      title="Bots"
      about="People write to a bot, and its agents answer."
      answers={[bots]}
      actions={
        mayChange && (
          <>
            <SetUpLink />
            <CreateButton creation={newBot} />
          </>
        )
      }
    >
      <Table
        label="Bots"
        list={bots}
        keyOf={({ botId }) => botId}
        empty={<NoBots />}
        columns={[
          {
            title: 'Name',
            of: ({ botId, name }) => (
              <TextLink to="/bots/$botId" params={{ botId }} className="font-medium">
                {name}
              </TextLink>
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
      {mayChange && <Channels />}
      <CreateDialog creation={newBot}>{() => <NewBot />}</CreateDialog>
    </Page>
  );
}

const SetUpLink = () => (
  <Link
    to="/bots/set-up"
    className="inline-flex min-h-9 items-center rounded-md border border-line bg-panel px-3 text-sm font-medium hover:bg-hover"
  >
    Set up a bot
  </Link>
);

function NoBots() {
  const mayChange = useMayChange();
  return (
    <Empty title="No bots yet." action={<CreateButton creation={newBot} />}>
      {mayChange ? 'Create one, then connect it to a channel.' : 'An admin can create one.'}
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
        empty={<Empty title="No channels yet.">Open a bot and connect it to a channel.</Empty>}
        columns={[
          {
            title: 'Bot',
            of: ({ botId, botName }) => (
              <TextLink to="/bots/$botId" params={{ botId }}>
                {botName}
              </TextLink>
            ),
          },
          { title: 'Channel', of: ({ platform }) => titleOf(platform) },
          { title: 'State', of: (channel) => <ChannelState {...channel} /> },
          { title: 'Received', of: ({ messagesIn }) => count(messagesIn), isNumber: true },
          { title: 'Sent', of: ({ messagesOut }) => count(messagesOut), isNumber: true },
          { title: 'Queued', of: ({ repliesWaiting }) => count(repliesWaiting), isNumber: true },
          { title: 'Failed', of: ({ repliesFailed }) => count(repliesFailed), isNumber: true },
          { title: 'Last message', of: ({ lastDeliveryAt }) => <Time at={lastDeliveryAt} /> },
        ]}
      />
    </>
  );
}

const titleOf = (platform: string): string =>
  platforms.find(({ name }) => name === platform)?.title ?? platform;

function ChannelState(channel: Parameters<typeof stateOf>[0]) {
  const { word, problem } = stateOf(channel);
  return (
    <>
      <State word={word} /> {problem && <span className="text-bad">{problem}</span>}
    </>
  );
}

function NewBot() {
  const { tenantId } = useActing();
  const agents = useList('/api/definitions/agents');
  const navigate = useNavigate();
  const create = useAction<Schema<'Bot'>>({ isErrorShown: true });
  const send = async ({ name, ...rest }: Record<string, string>) => {
    const { botId } = await create.mutateAsync(
      postAction('Bot created', '/api/bots/{tenantId}/bots', {
        names: { tenantId: tenantId ?? '' },
        body: { name, agentIds: agents.data?.map(({ id }) => id).filter((id) => rest[id] === 'on') ?? [] },
      }),
    );
    await navigate({ to: '/bots/$botId', params: { botId } });
  };
  return (
    <SendingForm
      sending={create}
      button="Create bot"
      onSend={(fields) => void send(fields).catch(() => undefined)}
    >
      <Field label="Name" name="name" isRequired />
      <fieldset className="grid gap-1">
        <legend className="text-sm font-medium">Agents</legend>
        {agents.data?.map(({ id, name }) => (
          <label key={id} className="flex items-center gap-2 text-sm">
            <input type="checkbox" name={id} defaultChecked />{' '}
            <bdi className="min-w-0 break-words">{name}</bdi>
          </label>
        ))}
      </fieldset>
    </SendingForm>
  );
}

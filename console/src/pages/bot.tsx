import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActing, useMayChange } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Editing } from '../parts/editing.tsx';
import { Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, milliseconds, Time } from '../parts/text.tsx';
import { BotRules } from './bot-rules.tsx';
import { namesIn } from './part-picker.tsx';
import { PickAgents } from './pick-parts.tsx';

const path = '/api/bots/{tenantId}/{botId}';
type Names = Record<'tenantId' | 'botId', string>;

export function Bot() {
  const { botId = '' } = useParams({ strict: false });
  const { tenantId } = useActing();
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const names = { tenantId: tenantId ?? '', botId };
  const bot = useAnswer(path, { path: names, enabled: tenantId !== null });
  const actions = (
    <>
      <Link
        to="/bots/$botId/words"
        params={{ botId }}
        className="inline-flex min-h-8 items-center rounded-md border border-line px-3 py-1 text-sm font-medium"
      >
        Standard texts
      </Link>
      <ActButton
        look="bad"
        ask="Delete this bot? Its channels are disconnected from their platforms."
        action={{ what: 'Bot deleted', method: 'delete', path, names }}
        onDone={() => navigate({ to: '/bots' })}
      >
        Delete
      </ActButton>
    </>
  );
  return (
    <Page title={bot.data?.name ?? 'Bot'} answers={[bot]} actions={actions}>
      <Loaded answer={bot}>
        {(found) => (
          <>
            <Stats names={names} />
            <Settings bot={found} names={names} />
            <Channels names={names} />
            {mayChange && <BotRules botId={botId} agentIds={found.agentIds} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Stats({ names }: { names: Names }) {
  const stats = useAnswer(`${path}/stats`, { path: names });
  return (
    <Loaded answer={stats}>
      {({ from, to, totals }) => (
        <Panel title={`From ${from} to ${to}`}>
          <Figures
            figures={[
              ['Messages received', count(totals.messagesIn)],
              ['Messages sent', count(totals.messagesOut)],
              ['Chats', count(totals.chats)],
              ['People', count(totals.people)],
              ['Median answer time', totals.latencyMs ? milliseconds(totals.latencyMs.p50) : 'none yet'],
            ]}
          />
        </Panel>
      )}
    </Loaded>
  );
}

/** Properties that are read-only or have their own control, here or on the page of the bot's texts. */
type Others =
  | ('botId' | 'tenantId' | 'createdAt' | 'updatedAt')
  | ('name' | 'enabled' | 'agentIds' | 'defaultLanguage' | 'words');
type Setting = Exclude<keyof Schema<'Bot'>, Others>;
const labels: Readonly<Record<Setting, string>> = {
  joinWindowMs: 'Wait for further messages (ms)',
  answerDeadlineSeconds: 'Answer timeout (seconds)',
  delayNoticeSeconds: 'Send a delay notice after (seconds, 0 for never)',
  answerWithinMinutes: 'Retry delivery of an answer for (minutes)',
  handbackAfterMinutes: 'Return chats to the bot after (minutes)',
};
const settings = Object.keys(labels) as Setting[];

function Settings({ bot, names }: { bot: Schema<'Bot'>; names: Names }) {
  const change = useAction();
  const send = ({ name, enabled, ...rest }: Record<string, string>) =>
    change.mutate({
      what: 'Bot saved',
      method: 'put',
      path,
      names,
      body: {
        name,
        enabled: enabled === 'on',
        agentIds: namesIn(rest, 'agent'),
        ...Object.fromEntries(
          settings.map((key) => [key, typeof bot[key] === 'number' ? Number(rest[key]) : rest[key]]),
        ),
      },
    });
  return (
    <Panel title="Settings">
      {change.error && <Fault error={change.error} />}
      <Editing value={bot} version={bot.updatedAt} isBusy={change.isPending} error={change.error}>
        {(shown) => (
          <Form onSend={send}>
            <Field label="Name" name="name" isRequired defaultValue={shown.name} />
            <label className="flex gap-2 text-sm">
              <input type="checkbox" name="enabled" defaultChecked={shown.enabled} /> Enabled
            </label>
            <PickAgents chosen={shown.agentIds} most={50} error={change.error} />
            {settings.map((key) => (
              <Field key={key} label={labels[key]} name={key} isRequired defaultValue={String(shown[key])} />
            ))}
            <SubmitRow button="Save" disabled={change.isPending} />
          </Form>
        )}
      </Editing>
    </Panel>
  );
}

function Channels({ names }: { names: Names }) {
  const channels = useList(`${path}/integrations`, { path: names, everyMs: 4000 });
  const one = `${path}/integrations/{integrationId}` as const;
  return (
    <>
      <h2 className="text-lg font-semibold">Channels</h2>
      <Table
        label="Channels"
        list={channels}
        keyOf={({ integrationId }) => integrationId}
        empty={<Empty title="No channels yet.">Connect this bot to a channel on the bots page.</Empty>}
        columns={[
          { title: 'Platform', of: ({ integrationType }) => integrationType },
          { title: 'Account', of: (channel) => Object.values(channel.maskedCredentials).join(' ') },
          {
            title: 'Registration',
            of: ({ registration: { state, mode, lastError } }) => (
              <>
                <State word={state.replaceAll('_', ' ')} />{' '}
                {mode && <span className="text-soft">{mode}</span>}{' '}
                {lastError && <span className="text-bad">{lastError}</span>}
              </>
            ),
          },
          { title: 'Email webhook', of: ({ deliverTo }) => deliverTo ?? '' },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
          {
            title: 'Actions',
            of: ({ integrationId, enabled, settings: { messenger } }) => (
              <div className="flex gap-2">
                {messenger?.lostTopic && (
                  <ActButton
                    action={{
                      what: 'Channel saved',
                      method: 'put',
                      path: one,
                      names: { ...names, integrationId },
                      body: {
                        settings: {
                          messenger: { lostTopic: messenger.lostTopic === 'none' ? 'general' : 'none' },
                        },
                      },
                    }}
                  >
                    {messenger.lostTopic === 'none' ? 'Keep' : 'Drop'} replies to deleted topics
                  </ActButton>
                )}
                <ActButton
                  action={{
                    what: enabled ? 'Channel disabled' : 'Channel enabled',
                    method: 'put',
                    path: one,
                    names: { ...names, integrationId },
                    body: { enabled: !enabled },
                    foreseen: {
                      at: [channels.address],
                      only: { integrationId },
                      change: { enabled: !enabled },
                    },
                  }}
                >
                  {enabled ? 'Disable' : 'Enable'}
                </ActButton>
                <ActButton
                  look="bad"
                  ask="Disconnect this channel? The bot no longer receives its messages."
                  action={{
                    what: 'Channel disconnected',
                    method: 'delete',
                    path: one,
                    names: { ...names, integrationId },
                  }}
                >
                  Disconnect
                </ActButton>
              </div>
            ),
          },
        ]}
      />
    </>
  );
}

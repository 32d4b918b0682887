import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActing } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, milliseconds, Time } from '../parts/text.tsx';
import { BotRules } from './bot-rules.tsx';

const path = '/api/bots/{tenantId}/{botId}';
type Names = Record<'tenantId' | 'botId', string>;

export function Bot() {
  const { botId = '' } = useParams({ strict: false });
  const { tenantId } = useActing();
  const navigate = useNavigate();
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
        onDone={() => void navigate({ to: '/bots' })}
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
            <Settings key={found.updatedAt} bot={found} names={names} />
            <Channels names={names} />
            <BotRules botId={botId} agentIds={found.agentIds} />
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
  const agents = useList('/api/definitions/agents');
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
        ...(agents.data && { agentIds: agents.data.map(({ id }) => id).filter((id) => rest[id] === 'on') }),
        ...Object.fromEntries(
          settings.map((key) => [key, typeof bot[key] === 'number' ? Number(rest[key]) : rest[key]]),
        ),
      },
    });
  return (
    <Panel title="Settings">
      {change.error && <Fault error={change.error} />}
      <Form onSend={send}>
        <Field label="Name" name="name" isRequired defaultValue={bot.name} />
        <label className="flex gap-2 text-sm">
          <input type="checkbox" name="enabled" defaultChecked={bot.enabled} /> Enabled
        </label>
        <Loaded answer={agents}>
          {(all) => (
            <fieldset className="grid gap-1">
              <legend className="text-sm font-medium">Agents</legend>
              {all.map(({ id, name }) => (
                <label key={id} className="flex gap-2 text-sm">
                  <input type="checkbox" name={id} defaultChecked={bot.agentIds.includes(id)} /> {name}
                </label>
              ))}
            </fieldset>
          )}
        </Loaded>
        {settings.map((key) => (
          <Field key={key} label={labels[key]} name={key} isRequired defaultValue={String(bot[key])} />
        ))}
        <SubmitRow button="Save" disabled={change.isPending} />
      </Form>
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
            of: ({ integrationId, enabled }) => (
              <div className="flex gap-2">
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

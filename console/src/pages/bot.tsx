import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActing, useMayChange } from '../api/acting.tsx';
import { deleteAction, putAction, useAction } from '../api/use-action.ts';
import { useAnswer } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Editing } from '../parts/editing.tsx';
import { FormError } from '../parts/field-notes.tsx';
import { Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { count, milliseconds } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { BotRules } from './bot-rules.tsx';
import { BotChannels } from './channels/bot-channels.tsx';
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
        action={deleteAction('Bot deleted', path, names)}
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
            <BotChannels names={names} />
            <Stats names={names} />
            <Settings bot={found} names={names} />
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
  | ('name' | 'enabled' | 'asksForRating' | 'agentIds' | 'defaultLanguage' | 'words');
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
  const send = ({ name, enabled, asksForRating, ...rest }: Record<string, string>) =>
    change.mutate(
      putAction('Bot saved', path, {
        names,
        body: {
          name,
          enabled: enabled === 'on',
          asksForRating: asksForRating === 'on',
          agentIds: namesIn(rest, 'agent'),
          ...Object.fromEntries(
            settings.map((key) => [key, typeof bot[key] === 'number' ? Number(rest[key]) : rest[key]]),
          ),
        },
      }),
    );
  return (
    <Panel title="Settings">
      {change.error && <Fault error={change.error} />}
      <Editing value={bot} version={bot.updatedAt} sending={change}>
        {(shown) => (
          <Form onSend={send}>
            <Field label="Name" name="name" isRequired defaultValue={shown.name} />
            <label className="flex items-center gap-2 text-sm">
              <input type="checkbox" name="enabled" defaultChecked={shown.enabled} /> Enabled
            </label>
            <FormError.Provider value={change.error}>
              <PickAgents chosen={shown.agentIds} most={50} />
            </FormError.Provider>
            {settings.map((key) => (
              <Field key={key} label={labels[key]} name={key} isRequired defaultValue={String(shown[key])} />
            ))}
            <AskForRating bot={shown} />
            <SubmitRow button="Save" disabled={change.isPending} />
          </Form>
        )}
      </Editing>
    </Panel>
  );
}

function AskForRating({ bot: { botId, asksForRating } }: { bot: Schema<'Bot'> }) {
  return (
    <div className="grid gap-1 text-sm">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          name="asksForRating"
          aria-describedby="asks-for-rating"
          defaultChecked={asksForRating}
        />{' '}
        Ask people if an answer helped
      </label>
      <p id="asks-for-rating" className="text-soft">
        10 minutes after the last answer in a private chat, at most once a week for a person, not by email.
        The question and its two choices are among the{' '}
        <TextLink to="/bots/$botId/words" params={{ botId }}>
          standard texts
        </TextLink>
        .
      </p>
    </div>
  );
}

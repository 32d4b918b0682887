import { platforms } from 'virtual:platforms';
import type { Schema } from '@botyard/client/client';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMayChange } from '../../api/acting.tsx';
import { deleteAction, postAction, putAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button, State } from '../../parts/controls.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { count, Time } from '../../parts/text.tsx';
import { ChannelDialog, useChannelDialog } from './channel-dialog.tsx';
import { stateOf } from './channel-state.ts';
import type { PlatformForm } from './platform-form.ts';
import { PlatformIcon } from './platform-icon.tsx';
import { SetUpSteps } from './set-up-steps.tsx';

type Integration = Schema<'Integration'>;
type Health = Schema<'IntegrationHealth'>;
type Names = Record<'tenantId' | 'botId', string>;

const path = '/api/bots/{tenantId}/{botId}/integrations';
const one = `${path}/{integrationId}` as const;

/** The channels of a bot, each with its state, and the dialog that connects another one. */
export function BotChannels({ names }: { names: Names }) {
  const mayChange = useMayChange();
  const channels = useList(path, { path: names, everyMs: 4000 });
  const health = useList('/api/platforms/integrations', {
    query: { botId: names.botId },
    everyMs: 8000,
    enabled: mayChange,
  });
  const open = useChannelDialog();
  const connect = mayChange && (
    <Button look="main" icon={Plus} onClick={() => open('choose')}>
      Connect a channel
    </Button>
  );
  return (
    <section aria-label="Channels" className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">Channels</h2>
        {(channels.data?.length ?? 0) > 0 && connect}
      </div>
      <Loaded answer={channels}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No channels yet.">
              <div className="grid justify-items-center gap-3">
                <p>People reach the bot through a channel: a chat on your site, a messenger or a mailbox.</p>
                {connect}
              </div>
            </Empty>
          ) : (
            <ul className="grid gap-3">
              {items.map((channel) => (
                <Channel
                  key={channel.integrationId}
                  channel={channel}
                  names={names}
                  health={health.data?.find(({ integrationId }) => integrationId === channel.integrationId)}
                  address={channels.address}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayChange && <ChannelDialog botId={names.botId} channels={channels.data} />}
    </section>
  );
}

interface ChannelProps {
  channel: Integration;
  health: Health | undefined;
  names: Names;
  /** The request that the list came with. */
  address: string;
}

function Channel({ channel, health, names, address }: ChannelProps) {
  const form = platforms.find(({ name }) => name === channel.integrationType);
  const { word, problem } = stateOf(channel);
  if (!form) return null;
  return (
    <li className="grid gap-3 rounded-xl border border-line bg-panel p-4">
      <div className="flex flex-wrap items-start gap-3">
        <PlatformIcon icon={form.icon} />
        <div className="grid min-w-0 flex-1 gap-1">
          <h3 className="flex flex-wrap items-center gap-2 font-semibold">
            {form.title} <State word={word} />
          </h3>
          <Account form={form} channel={channel} />
          <Traffic channel={channel} health={health} />
          {problem && <p className="text-sm break-words text-bad">{problem}</p>}
        </div>
      </div>
      <details>
        <summary className="cursor-pointer text-sm text-soft">How to set it up</summary>
        <div className="pt-3">
          <SetUpSteps
            steps={form.setUp.after}
            places={{ botId: channel.botId, deliverTo: channel.deliverTo ?? '' }}
          />
        </div>
      </details>
      <Actions form={form} channel={channel} names={names} address={address} />
    </li>
  );
}

/** The parts of the account that are shown in full, such as the address of a mailbox. */
function Account({
  form,
  channel: { maskedCredentials, botId },
}: {
  form: PlatformForm;
  channel: Integration;
}) {
  const shown = form.fields
    .filter(({ part, kind }) => part === 'credentials' && kind === 'text')
    .flatMap(({ name }) => maskedCredentials[name] ?? []);
  if (shown.length > 0) return <p className="text-sm break-all text-soft">{shown.join(' · ')}</p>;
  if (!form.previewPath) return null;
  return (
    <a
      href={`/chat/${botId}`}
      target="_blank"
      rel="noreferrer"
      className="justify-self-start text-sm text-accent underline"
    >
      Open the chat
    </a>
  );
}

function Traffic({
  channel: { registration },
  health,
}: {
  channel: Integration;
  health: Health | undefined;
}) {
  if (!health) return null;
  const failed = health.repliesFailed > 0 && ` · ${count(health.repliesFailed)} failed`;
  return (
    <p className="text-sm text-soft">
      {health.lastDeliveryAt ? (
        <>
          Last message <Time at={health.lastDeliveryAt} />
        </>
      ) : (
        'No messages yet'
      )}{' '}
      · {count(health.messagesIn)} received · {count(health.messagesOut)} sent
      {failed && <span className="text-bad">{failed}</span>}
      {registration.firstDeliveryAt && (
        <>
          {' '}
          · connected since <Time at={registration.firstDeliveryAt} />
        </>
      )}
    </p>
  );
}

function Actions({
  form,
  channel: { integrationId, enabled },
  names,
  address,
}: Omit<ChannelProps, 'health'> & { form: PlatformForm }) {
  const mayChange = useMayChange();
  const open = useChannelDialog();
  const own = { ...names, integrationId };
  if (!mayChange) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {form.previewPath && (
        <Link
          to="/bots/$botId/look"
          params={{ botId: names.botId }}
          className="inline-flex min-h-9 items-center rounded-md border border-line px-3 py-1 text-sm font-medium hover:bg-hover"
        >
          Look and words
        </Link>
      )}
      <Button onClick={() => open(integrationId)}>Change</Button>
      {form.registersWebhook && (
        <ActButton
          action={postAction(
            'Channel is being checked',
            '/api/platforms/integrations/{integrationId}/check',
            { names: { integrationId } },
          )}
        >
          Check now
        </ActButton>
      )}
      <ActButton
        action={putAction(enabled ? 'Channel disabled' : 'Channel enabled', one, {
          names: own,
          body: { enabled: !enabled },
          foreseen: { at: [address], only: { integrationId }, change: { enabled: !enabled } },
        })}
      >
        {enabled ? 'Disable' : 'Enable'}
      </ActButton>
      <ActButton
        look="bad"
        ask={`Disconnect ${form.title}? The bot no longer receives its messages.`}
        action={deleteAction('Channel disconnected', one, own)}
      >
        Disconnect
      </ActButton>
    </div>
  );
}

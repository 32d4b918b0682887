import { platforms } from 'virtual:platforms';
import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/controls.tsx';
import { Popup } from '../../parts/popup.tsx';
import { useChangeSearch } from '../../parts/use-change-search.ts';
import { ChannelForm } from './channel-form.tsx';
import { InstallApp } from './install-app.tsx';
import type { PlatformForm } from './platform-form.ts';
import { PlatformIcon } from './platform-icon.tsx';
import { SetUpSteps } from './set-up-steps.tsx';

type Integration = Schema<'Integration'>;

/** Opens the dialog of a channel, or closes it. The address names the open one. */
export function useChannelDialog() {
  const change = useChangeSearch({ replace: true });
  return (channel: string | undefined) => change({ channel });
}

interface ChannelDialogProps {
  botId: string;
  /** The bot's channels; `undefined` while they are loaded. */
  channels: readonly Integration[] | undefined;
}

/** Connects the bot to a channel: which one, its form, and what to do next. Changes one in the same way. */
export function ChannelDialog({ botId, channels }: ChannelDialogProps) {
  const { channel } = useSearch({ strict: false });
  const open = useChannelDialog();
  const [saved, setSaved] = useState<Integration>();
  const changed = channels?.find(({ integrationId }) => integrationId === channel);
  const form = platforms.find(({ name }) => name === (changed?.integrationType ?? channel));
  const isOpen = channel !== undefined && channels !== undefined;
  const close = () => {
    setSaved(undefined);
    open(undefined);
  };
  const titleOfForm = form && (changed ? `Change ${form.title}` : `Connect to ${form.title}`);
  return (
    <Popup
      title={saved && form ? `${form.title} is connected` : (titleOfForm ?? 'Connect a channel')}
      isOpen={isOpen}
      onOpen={(isToOpen) => !isToOpen && close()}
    >
      {saved && form ? (
        <AfterSaving form={form} channel={saved} onDone={close} />
      ) : form ? (
        <>
          {form.installs && <InstallApp form={form} botId={botId} />}
          {!changed && <Before form={form} botId={botId} />}
          <ChannelForm
            form={form}
            botId={botId}
            onSaved={setSaved}
            {...(changed ? { channel: changed } : {})}
          />
        </>
      ) : (
        <Choice connected={channels?.map(({ integrationType }) => integrationType) ?? []} onChoose={open} />
      )}
    </Popup>
  );
}

/** A bot has one channel of each platform. */
function Choice({ connected, onChoose }: { connected: readonly string[]; onChoose: (name: string) => void }) {
  return (
    <ul className="grid gap-2">
      {platforms.map(({ name, title, icon, about }) => {
        const isConnected = connected.includes(name);
        return (
          <li key={name}>
            <button
              type="button"
              aria-disabled={isConnected || undefined}
              onClick={() => !isConnected && onChoose(name)}
              className="flex w-full cursor-pointer items-center gap-3 rounded-lg border border-line p-3 text-left hover:bg-hover aria-disabled:cursor-not-allowed aria-disabled:opacity-60"
            >
              <PlatformIcon icon={icon} />
              <span className="grid min-w-0">
                <span className="font-medium">{title}</span>
                <span className="text-sm text-soft">
                  {isConnected ? 'This bot is connected to it already.' : about}
                </span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Before({ form, botId }: { form: PlatformForm; botId: string }) {
  // The answer to the request names the address for sure. Until then it is ours for browsers.
  const deliverTo = `${window.location.origin}/webhooks/${form.name}/${botId}`;
  return <SetUpSteps steps={form.setUp.before} places={{ botId, deliverTo }} />;
}

/** Warnings of the trial, and the steps that are left. */
function AfterSaving({
  form,
  channel: { botId, deliverTo = '', warnings = [] },
  onDone,
}: {
  form: PlatformForm;
  channel: Integration;
  onDone: () => void;
}) {
  return (
    <>
      {warnings.length > 0 && (
        <ul role="alert" className="grid gap-1 rounded-lg bg-warn-tint p-3 text-sm text-warn">
          {warnings.map((warning) => (
            <li key={warning} className="flex items-start gap-2">
              <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
              <span className="min-w-0 break-words">{warning}</span>
            </li>
          ))}
        </ul>
      )}
      <SetUpSteps steps={form.setUp.after} places={{ botId, deliverTo }} />
      <div>
        <Button look="main" onClick={onDone}>
          Done
        </Button>
      </div>
    </>
  );
}

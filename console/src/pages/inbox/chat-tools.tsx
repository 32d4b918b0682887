import type { Schema } from '@botyard/client/client';
import { AlarmClock, Check, type LucideIcon, MailOpen, RotateCcw, Tag } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { Action } from '../../api/use-action.ts';
import { Button, IconButton } from '../../parts/controls.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { setLabels, setState, setUnread } from './actions.ts';
import { useLabels } from './use-labels.ts';

interface ChatToolsProps {
  chat: Schema<'Chat'>;
  isBusy: boolean;
  onAct: (action: Action) => void;
}

/** The buttons for what staff do with a chat besides writing and closing it: labels, later, unread. */
export function ChatTools({ chat, isBusy, onAct }: ChatToolsProps) {
  const { chatId, state, labels } = chat;
  return (
    <div className="flex items-center gap-1">
      <Labels chosen={labels} isBusy={isBusy} onChoose={(names) => onAct(setLabels(chatId, names))} />
      {state !== 'resolved' && (
        <Snooze isBusy={isBusy} onSnooze={(until) => onAct(setState(chatId, 'snoozed', until))} />
      )}
      {!chat.isUnread && (
        <IconButton
          label="Mark as unread"
          icon={MailOpen}
          disabled={isBusy}
          onClick={() => onAct(setUnread(chatId))}
        />
      )}
    </div>
  );
}

/** The button that closes a chat, or opens it again. */
export function Done({ chat: { chatId, state }, isBusy, onAct }: ChatToolsProps) {
  const isAway = state === 'resolved' || state === 'snoozed';
  return (
    <Button
      icon={isAway ? RotateCcw : Check}
      data-done=""
      aria-keyshortcuts="e"
      disabled={isBusy}
      onClick={() => onAct(setState(chatId, isAway ? 'open' : 'resolved'))}
    >
      <span className="max-md:sr-only">{isAway ? 'Open again' : 'Done'}</span>
    </Button>
  );
}

const hourMs = 3600_000;

/** The next time that it is nine in the morning, after so many days. */
function morningIn(days: number): Date {
  const morning = new Date();
  morning.setDate(morning.getDate() + days);
  morning.setHours(9, 0, 0, 0);
  return morning;
}

const daysToMonday = () => (8 - new Date().getDay()) % 7 || 7;

const snoozes: readonly (readonly [words: string, until: () => Date])[] = [
  ['In an hour', () => new Date(Date.now() + hourMs)],
  ['In four hours', () => new Date(Date.now() + 4 * hourMs)],
  ['Tomorrow morning', () => morningIn(1)],
  ['On Monday morning', () => morningIn(daysToMonday())],
];

interface SnoozeProps {
  isBusy: boolean;
  onSnooze: (until: string) => void;
}

function Snooze({ isBusy, onSnooze }: SnoozeProps) {
  return (
    <Menu label="Snooze" icon={AlarmClock}>
      {(close) => (
        <SnoozeChoices
          isBusy={isBusy}
          onSnooze={(until) => {
            close();
            onSnooze(until);
          }}
        />
      )}
    </Menu>
  );
}

/** The times until which chats are snoozed, in words. */
export const SnoozeChoices = ({ isBusy, onSnooze }: SnoozeProps) =>
  snoozes.map(([words, until]) => (
    <Button
      key={words}
      look="quiet"
      className="w-full justify-start"
      disabled={isBusy}
      onClick={() => onSnooze(until().toISOString())}
    >
      {words}
    </Button>
  ));

interface LabelsProps {
  chosen: readonly string[];
  isBusy: boolean;
  onChoose: (names: string[]) => void;
}

function Labels({ chosen, isBusy, onChoose }: LabelsProps) {
  const labels = useLabels();
  const toggled = (name: string) =>
    chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
  return (
    <Menu label="Labels" icon={Tag}>
      {() => (
        <>
          {labels.map(({ labelId, name }) => (
            <label
              key={labelId}
              className="flex items-center gap-2 rounded-md px-3 py-1.5 text-sm hover:bg-hover"
            >
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                disabled={isBusy}
                onChange={() => onChoose(toggled(name))}
              />
              <bdi className="truncate">{name}</bdi>
            </label>
          ))}
          <TextLink to="/inbox/texts" className="px-3 py-1.5 text-sm">
            {labels.length > 0 ? 'Edit the labels' : 'Create the first label'}
          </TextLink>
        </>
      )}
    </Menu>
  );
}

interface MenuProps {
  label: string;
  icon: LucideIcon;
  /** Unfolds over the whole width of its nearest positioned parent, for narrow places. */
  isWide?: boolean;
  /** The class of its width at a desk. On a phone it is as wide as the chat. */
  width?: string;
  /** `isOpen`: for content whose data is fetched when it unfolds. */
  children: (close: () => void, isOpen: boolean) => ReactNode;
}

/** A button that unfolds what belongs to it. Escape folds it again, and keeps the chat open. */
export function Menu({ label, icon: Icon, isWide = false, width = 'md:w-56', children }: MenuProps) {
  const place = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    if (!place.current) return;
    // The focused button is hidden from now on.
    if (place.current.contains(document.activeElement)) place.current.querySelector('summary')?.focus();
    place.current.open = false;
  };
  return (
    <details
      ref={place}
      className={isWide ? '' : 'md:relative'}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !place.current?.open) return;
        event.stopPropagation();
        close();
        place.current.querySelector('summary')?.focus();
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) close();
      }}
    >
      <summary
        title={label}
        className="grid size-9 cursor-pointer list-none place-items-center rounded-md text-soft hover:bg-hover hover:text-ink [&::-webkit-details-marker]:hidden"
      >
        <Icon aria-hidden="true" className="size-4" />
        <span className="sr-only">{label}</span>
      </summary>
      <div
        className={`absolute z-20 mt-1 grid max-h-[60vh] gap-0.5 overflow-y-auto rounded-lg border border-line bg-panel p-1 shadow-raised ${isWide ? 'inset-x-2' : `max-md:inset-x-2 md:right-0 ${width}`}`}
      >
        {children(close, isOpen)}
      </div>
    </details>
  );
}

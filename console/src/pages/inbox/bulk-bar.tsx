import type { Schema } from '@botyard/client/client';
import { useQueryClient } from '@tanstack/react-query';
import { AlarmClock, Check, Tag, UserRound, X } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useMembers } from '../../api/use-members.ts';
import { Button, IconButton } from '../../parts/controls.tsx';
import { chatPath } from './actions.ts';
import { Menu, SnoozeChoices } from './chat-tools.tsx';
import { useLabels } from './use-labels.ts';

type Chat = Schema<'Chat'>;
type Change = (chat: Chat) => Promise<unknown>;

const update = (chatId: string, body: Schema<'UpdateChatRequest'>) =>
  api.put(chatPath, { params: { path: { chatId } }, body });
const setState = (state: Chat['state'], snoozedUntil?: string): Change => {
  const body = snoozedUntil === undefined ? { state } : { state, snoozedUntil };
  return ({ chatId }) => update(chatId, body);
};
const addLabel =
  (name: string): Change =>
  ({ chatId, labels }) =>
    labels.includes(name) ? Promise.resolve() : update(chatId, { labels: [...labels, name] });
const assign =
  (assigneeUserId: string | null): Change =>
  ({ chatId }) =>
    api.post(`${chatPath}/takeover`, { params: { path: { chatId } }, body: { assigneeUserId } });

interface BulkBarProps {
  /** The loaded chats, of which some are selected. */
  chats: readonly Chat[];
  selected: ReadonlySet<string>;
  onSelect: (chatIds: ReadonlySet<string>) => void;
  onEnd: () => void;
}

/** Does the same with all selected chats. Those for which it fails stay selected, and the reason is shown. */
export function BulkBar({ chats, selected, onSelect, onEnd }: BulkBarProps) {
  const labels = useLabels();
  const { people } = useMembers();
  const { apply, progress } = useBulk(onSelect);
  const chosen = chats.filter(({ chatId }) => selected.has(chatId));
  const isIdle = chosen.length === 0 || progress?.isBusy === true;
  // The buttons stay enabled: one that is disabled under the focus would lose it.
  const run = (words: string, change: Change, close?: () => void) => {
    close?.();
    if (!isIdle) void apply(words, chosen, change);
  };
  return (
    <section
      aria-label="Selected chats"
      className="relative grid gap-1 border-y border-line bg-panel px-3 py-2"
    >
      <div className="flex flex-wrap items-center gap-1">
        <label className="flex items-center gap-2 pr-2 text-sm">
          <input
            type="checkbox"
            checked={chats.length > 0 && chosen.length === chats.length}
            onChange={({ target }) =>
              onSelect(new Set(target.checked ? chats.map(({ chatId }) => chatId) : []))
            }
          />
          {chosen.length} selected
        </label>
        <IconButton icon={Check} label="Mark as done" onClick={() => run('done', setState('resolved'))} />
        <Menu isWide label="Snooze the selected" icon={AlarmClock}>
          {(close) => (
            <SnoozeChoices
              isBusy={false}
              onSnooze={(until) => run('snoozed', setState('snoozed', until), close)}
            />
          )}
        </Menu>
        <Menu isWide label="Label the selected" icon={Tag}>
          {(close) =>
            labels.map(({ labelId, name }) => (
              <Choice key={labelId} name={name} onChoose={() => run('labelled', addLabel(name), close)} />
            ))
          }
        </Menu>
        <Menu isWide label="Assign the selected" icon={UserRound}>
          {(close) =>
            [{ userId: null, name: 'Unassigned' }, ...people].map(({ userId, name }) => (
              <Choice key={userId} name={name} onChoose={() => run('assigned', assign(userId), close)} />
            ))
          }
        </Menu>
        <IconButton icon={X} label="End the selection" className="ml-auto" onClick={onEnd} />
      </div>
      <p role="status" className="text-xs [overflow-wrap:anywhere] text-soft">
        {progress?.words ?? 'Choose chats, then what to do with them.'}
      </p>
    </section>
  );
}

const Choice = ({ name, onChoose }: { name: string; onChoose: () => void }) => (
  <Button look="quiet" className="w-full justify-start" onClick={onChoose}>
    <bdi className="truncate">{name}</bdi>
  </Button>
);

interface Progress {
  words: string;
  isBusy: boolean;
}

/** Changes chats one after the other, so that a large selection doesn't take the API from everybody else. */
function useBulk(onSelect: (chatIds: ReadonlySet<string>) => void) {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress>();
  const apply = async (words: string, chats: readonly Chat[], change: Change): Promise<void> => {
    const failed = new Map<string, string>();
    for (const [index, chat] of chats.entries()) {
      setProgress({ words: `${index} of ${chats.length} ${words}…`, isBusy: true });
      await change(chat).catch((error: Error) => failed.set(chat.chatId, error.message));
    }
    const [reason] = failed.values();
    const done = `${chats.length - failed.size} ${words}.`;
    setProgress({ words: reason ? `${done} ${failed.size} failed: ${reason}` : done, isBusy: false });
    onSelect(new Set(failed.keys()));
    await queries.invalidateQueries();
  };
  return { apply, progress };
}

import type { Schema } from '@botyard/client/client';
import { addressOf } from '../../api/address.ts';
import type { Foreseen } from '../../api/foresee.ts';
import type { Action } from '../../api/use-action.ts';
import { postAction, putAction } from '../../api/use-action.ts';

import { chatsPath } from './all-chats.ts';

export const chatPath = `${chatsPath}/{chatId}` as const;

export interface Assignee {
  userId: string | null;
  name: string | undefined;
}

/** The expected change of a chat, on its own page and in the list of chats. */
const foreseen = (chatId: string, change: Partial<Record<keyof Schema<'Chat'>, unknown>>): Foreseen => ({
  at: [addressOf(chatPath, { path: { chatId } }), chatsPath],
  only: { chatId },
  change,
});

export const takeOver = (chatId: string): Action =>
  postAction('Chat taken over', `${chatPath}/takeover`, {
    names: { chatId },
    body: {},
    foreseen: foreseen(chatId, { handling: 'person' }),
  });

export const assign = (chatId: string, { userId, name }: Assignee): Action =>
  postAction('Chat assigned', `${chatPath}/takeover`, {
    names: { chatId },
    body: { assigneeUserId: userId },
    foreseen: foreseen(chatId, { handling: 'person', assigneeUserId: userId, assigneeName: name }),
  });

export const giveBack = (chatId: string): Action =>
  postAction('Chat handed back', `${chatPath}/handback`, {
    names: { chatId },
    foreseen: foreseen(chatId, { handling: 'bot', assigneeUserId: null, assigneeName: undefined }),
  });

const doneWords = {
  open: 'Chat opened',
  waiting: 'Chat waits',
  snoozed: 'Chat snoozed',
  resolved: 'Chat done',
};

export const setState = (
  chatId: string,
  state: Schema<'Chat'>['state'],
  snoozedUntil?: string | undefined,
): Action =>
  putAction(doneWords[state], chatPath, {
    names: { chatId },
    body: { state, snoozedUntil },
    foreseen: foreseen(chatId, { state, snoozedUntil }),
  });

export const setLabels = (chatId: string, labels: readonly string[]): Action =>
  putAction('Labels changed', chatPath, {
    names: { chatId },
    body: { labels },
    foreseen: foreseen(chatId, { labels }),
  });

export const setUnread = (chatId: string): Action =>
  putAction('Chat marked as unread', chatPath, {
    names: { chatId },
    body: { isUnread: true },
    foreseen: foreseen(chatId, { isUnread: true }),
  });

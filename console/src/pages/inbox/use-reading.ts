import type { Schema } from '@botyard/client/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { api } from '../../api/api.ts';
import { applyChange } from '../../api/foresee.ts';
import { chatPath } from './actions.ts';

const chatList = '/api/interactions/chats';

/**
 * Marks the open chat as read, for its newest message once: a chat that its reader has marked as unread stays so. It is
 * no action of the reader, so nothing is said about it.
 */
export function useReading(chat: Schema<'Chat'> | undefined): void {
  const queries = useQueryClient();
  const mayChange = useMayChange();
  const read = useRef<string>(undefined);
  const { chatId, isUnread, lastMessageAt } = chat ?? {};
  useEffect(() => {
    if (!mayChange || chatId === undefined || document.visibilityState !== 'visible') return;
    const place = `${chatId} ${lastMessageAt}`;
    if (read.current === place) return;
    read.current = place;
    if (!isUnread) return;
    void api
      .put(chatPath, { params: { path: { chatId } }, body: { isUnread: false } })
      .then(() =>
        applyChange(queries, {
          at: [chatList, `${chatList}/${chatId}`],
          only: { chatId },
          change: { isUnread: false },
        }),
      )
      .catch(() => undefined);
  }, [queries, mayChange, chatId, isUnread, lastMessageAt]);
}

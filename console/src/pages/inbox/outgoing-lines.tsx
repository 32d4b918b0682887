import { useQueryClient } from '@tanstack/react-query';
import { Clock, RotateCcw, TriangleAlert, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../parts/controls.tsx';
import { chatPath } from './actions.ts';
import { type OutgoingMessage, outgoing } from './outgoing.ts';

/** The messages that are being sent to a chat, and a function that sends one. */
export function useOutgoing(chatId: string) {
  const queries = useQueryClient();
  const messages = useSyncExternalStore(outgoing.subscribe, () => outgoing.of(chatId));
  const send = (text: string): void =>
    void outgoing.send(
      chatId,
      text,
      (body) => api.post(`${chatPath}/messages`, { params: { path: { chatId } }, body: { text: body } }),
      () => queries.invalidateQueries(),
    );
  return { messages, send };
}

/** A message that the list of messages doesn't have yet: it is being sent, or it was refused. */
export function OutgoingLine({ chatId, message }: { chatId: string; message: OutgoingMessage }) {
  const { send } = useOutgoing(chatId);
  const { id, text, state, reason } = message;
  const again = () => {
    outgoing.remove(chatId, id);
    send(text);
  };
  return (
    <li className="flex justify-end">
      <div className="grid max-w-[85%] min-w-0 justify-items-end gap-1 md:max-w-[75%]">
        <p
          dir="auto"
          className={`max-w-full min-w-0 rounded-2xl rounded-tr-sm px-3.5 py-2 [overflow-wrap:anywhere] whitespace-pre-wrap ${state === 'failed' ? 'bg-bad-tint' : 'bg-staff-tint opacity-70'}`}
        >
          {text}
        </p>
        {state === 'sending' ? (
          <p className="inline-flex items-center gap-1 text-xs text-soft">
            <Clock aria-hidden="true" className="size-3.5" />
            sending
          </p>
        ) : (
          <div role="alert" className="flex flex-wrap items-center justify-end gap-2 text-xs text-bad">
            <TriangleAlert aria-hidden="true" className="size-3.5" />
            <span className="[overflow-wrap:anywhere]">Not sent: {reason}</span>
            <Button look="quiet" icon={RotateCcw} onClick={again}>
              Send again
            </Button>
            <Button look="quiet" icon={X} onClick={() => outgoing.remove(chatId, id)}>
              Discard
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { Clock, Paperclip, RotateCcw, TriangleAlert, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { api, apiForFile } from '../../api/api.ts';
import { Button } from '../../parts/controls.tsx';
import { sizeOf } from '../../parts/text.tsx';
import { chatPath } from './actions.ts';
import { type OutgoingMessage, outgoing, type Written } from './outgoing.ts';

/** The messages that are being sent to a chat, and a function that sends one. */
export function useOutgoing(chatId: string) {
  const queries = useQueryClient();
  const messages = useSyncExternalStore(outgoing.subscribe, () => outgoing.of(chatId));
  const send = (written: Written): void =>
    void outgoing.send(
      chatId,
      written,
      (content, onProgress) => post(chatId, content, onProgress),
      () => queries.invalidateQueries(),
    );
  return { messages, send };
}

/** Each file has a request of its own, because the gateway gives a request 30 s. */
function post(chatId: string, { text, file, template }: Written, onProgress: (share: number) => void) {
  const params = { path: { chatId } };
  if (template) return api.post(`${chatPath}/messages`, { params, body: { template } });
  if (!file) return api.post(`${chatPath}/messages`, { params, body: { text } });
  const form = new FormData();
  if (text !== '') form.set('text', text);
  form.set('files', file, file.name);
  const bodySerializer = () => form;
  return apiForFile(onProgress).post(`${chatPath}/messages`, { params, body: { text }, bodySerializer });
}

/** A message that the list of messages doesn't have yet: it is being sent, or it was refused. */
export function OutgoingLine({ chatId, message }: { chatId: string; message: OutgoingMessage }) {
  const { send } = useOutgoing(chatId);
  const { id, text, file, template, state, share, reason } = message;
  const again = () => {
    outgoing.remove(chatId, id);
    send({ text, file, template });
  };
  return (
    <li className="flex justify-end">
      <div className="grid max-w-[85%] min-w-0 justify-items-end gap-1 md:max-w-[75%]">
        <div
          dir="auto"
          className={`max-w-full min-w-0 rounded-2xl rounded-tr-sm px-3.5 py-2 [overflow-wrap:anywhere] whitespace-pre-wrap ${state === 'failed' ? 'bg-bad-tint' : 'bg-staff-tint opacity-70'}`}
        >
          {file && (
            <p className="flex items-center gap-2 text-sm">
              <Paperclip aria-hidden="true" className="size-4 shrink-0" />
              <bdi>{file.name}</bdi> {sizeOf(file.size)}
            </p>
          )}
          {text}
        </div>
        {state === 'sending' ? (
          <p className="inline-flex items-center gap-1 text-xs text-soft">
            <Clock aria-hidden="true" className="size-3.5" />
            {share === undefined ? 'sending' : `sending, ${Math.round(share * 100)} %`}
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

import { Paperclip, SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { Button, IconButton } from '../../parts/controls.tsx';
import { useFirstFocus } from '../../parts/use-first-focus.ts';
import { useFocusPassedOn } from '../../parts/use-focus-passed-on.ts';
import { useCannedReplies } from './canned-replies.tsx';
import { ChosenFiles, useChosenFiles } from './chosen-files.tsx';
import { keepDraft, readDraft } from './drafts.ts';
import { useOutgoing } from './outgoing-lines.tsx';

interface ComposerProps {
  chatId: string;
  /** True right after the person took the chat over: they want to write. */
  isBegun: boolean;
  /** The text was changed: true unless nothing is left of it. */
  onTyping: (isTyping: boolean) => void;
}

/**
 * Writes into the chat. It grows with the text; Ctrl+Enter or ⌘+Enter sends; `/` offers canned replies. Files are
 * chosen, pasted or dropped.
 */
export function Composer({ chatId, isBegun, onTyping }: ComposerProps) {
  const id = useId();
  // Taking over is how a person says that they want to write.
  const field = useFirstFocus<HTMLTextAreaElement>(isBegun);
  const [text, setText] = useState(() => readDraft(chatId));
  const { send } = useOutgoing(chatId);
  const files = useChosenFiles();
  useEffect(() => keepDraft(chatId, text), [chatId, text]);
  const canned = useCannedReplies(text, (reply) => {
    setText(reply);
    field.current?.focus();
  });
  // When the bot takes the chat back, the composer goes.
  const form = useFocusPassedOn<HTMLFormElement>();
  const submit = () => {
    const [first, ...others] = files.chosen;
    if (text.trim() === '' && !first) return;
    // From here on they are shown among the messages, as ones that are being sent.
    send({ text: text.trim(), file: first });
    for (const file of others) send({ text: '', file });
    setText('');
    onTyping(false);
    files.clear();
  };
  const press = (event: KeyboardEvent) => {
    const isSending = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!canned.onKey(event) && !isSending) return;
    event.preventDefault();
    if (isSending) submit();
  };
  return (
    <form
      ref={form}
      className="grid grid-cols-[minmax(0,1fr)] gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...files.dropping}
    >
      <ChosenFiles files={files} />
      {canned.list}
      <label htmlFor={id} className="sr-only">
        Message
      </label>
      <div className="flex items-end gap-2 rounded-xl border border-line bg-panel p-2 outline-accent has-[textarea:focus-visible]:outline-2">
        <textarea
          id={id}
          ref={field}
          name="text"
          rows={1}
          dir="auto"
          data-reply
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onTyping(target.value.trim() !== '');
          }}
          onKeyDown={press}
          onPaste={files.onPaste}
          {...canned.field}
          placeholder="Write a reply, or / for a canned one…"
          className="field-sizing-content max-h-48 min-h-9 flex-1 resize-none bg-transparent px-1.5 py-1.5 outline-none! placeholder:text-soft"
        />
        <IconButton icon={Paperclip} label="Attach files" onClick={files.choose} />
        <Button type="submit" look="main" icon={SendHorizontal}>
          Send
        </Button>
      </div>
      <p className="text-xs text-soft max-md:hidden">
        <kbd>Ctrl</kbd>+<kbd>Enter</kbd> sends.
      </p>
    </form>
  );
}

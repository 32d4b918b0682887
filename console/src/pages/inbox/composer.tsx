import { SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/controls.tsx';
import { chatPath } from './actions.ts';

interface ComposerProps {
  chatId: string;
  /** The text that has not been sent. It outlives the form, which disappears when the bot takes the chat back. */
  draft: RefObject<string>;
  /** True right after the person took the chat over: they want to write. */
  isBegun: boolean;
}

/** Writes into the chat. It grows with the text; Ctrl+Enter or ⌘+Enter sends. */
export function Composer({ chatId, draft, isBegun }: ComposerProps) {
  const id = useId();
  const write = useAction();
  const field = useRef<HTMLTextAreaElement>(null);
  const [initial] = useState(draft.current);
  useLayoutEffect(() => {
    const area = field.current;
    return () => {
      draft.current = area?.value ?? '';
      // The bot has taken the chat back: what had the focus goes, and the chat gets it.
      if (area?.form?.contains(document.activeElement)) area.closest<HTMLElement>('[tabindex="-1"]')?.focus();
    };
  }, [draft]);
  // The text stays in the field until the API has stored it, so an unsent message never looks sent. A text that was
  // changed in the meantime stays, too.
  const clear = (sent: string) => {
    if (field.current?.value.trim() === sent) field.current.value = '';
    if (draft.current.trim() === sent) draft.current = '';
  };
  const send = () => {
    const text = field.current?.value.trim() ?? '';
    if (text === '') return;
    write.mutate({
      what: 'Message sent',
      method: 'post',
      path: `${chatPath}/messages`,
      names: { chatId },
      body: { text },
      onDone: () => clear(text),
    });
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label htmlFor={id} className="sr-only">
        Message
      </label>
      <div className="flex items-end gap-2 rounded-xl border border-line bg-panel p-2 focus-within:border-accent">
        <textarea
          id={id}
          ref={field}
          name="text"
          required
          rows={1}
          dir="auto"
          // biome-ignore lint/a11y/noAutofocus: taking over is how a person says that they want to write.
          autoFocus={isBegun}
          defaultValue={initial}
          onKeyDown={sendOnEnter}
          placeholder="Write a reply…"
          className="field-sizing-content max-h-48 min-h-9 flex-1 resize-none bg-transparent px-1.5 py-1.5 outline-none placeholder:text-soft"
        />
        <Button type="submit" look="main" icon={SendHorizontal} disabled={write.isPending}>
          Send
        </Button>
      </div>
      <p className="text-xs text-soft max-md:hidden">
        <kbd>Ctrl</kbd>+<kbd>Enter</kbd> sends.
      </p>
    </form>
  );
}

import type { Schema } from '@botyard/client/client';
import { LockKeyhole, StickyNote, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { deleteAction, postAction, useAction } from '../../api/use-action.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button } from '../../parts/controls.tsx';
import { Time } from '../../parts/text.tsx';
import { useFirstFocus } from '../../parts/use-first-focus.ts';
import { chatPath } from './actions.ts';
import { writerOf } from './writer.ts';

const notesPath = `${chatPath}/notes` as const;

/** A colleague's note, between the messages. It looks like none of them, because the person never sees it. */
export function NoteLine({ chatId, note }: { chatId: string; note: Schema<'ChatNote'> }) {
  return (
    <li className="flex justify-center">
      <div className="grid w-full max-w-[85%] min-w-0 gap-1 rounded-md border border-dashed border-warn bg-warn-tint px-3.5 py-2">
        <p className="flex flex-wrap items-center gap-2 text-xs text-warn">
          <LockKeyhole aria-hidden="true" className="size-3.5" />
          <bdi className="font-medium [overflow-wrap:anywhere]">{writerOf(note.author)}</bdi>
          <span>private note</span>
          <Time at={note.createdAt} />
          <ActButton
            look="quiet"
            className="ml-auto !min-h-7 !px-2"
            icon={Trash2}
            ask="Delete this note?"
            action={deleteAction('Note deleted', `${notesPath}/{noteId}`, { chatId, noteId: note.noteId })}
          >
            <span className="sr-only">Delete this note</span>
          </ActButton>
        </p>
        <p dir="auto" className="[overflow-wrap:anywhere] whitespace-pre-wrap">
          {note.text}
        </p>
      </div>
    </li>
  );
}

/** Writes a note about the chat, folded until somebody wants to. */
export function NoteForm({ chatId }: { chatId: string }) {
  const id = useId();
  const [isOpen, open] = useState(false);
  // The button before it says that the person wants to write.
  const field = useFirstFocus<HTMLTextAreaElement>(isOpen);
  const write = useAction();
  if (!isOpen)
    return (
      <Button look="quiet" icon={StickyNote} onClick={() => open(true)}>
        Private note
      </Button>
    );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('text')).trim();
    if (text === '') return;
    write.mutate(
      postAction('Note saved', notesPath, { names: { chatId }, body: { text }, onDone: () => open(false) }),
    );
  };
  return (
    <form
      className="grid w-full gap-2 rounded-xl border border-dashed border-warn bg-warn-tint p-2"
      onSubmit={send}
    >
      <label htmlFor={id} className="px-1.5 text-xs font-medium text-warn">
        Private note: only your colleagues see it
      </label>
      <textarea
        id={id}
        name="text"
        required
        rows={2}
        dir="auto"
        maxLength={8000}
        ref={field}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        className="field-sizing-content max-h-48 min-h-14 resize-none bg-transparent px-1.5 outline-none"
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" disabled={write.isPending}>
          Save the note
        </Button>
        <Button onClick={() => open(false)}>Cancel</Button>
      </div>
    </form>
  );
}

import type { Schema } from '@botyard/client/client';
import { type KeyboardEvent, useId, useState } from 'react';
import { useList } from '../../api/use-answer.ts';

type CannedReply = Schema<'CannedReply'>;

/** As many fit beside a composer; typing narrows them. */
const maxShown = 8;

/** The text after `/`, if the message is the beginning of a canned reply's name and nothing else. */
export const wordsOf = (text: string): string | undefined => /^\/([^\n]{0,60})$/.exec(text)?.[1];

/** Those whose name begins with the words come before those that contain them. */
export function matching(replies: readonly CannedReply[], words: string): CannedReply[] {
  const wanted = words.trim().toLocaleLowerCase();
  const rank = ({ name, text }: CannedReply): number => {
    const lower = name.toLocaleLowerCase();
    if (lower.startsWith(wanted)) return 0;
    if (lower.includes(wanted)) return 1;
    return text.toLocaleLowerCase().includes(wanted) ? 2 : 3;
  };
  return replies
    .filter((reply) => rank(reply) < 3)
    .toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
    .slice(0, maxShown);
}

/**
 * The canned replies for a message that begins with `/`. `onKey` handles the keys of the list and returns true for
 * those: arrows choose, Enter and Tab write the reply, Escape closes.
 */
export function useCannedReplies(text: string, onChoose: (reply: string) => void) {
  const id = useId();
  const words = wordsOf(text);
  const [closedFor, closeFor] = useState<string>();
  const [chosen, choose] = useState(0);
  const isOpen = words !== undefined && closedFor !== text;
  const replies = useList('/api/interactions/canned-replies', { query: { limit: 500 }, enabled: isOpen });
  const shown = isOpen && replies.data ? matching(replies.data, words) : [];
  const at = Math.min(chosen, Math.max(0, shown.length - 1));
  const take = (reply: CannedReply) => {
    choose(0);
    onChoose(reply.text);
  };
  const onKey = (event: KeyboardEvent): boolean => {
    const reply = shown[at];
    if (!isOpen || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return false;
    if (event.key === 'Escape') {
      closeFor(text);
      return true;
    }
    if (!reply) return false;
    if (event.key === 'ArrowDown') choose((at + 1) % shown.length);
    else if (event.key === 'ArrowUp') choose((at + shown.length - 1) % shown.length);
    else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) take(reply);
    else return false;
    return true;
  };
  const optionId = (reply: CannedReply) => `${id}-${reply.cannedReplyId}`;
  const active = shown[at];
  return {
    onKey,
    /** For the field: what the list is, and which of its options is chosen. */
    field: {
      'aria-autocomplete': 'list' as const,
      'aria-controls': isOpen ? id : undefined,
      'aria-activedescendant': active ? optionId(active) : undefined,
    },
    list: isOpen && replies.data && (
      <div className="rounded-xl border border-line bg-panel p-1 shadow-raised">
        <p role="status" className="px-3 py-1.5 text-xs text-soft">
          {shown.length > 0
            ? `Canned replies: ${shown.length}. Enter writes the chosen one.`
            : 'No canned reply matches.'}
        </p>
        <div id={id} role="listbox" aria-label="Canned replies" className="max-h-64 overflow-y-auto">
          {shown.map((reply) => (
            <div
              key={reply.cannedReplyId}
              id={optionId(reply)}
              role="option"
              aria-selected={reply === active}
              tabIndex={-1}
              // The focus stays in the field, where one types on.
              onPointerDown={(event) => {
                event.preventDefault();
                take(reply);
              }}
              className="grid cursor-pointer rounded-md px-3 py-1.5 text-sm hover:bg-hover aria-selected:bg-accent-tint"
            >
              <bdi className="truncate font-medium">{reply.name}</bdi>
              <bdi className="truncate text-soft">{reply.text}</bdi>
            </div>
          ))}
        </div>
      </div>
    ),
  };
}

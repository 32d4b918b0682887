import { useEffect, useEffectEvent } from 'react';

/** Whether a key is typed into a field, where letters are text. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

const linksOfChats = (): HTMLAnchorElement[] =>
  [...document.querySelectorAll<HTMLAnchorElement>('section[aria-label="Chats"] a[href*="/inbox/"]')].filter(
    ({ pathname }) => /^\/inbox\/[0-9a-f-]{36}$/.test(pathname),
  );

/**
 * `j` and `k` move through the chats, Enter opens one, `e` says that it is done, `/` searches, Escape goes back to the
 * list. The focus moves along, so a screen reader says what it reached.
 */
export function useInboxKeys(chatId: string | undefined, leave: (search: true) => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && chatId !== undefined && !isTyping(event.target)) {
      leave(true);
      return;
    }
    if (isTyping(event.target) || document.querySelector('[role=dialog]')) return;
    if (event.key === '/') {
      event.preventDefault();
      document.querySelector<HTMLInputElement>('section[aria-label="Chats"] input[type=search]')?.focus();
    }
    if (event.key === 'e') document.querySelector<HTMLButtonElement>('[data-done]')?.click();
    if (event.key === 'j' || event.key === 'k') move(event.key === 'j' ? 1 : -1);
  });
  useEffect(() => {
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** Moves the focus by one chat, from the focused one, else from the open one, else to the first. */
function move(step: 1 | -1): void {
  const links = linksOfChats();
  const focused = links.indexOf(document.activeElement as HTMLAnchorElement);
  const from = focused >= 0 ? focused : links.findIndex((link) => link.ariaCurrent === 'true');
  const next = links[from < 0 ? 0 : Math.min(links.length - 1, Math.max(0, from + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

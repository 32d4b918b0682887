import { useEffectEvent, useLayoutEffect } from 'react';

/** Whether a key is typed into a field, where letters are text. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null;

const linksOfChats = (): HTMLAnchorElement[] =>
  [...document.querySelectorAll<HTMLAnchorElement>('section[aria-label="Chats"] a[href*="/inbox/"]')].filter(
    ({ pathname }) => /^\/inbox\/[0-9a-f-]{36}$/.test(pathname),
  );

interface InboxKeys {
  leave: (search: true) => void;
  /** Selects a chat, or ends that. */
  toggle: (chatId: string) => void;
  help: () => void;
}

/**
 * `j` and `k` move through the chats, Enter opens one, `r` replies, `x` selects it for several at once, `e` says that
 * it is done, `/` searches, Escape goes back to the list, `?` shows these keys. The focus moves along, so a screen
 * reader says what it reached.
 */
export function useInboxKeys(chatId: string | undefined, { leave, toggle, help }: InboxKeys): void {
  const actions: Readonly<Record<string, () => void>> = {
    '/': () =>
      document.querySelector<HTMLInputElement>('section[aria-label="Chats"] input[type=search]')?.focus(),
    '?': help,
    e: () => document.querySelector<HTMLButtonElement>('[data-done]')?.click(),
    j: () => move(1),
    k: () => move(-1),
    r: reply,
    x: () => {
      const chat = chatOf(document.activeElement) ?? chatId;
      if (chat !== undefined) toggle(chat);
    },
  };
  const press = useEffectEvent((event: KeyboardEvent) => {
    // A dialog that the key closes has prevented its default.
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && chatId !== undefined && !isTyping(event.target)) {
      leave(true);
      return;
    }
    if (isTyping(event.target) || document.querySelector('[role=dialog]')) return;
    const act = actions[event.key];
    if (!act) return;
    // The key is none of the text of a field that gets the focus.
    event.preventDefault();
    act();
  });
  useLayoutEffect(() => {
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** Takes the open chat over, whose composer then gets the focus, or moves it there. */
function reply(): void {
  const place = document.querySelector<HTMLElement>('[data-reply]');
  if (place instanceof HTMLButtonElement) place.click();
  else place?.focus();
}

/** The chat of a link in the list. */
const chatOf = (element: Element | null): string | undefined =>
  element instanceof HTMLAnchorElement && linksOfChats().includes(element)
    ? element.pathname.slice('/inbox/'.length)
    : undefined;

/** Moves the focus by one chat, from the focused one, else from the open one, else to the first. */
function move(step: 1 | -1): void {
  const links = linksOfChats();
  const focused = links.indexOf(document.activeElement as HTMLAnchorElement);
  const from = focused >= 0 ? focused : links.findIndex((link) => link.ariaCurrent === 'true');
  const next = links[from < 0 ? 0 : Math.min(links.length - 1, Math.max(0, from + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

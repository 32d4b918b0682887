/** Drafts by chat. A reload of the tab keeps them; they end with the tab, because a computer may be shared. */
const keyOf = (chatId: string): string => `draft ${chatId}`;

export const readDraft = (chatId: string): string => sessionStorage.getItem(keyOf(chatId)) ?? '';

export function keepDraft(chatId: string, text: string): void {
  if (text === '') sessionStorage.removeItem(keyOf(chatId));
  else sessionStorage.setItem(keyOf(chatId), text);
}

/** The state that a sandbox keeps of its numbers and chats while it is stopped. */
import type { FakeWhatsApp } from '../fake-whatsapp.ts';
import type { WhatsAppState } from './types.ts';

export function exportState({ accounts, numbers, entries }: FakeWhatsApp): WhatsAppState {
  return {
    subscribed: [...accounts.values()].flatMap(({ id, subscribed }) =>
      [...subscribed].map(([appId, callback]) => ({
        accountId: id,
        appId,
        ...(callback ? { callback } : {}),
      })),
    ),
    callbacks: [...numbers.values()].flatMap(({ id, callback }) =>
      callback ? [{ phoneNumberId: id, callback }] : [],
    ),
    entries: [...entries.all],
  };
}

export function importState(
  { accounts, numbers, entries, wroteAt }: FakeWhatsApp,
  state: WhatsAppState,
): void {
  for (const { accountId, appId, callback } of state.subscribed)
    accounts.get(accountId)?.subscribed.set(appId, callback);
  for (const { phoneNumberId, callback } of state.callbacks) {
    const number = numbers.get(phoneNumberId);
    if (number) number.callback = callback;
  }
  for (const entry of state.entries) {
    entries.add(entry);
    if (entry.direction === 'in') wroteAt.set(`${entry.phoneNumberId}/${entry.phone}`, entry.at);
  }
}

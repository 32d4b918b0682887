/** The common parts of the phones and the workspace: a page with one conversation, which each event loads anew. */
import { byId, toast } from '/dom.js';

/** Does something, and says why it could not be done. */
export async function tryTo(action) {
  try {
    await action();
  } catch (error) {
    toast(error.isRefusal ? error.message : 'The sandbox does not respond.');
  }
}

/** @param {string} eventName @param {() => Promise<void>} load @returns a function that loads again */
export function startLoading(eventName, load) {
  const showOffline = () => (byId('offline').hidden = false);
  const reload = async () => {
    try {
      await load();
      byId('offline').hidden = true;
    } catch {
      showOffline();
    }
  };
  const events = new EventSource('/api/events');
  events.addEventListener('open', reload);
  events.addEventListener(eventName, reload);
  events.addEventListener('error', showOffline);
  return reload;
}

/** The field for a message: Enter sends it, Shift+Enter begins a new line. `post` gets the text. */
export function startComposing(post) {
  const send = async () => {
    const text = byId('text').value.trim();
    if (text === '') return;
    await tryTo(async () => {
      await post(text);
      byId('text').value = '';
    });
  };
  byId('compose').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  byId('text').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  });
}

/** The state of the mail page, and how it is loaded. */
import { getJson } from '/state.js';

export const state = {
  people: [],
  me: undefined,
  /** The addresses of bots. */
  bots: [],
  pieces: [],
  entries: [],
  /** The open thread. `undefined` while a new email is being written. */
  open: undefined,
  unread: new Set(),
};

export async function load() {
  const { people, bots, pieces, entries } = await getJson('/api/mail');
  Object.assign(state, { people, bots, pieces, entries });
  const kept = sessionStorage.getItem('me');
  state.me = people.find(({ id }) => String(id) === kept) ?? people[0];
}

/** Returns the threads of the selected person, the one with the newest email first. */
export function threads() {
  const byId = Map.groupBy(state.entries, ({ threadId }) => threadId);
  return [...byId.values()]
    .filter((entries) => entries.some(isMine))
    .sort((a, b) => b.at(-1).entryId - a.at(-1).entryId);
}

export const isMine = ({ direction, from, to }) =>
  (direction === 'in' ? from.address : to).toLowerCase() === state.me.address;

export const entriesOf = (threadId) => state.entries.filter((entry) => entry.threadId === threadId);
export const personOf = (address) => state.people.find((person) => person.address === address);

/** Returns the newest email that is neither a bounce nor an automatic reply. */
export const lastOf = (entries) => entries.findLast((entry) => !isAutomatic(entry)) ?? entries.at(-1);
export const isAutomatic = ({ direction, headers }) =>
  direction === 'in' && headers['Auto-Submitted'] !== undefined && headers['Auto-Submitted'] !== 'no';

/** Stores an email. @returns true if it is new */
export function take(entry) {
  const at = state.entries.findIndex(({ entryId }) => entryId === entry.entryId);
  if (at === -1) state.entries.push(entry);
  else state.entries[at] = entry;
  return at === -1;
}

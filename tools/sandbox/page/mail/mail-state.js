/** What the mail page knows, and where it gets it from. */
import { getJson } from '/state.js';

export const state = {
  people: [],
  me: undefined,
  /** Addresses of bots. */
  bots: [],
  pieces: [],
  entries: [],
  /** The open thread; `undefined` while a new mail is written. */
  open: undefined,
  unread: new Set(),
};

export async function load() {
  const { people, bots, pieces, entries } = await getJson('/api/mail');
  Object.assign(state, { people, bots, pieces, entries });
  const kept = sessionStorage.getItem('me');
  state.me = people.find(({ id }) => String(id) === kept) ?? people[0];
}

/** Threads in which the chosen person wrote or was written to; the one with the newest mail first. */
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

/** The newest mail that says something to a person: a bounce or an automatic answer has none. */
export const lastOf = (entries) => entries.findLast((entry) => !isAutomatic(entry)) ?? entries.at(-1);
export const isAutomatic = ({ direction, headers }) =>
  direction === 'in' && headers['Auto-Submitted'] !== undefined && headers['Auto-Submitted'] !== 'no';

/** @returns whether it is a new mail */
export function take(entry) {
  const at = state.entries.findIndex(({ entryId }) => entryId === entry.entryId);
  if (at === -1) state.entries.push(entry);
  else state.entries[at] = entry;
  return at === -1;
}

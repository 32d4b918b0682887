const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

const dayOf = (value: unknown): string | undefined => {
  const day = textOf(value);
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? day : undefined;
};

/** How a case of a run did beside the baseline, in the order in which they are offered. */
export const verdicts = ['worse', 'better', 'same'] as const;

const versionOf = (value: unknown): number | undefined =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31 ? Number(value) : undefined;

/** The search parameters of any page, each with the function that reads it. */
const readers = {
  /** The acting user, the tenant, and the open panels. */
  as: textOf,
  tenant: textOf,
  json: (value: unknown) => value === true || undefined,
  trace: textOf,
  /** The ID of the invitation from an email link. */
  invitation: textOf,
  /** A list's search text, filters and order. */
  q: (value: unknown) => textOf(value)?.slice(0, 100),
  bot: textOf,
  agent: textOf,
  handling: textOf,
  /** A queue of the inbox, and the state and the label of its chats. */
  queue: textOf,
  state: textOf,
  label: textOf,
  /** The outcome of the last session of its chats. */
  outcome: textOf,
  status: textOf,
  sort: textOf,
  /** The kind that a list is filtered by. */
  kind: textOf,
  /** The open dialog of a channel: a platform's name, `choose`, or the integration that is changed. */
  channel: textOf,
  /** The creation whose dialog is open. */
  create: textOf,
  /** The tool of a server whose dialog is open. */
  tool: textOf,
  /** The first and the last day of the figures, and the platform that they are about. */
  from: dayOf,
  to: dayOf,
  platform: textOf,
  /** The grouping of a list. */
  by: textOf,
  /** The message that a chat opens at. */
  message: textOf,
  /** The open case of a test set or of a run; `new` for one that doesn't exist yet. */
  case: textOf,
  /** The verdict that the results of a run are filtered by. */
  verdict: (value: unknown) => verdicts.find((one) => one === value),
  /** The version of an agent that is shown first, or that answered the chats of the inbox. */
  version: versionOf,
} as const;

export type Search = { [Name in keyof typeof readers]?: ReturnType<(typeof readers)[Name]> };

export const readSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(search[name])]));

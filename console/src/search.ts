/** The search parameters of any page: the acting user, the tenant, and the open panels. */
export interface Search {
  as?: string | undefined;
  tenant?: string | undefined;
  json?: boolean | undefined;
  trace?: string | undefined;
  /** The ID of the invitation from an email link. */
  invitation?: string | undefined;
  /** A list's search text, filters and order. */
  q?: string | undefined;
  bot?: string | undefined;
  agent?: string | undefined;
  handling?: string | undefined;
  /** A queue of the inbox, and the state and the label of its chats. */
  queue?: string | undefined;
  state?: string | undefined;
  label?: string | undefined;
  /** The outcome of the last session of its chats. */
  outcome?: string | undefined;
  status?: string | undefined;
  sort?: string | undefined;
  /** The kind that a list is filtered by. */
  kind?: string | undefined;
  /** The open dialog of a channel: a platform's name, `choose`, or the integration that is changed. */
  channel?: string | undefined;
  /** The creation whose dialog is open. */
  create?: string | undefined;
  /** The tool of a server whose dialog is open. */
  tool?: string | undefined;
  /** The first and the last day of the figures, and the platform that they are about. */
  from?: string | undefined;
  to?: string | undefined;
  platform?: string | undefined;
  /** The grouping of a list. */
  by?: string | undefined;
  /** The message that a chat opens at. */
  message?: string | undefined;
  /** The open case of a test set or of a run; `new` for one that doesn't exist yet. */
  case?: string | undefined;
  /** The verdict that the results of a run are filtered by. */
  verdict?: 'worse' | 'better' | 'same' | undefined;
  /** The version of an agent that is shown first, or that answered the chats of the inbox. */
  version?: number | undefined;
}

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

export const readSearch = (search: Record<string, unknown>): Search => ({
  as: textOf(search.as),
  tenant: textOf(search.tenant),
  json: search.json === true || undefined,
  trace: textOf(search.trace),
  invitation: textOf(search.invitation),
  q: textOf(search.q)?.slice(0, 100),
  bot: textOf(search.bot),
  agent: textOf(search.agent),
  handling: textOf(search.handling),
  queue: textOf(search.queue),
  state: textOf(search.state),
  label: textOf(search.label),
  outcome: textOf(search.outcome),
  status: textOf(search.status),
  sort: textOf(search.sort),
  kind: textOf(search.kind),
  channel: textOf(search.channel),
  create: textOf(search.create),
  tool: textOf(search.tool),
  from: dayOf(search.from),
  to: dayOf(search.to),
  platform: textOf(search.platform),
  by: textOf(search.by),
  message: textOf(search.message),
  case: textOf(search.case),
  verdict: verdicts.find((one) => one === search.verdict),
  version: versionOf(search.version),
});

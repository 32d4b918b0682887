import type { ChangeRow } from '../../takeover/store/changes.ts';

type Names = ReadonlyMap<string, string>;

/** The users who are named in changes, as `staffNames` takes them. */
export const staffOfChange = ({ actorUserId, assigneeUserId }: ChangeRow) => [
  { staffUserId: actorUserId },
  { staffUserId: assigneeUserId },
];

/** A change in the form for clients. `names` holds the names of the tenant's users. */
export const toChange = (row: ChangeRow, names: Names) => ({
  changeId: row.changeId,
  kind: row.kind,
  ...(row.staffId === null ? {} : { actor: toMember(row.actorUserId, names) }),
  ...(row.kind === 'assigned'
    ? { assignee: row.assigneeStaffId === null ? null : toMember(row.assigneeUserId, names) }
    : {}),
  ...(row.snoozedUntil === null ? {} : { snoozedUntil: row.snoozedUntil.toISOString() }),
  createdAt: row.createdAt.toISOString(),
});

function toMember(userId: string | null, names: Names) {
  if (userId === null) return {};
  const name = names.get(userId);
  return { userId, ...(name === undefined ? {} : { name }) };
}

import type { Role } from '@botyard/shared/auth/caller';
import type { Seat, SeatPlan } from '../store/seats.ts';
import type { WantedRoles } from './wanted-roles.ts';

export interface SeatsToPlan {
  seats: readonly Seat[];
  /** The last role granted by the provider. */
  grants: ReadonlyMap<string, Role>;
  /** `null` for a tenant without an organization, where only deleted people lose their membership. */
  wanted: WantedRoles | null;
}

/**
 * The changes that align a tenant's people with the provider. Changes made through the API are kept until the
 * provider's record changes. The last admin is never removed.
 */
export function planSeats({ seats, grants, wanted }: SeatsToPlan): SeatPlan {
  const seatOf = new Map(seats.map((seat) => [seat.userId, seat]));
  const next = new Map(seats.map(({ userId, role }) => [userId, role]));
  const plan: SeatPlan = { put: [], remove: [], kept: null, claimed: [], grants: new Map() };
  for (const userId of affectedBy({ seats, grants, wanted })) {
    const seat = seatOf.get(userId);
    const granted = grants.get(userId) ?? null;
    const target = wanted?.roles.get(userId) ?? null;
    if (wanted && target !== granted) plan.grants.set(userId, target);
    if (seat && isChangedHere(seat, granted)) plan.claimed.push(userId);
    if (isOurs(seat, granted, target)) continue;
    if (target) next.set(userId, target);
    else next.delete(userId);
  }
  keepAnAdmin({ seats, grants, wanted }, next, plan);
  for (const [userId, role] of next) if (seatOf.get(userId)?.role !== role) plan.put.push({ userId, role });
  plan.remove = seats.map(({ userId }) => userId).filter((userId) => !next.has(userId));
  return plan;
}

function affectedBy({ seats, grants, wanted }: SeatsToPlan): Set<string> {
  const deleted = seats.filter(({ isUserDeleted }) => isUserDeleted).map(({ userId }) => userId);
  return new Set([...deleted, ...(wanted ? [...wanted.roles.keys(), ...grants.keys()] : [])]);
}

/** Whether the membership was granted by the provider, and changed through the API since. */
const isChangedHere = (seat: Seat, granted: Role | null): boolean =>
  seat.source === 'idp' && !seat.isUserDeleted && seat.role !== granted;

/** Whether it was created, changed or removed through the API. A removal is kept until the provider's wish changes. */
function isOurs(seat: Seat | undefined, granted: Role | null, target: Role | null): boolean {
  if (!seat) return granted !== null && granted === target;
  return !seat.isUserDeleted && (seat.source === 'api' || seat.role !== granted);
}

/** Deleted people have no membership at this point, so any remaining admin is a living person. */
function keepAnAdmin({ seats, grants, wanted }: SeatsToPlan, next: Map<string, Role>, plan: SeatPlan): void {
  if ([...next.values()].includes('admin')) return;
  const seated = new Map(seats.map((seat) => [seat.userId, seat]));
  const mayBeKept = (userId: string) => {
    const seat = seated.get(userId);
    const granted = grants.get(userId) ?? null;
    if (!seat) return granted === null;
    return seat.role === 'admin' || !isOurs(seat, granted, null);
  };
  const admins = seats.filter(({ role }) => role === 'admin').map(({ userId }) => userId);
  const kept = [...(wanted?.formerAdmins ?? []), ...admins.sort()].find(mayBeKept);
  if (kept === undefined) return;
  next.set(kept, 'admin');
  plan.kept = kept;
  if (wanted) plan.grants.set(kept, 'admin');
}

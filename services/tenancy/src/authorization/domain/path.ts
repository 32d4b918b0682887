import type { Role } from '@botyard/shared/auth/caller';
import type { Step } from '../store/walk.ts';

interface Goal {
  type: Step['object_type'];
  id: string;
  needed: Role;
}

/** Whether a relation satisfies a required one: an admin is also a member. */
export const isEnough = (has: Role | 'responder', needed: Role): boolean => has === needed || has === 'admin';

/**
 * The shortest path along the edges of a person's walk to an object, with at least the required relation; `undefined`
 * when there is none. Edges come in the order of `listSteps`.
 */
export function findPath(steps: readonly Step[], goal: Goal): Step[] | undefined {
  const bySubject = Map.groupBy(steps, (step) => `${step.subject_type}:${step.subject_id}`);
  const isGoal = (step: Step) =>
    step.object_type === goal.type && step.object_id === goal.id && isEnough(step.relation, goal.needed);
  const seen = new Set<Step>();
  let level = steps.filter((step) => step.subject_type === 'user').map((step) => [step]);
  while (level.length > 0) {
    const goalPath = level.find((path) => isGoal(path.at(-1)!));
    if (goalPath) return goalPath;
    level = level.flatMap((path) => {
      const last = path.at(-1)!;
      const next = bySubject.get(`${last.object_type}:${last.object_id}`) ?? [];
      return next.filter((step) => isNext(last, step, seen)).map((step) => [...path, step]);
    });
  }
  return undefined;
}

/** Marks found edges, so that each is used once, on the shortest path to it. */
function isNext(last: Step, step: Step, seen: Set<Step>): boolean {
  if (seen.has(step) || step.subject_relation === '' || !isEnough(last.relation, step.subject_relation))
    return false;
  seen.add(step);
  return true;
}

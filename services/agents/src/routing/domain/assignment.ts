import type { PlacedAssignment } from '../store/routing-view.ts';
import { SaidWords } from './plain-words.ts';

/** The facts that an assignment's condition is checked against. */
interface Occasion {
  message: string;
  /** The language of the person's app; `null` when unknown. */
  language: string | null;
}

/**
 * The matching assignments in order of precedence: the highest priority, then the narrowest place, then the oldest. The
 * result doesn't depend on the order of the input.
 */
export function assignmentsFor(
  assignments: readonly PlacedAssignment[],
  occasion: Occasion,
): PlacedAssignment[] {
  const said = new SaidWords(occasion.message);
  return assignments.filter((assignment) => holds(assignment, occasion.language, said)).sort(byRank);
}

function byRank(left: PlacedAssignment, right: PlacedAssignment): number {
  return (
    right.priority - left.priority ||
    narrownessOf(right) - narrownessOf(left) ||
    (left.assignmentId < right.assignmentId ? -1 : 1)
  );
}

function narrownessOf({ chatId, groupId, threadId, kind }: PlacedAssignment): number {
  if (chatId) return 4;
  if (groupId) return threadId ? 3 : 2;
  return kind ? 1 : 0;
}

function holds({ keywords, language }: PlacedAssignment, spoken: string | null, said: SaidWords): boolean {
  if (!saysInLanguage(language, spoken)) return false;
  return keywords.length === 0 || keywords.some((keyword) => said.says(keyword));
}

/**
 * Whether a person's app has the wanted language, if one is given. Only the part before the first hyphen is compared.
 */
export const saysInLanguage = (wanted: string | null | undefined, language: string | null): boolean =>
  wanted == null || mainPart(wanted) === mainPart(language ?? '');

const mainPart = (language: string): string => language.toLowerCase().split('-', 1)[0] ?? '';

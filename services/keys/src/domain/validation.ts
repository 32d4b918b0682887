import type { KeyValidation } from '@botyard/contracts/http/keys';
import type { KeyRow } from '../store/keys.ts';

export type ValidationOutcome = NonNullable<KeyRow['validationOutcome']>;

/**
 * The verdict on a key for each outcome, with the only text that a tenant reads about it. A genuine key is valid even
 * if the provider limits it. Outcomes that show nothing about the key are unknown (REQ-KEY-4).
 */
export const verdicts: Readonly<Record<ValidationOutcome, Pick<KeyValidation, 'status' | 'detail'>>> = {
  accepted: { status: 'valid' },
  restricted: {
    status: 'valid',
    detail: 'The key is genuine, but restricted: the provider does not let it list the models.',
  },
  'without credit': {
    status: 'valid',
    detail: 'The key is genuine, but its account has no credit left or has reached a spending limit.',
  },
  'on hold': {
    status: 'valid',
    detail: 'The key is genuine, but the provider has put its organization on hold.',
  },
  refused: { status: 'invalid', detail: 'The provider does not accept the key.' },
  limited: { status: 'unknown', detail: 'The provider takes no more requests at the moment.' },
  timeout: { status: 'unknown', detail: 'The provider gave no answer in time.' },
  unreachable: { status: 'unknown', detail: 'The provider could not be reached.' },
  failing: { status: 'unknown', detail: 'The provider has a fault at the moment.' },
  'not understood': {
    status: 'unknown',
    detail: 'The provider gave an answer that says nothing about the key.',
  },
  moved: {
    status: 'unknown',
    detail: 'The key was stored for another address of the provider: it has to be stored again.',
  },
  unreadable: { status: 'unknown', detail: 'The key can not be opened: it has to be stored again.' },
};

/** A key's last validation; `null` when it was never validated. */
export function validationOf({
  validationOutcome,
  validatedAt,
}: Pick<KeyRow, 'validationOutcome' | 'validatedAt'>): KeyValidation | null {
  if (!validationOutcome || !validatedAt) return null;
  return { ...verdicts[validationOutcome], checkedAt: validatedAt.toISOString() };
}

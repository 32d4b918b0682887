import type { ErasedPerson } from '@botyard/contracts/events/agents-requests';
import type { Receipt } from '@botyard/contracts/http/gdpr';
import type { ErasureRow } from '../store/erasures.ts';
import type { Subject } from './subject.ts';

/** Input of a step. */
export interface Run {
  row: ErasureRow;
  person: ErasedPerson;
  subject: Subject;
}

/** Result of a step: it is done, or waits for something. Otherwise the same step runs again. */
export interface Outcome {
  isDone: boolean;
  receipts?: readonly Receipt[];
  waitsFor?: string | undefined;
  subject?: Subject;
}

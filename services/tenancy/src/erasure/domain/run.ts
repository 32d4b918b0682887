import type { ErasedPerson } from '@botyard/contracts/events/agents-requests';
import type { Receipt } from '@botyard/contracts/http/gdpr';
import type { ErasureRow } from '../store/erasures.ts';
import type { Subject } from './subject.ts';

/** What a step goes by. */
export interface Run {
  row: ErasureRow;
  person: ErasedPerson;
  subject: Subject;
}

/** What a step has come to: the next one, or what it waits for. Without either it is the same step again. */
export interface Outcome {
  isDone: boolean;
  receipts?: readonly Receipt[];
  waitsFor?: string | undefined;
  subject?: Subject;
}

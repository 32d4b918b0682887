import type { Egress } from '@botyard/shared/http/egress/egress';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TextWorker } from '../knowledge/domain/texts/text-worker.ts';
import type { Calculator } from './domain/calculator.ts';

export interface Deps extends Foundation {
  egress: Egress;
  calculator: Calculator;
  texts: TextWorker;
}

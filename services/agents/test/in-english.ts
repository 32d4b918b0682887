import { speaking } from '@botyard/words/words';
import { apologyFor as apologyOf, type Cause } from '../src/models/domain/cause.ts';

/** The texts that every bot sends to people whose app uses English, or whose language is unknown. */
export const english = speaking('en');
export const apologyFor = (cause: Cause): string => apologyOf(english, cause);
export const delayNotice = english('delay');
export const handoverNotice = english('handover');

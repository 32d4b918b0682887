import { speaking } from '@botyard/words/words';
import { apologyFor as apologyOf } from '../src/conversations/domain/phrases.ts';
import type { Cause } from '../src/models/domain/cause.ts';

/** What every bot says to people whose app speaks English, or no language that is told. */
export const english = speaking('en');
export const apologyFor = (cause: Cause): string => apologyOf(english, cause);
export const delayNotice = english('delay');
export const handoverNotice = english('handover');

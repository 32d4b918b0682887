import type { LockedChat } from '../../takeover/store/handling.ts';
import type { DueQuestion } from '../store/questions.ts';

type Asking = DueQuestion & Pick<LockedChat, 'isWithPerson' | 'state'>;

/** The first one that applies counts. */
const reasons: Readonly<Record<string, (asking: Asking) => boolean>> = {
  'the bot does not ask, or is disabled or deleted': ({ isWanted }) => !isWanted,
  'the person was erased': ({ isErased }) => isErased,
  'it is too late': ({ isLate }) => isLate,
  'the chat is not private': ({ isPrivate }) => !isPrivate,
  'something was written since': ({ isContinued }) => isContinued,
  'a person handles the chat': ({ isWithPerson }) => isWithPerson,
  'the chat waits, is snoozed or resolved': ({ state }) => state !== 'open',
  'the chat takes no messages': ({ isBlocked }) => isBlocked,
  'a call waits for somebody': ({ hasOpenCall }) => hasOpenCall,
  'the answer has not arrived': ({ hasArrived }) => !hasArrived,
  'the answer is rated': ({ isRated }) => isRated,
};

/** Why a person is not asked if an answer helped; `undefined` if they are. */
export const whyNotToAsk = (asking: Asking): string | undefined =>
  Object.entries(reasons).find(([, applies]) => applies(asking))?.[0];

import type { CaseDraft } from '@botyard/contracts/http/evaluations-drafts';
import { Doubts } from './doubtful.ts';
import { KnownPeople, type KnownPerson } from './known-people.ts';
import { Placeholders } from './placeholders.ts';
import { replaceInValue, replaceInWritten } from './replace-json.ts';
import { replaceInText, type Segment } from './replace-text.ts';

type Written = Pick<CaseDraft, 'answer' | 'messages' | 'recording'>;
type Replaced = Written & Pick<CaseDraft, 'replaced' | 'doubtful'>;

const maxUnitsOfMessage = 16_000;
const maxUnitsOfResult = 64 * 1024;

/**
 * Replaces personal data in a draft, everywhere by the same placeholders. Passages are documents of the tenant: in them
 * only what was replaced elsewhere is replaced.
 */
export function replaceInDraft(
  { answer, messages, recording }: Written,
  people: readonly KnownPerson[],
): Replaced {
  const knownPeople = new KnownPeople(people);
  const placeholders = new Placeholders();
  const doubts = new Doubts(knownPeople.commonNames);
  const replacing = { people: knownPeople, placeholders };
  const replaceAt = (place: string | null) => (text: string) => {
    const segments = replaceInText(replacing, text);
    if (place !== null) doubts.lookAt(place, segments);
    return textOf(segments);
  };
  const replacedMessages = messages.map(({ role, text }, at) => ({
    role,
    text: within(replaceAt(role === 'user' ? `messages.${at}.text` : null)(text), maxUnitsOfMessage),
  }));
  const tools = recording.tools.map((call, at) => ({
    ...call,
    arguments: replaceInValue(call.arguments, replaceAt(`recording.tools.${at}.arguments`)) as Record<
      string,
      unknown
    >,
    result: within(
      replaceInWritten(call.result, replaceAt(`recording.tools.${at}.result`)),
      maxUnitsOfResult,
    ),
  }));
  const replacedAnswer = replaceAt(null)(answer.slice(0, maxUnitsOfMessage).toWellFormed());
  placeholders.isComplete = true;
  const passages = recording.passages.map((passage) => ({
    ...passage,
    text: within(replaceAt(null)(passage.text), maxUnitsOfResult),
  }));
  return {
    answer: replacedAnswer,
    messages: replacedMessages,
    recording: { tools, passages, now: recording.now },
    replaced: placeholders.replaced,
    doubtful: doubts.all,
  };
}

const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('');
const within = (text: string, maxUnits: number): string =>
  text.length <= maxUnits ? text : text.slice(0, maxUnits).toWellFormed();

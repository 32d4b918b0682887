import { cutText } from '../../../../text/domain/clean-text.ts';

const maxSubjectUnits = 250;
/** The prefixes that mail programs put before the subject of an answer, in common languages. */
const answerWords = [
  're|aw|antw|sv|vs|odp|r|rif|res|ref|ynt|vá|atb|bls|tl|απ|σχετ|отв|ответ',
  '回复|回覆|答复|答覆|返信|답장|회신|رد|תשובה|השב',
].join('|');
const answerPrefix = new RegExp(
  `^(?:(?:${answerWords})(?:\\[\\d{1,3}\\]|\\(\\d{1,3}\\))?\\s*[:：]\\s*)+`,
  'iu',
);

/** One line without line ends or control characters, so that a header's text can't begin another header. */
export const headerText = (text: string, maxUnits = maxSubjectUnits): string =>
  cutText(
    text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').replace(/\s+/g, ' '),
    maxUnits,
  ).trim();

export const isAnswerSubject = (subject: string): boolean => answerPrefix.test(headerText(subject));

/** A subject without the prefixes of answers, for comparison. */
export const bareSubject = (subject: string): string =>
  headerText(subject).replace(answerPrefix, '').trim().toLowerCase();

/** The subject of an answer: that of the thread's latest mail, with one `Re:`. */
export function answerSubject(subject: string): string {
  const bare = headerText(subject).replace(answerPrefix, '').trim();
  return headerText(`Re: ${bare || '(no subject)'}`);
}

/** Whether this is a single address that `to` can hold, without separators, quotes or comments. */
export const isPlainAddress = (address: string): boolean =>
  address.length <= 254 && /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@[^\s\p{C}<>()[\],;:\\"@]{1,190}$/u.test(address);

/** Whether an identifier can be written between angle brackets. */
export const isMessageId = (id: string): boolean =>
  id.length <= 900 && /^[\x21-\x7e]+$/.test(id) && !/[<>]/.test(id);

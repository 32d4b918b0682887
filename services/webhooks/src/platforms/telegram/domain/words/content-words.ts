import { inRemark, remark } from '../../../../text/domain/remarks.ts';
import { type Fields, numberOf, record, records, textOf } from '../../../domain/fields.ts';
import { chatTitle, personName } from '../names.ts';
import { entityWords } from './entity-words.ts';
import { readEntities } from './read-entities.ts';

type Words = (content: Fields) => string | undefined;

/**
 * Content of a message that is no text and no file, as words for an agent. Empty content has none. Names, titles and
 * texts in it are foreign: they can't end the brackets, and their own lines can't pass for a remark.
 */
export const contentWords: Readonly<Record<string, Words>> = {
  venue: (venue) => remark('place', textOf(venue.title), textOf(venue.address), ...pointOf(venue.location)),
  location: (location) => {
    const point = pointOf(location);
    if (point.length === 0) return undefined;
    return remark(location.live_period === undefined ? 'place' : 'place, shared live', ...point);
  },
  contact: contactWords,
  poll: pollWords,
  checklist: checklistWords,
  dice: ({ emoji, value }) => wordsIfPresent(remark('dice', textOf(emoji), numberOf(value)), emoji),
  game: ({ title, description, text }) =>
    wordsIfPresent(remark('game', textOf(title), textOf(description), textOf(text)), title),
  story: ({ chat }) => wordsIfPresent(remark('story', nameOfChat(chat)), chat),
  sticker: ({ emoji }) => wordsIfPresent(remark('sticker', textOf(emoji)), emoji),
  invoice: ({ title, description, ...sum }) =>
    wordsIfPresent(remark('invoice', textOf(title), amountOf(sum), textOf(description)), title),
  paid_media: ({ star_count: stars, paid_media: media }) =>
    wordsIfPresent(
      remark('paid media', `${records(media).length} files for ${numberOf(stars)} stars`),
      stars,
    ),
  giveaway: (giveaway) =>
    wordsIfPresent(
      remark('giveaway', ...prizesOf(giveaway), dateOf('ends', giveaway.winners_selection_date)),
      giveaway.winner_count,
    ),
  giveaway_winners: (giveaway) =>
    wordsIfPresent(
      remark(
        'giveaway has ended',
        ...prizesOf(giveaway),
        ...records(giveaway.winners).slice(0, 20).map(personName),
      ),
      giveaway.winner_count,
    ),
  gift: ({ gift, text }) =>
    wordsIfPresent(remark('gift', textOf(record(record(gift)?.sticker)?.emoji), textOf(text)), gift),
  unique_gift: ({ gift, text }) =>
    wordsIfPresent(remark('gift', textOf(record(gift)?.name), textOf(text)), gift),
  gift_upgrade_sent: ({ gift, text }) => wordsIfPresent(remark('gift upgrade', textOf(text)), gift),
  users_shared: ({ users }) =>
    wordsIfPresent(remark('shared people', ...records(users).slice(0, 20).map(personWords)), users),
  chat_shared: ({ title, username, chat_id: id }) =>
    wordsIfPresent(remark('shared chat', textOf(title), at(username)), id),
  web_app_data: ({ button_text: button, data }) =>
    wordsIfPresent(remark('data of a web app', textOf(button), inRemark(textOf(data), 4000)), data),
  successful_payment: (payment) => wordsIfPresent(remark('payment', amountOf(payment)), payment.currency),
  refunded_payment: (payment) =>
    wordsIfPresent(remark('refunded payment', amountOf(payment)), payment.currency),
  checklist_tasks_done: doneWords,
  checklist_tasks_added: ({ tasks }) =>
    wordsIfPresent(
      remark(
        'added to the checklist',
        ...records(tasks)
          .slice(0, 30)
          .map(({ text }) => textOf(text)),
      ),
      tasks,
    ),
};

/** Words that say something: those about a field that is there. */
const wordsIfPresent = (words: string, field: unknown): string | undefined =>
  field === undefined || field === null ? undefined : words;

const at = (username: unknown): string => (textOf(username) === '' ? '' : `@${textOf(username)}`);
export const nameOfChat = (chat: unknown): string => {
  const { title, first_name, last_name, username } = record(chat) ?? {};
  const named = { title: textOf(title), first_name: textOf(first_name), last_name: textOf(last_name) };
  const name = chatTitle(named);
  return [name, at(username) && name ? `(${at(username)})` : at(username)].filter(Boolean).join(' ');
};
const personWords = (person: Fields): string =>
  nameOfChat({ first_name: person.first_name, last_name: person.last_name, username: person.username });

function pointOf(location: unknown): string[] {
  const { latitude, longitude } = record(location) ?? {};
  const [lat, long] = [numberOf(latitude), numberOf(longitude)];
  return lat === undefined || long === undefined ? [] : [String(lat), String(long)];
}

function contactWords({ phone_number: phone, first_name, last_name, vcard }: Fields): string | undefined {
  const name = personName({ first_name: textOf(first_name), last_name: textOf(last_name) });
  if (textOf(phone) === '' && name === '') return undefined;
  return remark('contact', name, textOf(phone), ...cardLines(textOf(vcard)));
}

/** Addresses and the company of a visiting card. */
function cardLines(card: string): string[] {
  const lines = card.slice(0, 4000).split(/\r?\n/);
  const values = lines.flatMap(
    (line) => /^(?:EMAIL|ORG|TITLE|URL|ADR)\b[^:]{0,100}:(.{1,300})/i.exec(line)?.[1] ?? [],
  );
  return values.slice(0, 5).map((value) => value.replace(/;+/g, ' ').trim());
}

/** The text of a part of the content, with its links, on one line. */
const line = (text: unknown, entities: unknown): string =>
  inRemark(entityWords(textOf(text).slice(0, 1000), readEntities(entities)));

function pollWords(poll: Fields): string | undefined {
  if (textOf(poll.question) === '') return undefined;
  const options = records(poll.options)
    .slice(0, 30)
    .map(({ text, text_entities: entities, voter_count: votes }) =>
      [line(text, entities), numberOf(votes) ? `(${votes})` : ''].filter(Boolean).join(' '),
    );
  const question = line(poll.question, poll.question_entities);
  const kind = poll.type === 'quiz' ? 'quiz' : 'poll';
  const state = poll.is_closed === true ? ' (closed)' : '';
  const description = line(poll.description, poll.description_entities);
  return `[${kind}${state}: ${[question, description].filter(Boolean).join(' – ')} ${options.join(' / ')}]`.replace(
    ' ]',
    ']',
  );
}

const box = ({ completion_date: completed }: Fields): string => (numberOf(completed) ? '☑' : '☐');

function checklistWords({ title, title_entities: entities, tasks }: Fields): string | undefined {
  if (textOf(title) === '' && records(tasks).length === 0) return undefined;
  const lines = records(tasks)
    .slice(0, 100)
    .map((task) => `${box(task)} ${line(task.text, task.text_entities)}`);
  return [remark('checklist', line(title, entities)), ...lines].join('\n');
}

function doneWords({ checklist_message: message, ...done }: Fields): string | undefined {
  const tasks = records(record(record(message)?.checklist)?.tasks);
  const named = (ids: unknown) =>
    Array.isArray(ids)
      ? ids.slice(0, 30).map((id) => textOf(tasks.find((task) => task.id === id)?.text) || `task ${id}`)
      : [];
  const marked = [
    ['done', named(done.marked_as_done_task_ids)],
    ['not done', named(done.marked_as_not_done_task_ids)],
  ] as const;
  const words = marked
    .filter(([, names]) => names.length > 0)
    .map(([state, names]) => remark(`marked as ${state}`, ...names));
  return words.length > 0 ? words.join('\n') : undefined;
}

function prizesOf({
  winner_count: winners,
  prize_description: prize,
  prize_star_count: stars,
}: Fields): string[] {
  return [
    numberOf(winners) === undefined ? '' : `${winners} winners`,
    textOf(prize),
    numberOf(stars) === undefined ? '' : `${stars} stars`,
  ];
}

function dateOf(what: string, seconds: unknown): string {
  const unixSeconds = numberOf(seconds);
  return unixSeconds === undefined || Math.abs(unixSeconds) > 8e12
    ? ''
    : `${what} ${new Date(unixSeconds * 1000).toISOString().slice(0, 10)}`;
}

/** In the currency's own unit; the platform counts in its smallest. */
function amountOf({ total_amount: amount, currency }: Fields): string {
  const [sum, unit] = [numberOf(amount), textOf(currency)];
  if (sum === undefined || !/^[A-Z]{3}$/.test(unit)) return '';
  if (unit === 'XTR') return `${sum} stars`;
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency: unit }).resolvedOptions()
    .maximumFractionDigits;
  return `${(sum / 10 ** (digits ?? 2)).toFixed(digits)} ${unit}`;
}

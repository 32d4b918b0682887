/** The list of the selected person's threads. */
import { avatar, button, element, timeOf } from '/dom.js';
import { personOf, state, threads } from './mail-state.js';

const hueOf = (address) => [...address].reduce((sum, sign) => sum + sign.codePointAt(0), 0);

export const pictureOf = ({ name, address }) => {
  const person = personOf(address);
  return avatar(person?.name ?? (name || address), person?.id ?? hueOf(address));
};

/** @param {(threadId: string) => void} onOpen */
export function threadItems(onOpen) {
  const items = threads().map((entries) => {
    const [first] = entries;
    const last = entries.at(-1);
    const bot = first.direction === 'in' ? first.to : first.from.address;
    const isUnread = state.unread.has(first.threadId);
    const top = element('span', 'top', element('b', '', first.subject || '(no subject)'), time(last));
    const bottom = element(
      'span',
      'bottom',
      element('small', '', `${whose(last)}${last.text || '(no text)'}`),
    );
    if (isUnread) bottom.append(element('span', 'unread', 'new'));
    const row = button(
      { className: 'chat-row', onClick: () => onOpen(first.threadId) },
      pictureOf({ name: '', address: bot }),
      element('span', 'who', top, bottom),
    );
    if (state.open === first.threadId) row.setAttribute('aria-current', 'true');
    return element('li', '', row);
  });
  return items.length > 0 ? items : [element('li', 'no-bots', 'No emails yet. Write one!')];
}

function time({ at }) {
  const made = element('time', '', timeOf(at));
  made.dateTime = at;
  return made;
}

const whose = ({ direction, from }) =>
  direction === 'out' ? '' : from.address === state.me.address ? 'You: ' : `${from.name}: `;

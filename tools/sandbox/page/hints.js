/** Suggestions above the field: commands after a slash, names after an @, and first messages in an empty chat. */
import { button, byId, element } from './dom.js';
import { openBot, openChat, state } from './state.js';

/** @param {{value: string, isNew: boolean, say: (words: string) => void, fill: (text: string) => void}} about */
export function showHints({ value, isNew, say, fill }) {
  const bot = openBot();
  const chat = openChat();
  if (bot === undefined || chat === undefined) return byId('hints').replaceChildren();
  const isGroup = chat.kind !== 'private';
  const hints = [
    ...commandHints(value, bot, { isGroup, say }),
    ...(isGroup ? nameHints(value, bot, fill) : []),
  ];
  if (value === '' && isNew) {
    const words = state.showcases.length > 0 ? state.showcases.map((one) => one.words) : ['hello'];
    hints.push(...words.slice(0, 6).map((text) => hint({ text, onClick: () => say(text) })));
  }
  byId('hints').replaceChildren(...hints);
}

function commandHints(value, bot, { isGroup, say }) {
  if (!/^\/\w*$/.test(value)) return [];
  return bot.commands
    .filter(({ command }) => `/${command}`.startsWith(value))
    .map(({ command, description }) => {
      const text = isGroup ? `/${command}@${bot.username}` : `/${command}`;
      return hint({ text, description, onClick: () => say(text) });
    });
}

function nameHints(value, bot, fill) {
  const [, before, typed] = /^([\s\S]*(?:^|\s))@(\w*)$/.exec(value) ?? [];
  if (typed === undefined) return [];
  const names = [
    bot.username,
    ...state.people.filter(({ id }) => id !== state.me.id).map((one) => one.username),
  ];
  return names
    .filter((name) => name?.toLowerCase().startsWith(typed.toLowerCase()))
    .map((name) => {
      const made = hint({ text: `@${name}`, onClick: () => fill(`${before}@${name} `) });
      made.dataset.completes = '';
      return made;
    });
}

function hint({ text, description, onClick }) {
  const more = description ? [element('small', '', description)] : [];
  return button({ className: 'hint', onClick }, text, ...more);
}

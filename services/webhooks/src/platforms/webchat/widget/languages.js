/** The words of the button; those of the window come with it. */
const labels = {
  en: ['Open chat', 'New messages'],
  de: ['Chat öffnen', 'Neue Nachrichten'],
  fr: ['Ouvrir le chat', 'Nouveaux messages'],
  es: ['Abrir el chat', 'Mensajes nuevos'],
  it: ['Apri la chat', 'Nuovi messaggi'],
  ar: ['فتح المحادثة', 'رسائل جديدة'],
};

export function labelsFor(wanted) {
  const tags = wanted.map((one) => one.toLowerCase().split('-')[0]);
  const [open, unread] = labels[tags.find((tag) => labels[tag])] ?? labels.en;
  return { open, unread };
}

/** The tenant's words in the first language that they have, or else their first ones. */
export function ownWords(words, wanted) {
  const tags = Object.keys(words);
  const exact = wanted.map((one) => one.toLowerCase()).find((one) => tags.includes(one));
  const near = wanted
    .map((one) => one.toLowerCase().split('-')[0])
    .map((one) => tags.find((tag) => tag.split('-')[0] === one))
    .find(Boolean);
  const tag = exact ?? near ?? tags[0];
  return { language: tag, ...(tag === undefined ? {} : words[tag]) };
}

const fromRightToLeft = /^(ar|fa|he|ur|ps|sd|ug|yi|dv|ckb)\b/i;

export const directionOf = (language) => (fromRightToLeft.test(language) ? 'rtl' : 'ltr');

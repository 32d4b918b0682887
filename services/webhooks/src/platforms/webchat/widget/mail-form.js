import { element } from './dom.js';

/** Asks for an address that answers are mailed to, once the visitor has written. Nothing about it stays in the page. */
export function createMailForm({ client, words, isPreview }) {
  const field = element('input', {
    type: 'email',
    name: 'email',
    autocomplete: 'email',
    required: true,
    maxlength: '254',
    dir: 'ltr',
    'aria-label': words.mailAddress,
    placeholder: words.mailAddress,
  });
  const send = element('button', { type: 'submit' }, words.mailSend);
  const form = element('form', { class: 'mail' }, element('p', {}, words.mailOffer), field, send);
  const state = element('p', { class: 'mail-state', role: 'status' });
  const say = (text) => {
    if (state.textContent !== text) state.textContent = text;
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    const isRequested = isPreview || (await client.requestMail(field.value.trim()));
    send.disabled = false;
    if (isRequested) field.value = '';
    else say(words.mailFailed);
    update();
  });
  const update = () => {
    const { hasMail, isMailRequested } = client;
    const isAsked = (isPreview || client.hasSession) && !hasMail && !isMailRequested;
    form.hidden = !isAsked;
    if (hasMail) say(words.mailConfirmed);
    else if (isMailRequested) say(words.mailRequested);
    else if (!isAsked) say('');
  };
  return { elements: [form, state], update };
}

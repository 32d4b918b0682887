/** The page of a link: shows who asks, and allows or takes back only when a button is pressed. */

const card = document.getElementById('card');
const view = document.getElementById('view');
const status = document.getElementById('status');
/** Only after the `#`, where no server sees it. */
const tokenOf = () => /^#token=([0-9a-f]{48})$/.exec(location.hash)?.[1];
const base = location.pathname.replace(/\/allow\/?$/, '/');

async function call(method, path, body) {
  const answer = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${tokenOf()}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  const content = answer.status === 204 ? {} : await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(content.error ?? ''), { status: answer.status });
  return content;
}

/** Text stays text: what a stranger wrote is never read as HTML. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key === 'onclick' || key === 'onsubmit') made[key] = value;
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Somebody else's words, set apart so that their direction can't turn the rest of the line. */
const said = (text) => element('bdi', null, text.replace(/[\p{Cc}\p{Cf}]/gu, ''));
const strong = (text) => element('strong', null, said(text));
const day = (moment) => new Date(moment).toLocaleString('en', { dateStyle: 'long', timeStyle: 'short' });

function show(title, ...children) {
  const heading = element('h1', { tabindex: '-1' }, title);
  view.replaceChildren(heading, ...children.filter((child) => child !== null));
  document.title = title;
  card.removeAttribute('aria-busy');
  return heading;
}

function tell(text, isBad = false) {
  status.textContent = text;
  status.classList.toggle('is-bad', isBad);
}

const who = ({ botName, mailbox }) =>
  botName ? [strong(botName), ' (', said(mailbox), ')'] : [strong(mailbox)];

function showBad() {
  card.classList.remove('is-allowed');
  show(
    'This link is not valid any longer',
    element('p', null, 'It is over, was used up, or was not copied whole.'),
    element(
      'p',
      { class: 'quiet' },
      'Write to the same address again: a day after the last link you get a new one.',
    ),
  );
}

function choice(kind, title, detail, isChecked) {
  return element(
    'label',
    null,
    element('input', { type: 'radio', name: 'kind', value: kind, checked: isChecked }),
    element('b', null, title),
    element('small', null, ...detail),
  );
}

function showQuestion(link, groups) {
  const group = groups.find(({ canAuthorize }) => canAuthorize);
  const button = element('button', { class: 'primary', type: 'submit' }, 'Allow and answer my mail');
  const form = element(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        void allow(new FormData(form).get('kind'), button);
      },
    },
    element(
      'fieldset',
      null,
      element('legend', null, 'Who may write?'),
      choice('sender', 'My address', [said(link.address), ', in every conversation'], true),
      choice('thread', 'This conversation only', ['whoever takes part in it'], false),
      group
        ? choice(
            'group',
            'Everybody of my domain',
            ['all addresses that end in @', said(group.domain)],
            false,
          )
        : null,
    ),
    button,
  );
  show(
    'Did you write this mail?',
    element(
      'p',
      null,
      'A mail from ',
      strong(link.address),
      ' has come to ',
      ...who(link),
      '. It waits until you confirm that it is yours.',
    ),
    element('p', { class: 'subject' }, element('span', null, 'Subject'), said(link.subject || '(none)')),
    form,
    element(
      'p',
      { class: 'quiet small after' },
      `If you have not written it, just close this page. The link works until ${day(link.expiresAt)}.`,
    ),
  );
}

/** Somebody has named the address in a chat. */
function showQuestionOfChat(link) {
  const button = element(
    'button',
    {
      class: 'primary',
      type: 'button',
      onclick: () => void allow('thread', button, 'Answers come here now'),
    },
    'Yes, send answers here',
  );
  show(
    'Shall answers come here?',
    element(
      'p',
      null,
      'In a chat with ',
      ...who(link),
      ' somebody asked to get the answers at ',
      strong(link.address),
      '. Whoever chats there sees none of your mail.',
    ),
    button,
    element(
      'p',
      { class: 'quiet small after' },
      `If that was not you, just close this page. The link works until ${day(link.expiresAt)}.`,
    ),
  );
}

async function allow(kind, button, title = 'Thank you, you are in') {
  button.disabled = true;
  tell('');
  try {
    const { releasedCount } = await call('POST', 'authorize-thread', { kind });
    const mails =
      releasedCount === 1
        ? 'Your mail is being answered now.'
        : `${releasedCount} mails are being answered now.`;
    await showAllowed(
      title,
      releasedCount === 0 ? 'Your next mail is answered at once.' : `${mails} The answer comes by mail.`,
    );
  } catch (error) {
    if (error.status === 401) return void (await open());
    button.disabled = false;
    tell(reasonOf(error), true);
  }
}

const reasonOf = ({ status: code, message }) =>
  code === 409 || code === 422
    ? `This was refused: ${message}.`
    : 'That did not work. Please try again in a moment.';

function grantLine(grant, subjects) {
  const titles = { sender: 'My address', thread: 'One conversation', group: 'Everybody of my domain' };
  const named = grant.kind === 'thread' ? (subjects.get(grant.value) ?? 'this conversation') : grant.value;
  const button = element(
    'button',
    { class: 'plain', type: 'button', 'aria-label': `Take back: ${titles[grant.kind]}, ${named}` },
    'Take back',
  );
  button.onclick = async () => {
    button.disabled = true;
    try {
      await call('DELETE', `senders/${grant.grantId}`).catch((error) => {
        if (error.status !== 404) throw error;
      });
      await showAllowed();
      tell('Taken back. Mail that comes from now on waits again.');
    } catch (error) {
      if (error.status === 401) return showBad();
      button.disabled = false;
      tell(reasonOf(error), true);
    }
  };
  return element(
    'li',
    null,
    element('span', null, titles[grant.kind], element('small', null, said(named))),
    button,
  );
}

async function showAllowed(title, text) {
  const [access, grants, threads] = await Promise.all([
    call('GET', 'check-tenant-access'),
    call('GET', 'senders'),
    call('GET', 'authorized-threads'),
  ]);
  const subjects = new Map(threads.map(({ threadId, subject }) => [threadId, subject || '(no subject)']));
  card.classList.toggle('is-allowed', access.hasAccess);
  const state = access.hasAccess
    ? [strong(access.address), ' may write to ', ...who(access), '.']
    : ['Mail from ', strong(access.address), ' to ', ...who(access), ' is not answered.'];
  const heading = show(
    title ?? (access.hasAccess ? 'You are in' : 'You are not in'),
    text ? element('p', null, text) : null,
    element('p', text ? { class: 'quiet' } : null, ...state),
    grants.length > 0 ? element('h2', null, 'What you have allowed') : null,
    grants.length > 0 ? element('ul', null, ...grants.map((grant) => grantLine(grant, subjects))) : null,
    element(
      'p',
      { class: 'quiet small after' },
      grants.length > 0
        ? `Keep the mail with your link: until ${day(access.expiresAt)} it leads here, so that you can take this back.`
        : 'When you write again, a day after the last link, you get a new one.',
    ),
  );
  tell('');
  heading.focus();
}

async function open() {
  tell('');
  show('One moment…', element('p', { class: 'quiet' }, 'Your link is being looked at.'));
  card.setAttribute('aria-busy', 'true');
  if (!tokenOf()) return showBad();
  try {
    const { canAuthorize } = await call('GET', 'check-tenant-access');
    if (!canAuthorize) return void (await showAllowed());
    const [link, groups] = await Promise.all([
      call('POST', 'validate-token', {}),
      call('GET', 'authorization-groups'),
    ]);
    if (link.continuesChat) showQuestionOfChat(link);
    else showQuestion(link, groups);
  } catch (error) {
    if (error.status === 401) return showBad();
    show(
      'Just a moment',
      element('p', null, 'We can not look at your link right now. It is not used up.'),
      element('button', { class: 'primary', type: 'button', onclick: () => void open() }, 'Try again'),
    );
  }
}

addEventListener('hashchange', () => void open());
void open();

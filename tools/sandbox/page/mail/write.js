/** The editor for a new email or a reply below its thread. */
import { button, byId, element, fillMenu, openMenu, toast } from '/dom.js';
import { postJson } from '/state.js';
import { entriesOf, lastOf, state } from './mail-state.js';
import { sizeOf } from './thread-view.js';

const drafts = new Map();
const maxBytes = 20 * 1024 * 1024;
let files = [];
let whenAway = () => {};
let whenSent = () => {};

const field = () => byId('mail-text');
const draftKey = () => `${state.me.id}/${state.open ?? 'new'}`;

/** @param {{onAway: () => void, onSent: (threadId: string) => void}} on */
export function startWriting({ onAway, onSent }) {
  whenAway = onAway;
  whenSent = onSent;
  byId('write').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  byId('write').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  });
  field().addEventListener('input', () => drafts.set(draftKey(), field().value));
  byId('attach').addEventListener('change', () => void attach());
  byId('pieces').addEventListener('click', () => {
    const rows = state.pieces.map(({ piece, name, shows }) => ({
      text: name,
      hint: shows,
      onClick: () => void send(piece),
    }));
    fillMenu(byId('pieces-menu'), rows);
    openMenu(byId('pieces-menu'), byId('pieces'));
  });
}

/** Shows the editor of the open thread or of a new email, with its draft. */
export function showWriting() {
  const isNew = state.open === undefined;
  byId('write').hidden = state.bots.length === 0;
  byId('write').classList.toggle('new', isNew);
  byId('write-head').hidden = !isNew;
  byId('write-lines').hidden = !isNew;
  byId('quotes-label').hidden = isNew;
  const chosen = byId('to').value;
  byId('to').replaceChildren(...state.bots.map((address) => element('option', '', address)));
  if (state.bots.includes(chosen)) byId('to').value = chosen;
  field().rows = isNew ? 12 : 3;
  field().placeholder = isNew ? 'Write an email' : `Reply as ${state.me.name}`;
  field().value = drafts.get(draftKey()) ?? '';
  files = [];
  showFiles();
}

async function attach() {
  const chosen = [...byId('attach').files];
  byId('attach').value = '';
  const all = [...files, ...chosen];
  if (all.reduce((sum, { size }) => sum + size, 0) > maxBytes)
    return toast('More than 20 MB. Use ✦ to send an oversized email.');
  files = all;
  showFiles();
}

function showFiles() {
  const items = files.map((file) =>
    element(
      'li',
      'file',
      `📎 ${file.name} · ${sizeOf(file.size)} `,
      button(
        {
          label: `Remove ${file.name}`,
          onClick: () => {
            files = files.filter((one) => one !== file);
            showFiles();
          },
        },
        '✕',
      ),
    ),
  );
  byId('files').replaceChildren(...items);
}

async function send(piece) {
  const text = field().value.trim();
  const isNew = state.open === undefined;
  if (text === '' && files.length === 0) return field().focus();
  const answers = isNew ? undefined : lastOf(entriesOf(state.open))?.entryId;
  const about = isNew ? { to: byId('to').value, subject: byId('mail-subject').value } : { answers };
  const key = draftKey();
  try {
    const { threadId } = await postJson('/api/mail', {
      personId: state.me.id,
      text,
      piece,
      quotes: byId('quotes').checked,
      ...about,
      files: await Promise.all(files.map(toBase64)),
    });
    drafts.delete(key);
    if (key === draftKey()) field().value = '';
    files = [];
    showFiles();
    if (isNew) byId('mail-subject').value = '';
    whenSent(threadId);
  } catch (error) {
    if (error.isRefusal) toast(error.message);
    else whenAway();
  }
}

async function toBase64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, contentType: file.type, base64: bytes.toBase64?.() ?? base64Of(bytes) };
}

function base64Of(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

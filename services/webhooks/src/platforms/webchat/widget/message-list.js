import { element, icon } from './dom.js';
import { renderMarkdown } from './markdown.js';

const nearEndPixels = 80;
const largestPicture = 320;

/** What was said. An element is made once for each state of a message, so that readers hear each message once. */
export class MessageList {
  #client;
  #words;
  #own;
  #thumbs;
  #showFault;
  #rows = new Map();
  #suggestions;
  #answer;
  element;

  constructor({ client, words, own, thumbs, showFault }) {
    this.#client = client;
    this.#words = words;
    this.#own = own;
    this.#thumbs = thumbs;
    this.#showFault = showFault;
    this.element = element('div', {
      class: 'log',
      role: 'log',
      tabindex: '0',
      'aria-live': 'polite',
      'aria-label': words.messages,
    });
    this.#suggestions = this.#makeSuggestions();
  }

  scrollToEnd() {
    this.element.scrollTop = this.element.scrollHeight;
  }

  update() {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < nearEndPixels;
    const { shown, waiting, isRead } = this.#client;
    const newestOwn = shown.findLast(({ author }) => author === 'visitor');
    const wanted = [
      ...(this.#own.greeting ? [this.#row('greeting', '', () => this.#makeGreeting())] : []),
      ...(shown.length + waiting.length === 0 ? [this.#suggestions] : []),
      ...shown.flatMap((message, index) => [
        this.#rowOf(message, message.id === newestOwn?.id, isRead),
        ...(index > shown.indexOf(newestOwn) && waiting.length === 0 ? this.#choicesRow(message) : []),
      ]),
      ...waiting.map((message) => this.#waitingRow(message)),
      ...this.#answerRow(),
    ];
    this.#place(wanted);
    for (const key of this.#rows.keys())
      if (!wanted.includes(this.#rows.get(key).row)) this.#rows.delete(key);
    if (isAtEnd) this.scrollToEnd();
  }

  /** Moves nothing that is in its place, or it would be read out again. */
  #place(wanted) {
    for (const child of [...this.element.children]) if (!wanted.includes(child)) child.remove();
    for (const [index, row] of wanted.entries()) {
      const there = this.element.children[index];
      if (there !== row) this.element.insertBefore(row, there ?? null);
    }
  }

  #row(key, state, make) {
    const shown = this.#rows.get(key);
    if (shown?.state === state) return shown.row;
    const row = make();
    this.#rows.set(key, { state, row });
    return row;
  }

  #rowOf(message, isNewest, isRead) {
    const { id, seq, author, text, isDeleted, clientId, isRateable } = message;
    const words = this.#words;
    if (author === 'notice')
      return this.#row(id, seq, () =>
        element('p', { class: 'note' }, text === 'person' ? words.person : words.bot),
      );
    if (isRateable && this.#thumbs) return this.#answerWithThumbs(message);
    // A message that was waiting keeps its element.
    return this.#row(clientId ?? id, `${seq} ${isNewest} ${isRead}`, () => {
      if (isDeleted) return this.#bubble(author, 'deleted', [words.deleted]);
      const content = author === 'visitor' ? this.#ownContent(message) : this.#theirContent(message);
      const state = author === 'visitor' && isNewest && this.#stateOf(isRead ? words.read : words.sent, id);
      return this.#bubble(author, '', content, state);
    });
  }

  /** A rating changes the buttons alone, so that the answer isn't read out again, and the focus stays. */
  #answerWithThumbs(message) {
    const { id, author } = message;
    const row = this.#row(id, 'rateable', () =>
      this.#bubble(author, '', this.#theirContent(message), this.#makeThumbs(id)),
    );
    const rating = this.#client.ratingOf(message);
    for (const thumb of row.querySelectorAll('.thumbs button'))
      thumb.setAttribute('aria-pressed', String(thumb.dataset.rating === rating));
    return row;
  }

  /** They are not part of what is read out when the answer comes. */
  #makeThumbs(id) {
    const { rate, rateUp, rateDown, rateFailed } = this.#words;
    const press = async ({ currentTarget: pressed }) => {
      this.#showFault('');
      const isTakenBack = pressed.getAttribute('aria-pressed') === 'true';
      const isStored = await this.#client.rate(id, isTakenBack ? null : pressed.dataset.rating);
      if (!isStored) this.#showFault(rateFailed);
    };
    const thumb = (rating, label) =>
      element(
        'button',
        { type: 'button', 'data-rating': rating, 'aria-label': label, title: label, onclick: press },
        icon(rating),
      );
    return element(
      'div',
      { class: 'thumbs', role: 'group', 'aria-label': rate, 'aria-live': 'off' },
      thumb('up', rateUp),
      thumb('down', rateDown),
    );
  }

  /** The choices under a message, until the visitor writes something. */
  #choicesRow({ id, seq, choices = [] }) {
    if (choices.length === 0) return [];
    return [this.#row(`choices ${id}`, seq, () => this.#makeButtons(choices, this.#words.choices, true))];
  }

  #waitingRow(message) {
    const { clientId, fault } = message;
    const words = this.#words;
    return this.#row(clientId, `waiting ${fault ?? ''}`, () => {
      const state = fault
        ? element(
            'div',
            { class: 'state bad' },
            fault === 413 ? words.tooLarge : words.failed,
            element('button', { type: 'button', onclick: () => this.#client.retry(clientId) }, words.retry),
            element(
              'button',
              { type: 'button', onclick: () => this.#client.discard(clientId) },
              words.discard,
            ),
          )
        : element('div', { class: 'state' }, words.sending);
      return this.#bubble('visitor', '', this.#ownContent(message), state);
    });
  }

  #stateOf(text, id) {
    const remove = element(
      'button',
      { type: 'button', 'aria-label': this.#words.remove, onclick: () => void this.#client.remove(id) },
      '×',
    );
    return element('div', { class: 'state' }, element('span', {}, text), remove);
  }

  #ownContent({ text, file, clientId }) {
    const content = this.#client.fileOf(clientId);
    const drawn = file && (file.kind === 'photo' && content ? picture(content, file.name) : fileLine(file));
    return [drawn, text].filter(Boolean);
  }

  #theirContent({ id, text, file }) {
    if (!file) return renderMarkdown(text);
    const load = () => this.#client.fetchFile(id);
    const download = element(
      'button',
      { type: 'button', class: 'download', onclick: () => void load().then((blob) => save(blob, file.name)) },
      fileLine(file),
    );
    return [file.kind === 'photo' ? loaded(load, file.name) : '', download];
  }

  #bubble(author, kind, content, state) {
    const names = { visitor: this.#words.you, bot: this.#words.assistant, staff: this.#words.staff };
    const isOwn = author === 'visitor';
    return element(
      'div',
      { class: `message ${author} ${kind}` },
      element('div', { class: isOwn ? 'who quiet' : 'who' }, names[author]),
      element('div', { class: 'bubble', dir: 'auto' }, ...content),
      state,
    );
  }

  #makeGreeting() {
    return this.#bubble('bot', '', renderMarkdown(this.#own.greeting));
  }

  #makeSuggestions() {
    return this.#makeButtons(this.#own.suggestions ?? [], this.#words.suggestions);
  }

  /** Buttons that send their texts. The pressed one disappears, so the focus goes to what was said. */
  #makeButtons(texts, label, isChoice) {
    const press = (text) => () => {
      this.#client.send(text, undefined, isChoice);
      this.element.focus();
    };
    const buttons = texts.map((text) =>
      element('button', { type: 'button', onclick: press(text), dir: 'auto' }, text),
    );
    return element('div', { class: 'suggestions', role: 'group', 'aria-label': label }, ...buttons);
  }

  /** The answer as far as it is written, or three dots. Readers hear the finished one. */
  #answerRow() {
    const { preview, isTyping } = this.#client;
    if (!preview && !isTyping) {
      this.#answer = undefined;
      return [];
    }
    this.#answer ??= element('div', { class: 'message bot' });
    const content = preview
      ? element(
          'div',
          { class: 'bubble', dir: 'auto', 'aria-hidden': 'true' },
          ...renderMarkdown(preview.text),
        )
      : element(
          'div',
          { class: 'bubble' },
          element('span', { class: 'quiet' }, this.#words.typing),
          element('span', { class: 'dots', 'aria-hidden': 'true' }, element('i'), element('i'), element('i')),
        );
    if (preview || !this.#answer.querySelector('.dots')) this.#answer.replaceChildren(content);
    return [this.#answer];
  }
}

const fileLine = ({ name }) => element('div', { class: 'file' }, icon('file'), element('span', {}, name));

/** A picture that is fetched first. Without it the message has its file only. */
function loaded(load, name) {
  const place = element('div', { class: 'picture' });
  load().then((content) => content && place.replaceChildren(picture(content, name)));
  return place;
}

function save(content, name) {
  if (!content) return;
  const address = URL.createObjectURL(content);
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Drawn, because the page may not allow pictures of its own making. */
function picture(content, name) {
  const canvas = element('canvas', { role: 'img', 'aria-label': name });
  createImageBitmap(content)
    .then((bitmap) => {
      const scale = Math.min(1, largestPicture / Math.max(bitmap.width, bitmap.height));
      canvas.width = Math.max(1, Math.round(bitmap.width * scale));
      canvas.height = Math.max(1, Math.round(bitmap.height * scale));
      canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      bitmap.close();
    })
    .catch(() => canvas.replaceWith(fileLine({ name })));
  return canvas;
}

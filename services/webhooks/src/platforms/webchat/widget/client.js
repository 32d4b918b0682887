import { createStorage, newId } from './storage.js';
import { pause, readStream, waitMs } from './stream.js';
import { createTabs } from './tabs.js';

const maxKept = 200;
const typingMs = 8000;

/**
 * The conversation of a browser: what it has sent and received, and what waits to be sent. A message waits until the
 * server has it, over reloads and hours offline; it has a number of its own, so that repeating it does no harm.
 */
export class Client extends EventTarget {
  #url;
  #bot;
  /** The verified visitor, or '' for one who isn't signed in. */
  #user = '';
  #storage;
  #tabs;
  #language;
  #identity;
  #streaming;
  #isSending = false;
  #files = new Map();
  #typingTimer;
  #answered;
  /** Ratings that are on their way. */
  #ratings = new Map();
  messages = new Map();
  waiting = [];
  preview = null;
  isTyping = false;
  isRead = false;
  /** Answers that no window gets are mailed. */
  hasMail = false;
  /** The connection was lost, and is tried again. */
  isCutOff = false;
  /** Why nothing works: this site may not show the chat, or there is none. */
  fault = null;

  constructor({ origin, bot, language }) {
    super();
    this.#url = `${origin}/webhooks/webchat/${bot}`;
    this.#bot = bot;
    this.#storage = createStorage(bot, '');
    this.#tabs = createTabs(`botyard:${bot}`, (message) => this.#hear(message));
    this.#language = language;
    this.#restore();
    window.addEventListener('online', () => void this.#send());
  }

  get hasSession() {
    return this.#storage.read('session') !== undefined;
  }

  get shown() {
    return [...this.messages.values()].sort((one, other) => one.position - other.position);
  }

  /** The newest change that this browser knows. */
  get seq() {
    return [...this.messages.values()].reduce((most, { seq }) => Math.max(most, seq), 0);
  }

  get unread() {
    const readTo = this.#storage.read('readTo') ?? 0;
    const isUnread = ({ author, seq, isDeleted }) =>
      (author === 'bot' || author === 'staff') && seq > readTo && !isDeleted;
    return [...this.messages.values()].filter(isUnread).length;
  }

  /** A person of the team handles the chat. */
  get isWithPerson() {
    return this.#storage.read('handling') === 'person';
  }

  /** The visitor has seen everything. The server learns it with the next message, or the next stream. */
  markRead() {
    if (this.unread === 0) return;
    this.#storage.write('readTo', this.seq);
    this.#tell('read');
    this.#changed();
  }

  /** Reads what was missed, and what happens, in one tab for all of them. */
  connect() {
    if (this.#streaming || (!this.hasSession && !this.#identity)) return;
    const streaming = new AbortController();
    this.#streaming = streaming;
    const { signal } = streaming;
    void this.#tabs
      .alone(`stream:${this.#user}`, () => this.#stream(signal))
      .catch(() => undefined)
      .finally(() => {
        if (this.#streaming === streaming) this.#streaming = undefined;
      });
    void this.#send();
  }

  /** Who the visitor is, as the site vouches for it: a history of their own. `null`: they have signed out. */
  identify(identity) {
    const user = identity ? (identity.userId ?? subjectOf(identity.jwt)) : '';
    const anonymous = createStorage(this.#bot, '');
    const before = anonymous.read('user');
    this.#identity = identity ?? undefined;
    if (before && before !== user) this.#end(before);
    if (user === '') anonymous.remove('user');
    else anonymous.write('user', user);
    this.#become(user);
    this.connect();
  }

  send(text, file, isChoice) {
    const message = { clientId: newId(), text, isChoice, at: new Date().toISOString() };
    if (file) {
      this.#files.set(message.clientId, file.content);
      message.file = { name: file.name, kind: file.kind };
    }
    this.waiting = [...this.waiting, message];
    this.#keepWaiting();
    void this.#send();
  }

  /** Sends a refused message again. */
  retry(clientId) {
    this.waiting = this.waiting.map((one) =>
      one.clientId === clientId ? { ...one, fault: undefined } : one,
    );
    this.#keepWaiting();
    void this.#send();
  }

  discard(clientId) {
    this.waiting = this.waiting.filter((one) => one.clientId !== clientId);
    this.#keepWaiting();
  }

  async remove(messageId) {
    const token = this.#storage.read('session');
    const answer = await this.#post('deletions', JSON.stringify({ token, messageId })).catch(() => undefined);
    return answer?.ok === true;
  }

  /** The visitor's rating of an answer: `up`, `down` or `null`. */
  ratingOf({ id, rating = null }) {
    return this.#ratings.has(id) ? this.#ratings.get(id) : rating;
  }

  /** Sends the newest rating of an answer. `false`: it is not stored, and the former one is shown again. */
  async rate(id, rating) {
    const isSending = this.#ratings.has(id);
    this.#ratings.set(id, rating);
    this.#changed();
    if (isSending) return true;
    const token = this.#storage.read('session');
    let isStored = true;
    let sent;
    let failures = 0;
    while (isStored && sent !== this.#ratings.get(id)) {
      sent = this.#ratings.get(id);
      const line = JSON.stringify({ token, messageId: id, rating: sent });
      const answer = await this.#post('ratings', line).catch(() => undefined);
      if (answer?.status === 503 && failures < 3) {
        failures += 1;
        sent = undefined;
        await pause(waitMs(failures, answer));
      } else isStored = answer?.ok === true;
    }
    this.#ratings.delete(id);
    const message = this.messages.get(id);
    if (isStored && message) {
      this.messages.set(id, { ...message, rating: sent });
      this.#storage.write('messages', this.shown);
    }
    this.#changed();
    return isStored;
  }

  get isMailRequested() {
    return this.#storage.read('mail') === true;
  }

  /** Has a link sent to an address for answers. `false`: this isn't an address, or there were too many. */
  async requestMail(address) {
    const token = this.#storage.read('session');
    const answer = await this.#post('address', JSON.stringify({ token, address })).catch(() => undefined);
    if (answer?.ok) this.#storage.write('mail', true);
    this.#changed();
    return answer?.ok === true;
  }

  /** A file of staff; `undefined` if it can't be had. */
  async fetchFile(messageId) {
    const token = this.#storage.read('session');
    const answer = await this.#post('files', JSON.stringify({ token, messageId })).catch(() => undefined);
    return answer?.ok ? await answer.blob().catch(() => undefined) : undefined;
  }

  fileOf(clientId) {
    return this.#files.get(clientId);
  }

  async #stream(signal) {
    let failures = 0;
    const onEvent = (event, data) => {
      failures = 0;
      this.#tell('event', { event, data });
      this.#take(event, data);
    };
    while (!signal.aborted) {
      const token = this.#storage.read('session');
      const who = token === undefined ? { identity: this.#identity } : { token };
      const body = { ...who, after: this.seq, readTo: this.#storage.read('readTo') ?? 0 };
      const answer = await readStream(`${this.#url}/stream`, body, { signal, onEvent }).catch(
        () => undefined,
      );
      if (signal.aborted || this.#endsStream(answer?.status, token)) return;
      const isEnded = answer?.status === 200;
      if (!isEnded) this.#setCutOff(true);
      await pause(isEnded ? 500 + Math.random() * 1000 : waitMs(failures, answer), signal);
      failures += 1;
    }
  }

  /** Whether there is no use in trying again: there is no session, or this site may not show the chat. */
  #endsStream(status, token) {
    if (status === 403 || status === 404) this.#refuse(status);
    if (status !== 401) return status === 204 || status === 403 || status === 404;
    if (token !== undefined) this.#sessionEnded();
    return token === undefined || !this.#identity;
  }

  /** Sends what waits, in its order, and repeats it until the server has it or refuses it. */
  async #send() {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      let failures = 0;
      for (;;) {
        const next = this.waiting.find(({ fault }) => !fault);
        if (!next) return;
        const waits = await this.#sendOne(next, failures).catch(() => waitMs(failures));
        failures = waits === 0 ? 0 : failures + 1;
        if (waits > 0) await pause(waits);
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** Resolves with 0, or with the time until it is sent again. */
  async #sendOne(message, failures, proof) {
    const { clientId, text, isChoice, file } = message;
    const content = this.#files.get(clientId);
    if (file && !content) {
      this.discard(clientId);
      return 0;
    }
    const token = this.#storage.read('session');
    const line = JSON.stringify({
      ...(token === undefined ? { identity: this.#identity, proof, startId: this.#startId() } : { token }),
      clientId,
      text,
      isChoice,
      file,
      readTo: this.#storage.read('readTo') ?? 0,
      language: this.#language,
    });
    const answer = await this.#post('messages', file ? new Blob([`${line}\n`, content]) : line);
    if (answer.ok) return await this.#sent(message, failures, await answer.json());
    if (answer.status === 401 && token !== undefined) {
      this.#sessionEnded();
      return 1;
    }
    if (answer.status === 429 || answer.status >= 500) return waitMs(failures, answer);
    if (answer.status === 403 || answer.status === 404) this.#refuse(answer.status);
    this.waiting = this.waiting.map((one) =>
      one.clientId === clientId ? { ...one, fault: answer.status } : one,
    );
    this.#keepWaiting();
    return 0;
  }

  async #sent(message, failures, result) {
    if (result.outcome === 'work') {
      const { work } = await import('./work.js');
      const nonce = await work(result.challenge, result.bits);
      return await this.#sendOne(message, failures, { challenge: result.challenge, nonce });
    }
    if (result.token) {
      this.#storage.write('session', result.token);
      this.#storage.remove('start');
    }
    this.isRead = false;
    this.#accept(result.message);
    this.#tell('event', { event: 'message', data: result.message });
    this.connect();
    return 0;
  }

  /** Without a session all messages of this browser, from any tab and however often, begin the same one. */
  #startId() {
    const startId = this.#storage.read('start') ?? newId();
    this.#storage.write('start', startId);
    return startId;
  }

  /** `text/plain` needs no question of the browser before it: a message is one request. */
  #post(path, body) {
    return fetch(`${this.#url}/${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      credentials: 'omit',
    });
  }

  #take(event, data) {
    if (event === 'ready') {
      if (data.token) this.#storage.write('session', data.token);
      this.hasMail = data.hasMail === true;
      this.#setCutOff(false);
    } else if (event === 'message') this.#accept(data);
    else if (event === 'preview') {
      if (data.turnId === this.#answered) return;
      this.preview = data.text === null ? null : data;
      this.#setTyping(data.text !== null);
    } else if (event === 'typing') {
      this.isRead = true;
      this.#setTyping(true);
    } else if (event === 'read') {
      this.isRead = true;
      this.#changed();
    }
  }

  #accept(message) {
    const shown = this.messages.get(message.id);
    if (shown && shown.seq >= message.seq) return;
    this.messages.set(message.id, message);
    if (message.author === 'notice') this.#storage.write('handling', message.text);
    if (message.clientId && this.waiting.some(({ clientId }) => clientId === message.clientId)) {
      this.waiting = this.waiting.filter(({ clientId }) => clientId !== message.clientId);
      this.#storage.write('waiting', this.waiting);
    }
    if (message.author === 'bot' || message.author === 'staff') {
      // A late preview of what has been answered.
      this.#answered = this.preview?.turnId ?? this.#answered;
      this.preview = null;
      clearTimeout(this.#typingTimer);
      this.isTyping = false;
    }
    const kept = this.shown.slice(-maxKept);
    this.messages = new Map(kept.map((one) => [one.id, one]));
    this.#storage.write('messages', kept);
    this.dispatchEvent(new CustomEvent('message', { detail: message }));
    this.#changed();
  }

  #tell(kind, more) {
    this.#tabs.tell({ kind, user: this.#user, ...more });
  }

  #hear({ kind, user, event, data }) {
    if (user !== this.#user) return;
    if (kind === 'event') this.#take(event, data);
    else if (kind === 'waiting') this.waiting = this.#storage.read('waiting') ?? [];
    else if (kind === 'ended') this.#become('');
    this.#changed();
  }

  #restore() {
    this.messages = new Map((this.#storage.read('messages') ?? []).map((one) => [one.id, one]));
    this.waiting = this.#storage.read('waiting') ?? [];
  }

  /** Shows the history of this visitor, and of nobody else. */
  #become(user) {
    if (user === this.#user) return;
    this.#disconnect();
    this.#user = user;
    this.#storage = createStorage(this.#bot, user);
    this.#restore();
    this.#changed();
    this.connect();
  }

  /** A visitor has signed out: their session ends, in every tab, and nothing of them stays in this browser. */
  #end(user) {
    const storage = createStorage(this.#bot, user);
    const token = storage.read('session');
    if (token) void this.#post('end', JSON.stringify({ token })).catch(() => undefined);
    storage.clear();
    this.#tabs.tell({ kind: 'ended', user });
  }

  /** The next message begins another one, which knows nothing of what was said before. */
  #sessionEnded() {
    const { waiting } = this;
    this.#storage.clear();
    this.#restore();
    this.waiting = waiting;
    this.#keepWaiting();
  }

  #disconnect() {
    this.#streaming?.abort();
    this.#streaming = undefined;
    this.preview = null;
    this.isTyping = false;
    this.hasMail = false;
  }

  #keepWaiting() {
    this.#storage.write('waiting', this.waiting);
    this.#tell('waiting');
    this.#changed();
  }

  #setCutOff(isCutOff) {
    this.isCutOff = isCutOff;
    if (!isCutOff) this.fault = null;
    this.#changed();
  }

  #setTyping(isTyping) {
    clearTimeout(this.#typingTimer);
    this.isTyping = isTyping;
    if (!isTyping) this.preview = null;
    if (isTyping) this.#typingTimer = setTimeout(() => this.#setTyping(false), typingMs);
    this.#changed();
  }

  #refuse(status) {
    this.fault = status;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/** Only tells one user from another: the server is who verifies the token. */
function subjectOf(jwt) {
  try {
    return JSON.parse(atob(jwt.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).sub;
  } catch {
    return jwt;
  }
}

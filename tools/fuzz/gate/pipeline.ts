import { connect, type Socket } from 'node:net';
import { AnswerReader, type WireAnswer } from './answers.ts';
import { bytesOf, type RawRequest } from './raw-request.ts';

export type OnAnswer = (request: RawRequest, answer: WireAnswer | 'closed' | 'silent') => void;

/** The wait for a server that may expect more bytes. */
const silenceMs = 100;
/** The wait for a server that has to respond. */
const patienceMs = 15_000;

/** Sends pipelined requests as bytes. The connection is reused as long as the server keeps it open. */
export class Pipeline {
  readonly #port: number;
  readonly #onAnswer: OnAnswer;
  #socket: Socket | undefined;
  #reader = new AnswerReader();
  #waiting: RawRequest[] = [];
  #settle: (() => void) | undefined;

  constructor(port: number, onAnswer: OnAnswer) {
    this.#port = port;
    this.#onAnswer = onAnswer;
  }

  /** Sends requests. Resolves when each has a response or another result. */
  async send(requests: readonly RawRequest[]): Promise<void> {
    const plain = requests.filter(({ framing }) => framing === 'plain');
    await this.#sendTogether(plain);
    // Requests after one that ended the connection are resent individually.
    for (let left = this.#takeWaiting(); left.length > 0; left = this.#takeWaiting()) {
      for (const request of left) await this.#sendAlone(request);
    }
    for (const request of requests) {
      if (request.framing !== 'plain') await this.#sendAlone(request);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #sendTogether(requests: readonly RawRequest[]): Promise<void> {
    if (requests.length === 0) return;
    await this.#exchange(requests, patienceMs);
    if (this.#waiting.length > 0) this.close();
  }

  async #sendAlone(request: RawRequest): Promise<void> {
    // The connection may still carry bytes of an earlier request.
    this.close();
    await this.#exchange([request], request.framing === 'silent' ? silenceMs : patienceMs);
    if (this.#waiting.length > 0) this.#give(this.#socket ? 'silent' : 'closed');
    this.close();
  }

  async #exchange(requests: readonly RawRequest[], waitMs: number): Promise<void> {
    const socket = this.#socket?.writable ? this.#socket : this.#open();
    this.#waiting = [...requests];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settle = resolve;
    const timer = setTimeout(resolve, waitMs);
    socket.write(requests.map(bytesOf).join(''), 'latin1');
    await promise;
    clearTimeout(timer);
  }

  #takeWaiting(): RawRequest[] {
    return this.#waiting.splice(0);
  }

  /** Handles a response. The server announces the last response of a connection. */
  #take(answer: WireAnswer): void {
    const isLast = /\r\nconnection: close/.test(answer.head);
    if (isLast) this.close();
    this.#give(answer);
    if (isLast) this.#settle?.();
  }

  #give(answer: WireAnswer | 'closed' | 'silent'): void {
    const request = this.#waiting.shift();
    if (request) this.#onAnswer(request, answer);
    if (this.#waiting.length === 0) this.#settle?.();
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1').setEncoding('latin1').setNoDelay();
    this.#reader = new AnswerReader();
    this.#socket = socket;
    socket.on('data', (text: string) => {
      if (this.#socket !== socket) return;
      this.#reader.read(
        text,
        () => this.#waiting[0]?.method,
        (answer) => this.#take(answer),
      );
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#settle?.();
    });
    return socket;
  }
}

const headEnd = '\r\n\r\n';

/** One response as received on a connection. */
export interface WireAnswer {
  status: number;
  /** The head in lowercase. */
  head: string;
}

/** Splits a server's bytes into responses as strictly as a client must (RFC 9112, 6.3). */
export class AnswerReader {
  #rest = '';

  /** Adds bytes. `methodOf` returns the method of the request whose response is next. */
  read(text: string, methodOf: () => string | undefined, take: (answer: WireAnswer) => void): void {
    this.#rest += text;
    for (let end = this.#cut(methodOf, take); end > 0; end = this.#cut(methodOf, take))
      this.#rest = this.#rest.slice(end);
  }

  /** Returns the number of bytes of the first complete response, or 0 if there is none. */
  #cut(methodOf: () => string | undefined, take: (answer: WireAnswer) => void): number {
    const headAt = this.#rest.indexOf(headEnd);
    if (headAt < 0) return 0;
    const head = this.#rest.slice(0, headAt).toLowerCase();
    const status = Number(head.slice(9, 12));
    const bodyAt = headAt + headEnd.length;
    if (status >= 100 && status < 200) return bodyAt;
    const hasBody = methodOf() !== 'HEAD' && status !== 204 && status !== 304;
    const end = hasBody ? this.#endOfBody(head, bodyAt) : bodyAt;
    if (end > 0) take({ status, head });
    return end;
  }

  #endOfBody(head: string, bodyAt: number): number {
    if (/\r\ntransfer-encoding: chunked/.test(head)) return this.#endOfChunks(bodyAt);
    const [, length] = /\r\ncontent-length: (\d+)/.exec(head) ?? [];
    if (length === undefined) return 0;
    const end = bodyAt + Number(length);
    return this.#rest.length >= end ? end : 0;
  }

  #endOfChunks(bodyAt: number): number {
    for (let at = bodyAt; ; ) {
      const lineEnd = this.#rest.indexOf('\r\n', at);
      if (lineEnd < 0) return 0;
      const size = Number.parseInt(this.#rest.slice(at, lineEnd), 16);
      at = lineEnd + 2 + size + 2;
      if (this.#rest.length < at) return 0;
      if (size === 0) return at;
    }
  }
}

/**
 * The fields of a delivery, as they were posted. The mailer's own and those made of a mail's headers stand side by side, and
 * differ by the case of their names only: `from` and `From`.
 */
export interface MailForm {
  /** The field's value; of one that was posted more than once, `undefined`. */
  one(name: string): string | undefined;
  /** Every value, in order. */
  all(name: string): string[];
  /** All fields with each of their values. */
  entries(): [string, string][];
}

/** Of a body as `multer` and `querystring` read it. What is neither text nor a list of texts is nothing that the mailer posts. */
export function mailForm(body: unknown): MailForm {
  const fields = new Map<string, string[]>();
  if (typeof body === 'object' && body !== null)
    for (const [name, value] of Object.entries(body)) {
      const values = [value].flat().filter((one) => typeof one === 'string');
      if (values.length > 0) fields.set(name, values);
    }
  return {
    one: (name) => {
      const values = fields.get(name);
      return values?.length === 1 ? values[0] : undefined;
    },
    all: (name) => fields.get(name) ?? [],
    entries: () =>
      [...fields].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  };
}

export interface Triple {
  timestamp: string;
  token: string;
  signature: string;
  parentSignature: string | undefined;
}

/** What the mailer signs a delivery with, as far as it was posted; `undefined` while a part is missing. */
export function tripleOf(form: MailForm): Triple | undefined {
  const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) => form.one(name));
  if (timestamp === undefined || token === undefined || signature === undefined) return undefined;
  return { timestamp, token, signature, parentSignature: form.one('parent-signature') };
}

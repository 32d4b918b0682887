import { FieldCollector, type PostedFields } from '../src/platforms/mailgun/domain/inbound/mail-form.ts';

/** Fields as a delivery posts them. Values that are neither a text nor a list of texts are left out. */
export function collectFields(body: Readonly<Record<string, unknown>>): PostedFields {
  const collector = new FieldCollector();
  for (const [name, value] of Object.entries(body))
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === 'string') collector.add(name, one);
  return collector.fields;
}

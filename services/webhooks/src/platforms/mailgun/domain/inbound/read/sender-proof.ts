import { areAligned, domainOf, normalizeDomain } from '@botyard/shared/mail/domains';
import type { MailForm } from '../mail-form.ts';
import { type Person, peopleIn } from './addresses.ts';
import { listedHeaders } from './headers.ts';

/** Whether the mailer's SPF and DKIM results show that a mail is from the domain of its `From`. */
export interface SenderProof {
  /**
   * `unknown`: the mailer stated no results. `failed`: it stated some, and none of them passed for the domain of
   * `From`.
   */
  state: 'proven' | 'failed' | 'unknown';
  /** The results in words that may be shown: `SPF softfail, DKIM pass`. Empty if `unknown`. */
  results: string;
}

/** The relevant headers, if the mail has them. */
interface Evidence {
  /** Whether the mailer itself wrote the results: only the mailer writes above the topmost `Received`. */
  isTrusted: boolean;
  results: Found;
  /** The sender's own signatures, in any position: they show what the mailer has checked. */
  signatures: readonly string[];
}
type Found = ReadonlyMap<string, readonly string[]>;

const spfHeader = 'x-mailgun-spf';
const dkimHeader = 'x-mailgun-dkim-check-result';
const standardHeader = 'authentication-results';
const signatureHeader = 'dkim-signature';
const ofResults = [spfHeader, dkimHeader, standardHeader] as const;
const readNames: ReadonlySet<string> = new Set([...ofResults, signatureHeader, 'from']);
const maxSignatures = 10;
const maxResults = 5;
const maxHeaderUnits = 4000;

/**
 * Reads the mailer's results. Headers below the topmost `Received` came with the mail, so a sender may have written
 * them. If the list of headers is missing or has no `Received`, results only count against the sender.
 */
export function readSenderProof(form: MailForm, from: Person | null): SenderProof {
  const listed = listedHeaders(form.one('message-headers'));
  const all = pick(listed);
  const evidence = evidenceIn(listed, all, form);
  const results = toWords(evidence.results);
  if (results === '') return { state: 'unknown', results };
  const domain = normalizeDomain(domainOf(from?.address ?? ''));
  const isPassed = domain !== undefined && hasAlignedPass(evidence, domain, form);
  if (!isPassed) return { state: 'failed', results };
  if (!evidence.isTrusted || !isOnlySender(all, from)) return { state: 'unknown', results: '' };
  return { state: 'proven', results };
}

function evidenceIn(listed: readonly [string, string][], all: Found, form: MailForm): Evidence {
  const end = listed.findIndex(([name]) => name.toLowerCase() === 'received');
  const own = pick(listed.slice(0, Math.max(0, end)));
  const fields = pick(form.names().flatMap((name) => (isRead(name) ? valuesOf(form, name) : [])));
  const signatures = (listed.length > 0 ? all : fields).get(signatureHeader) ?? [];
  if (ofResults.some((name) => own.has(name))) return { isTrusted: true, results: own, signatures };
  // The author of these is unknown. Headers below a `Received` came with the mail, like a field of the same name.
  const others = end < 0 ? [...all, ...fields] : fields.entries().filter(([name]) => !all.has(name));
  const untold = new Map(others);
  untold.delete(standardHeader);
  return { isTrusted: false, results: untold, signatures };
}

const isRead = (name: string): boolean => readNames.has(name.toLowerCase());
const valuesOf = (form: MailForm, name: string): [string, string][] =>
  form.all(name).map((value) => [name, value]);

function pick(headers: readonly [string, string][]): Found {
  const valuesByHeader = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.length > 40 ? '' : name.toLowerCase();
    if (!readNames.has(key)) continue;
    const values = valuesByHeader.get(key) ?? [];
    values.push(value);
    valuesByHeader.set(key, values);
  }
  return valuesByHeader;
}

/**
 * DMARC's rule: DKIM passed for a domain of the same organization as that of `From`, or SPF passed for such a domain in
 * the envelope.
 */
function hasAlignedPass({ results, signatures }: Evidence, domain: string, form: MailForm): boolean {
  const isAligned = (other: string | undefined) => other !== undefined && areAligned(domain, other);
  const envelope = normalizeDomain(domainOf((form.one('sender') ?? '').replace(/[<>\s]/g, '')));
  if (isPass(results.get(spfHeader)) && isAligned(envelope)) return true;
  // The mailer doesn't state which signature it checked, so a valid signature of another domain proves nothing.
  const areSignaturesAligned =
    signatures.length > 0 &&
    signatures.length <= maxSignatures &&
    signatures.every((signature) => isAligned(signingDomainOf(signature)));
  if (isPass(results.get(dkimHeader)) && areSignaturesAligned) return true;
  return (results.get(standardHeader) ?? [])
    .slice(0, maxResults)
    .flatMap(passedDomainsOf)
    .some(({ method, passed }) => isAligned(passed) && (method === 'dkim' || passed === envelope));
}

/** The worst of repeated results counts. */
const isPass = (values: readonly string[] | undefined): boolean =>
  values !== undefined && worstOf(values) === 'pass';

function worstOf(values: readonly string[]): string {
  const words = values.slice(0, maxResults).map(wordOf);
  return words.find((word) => word !== 'pass') ?? (values.length > maxResults ? 'unreadable' : 'pass');
}

const wordOf = (value: string): string =>
  /^\s*([a-z]{1,20})\s*$/i.exec(value.slice(0, 100))?.[1]?.toLowerCase() ?? 'unreadable';

/**
 * The `d=` of a DKIM-Signature; `undefined` if it occurs twice, or if the signature covers only the beginning of the
 * text.
 */
function signingDomainOf(signature: string): string | undefined {
  if (signature.length > maxHeaderUnits) return undefined;
  const tags = signature.split(';').map((tag) => tag.split('=').map((part) => part.trim()));
  const namesOf = (wanted: string) => tags.filter(([name]) => name?.toLowerCase() === wanted);
  const [domain, another] = namesOf('d');
  if (domain?.length !== 2 || another || namesOf('l').length > 0) return undefined;
  return normalizeDomain(domain[1] ?? '');
}

const passedMethod = /^\s*(spf|dkim)\s*=\s*pass(?=\s)/i;
const passedDomain = {
  dkim: /\sheader\.d\s*=\s*([^\s=@]+)/i,
  spf: /\ssmtp\.mailfrom\s*=\s*(?:[^\s=@]*@)?([^\s=@]+)/i,
} as const;

/**
 * The passed checks in an Authentication-Results (RFC 8601). A header with quoted text isn't read, because a sender's
 * text in it could look like a result.
 */
function passedDomainsOf(header: string): { method: 'spf' | 'dkim'; passed: string }[] {
  if (header.length > maxHeaderUnits || /["\\]/.test(header)) return [];
  const [, ...results] = withoutComments(header).split(';');
  return results.flatMap((result) => {
    const method = passedMethod.exec(result)?.[1]?.toLowerCase() as 'spf' | 'dkim' | undefined;
    const passed = method && normalizeDomain(passedDomain[method].exec(result)?.[1] ?? '');
    return method && passed ? [{ method, passed }] : [];
  });
}

function withoutComments(header: string): string {
  let depth = 0;
  let kept = '';
  for (const [part] of header.matchAll(/[()]|[^()]+/g)) {
    if (part === '(') depth += 1;
    else if (part === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += part;
  }
  return kept;
}

/** Whether the mail has one `From` with one address: with two, a reader and a signature may refer to different ones. */
function isOnlySender(all: Found, from: Person | null): boolean {
  const fields = all.get('from') ?? [];
  const people = fields.length === 1 ? peopleIn(fields[0]!) : [];
  return people.length === 1 && people[0]!.address === from?.address;
}

function toWords(results: Found): string {
  const describe = (name: string, header: string): string[] => {
    const values = results.get(header);
    return values ? [`${name} ${worstOf(values)}`] : [];
  };
  const others = results.has(standardHeader) ? ['Authentication-Results'] : [];
  return [...describe('SPF', spfHeader), ...describe('DKIM', dkimHeader), ...others].join(', ');
}

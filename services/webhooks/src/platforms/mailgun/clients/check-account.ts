import type { Secret } from '@botyard/shared/secrets/secret';
import type { Problems } from '@botyard/shared/system/problems';

interface MailAccount {
  apiKey: Secret;
  domain: string;
}

const timeoutMs = 5000;
/** The mailer answers so for a key or a domain of another region. */
const refusals = [401, 403, 404];

/** Tells what to do when the mailer refuses the installation's account, whatever the mail. */
export function accountProblem(
  baseUrl: string,
  { domain }: Pick<MailAccount, 'domain'>,
  status: number,
): string {
  const { host } = new URL(baseUrl);
  const other = host === 'api.eu.mailgun.net' ? 'https://api.mailgun.net' : 'https://api.eu.mailgun.net';
  return (
    `${host} answers ${status} for ${domain}, so no mail is sent: a domain exists in one region only, so check ` +
    `MAILER_API_URL (for the other region ${other}), MAILER_DOMAIN and MAILER_API_KEY`
  );
}

/** Asks the mailer for the installation's domain, if there is one, at the start; notes a refusal. */
export async function checkMailAccount(
  baseUrl: string,
  { apiKey, domain }: { [Name in keyof MailAccount]?: MailAccount[Name] | undefined },
  problems: Pick<Problems, 'note'>,
): Promise<void> {
  if (!apiKey || !domain) return;
  const account = { apiKey, domain };
  const credentials = Buffer.from(`api:${account.apiKey.reveal()}`).toString('base64');
  const response = await fetch(`${baseUrl}/v3/domains/${encodeURIComponent(account.domain)}`, {
    headers: { authorization: `Basic ${credentials}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => undefined);
  await response?.body?.cancel();
  const isRefused = response !== undefined && refusals.includes(response.status) && isJson(response);
  if (isRefused)
    problems.note({
      setting: 'MAILER_API_URL',
      cause: 'account',
      problem: accountProblem(baseUrl, account, response.status),
    });
}

/** A server that doesn't know the path, such as a fake, answers with something else. */
const isJson = ({ headers, status }: Response): boolean =>
  status !== 404 || headers.get('content-type')?.includes('json') === true;

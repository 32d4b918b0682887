/** The page on which a person lets a program act for them, or cancels. It works with plain forms. */
import type { Answer } from '../fake/fake-server.ts';

type Person = { id: string; first_name: string | null; last_name: string | null };

export const consentPage = (
  clientName: string,
  scope: readonly string[],
  people: readonly Person[],
): Answer =>
  page(
    `<h1>${escaped(clientName)} wants to act for you</h1>
<p>It may:</p>
<ul>${scope.map((one) => `<li>${escaped(one)}</li>`).join('')}</ul>
<form method="post">
<p><label>Sign in as <select name="person">${people
      .map((one) => `<option value="${escaped(one.id)}">${escaped(nameOf(one))}</option>`)
      .join('')}</select></label></p>
<p><button>Allow</button></p>
</form>
<form method="post"><p><button>Cancel</button></p></form>`,
    200,
  );

export const messagePage = (message: string): Answer => page(`<p>${escaped(message)}</p>`, 400);

const nameOf = ({ id, first_name, last_name }: Person): string =>
  [first_name, last_name].filter(Boolean).join(' ') || id;

const page = (html: string, status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title><main>${html}</main></html>`,
});

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The page on which a person allows an app, or cancels. It works with plain forms, and does nothing until then. */
import type { Answer, Call } from '../fake/fake-server.ts';
import type { Place, SlackApps } from './apps.ts';
import type { SlackWorld } from './world.ts';

/** Shows the page, or sends the person back to the app with their choice. */
export function consent({ apps, world }: { apps: SlackApps; world: SlackWorld }, call: Call): Answer {
  const address = `http://slack.invalid/oauth/v2/authorize?${call.query}`;
  try {
    const { app, scopes } = apps.requestOf(address);
    if (call.method !== 'POST') return page(pageOf(scopes, placesOf(world, app.isOrgReady)));
    const { place } = call.params;
    if (place === undefined) return redirect(apps.cancel(address));
    const chosen = placesOf(world, app.isOrgReady).find(({ value }) => value === place);
    if (!chosen) return page('<p>There is no such workspace.</p>', 400);
    return redirect(apps.approve(address, chosen.place));
  } catch (error) {
    return page(
      `<p>Something went wrong when authorizing this app: ${escaped((error as Error).message)}</p>`,
      400,
    );
  }
}

interface Choice {
  value: string;
  label: string;
  place: Place;
}

function placesOf({ enterprises }: SlackWorld, isOrgReady: boolean): Choice[] {
  const teams = [...enterprises.keys()].map((teamId) => ({
    value: teamId,
    label: `Workspace ${teamId}`,
    place: { teamId },
  }));
  const organizations = [...new Set(enterprises.values())].filter((id) => id !== null);
  if (!isOrgReady) return teams;
  return [
    ...teams,
    ...organizations.map((enterpriseId) => ({
      value: enterpriseId,
      label: `All of organization ${enterpriseId}`,
      place: { enterpriseId },
    })),
  ];
}

const pageOf = (scopes: readonly string[], choices: readonly Choice[]): string => `
<h1>Botyard is requesting permission</h1>
<p>It may:</p>
<ul>${scopes.map((scope) => `<li>${escaped(scope)}</li>`).join('')}</ul>
<form method="post">
<p><label>Where? <select name="place">${choices
  .map(({ value, label }) => `<option value="${escaped(value)}">${escaped(label)}</option>`)
  .join('')}</select></label></p>
<p><button>Allow</button></p>
</form>
<form method="post"><p><button>Cancel</button></p></form>`;

const page = (html: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Slack</title><main>${html}</main></html>`,
});

const redirect = (location: string): Answer => ({ status: 302, headers: { location }, body: '' });

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

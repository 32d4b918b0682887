/** The page of the people who can sign in, with their rights and a command to copy for each. */
import { avatar, button, byId, element, toast } from '/dom.js';
import { startTheme } from '/head.js';
import { getJson } from '/state.js';

function commandFor({ userId }, gatewayUrl) {
  return [
    `TOKEN=$(curl -s ${location.origin}/api/session-token -H 'content-type: application/json' \\`,
    `  -d '{"userId":"${userId}"}' | sed 's/.*"token":"\\([^"]*\\).*/\\1/')`,
    `curl ${gatewayUrl}/api/current-user -H "authorization: Bearer $TOKEN"`,
  ].join('\n');
}

async function copy(command) {
  try {
    await navigator.clipboard.writeText(command);
    toast('Copied. Paste the command into a terminal.');
  } catch {
    toast('The browser did not allow copying. Select the command and copy it yourself.');
  }
}

function cardOf(person, gatewayUrl) {
  const command = commandFor(person, gatewayUrl);
  const words = element('div', 'who', element('b', '', person.name), element('p', '', person.about));
  const head = element('div', 'card-head', avatar(person.name, person.userId.length), words);
  head.append(button({ label: `Copy the command for ${person.name}`, onClick: () => copy(command) }, 'Copy'));
  return element('li', 'card', head, element('pre', '', element('code', '', command)));
}

async function show() {
  const [people, { gatewayUrl }] = await Promise.all([getJson('/api/people'), getJson('/api/status')]);
  byId('list').replaceChildren(...people.map((person) => cardOf(person, gatewayUrl)));
  byId('none').hidden = people.length > 0;
}

startTheme();
show().catch(() => {
  byId('offline').hidden = false;
});

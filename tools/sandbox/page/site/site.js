/** Puts the line of the web chat into the page, as a tenant's site has it in its markup. */
import { byId, toast } from '/dom.js';
import { startTheme } from '/head.js';
import { getJson, postJson } from '/state.js';

/** A page needs no policy of Trusted Types for the chat. This one's is for adding the script by code. */
const policy = globalThis.trustedTypes?.createPolicy('sandbox', { createScriptURL: (address) => address });

function showChat({ botId, script }) {
  byId('bot').value = botId ?? '';
  if (botId === null) {
    byId('state').textContent = 'No bot is shown yet: give the identifier of one below.';
    return;
  }
  const line = document.createElement('script');
  line.src = policy ? policy.createScriptURL(script) : script;
  line.dataset.bot = botId;
  line.async = true;
  line.addEventListener('error', () => {
    byId('state').textContent = `The chat could not be loaded from ${script}. Is Botyard running?`;
  });
  document.body.append(line);
}

byId('origin').textContent = location.origin;
byId('choice').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    await postJson('/api/site', { botId: byId('bot').value.trim() });
    location.reload();
  } catch (error) {
    toast(error.isRefusal ? error.message : 'The sandbox does not respond.');
  }
});

startTheme();
getJson('/api/site').then(showChat, () => {
  byId('state').textContent = 'The sandbox does not respond. Reload the page later.';
});

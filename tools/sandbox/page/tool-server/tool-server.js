/** The page of the MCP server for trials, with its address and the steps to a first call. */
import { byId, toast } from '/dom.js';
import { startTheme } from '/head.js';
import { getJson } from '/state.js';

async function copy(address) {
  try {
    await navigator.clipboard.writeText(address);
    toast('Copied. Paste the address into the console.');
  } catch {
    toast('The browser did not allow copying. Select the address and copy it yourself.');
  }
}

async function show() {
  const { gatewayUrl, toolServerUrl } = await getJson('/api/status');
  byId('server').hidden = toolServerUrl === undefined;
  byId('none').hidden = toolServerUrl !== undefined;
  byId('address').textContent = toolServerUrl ?? '';
  byId('console').href = `${gatewayUrl}/agents/servers`;
  byId('copy').addEventListener('click', () => copy(toolServerUrl));
}

startTheme();
show().catch(() => {
  byId('offline').hidden = false;
});

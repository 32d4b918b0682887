/* global SwaggerUIBundle */
// Everything comes from this server; nothing is asked of anybody else.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

/** The groups of the document, each with its tags. A tag shows its operations, and no others. */
function showGroups(groups, showTag) {
  const lists = groups.map(({ name, tags }) => {
    const list = document.createElement('p');
    const heading = document.createElement('b');
    heading.textContent = name;
    const buttons = tags.map((tag) => {
      const button = document.createElement('button');
      button.textContent = tag;
      button.addEventListener('click', () => showTag(tag));
      return button;
    });
    list.append(heading, ...buttons);
    return list;
  });
  document.getElementById('groups').replaceChildren(...lists);
}

const answer = await fetch('/docs/openapi.json');
const spec = await answer.json();
const ui = SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  showExtensions: true,
  validatorUrl: null,
});
showGroups(spec['x-tagGroups'], (tag) => {
  ui.layoutActions.updateFilter(tag);
  ui.layoutActions.show(['operations-tag', tag], true);
});

/* global SwaggerUIBundle */
// Everything comes from this server; nothing is asked of anybody else.
const maxFound = 50;

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const byId = (id) => document.getElementById(id);
const answer = await fetch('/docs/openapi.json');
const spec = await answer.json();
const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { tags, operationId, summary }]) => {
    const name = `${method.toUpperCase()} ${path}`;
    return { name, summary, tag: tags[0], operationId, words: `${name} ${summary}`.toLowerCase() };
  }),
);

/** Swagger UI is large: it is loaded once somebody opens a tag. */
function loadSwagger() {
  const { promise, resolve, reject } = Promise.withResolvers();
  const styles = Object.assign(document.createElement('link'), {
    rel: 'stylesheet',
    href: '/docs/swagger-ui.css',
  });
  const script = Object.assign(document.createElement('script'), {
    src: '/docs/swagger-ui-bundle.js',
    onload: resolve,
    onerror: reject,
  });
  // What this page says about looks comes last, and wins.
  document.head.prepend(styles, script);
  return promise;
}
let loaded;

const addressOf = (...names) => `#/${names.map(encodeURIComponent).join('/')}`;

function linkTo(address, text) {
  const link = document.createElement('a');
  link.href = address;
  link.textContent = text;
  return link;
}

function showGroups() {
  const lists = spec['x-tagGroups'].map(({ name, tags }) => {
    const list = document.createElement('p');
    const heading = document.createElement('b');
    heading.textContent = name;
    list.append(heading, ...tags.flatMap((tag) => [linkTo(addressOf(tag), tag), ' ']));
    return list;
  });
  byId('groups').replaceChildren(...lists);
}

/** The operations in which each of the words occurs. */
function showFound() {
  const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = words.length
    ? operations.filter((one) => words.every((word) => one.words.includes(word)))
    : [];
  const lines = matches.slice(0, maxFound).map(({ name, summary, tag, operationId }) => {
    const line = document.createElement('p');
    line.append(linkTo(addressOf(tag, operationId), name), ` ${summary}`);
    return line;
  });
  if (matches.length > maxFound) lines.push(`and ${matches.length - maxFound} more`);
  if (words.length && !matches.length) lines.push('No operation has these words.');
  byId('found').replaceChildren(...lines);
}

/** The parts of the document that something in it refers to, and what they refer to in turn. */
function componentsOf(paths) {
  const components = { securitySchemes: spec.components.securitySchemes };
  const waiting = [paths];
  while (waiting.length > 0) {
    for (const [, kind, name] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      components[kind] ??= {};
      if (components[kind][name]) continue;
      components[kind][name] = spec.components[kind][name];
      waiting.push(components[kind][name]);
    }
  }
  return components;
}

/** The tag that the address names. Swagger UI takes seconds for all of them, so it is given one at a time. */
async function showTag() {
  const tag = decodeURIComponent(location.hash.split('/')[1] ?? '');
  for (const link of byId('groups').querySelectorAll('a'))
    link.setAttribute('aria-current', String(link.textContent === tag));
  if (!operations.some((one) => one.tag === tag)) {
    byId('reference').replaceChildren();
    return;
  }
  const hasTag = ([, { tags }]) => tags.includes(tag);
  const shownPaths = Object.entries(spec.paths)
    .map(([path, item]) => [path, Object.fromEntries(Object.entries(item).filter(hasTag))])
    .filter(([, item]) => Object.keys(item).length > 0);
  loaded ??= loadSwagger();
  try {
    await loaded;
  } catch {
    loaded = undefined;
    byId('reference').textContent = 'The operations could not be loaded. Open the tag again.';
    return;
  }
  const paths = Object.fromEntries(shownPaths);
  const tags = spec.tags.filter(({ name }) => name === tag);
  SwaggerUIBundle({
    spec: { ...spec, paths, tags, components: componentsOf(paths) },
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    showExtensions: true,
    validatorUrl: null,
  });
}

showGroups();
byId('search').addEventListener('input', showFound);
addEventListener('hashchange', () => void showTag());
await showTag();

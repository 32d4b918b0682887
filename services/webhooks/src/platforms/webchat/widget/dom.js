/** An element with its attributes and children. Texts become text nodes, never HTML. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

const svgNamespace = 'http://www.w3.org/2000/svg';

const paths = {
  chat: 'M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12z',
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M4 12l16-8-6 16-3-7z',
  attach: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.5a1.6 1.6 0 0 1-2.4-2.4L15 7',
  voice: 'M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM5 11a7 7 0 0 0 14 0M12 18v3',
  stop: 'M7 7h10v10H7z',
  up: 'M7 21V11l4-8a2.5 2.5 0 0 1 2.5 3l-.7 4H19a2 2 0 0 1 2 2.4l-1.4 7a2 2 0 0 1-2 1.6zM7 11H3v10h4',
  down: 'M17 3v10l-4 8a2.5 2.5 0 0 1-2.5-3l.7-4H5a2 2 0 0 1-2-2.4l1.4-7a2 2 0 0 1 2-1.6zM17 13h4V3h-4',
  file: 'M13 3H6v18h12V8zM13 3v5h5',
};

/** A drawing without a name of its own: its button has one. */
export function icon(name) {
  const svg = document.createElementNS(svgNamespace, 'svg');
  const path = document.createElementNS(svgNamespace, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return fill(svg, { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, []);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

import { describe, expect, test } from 'vitest';
import {
  readHtml,
  textOfHtml,
  unreadableHtml,
} from '../../../../../../../src/platforms/mailgun/domain/inbound/read/html/html-text.ts';

describe('what a person does not see is never read', () => {
  test.each([
    ['petecoop/laravel-inky#7', '<span style="display:none !important">X</span>'],
    ['emailmonday/Cerberus#237', '<div style="max-height:0; overflow:hidden; mso-hide:all">X</div>'],
    ['an escaped word', '<div style="display:n\\6fne">X</div>'],
    ['a comment in a style', '<div style="display:/**/none">X</div>'],
    ['visibility', '<div style="VISIBILITY: Hidden">X</div>'],
    ['opacity', '<div style="opacity:.01"><p>X</p></div>'],
    ['a tiny font', '<div style="font-size:1px">X</div>'],
    ['a font of nothing', '<div style="font:0/0 a">X</div>'],
    ['a percentage of a font', '<div style="font-size:10%"><b style="font-size:50%">X</b></div>'],
    ['Outlook', '<div style="mso-hide:all">X</div>'],
    ['no height', '<div style="height:0;overflow:hidden">X</div>'],
    ['no width', '<div style="width:0px;overflow:hidden">X</div>'],
    ['the attribute', '<div hidden>X</div>'],
    ['white on white', '<font color="#FFFFFF">X</font>'],
    ['nearly white', '<p style="color:#fefefe">X</p>'],
    ['the colour behind it', '<td bgcolor="navy"><span style="color:#000080">X</span></td>'],
    ['transparent', '<p style="color:transparent">X</p>'],
    ['outside of the page', '<p style="position:absolute;left:-9999px">X</p>'],
    ['a negative indent', '<p style="text-indent:-9999px">X</p>'],
    ['cut away', '<p style="clip-path:inset(100%)">X</p>'],
    ['shrunk', '<p style="transform:scale(0)">X</p>'],
    ['a class', '<style>.x{display:none}</style><p class="y x">X</p>'],
    ['a style sheet behind it', '<p class="x">X</p><style>p.x{display:none}</style>'],
    [
      'a descendant',
      '<style>#a > .b i{display:none}</style><div id="a"><p class="b"><b><i>X</i></b></p></div>',
    ],
    ['an attribute', '<style>[data-x^="h"]{visibility:hidden}</style><p data-x="hid">X</p>'],
    ['an escaped class', '<style>.\\78 {display:none}</style><p class="x">X</p>'],
    [
      'a media query that applies',
      '<style>@media screen and (min-width:1px){p{display:none}}</style><p>X</p>',
    ],
    ['a media query that may apply', '<style>@media (min-aspect-ratio:1/9){p{display:none}}</style><p>X</p>'],
    ['a feature query', '<style>@supports (display:grid){p{display:none}}</style><p>X</p>'],
    ['a rule within a rule', '<style>div{p{display:none}}</style><div><p>X</p></div>'],
    ['every element of a kind', '<style>p:nth-child(1){display:none}</style><p>X</p>'],
    ['what is important', '<style>p{display:none!important}</style><p style="display:block">X</p>'],
    ['the text of a hidden picture', '<div style="display:none"><img alt="X"></div>'],
    ['a picture of one pixel', '<img alt="X" width="1" height="1">'],
    ['a hidden link', '<a href="https://x.example" style="display:none">X</a>'],
    ['a comment for Outlook', '<!--[if mso]><p>X</p><![endif]-->'],
  ])('%s', (_what, html) => {
    expect(textOfHtml(`<h1>Hello</h1>${html}<h2>Anna</h2>`)).toMatch(/^Hello\n+Anna$/);
  });

  test.each([
    ['a layout without a font', '<td style="font-size:0"><p style="font-size:14px">X</p></td>'],
    ['visible within invisible', '<div style="visibility:hidden"><p style="visibility:visible">X</p></div>'],
    ['hidden on a phone', '<style>@media (max-width:480px){.x{display:none}}</style><p class="x">X</p>'],
    ['hidden on paper', '<style media="print">.x{display:none}</style><p class="x">X</p>'],
    ['shown by a later rule', '<style>.x{display:none}.x{display:block}</style><p class="x">X</p>'],
    ['shown by a heavier rule', '<style>p.x{display:block}.x{display:none}</style><p class="x">X</p>'],
    ['white on a colour', '<td bgcolor="#004080"><font color="white">X</font></td>'],
    ['white on a picture', '<td background="a.png"><font color="white">X</font></td>'],
    [
      'white on a gradient',
      '<td style="background:linear-gradient(red,blue)"><b style="color:#fff">X</b></td>',
    ],
    ['another class', '<style>.y{display:none}</style><p class="x">X</p>'],
    ['a state', '<style>p:hover{display:none}</style><p>X</p>'],
    ['a low line', '<p style="height:1px">X</p>'],
    ['a font by words', '<p style="font-size:x-small">X</p>'],
  ])('and what they see is: %s', (_what, html) => {
    expect(textOfHtml(html)).toBe('X');
  });

  test('a mail whose styles can not be read within the limits is not read', () => {
    const rules = Array.from({ length: 5000 }, (_, number) => `.a .b .c${number}{color:red}`).join('');
    expect(textOfHtml(`<style>${rules}.x{color:red}</style><p>X</p>`)).toBe(unreadableHtml);
    const every = Array.from({ length: 4000 }, () => 'a *{color:red}').join('');
    expect(textOfHtml(`<style>${every}</style>${'<p>X</p>'.repeat(2000)}`)).toBe(unreadableHtml);
  });
});

test.each([
  [
    'a link',
    '<a href="https://x.example/a?b=1&amp;c=2">my order</a>',
    'my order (https://x.example/a?b=1&c=2)',
  ],
  ['a link that says its address', '<a href="https://x.example/">x.example</a>', 'x.example'],
  ['an address', '<a href="mailto:a@x.example?subject=b">write</a>', 'write (a@x.example)'],
  ['an address that is said', '<a href="mailto:a@x.example">a@x.example</a>', 'a@x.example'],
  ['a place in the page', '<a href="#top">top</a>', 'top'],
  ['a program', '<a href=" java\nscript:alert(1)">click</a>', 'click'],
  [
    'a linked picture',
    '<a href="https://x.example/b"><img alt="Our shop" src="a"></a>',
    '[picture: Our shop] (https://x.example/b)',
  ],
  ['a picture without words', '<p>a<img src="a" alt=" ">b</p>', 'ab'],
  ['brackets in a picture', '<img alt="a] [system: b">', '[picture: a system: b]'],
  ['an emoji', '<p>Thanks <img alt="🙂" src="a"></p>', 'Thanks 🙂'],
  ['a numbered list', '<ol><li>a<li>b</ol>', '1. a\n2. b'],
  ['what is struck out', '<p>at <s>3</s> 4</p>', 'at ~~3~~ 4'],
  ['lines', '<pre>a\nb</pre>', 'a\nb'],
])('a person sees %s', (_what, html, text) => {
  expect(textOfHtml(html)).toBe(text);
});

test('links are listed with their words', () => {
  expect(
    readHtml('<p><a href="https://x.example/1">one</a>, <a href="https://x.example/2">two</a></p>').links,
  ).toEqual([
    { words: 'one', address: 'https://x.example/1' },
    { words: 'two', address: 'https://x.example/2' },
  ]);
});

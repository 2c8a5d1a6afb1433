import { expect, it } from 'vitest';
import { sourceLink } from '../../../adapters/console/page/state/source-link.ts';

it.each([
  ['http://127.0.0.1:3001/share/1', '127.0.0.1', true],
  ['http://127.0.0.1:3001/share/1', 'localhost', true],
  ['http://127.0.0.1:3001/share/1', 'parley.example.org', false],
  ['http://localhost:3001/share/1', '192.0.2.7', false],
  ['http://[::1]:3001/share/1', 'parley.example.org', false],
  ['https://127.example.org/share/1', 'parley.example.org', true],
  ['https://platform.example.org/share/1', 'parley.example.org', true],
])('the source %s in a page of %s has a link: %s', (link, host, has) => {
  expect(sourceLink(link, host) !== undefined).toBe(has);
});

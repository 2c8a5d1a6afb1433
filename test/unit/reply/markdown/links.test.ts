import { describe, expect, test } from 'vitest';
import { labelMisleads, safeDestination } from '../../../../src/reply/markdown/links.ts';

describe('safe destinations', () => {
  test.each([
    ['https://h.example/p?q=1#f', { href: 'https://h.example/p?q=1#f', host: 'h.example' }],
    ['HTTP://H.example:8080', { href: 'http://h.example:8080/', host: 'h.example:8080' }],
    ['https://bücher.example/', { href: 'https://xn--bcher-kva.example/', host: 'xn--bcher-kva.example' }],
    ['mailto:ann@h.example?subject=a', { href: 'mailto:ann@h.example?subject=a', host: 'h.example' }],
  ])('%s is allowed', (destination, safe) => {
    expect(safeDestination(destination)).toEqual(safe);
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'ftp://h.example',
    '//h.example',
    '/path',
    'h.example',
    '',
    'https:',
    'https:h.example',
    'https:/h.example',
    'https://',
    'https://h.example\\@evil.example',
    'https://ann:secret@evil.example',
    'https://h.example@evil.example',
    'https://h.example/a b',
    'https://h.example/\u0000',
    'https://h.example/\u202egpj.exe',
    'https://h\u200b.example',
    'https://h.example/\u00a0',
    'mailto:',
    'mailto:ann',
    'mailto:ann@h.example,bob@evil.example',
  ])('%j is not a link', (destination) => {
    expect(safeDestination(destination)).toBeUndefined();
  });
});

describe('misleading labels', () => {
  test.each([
    ['h.example', 'https://evil.example'],
    ['example.com', 'https://evilexample.com'],
    ['https://example.com/login', 'https://evilexample.com/login'],
    ['https://h.example/login', 'https://evil.example/h.example/login'],
    ['www.h.example', 'https://h.example.evil.example'],
    ['docs.h.example', 'https://h.example'],
    ['Sign in at h.example now', 'https://evil.example'],
    ['h\u200b.example', 'https://evil.example'],
    ['h。example', 'https://evil.example'],
    ['ｈ．example', 'https://evil.example'],
    ['ann@h.example', 'mailto:ann@evil.example'],
    ['192.0.2.7', 'https://evil.example'],
    ['http://192.0.2.7:8080/admin', 'https://evil.example'],
    ['https://intranet/login', 'https://evil.example'],
    ['HTTPS://intranet', 'https://intranet.evil.example'],
    ['bücher.example', 'https://bucher.example'],
  ])('%j misleads for %s', (label, destination) => {
    expect(labelMisleads(label, destination)).toBe(true);
  });

  test.each([
    ['the guide', 'https://h.example'],
    ['example.com', 'https://www.example.com'],
    ['h.example', 'https://h.example/path'],
    ['H.Example', 'https://docs.h.example:8443'],
    ['https://www.h.example/', 'https://h.example'],
    ['bücher.example', 'https://xn--bcher-kva.example'],
    ['report.pdf', 'https://h.example/9'],
    ['version 1.2.3', 'https://h.example'],
    ['http://192.0.2.7/admin', 'http://192.0.2.7/'],
    ['https://intranet/login', 'https://intranet/'],
    ['and/or', 'https://h.example'],
    ['ann@h.example', 'mailto:ann@h.example'],
    ['h.example', 'javascript:alert(1)'],
  ])('%j does not mislead for %s', (label, destination) => {
    expect(labelMisleads(label, destination)).toBe(false);
  });
});

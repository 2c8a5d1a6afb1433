import { describe, expect, test } from 'vitest';
import { linked, styled } from '../render/styled.ts';

describe('Message Styling', () => {
  test.each([
    ['**bold**, *italic*, ~~gone~~ and `code`', '*bold*, _italic_, ~gone~ and `code`'],
    ['# Title\n\nText', '*Title*\n\nText'],
    ['- one\n- two', '• one\n• two'],
    ['3. three\n4. four', '3. three\n4. four'],
    ['> said\n> twice', '> said twice'],
    ['```ts\nlet a = 1;\n```', '```\nlet a = 1;\n```'],
    ['- [x] done', '• ☑ done'],
    ['[a page](https://example.org/a)', 'a page (https://example.org/a)'],
    ['<https://example.org/a>', 'https://example.org/a'],
  ])('writes %j', (markdown, body) => {
    expect(styled(markdown)).toBe(body);
  });

  test('a table becomes text in columns', () => {
    expect(styled('| a | b |\n|---|---|\n| long | 2 |')).toBe('```\na     b\nlong  2\n```');
  });
});

describe('a hostile answer', () => {
  test.each([
    '![x](https://evil.example/a.png?secret)',
    '![x][1]\n\n[1]: https://evil.example/a.png?secret',
    '<img src="https://evil.example/a.png?secret">',
    '[look](https://evil.example/a.png?secret)',
    'https://evil.example/a.png?secret',
    'https://evil.example/a.PNG',
    '**https://evil.example/a.webp#secret**',
  ])('shows no address that a client would load as an image: %j (attack S02)', (markdown) => {
    const outsideCode = styled(markdown).replace(/`[^`\n]*`/g, '');
    expect(outsideCode).not.toMatch(/https?:\/\/evil/);
  });

  test('shows the address behind each label (attack S04)', () => {
    expect(styled('[https://bank.example](https://evil.example/)')).toBe(
      'https://bank.example (https://evil.example/)',
    );
    expect(styled('[x](javascript:alert(1))')).not.toContain('javascript:alert(1))');
    expect(linked('x', 'javascript:alert(1)')).toBe('x');
    expect(linked('x', 'data:text/html,a')).toBe('x');
  });

  test.each([
    ['[\\`\\`\\`](javascript:x)\nb', '\u200b``` b'],
    ['# [\\> \\* b](javascript:x)', '\u200b> * b'],
  ])('begins no block with a label without its link: %j', (markdown, body) => {
    expect(styled(markdown)).toBe(body);
  });

  test('contains no character that XML forbids, and none that turns the text around', () => {
    expect(styled('a\u0000b\u0008c\u202ed\ud800e')).toBe('a\uFFFDb\uFFFDc\uFFFDd\uFFFDe');
  });
});

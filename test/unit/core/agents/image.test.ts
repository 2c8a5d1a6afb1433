import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imageTypeOf } from '../../../../src/core/agents/image.ts';

const bytes = (text: string) => Uint8Array.from(text, (mark) => mark.charCodeAt(0));

test.each([
  ['\x89PNG\r\n\x1a\nrest', 'image/png'],
  ['\xff\xd8\xff\xe0rest', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['GIF89a<script>', 'image/gif'],
  ['RIFF\x01\x02\x03\x04WEBPVP8', 'image/webp'],
  ['RIFF\x01\x02\x03\x04WAVE', undefined],
  ['\x89PNG', undefined],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', undefined],
  ['<html>GIF89a', undefined],
  ['%PDF-1.7', undefined],
  ['', undefined],
])('the content %j is %s', (content, type) => {
  expect(imageTypeOf(bytes(content))).toBe(type);
});

test('property: any other beginning is no image', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (content) => {
      fc.pre(!['\x89P', '\xff\xd8', 'GI', 'RI'].some((mark) => content[0] === mark.charCodeAt(0)));
      expect(imageTypeOf(content)).toBeUndefined();
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Text } from '../../../src/platform/stream/lines.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function decodeCut(bytes: Uint8Array, cut: number): string {
  const utf8 = new Text(new TextDecoder('utf-8', { ignoreBOM: true }));
  return utf8.push(bytes.subarray(0, cut)) + utf8.push(bytes.subarray(cut)) + utf8.end();
}

test('drops a byte-order mark at the start only, wherever the bytes are cut', () => {
  const bytes = bytesOf('\ufeff😀\ufeffé');
  for (let cut = 0; cut <= bytes.length; cut++) expect(decodeCut(bytes, cut)).toBe('😀\ufeffé');
});

test('decodes any bytes the same way however they are cut', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24 }), fc.nat(24), (bytes, cut) => {
      expect(decodeCut(bytes, Math.min(cut, bytes.length))).toBe(decodeCut(bytes, 0));
    }),
    { numRuns: 2_000 },
  );
});

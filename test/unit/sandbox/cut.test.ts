import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutText } from '../../../src/sandbox/shelves/cut.ts';
import { cleanName } from '../../../src/sandbox/shelves/upload.ts';

const cutting = fc
  .record({ maxLength: fc.integer({ min: 2, max: 80 }), share: fc.double({ min: 0, max: 0.9, noNaN: true }) })
  .map(({ maxLength, share }) => ({ maxLength, overlap: Math.floor((maxLength - 1) * share) }));
const text = fc.string({ unit: 'grapheme', maxLength: 600 });

it('cuts any text into pieces that are never too long, never torn, and miss nothing', () => {
  fc.assert(
    fc.property(text, cutting, (whole, how) => {
      const pieces = cutText(whole, how);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(how.maxLength);
        if (whole.isWellFormed() && how.maxLength > 2) expect(piece.isWellFormed()).toBe(true);
      }
      // Without overlap the pieces are the text but for white space.
      const plain = cutText(whole, { ...how, overlap: 0 }).join('');
      expect(plain.replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
    }),
  );
});

it('makes a plain name of any name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const clean = cleanName(name);
      expect(clean).not.toBe('');
      expect(clean.length).toBeLessThanOrEqual(220);
      expect(clean).not.toMatch(/[\\/\p{Cc}\p{Cf}]/u);
      expect(clean.isWellFormed()).toBe(true);
    }),
  );
});

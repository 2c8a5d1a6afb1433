import { z } from 'zod';
import { type WireFacts, wired } from '../wire/facts.ts';

const DIGITS = /^\d+$/;

/** Ids, which are digits, or names: the platform takes one kind in a call (platform contract USR-3, ROL-2, ORG-3). */
export const eitherOr = (doc: string, facts: WireFacts = {}) =>
  wired(
    z
      .array(z.string().min(1))
      .min(1)
      .refine(
        (codes) => codes.every((code) => DIGITS.test(code)) || codes.every((code) => !DIGITS.test(code)),
        'must be all ids (digits) or all names, never both',
      )
      .describe(doc),
    facts,
  );

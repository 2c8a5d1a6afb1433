import { MASK, maskCredentials } from '../secret.ts';

const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;
/** Minimum length of a secret that is masked. A shorter one would also match ordinary words. */
const SHORTEST_SECRET = 4;

/** Masks this call's secrets and anything else that looks like a credential (platform contract ERR-8). */
export function redact(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) safe = safe.replaceAll(secret, MASK);
  }
  return maskCredentials(safe);
}

/**
 * Returns the text as one line of at most `limit` characters, without control characters and characters that change
 * the writing direction.
 */
export function oneLine(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 4)
    .replace(CONTROL, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .toWellFormed();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}

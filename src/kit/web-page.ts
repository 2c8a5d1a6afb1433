/** True if the bytes are a web page. Services send their sign-in page instead of a file that requires a sign-in. */
export function looksLikePage(bytes: Uint8Array): boolean {
  const beginning = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  return /^\s*(<!doctype html|<html)/i.test(beginning.replace(/^\xef\xbb\xbf/, ''));
}

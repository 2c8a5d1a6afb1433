/** True if bytes are a web page, which services send in place of a file that needs a sign-in. */
export function looksLikePage(bytes: Uint8Array): boolean {
  const beginning = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  return /^\s*(<!doctype html|<html)/i.test(beginning.replace(/^\xef\xbb\xbf/, ''));
}

/** Whether bytes are a web page: what services answer with in place of a file that they want a sign-in for. */
export function looksLikePage(bytes: Uint8Array): boolean {
  const beginning = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  return /^\s*(<!doctype html|<html)/i.test(beginning.replace(/^\xef\xbb\xbf/, ''));
}

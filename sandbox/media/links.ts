import type { Tokens } from '../auth/tokens.ts';
import type { Clock } from '../clock.ts';
import { sameText } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';

/** Temporary identifiers of images: signed, expiring (platform contract MED-2, MED-3). */
export interface Links {
  sign(fileId: string, lifeMs: number): string;
  /** The file id; refuses an altered identifier with 404 and an expired one with 410. */
  open(identifier: string): string;
}

export function createLinks(tokens: Tokens, clock: Clock): Links {
  return {
    sign: (fileId, lifeMs) => {
      const body = Buffer.from(`${fileId}.${clock.now() + lifeMs}`).toString('base64url');
      return `${body}.${tokens.sign(body)}`;
    },
    open: (identifier) => {
      const [body = '', signature = ''] = identifier.split('.');
      if (!sameText(signature, tokens.sign(body))) throw new Refusal(404, 404, 'The link is unknown.');
      const [fileId = '', expires] = Buffer.from(body, 'base64url').toString('utf8').split('.');
      if (Number(expires) <= clock.now()) throw new Refusal(410, 410, 'The link has expired.');
      return fileId;
    },
  };
}

import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { type AgentName, agentName, type TurnId, turnId } from '../core/ids.ts';
import type { Media, MediaRef } from '../core/reply.ts';

/** How long a link works at least; ends are rounded up, so that a medium keeps its address for a while. */
const LIFE_MS = 24 * 3600 * 1000;
const ROUND_MS = 3600 * 1000;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Characters of a link that are looked at. */
const LONGEST = 8_192;

/** Which medium of which reply a link opens; nothing about the viewer. */
export interface MediaGrant {
  readonly turn: TurnId;
  readonly agent: AgentName;
  readonly account?: string;
  readonly ref: MediaRef;
  readonly name: string;
}

export type Opened =
  | { readonly kind: 'valid'; readonly grant: MediaGrant }
  | { readonly kind: 'expired' }
  | { readonly kind: 'forged' };

export interface MediaLinks {
  /** The link's last path segment: URL-safe, equal for equal media within the hour. */
  seal(media: Media, from: Pick<MediaGrant, 'turn' | 'agent' | 'account'>): string;
  open(sealed: string): Opened;
}

/**
 * Links that cannot be altered or read: the grant is encrypted and authenticated (AES-256-GCM), its nonce derived
 * from its content, so that the same medium has the same address and the account stays unseen.
 * @param key 32 random bytes that survive restarts
 */
export function createMediaLinks(key: Uint8Array, clock: Clock): MediaLinks {
  const cipherKey = deriveKey(key, 'media link: encryption');
  const nonceKey = deriveKey(key, 'media link: nonce');
  return {
    seal({ ref, name }, from) {
      const until = Math.ceil((clock.now() + LIFE_MS) / ROUND_MS) * ROUND_MS;
      const plain = Buffer.from(
        JSON.stringify([until, from.turn, from.agent, from.account ?? null, ref, name]),
      );
      const iv = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, iv);
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(sealed) {
      const plain = decrypt(cipherKey, sealed);
      const read = plain === undefined ? undefined : decode(plain);
      if (read === undefined) return { kind: 'forged' };
      return read.until <= clock.now() ? { kind: 'expired' } : { kind: 'valid', grant: read.grant };
    },
  };
}

function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
}

function decrypt(key: Buffer, sealed: string): string | undefined {
  if (sealed.length > LONGEST || !/^[\w-]+$/.test(sealed)) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** What was authenticated was written by `seal`, perhaps by an older version. */
function decode(plain: string): { until: number; grant: MediaGrant } | undefined {
  const value: unknown = JSON.parse(plain);
  if (!Array.isArray(value)) return undefined;
  const [until, turn, agent, account, written, name] = value;
  const ref = decodeRef(written);
  if (typeof until !== 'number' || typeof turn !== 'string' || typeof agent !== 'string') return undefined;
  if (ref === undefined || typeof name !== 'string') return undefined;
  const grant = { turn: turnId(turn), agent: agentName(agent), ref, name };
  return { until, grant: typeof account === 'string' ? { ...grant, account } : grant };
}

function decodeRef(value: unknown): MediaRef | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  if (value.kind === 'file-id' && 'id' in value && typeof value.id === 'string')
    return { kind: 'file-id', id: value.id };
  if (value.kind === 'url' && 'url' in value && typeof value.url === 'string')
    return { kind: 'url', url: value.url };
  return undefined;
}

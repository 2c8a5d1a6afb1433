/** Faults that a platform can cause, their modes (the first is the default) and the routes they hit when none is named. */
export const FAULTS = {
  F01: { modes: ['status'], route: '*' },
  F02: { modes: ['reset'], route: '*' },
  F03: { modes: ['silence'], route: '*' },
  F04: { modes: ['comments', 'pings'], route: '*' },
  F05: { modes: ['bytes'], route: '*' },
  F06: { modes: ['cut'], route: '*' },
  F07: { modes: ['no-stop', 'no-blank'], route: '*' },
  F08: { modes: ['stop-twice', 'data-after', 'no-end'], route: '*' },
  F09: { modes: ['malformed'], route: '*' },
  F10: { modes: ['utf8', 'bom', 'nul', 'cr', 'crlf', 'surrogate'], route: '*' },
  F11: { modes: ['huge', 'endless'], route: '*' },
  F12: { modes: ['envelope', 'html', 'token'], route: '*' },
  F13: { modes: ['refuse', 'revoke'], route: '*' },
  F14: { modes: ['down', 'clock'], route: 'tokens' },
  F15: { modes: ['429'], route: '*' },
  F16: { modes: ['forget'], route: 'chats' },
  F37: { modes: ['expired', 'huge', 'html', 'redirect'], route: 'temporaryFile' },
  F38: { modes: ['slow', 'fail'], route: 'references' },
  latency: { modes: ['before'], route: '*' },
} as const;

export type FaultName = keyof typeof FAULTS;

export const ROUTE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  tokens: ['clientToken', 'loginWithIdp', 'loginWithClient'],
  chats: ['chatByKey', 'chatByToken', 'askExpert'],
};

/** One switch: what happens, where, how often. Numbers that a fault does not use are ignored. */
export interface FaultRule {
  readonly id: string;
  readonly fault: FaultName;
  readonly mode: string;
  /** Operation id, group (`tokens`, `chats`) or `*`. */
  readonly route: string;
  /** Requests that pass before the first hit. */
  skip: number;
  /** Hits left; null for no end. */
  left: number | null;
  readonly status?: number;
  readonly ms?: number;
  readonly bytes?: number;
  readonly events?: number;
  /** Value of the `retry-after` header of F15; an empty string sends none. */
  readonly retryAfter?: string;
  /** Where F37 `redirect` points. */
  readonly to?: string;
}

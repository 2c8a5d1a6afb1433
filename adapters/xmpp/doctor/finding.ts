import type { Finding } from '../../../src/kit/channel.ts';

export const good = (what: string, detail: string): Finding => ({ what, ok: true, detail });
export const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });

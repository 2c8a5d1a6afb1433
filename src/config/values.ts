import { z } from 'zod';

/** Kinds of values that several settings share. */

/** The name of a member in JSON. */
export const MEMBER = /^[A-Za-z]\w*$/;

export const milliseconds = (fallback: number, what: string) =>
  z.int().min(1).max(3_600_000).default(fallback).describe(`${what}, in milliseconds`);

export const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

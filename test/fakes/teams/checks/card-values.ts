/** Checks of single values of an Adaptive Card; each returns the fault, or undefined. */

import { isJson, type Json } from '../read.ts';

export type Check = (value: unknown) => string | undefined;

export const string: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string');
export const words: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a string with something in it';
export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
export const number: Check = (value) => (typeof value === 'number' ? undefined : 'must be a number');
export const object: Check = (value) => (isJson(value) ? undefined : 'must be an object');
export const anything: Check = () => undefined;
export const data: Check = (value) =>
  isJson(value) || typeof value === 'string' ? undefined : 'must be an object or a string';
export const strings: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? undefined
    : 'must be a list of strings';

/** Accepts one of these names, in upper or lower case. */
export const oneOf =
  (...names: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && names.some((name) => name.toLowerCase() === value.toLowerCase())
      ? undefined
      : `must be one of ${names.join(', ')}`;

export const pixels: Check = (value) =>
  typeof value === 'string' && /^\d+px$/.test(value) ? undefined : 'must be a number of pixels such as 20px';

export const columnWidth: Check = (value) =>
  typeof value === 'number' || (typeof value === 'string' && /^(auto|stretch|\d+(px)?)$/i.test(value))
    ? undefined
    : 'must be auto, stretch, a weight or pixels';

export const blockHeight: Check = (value) =>
  typeof value === 'string' && /^(auto|stretch|\d+px)$/i.test(value)
    ? undefined
    : 'must be auto, stretch or pixels';

/** Checks the address that a button opens. */
export const link: Check = (value) =>
  typeof value === 'string' && /^(https?:\/\/|mailto:|tel:)/i.test(value) && URL.canParse(value)
    ? undefined
    : 'must be an address with http, https, mailto or tel';

/** Teams accepts https and inline images; http is accepted here only because tests run on loopback. */
export const picture: Check = (value) =>
  typeof value === 'string' && isPicture(value) ? undefined : 'must be https or an inline PNG, JPEG or GIF';

const isPicture = (value: string): boolean =>
  /^data:image\/(png|jpe?g|gif);base64,[A-Za-z0-9+/]+=*$/.test(value) ||
  (URL.canParse(value) && (/^https:/i.test(value) || /^http:\/\/(127\.0\.0\.1|localhost)[:/]/i.test(value)));

export const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isJson) : [];

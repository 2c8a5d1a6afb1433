/**
 * The values of `keyed` in a form that is the same in both engines. SQLite wraps a value in keyv's form. An encrypted
 * value has another key in each engine, so its plain text is compared, and it is encrypted again for the target.
 */

import { jsonSerializer } from 'keyv';
import { openText, sealText } from '../sealed.ts';
import { objectOf, type Row, textOf } from '../turn-rows.ts';

export interface ValueKeys {
  /** Keys with which earlier values may be encrypted. */
  open: readonly Uint8Array[];
  /** The key with which the bridge encrypts. */
  readonly seal: Uint8Array;
}

/** Converts rows of `keyed` from and to the columns of one engine. */
export function createValues({ open, seal }: ValueKeys, wraps: boolean) {
  const decode = (text: string): unknown =>
    wraps ? Object(jsonSerializer.parse(text)).value : JSON.parse(text);
  const encode = (value: unknown): string =>
    wraps ? jsonSerializer.stringify({ value }) : JSON.stringify(value);
  const opened = (value: unknown, row: Row): string | undefined =>
    typeof value === 'string'
      ? open.map((key) => openText(value, placeOf(row), key)).find((text) => text !== undefined)
      : undefined;
  return {
    /** `form` becomes `plain` with JSON, `sealed` with the JSON of the decrypted value, or `damaged` with the raw text. */
    read(row: Row): Row {
      const owner = objectOf(typeof row.owner === 'string' ? row.owner : JSON.stringify(row.owner));
      const common = { ...row, owner: owner === undefined ? null : sorted(owner) };
      try {
        const value = decode(textOf(row.value));
        const json = JSON.stringify(value);
        if (json === undefined) return { ...common, form: 'damaged' };
        const text = opened(value, row);
        return { ...common, form: text === undefined ? 'plain' : 'sealed', value: text ?? json };
      } catch {
        return { ...common, form: 'damaged' };
      }
    },
    /** Returns the columns of a row that `read` returned. */
    write({ form, ...row }: Row): Row {
      if (form === 'damaged') return row;
      const text = textOf(row.value);
      return {
        ...row,
        value: encode(form === 'sealed' ? sealText(text, placeOf(row), seal) : JSON.parse(text)),
      };
    },
  };
}

const placeOf = ({ namespace, key }: Row) => ({ namespace: textOf(namespace), key: textOf(key) });

/** Returns the JSON of an owner, whose properties `jsonb` of PostgreSQL may have put into another order. */
const sorted = (owner: object): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(owner).toSorted(([one], [other]) => (one < other ? -1 : 1))),
  );

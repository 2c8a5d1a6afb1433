/** Date, then perhaps a time with up to seven digits of a second's fraction, then perhaps an offset. */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * A date-time of the platform, as milliseconds since the epoch; `undefined` for what is none. A value without offset
 * counts as UTC, because the documents do not say (platform contract GEN-13).
 */
export function timeOf(text: string): number | undefined {
  const found = ISO.exec(text.trim());
  if (found === null) return undefined;
  const [, date = '', minutes = '00:00', seconds = '00', fraction = '0', offset = 'Z'] = found;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const time = Date.parse(`${date}T${minutes}:${seconds}.${milliseconds}${zone}`);
  return Number.isNaN(time) ? undefined : time;
}

import { TextDecoder } from 'node:util';

/**
 * Returns the decoder for the charset in a content type; UTF-8 if the type names none. Returns undefined for a charset
 * that cannot be decoded.
 * @param malformed `fatal` throws on malformed bytes; `replaced` decodes them as U+FFFD
 */
export function decoderFor(
  contentType: string | undefined,
  malformed: 'fatal' | 'replaced',
): TextDecoder | undefined {
  const [, label = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '') ?? [];
  try {
    return new TextDecoder(label, { fatal: malformed === 'fatal', ignoreBOM: malformed === 'replaced' });
  } catch {
    return undefined;
  }
}

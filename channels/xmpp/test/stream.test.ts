import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { mechanismFor } from '../stream/sasl.ts';
import { createStreamParser, type Element, element, toXml } from '../stream/xml.ts';

const OPEN = '<stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams">';

function parsed(...pieces: readonly string[]): readonly Element[] {
  const found: Element[] = [];
  const parse = createStreamParser(
    (each) => found.push(each),
    () => undefined,
  );
  for (const piece of [OPEN, ...pieces]) parse(piece);
  return found;
}

describe('the parser of streams', () => {
  test('reads a stanza that is cut at every character', () => {
    const stanza = '<message id="a&#38;1"><body>One &#60;two&#62; 😀</body><x xmlns="other"/></message>';
    const [found] = parsed(...stanza);
    expect(found && toXml(found)).toBe(stanza);
  });

  test.each([
    ['an entity bomb', '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><message>&c;</message>'],
    ['an unknown entity', '<message><body>&bomb;</body></message>'],
    ['a comment', '<message><!-- no --></message>'],
    ['a processing instruction', '<message><?php no ?></message>'],
    ['XML that is malformed', '<message><body></message>'],
    ['an undeclared prefix', '<message><a:b/></message>'],
    ['a stanza of 2 MiB', `<message><body>${'x'.repeat(2 * 1_048_576)}</body></message>`],
    ['an endless stanza', `<message>${'<a/>'.repeat(300_000)}`],
    ['too many nested elements', '<a>'.repeat(200)],
  ])('refuses %s', (_, xml) => {
    expect(() => parsed(xml)).toThrow();
  });

  test('attributes cannot change the prototype of an element', () => {
    const [found] = parsed('<message __proto__="x" constructor="y"/>');
    expect(found?.attrs.id).toBeUndefined();
    expect(Object.getPrototypeOf(found?.attrs)).toBeNull();
  });

  test('text is written without characters that XML forbids', () => {
    const body = element('body', 'jabber:client', { id: '"<&\u0001' }, 'a\u0000b\ud800<c>&"');
    expect(toXml(body)).toBe('<body id="&#34;&#60;&#38;\uFFFD">a\uFFFDb\uFFFD&#60;c&#62;&#38;&#34;</body>');
  });
});

/** Answers a SCRAM exchange as a server does (RFC 5802), and returns whether the client's proof is right. */
async function exchange(hash: string, password: string, forge: (message: string) => string = (each) => each) {
  const name = `SCRAM-${hash.toUpperCase().replace('SHA', 'SHA-')}`;
  const mechanism = mechanismFor([name, 'PLAIN'], 'a=b,c', password, false);
  if (mechanism === undefined) throw new Error('No mechanism was chosen.');
  const nonce = /r=(.*)$/.exec(mechanism.first)?.[1];
  const first = forge(`r=${nonce}server,s=${Buffer.from('salt').toString('base64')},i=4096`);
  const response = await mechanism.respond(first);
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();
  const length = createHash(hash).digest().length;
  const salted = pbkdf2Sync('pencil', 'salt', 4_096, length, hash);
  const signed = `${mechanism.first.slice(3)},${first},${response.replace(/,p=.*$/, '')}`;
  const key = hmac(salted, 'Client Key');
  const signature = hmac(createHash(hash).update(key).digest(), signed);
  const proof = Buffer.from(key.map((byte, at) => byte ^ (signature[at] ?? 0))).toString('base64');
  const server = hmac(hmac(salted, 'Server Key'), signed).toString('base64');
  return { mechanism, isRight: response.endsWith(`,p=${proof}`), server };
}

describe('the login', () => {
  test.each([
    'sha1',
    'sha256',
    'sha512',
  ])('proves the password with %s, and checks the server', async (hash) => {
    const { mechanism, isRight, server } = await exchange(hash, 'pencil');
    expect(isRight).toBe(true);
    expect(mechanism.first).toContain('n=a=3Db=2Cc,');
    expect(() => mechanism.verify(`v=${server}`)).not.toThrow();
    expect(() => mechanism.verify(`v=${Buffer.from('no').toString('base64')}`)).toThrow('has not proved');
    expect(() => mechanism.verify('')).toThrow('has not proved');
  });

  test.each([
    ['another nonce', (message: string) => message.replace(/^r=.*?,/, 'r=other,')],
    ['few iterations', (message: string) => message.replace('i=4096', 'i=1')],
    ['endless iterations', (message: string) => message.replace('i=4096', 'i=99999999')],
    ['no salt', (message: string) => message.replace(/s=[^,]*/, 's=')],
  ])('refuses a challenge with %s', async (_, forge) => {
    await expect(exchange('sha256', 'pencil', forge)).rejects.toThrow('invalid');
  });

  test('chooses the strongest mechanism, and PLAIN only on a safe connection', () => {
    const offered = ['PLAIN', 'SCRAM-SHA-1', 'SCRAM-SHA-256'];
    const chosen = (list: readonly string[], isSafe: boolean) => mechanismFor(list, 'u', 'p', isSafe)?.name;
    expect(chosen(offered, false)).toBe('SCRAM-SHA-256');
    expect(chosen(['PLAIN'], false)).toBeUndefined();
    expect(chosen(['PLAIN'], true)).toBe('PLAIN');
    expect(chosen(['ANONYMOUS'], true)).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dot, embed, embedPassage, embedQuestion, type Rarity } from '../../../sandbox/words/embedding.ts';
import { DIMENSIONS, meaningsOf, termsOfMeaning } from '../../../sandbox/words/features.ts';
import { termsOf } from '../../../sandbox/words/terms.ts';

const length = (vector: Float32Array): number => Math.sqrt(dot(vector, vector));
const near = (a: string, b: string): number => dot(embed(a), embed(b));

/** Random texts of words in three scripts, marks, emoji and control characters. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom('visitor', 'pass', '访客', '远程办公', 'カメラ', 'บัตร', 'é', '😀', '\0', '…'), {
      maxLength: 40,
    })
    .map((words) => words.join(' ')),
);

describe('the vector of a text', () => {
  it('has the same number of places for every text, and the length 1 unless the text has no content', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const vector = embed(text);
        expect(vector).toHaveLength(DIMENSIONS);
        const long = length(vector);
        expect(long === 0 || Math.abs(long - 1) < 1e-5).toBe(true);
      }),
    );
    expect(length(embed('the visitor'))).toBeCloseTo(1);
    for (const empty of ['', ' \n', 'what is the', '!?*()"', '\0']) expect(length(embed(empty))).toBe(0);
  });

  it('is the same each time', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(embed(text)).toEqual(embed(text));
      }),
    );
  });

  it('does not depend on the white space between words', () => {
    const words = fc.array(fc.constantFrom('visitor', 'pass', 'valid', 'hotel', '访客', '办公室', 'ホテル'), {
      minLength: 1,
      maxLength: 30,
    });
    const gaps = fc.array(fc.constantFrom(' ', '\n', '\t', '  \r\n ', '\u3000'), {
      minLength: 30,
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, gaps, (list, between) => {
        const spread = list.map((word, index) => word + (between[index] ?? ' ')).join('');
        expect(embed(spread)).toEqual(embed(list.join(' ')));
      }),
    );
  });

  it.each([
    [
      'How long is a visitor pass valid?',
      'The pass of a visitor is valid for one day.',
      'Roll back the release.',
    ],
    ['May I bring my dog?', 'Pets are welcome on Fridays.', 'The printer stands behind the lobby.'],
    ['the reciept is lost', 'When a receipt is missing', 'Two screens and a camera'],
    ['远程办公每周最多几天', '每周可以远程办公三天', '凭发票报销'],
    ['访客怎么停车', 'Where do visitors park?', 'Server logs are kept for 30 days'],
    ['ホテルの予約', 'Book a hotel', 'Coffee is free'],
    ['вход в офис', 'офис: вход справа', 'кофе и чай'],
  ])('of "%s" is nearer to "%s" than to "%s"', (text, similar, unrelated) => {
    expect(near(text, similar)).toBeGreaterThan(near(text, unrelated) + 0.1);
  });

  it('weighs the words of a heading more', () => {
    const terms = termsOf('Parking\nThere are six places in front of the entrance.');
    const plain = embedPassage(terms, '');
    const headed = embedPassage(terms, 'Parking');
    expect(dot(headed, embed('parking'))).toBeGreaterThan(dot(plain, embed('parking')));
  });
});

describe('the vector of a question', () => {
  const rarity = (known: Readonly<Record<string, number>>): Rarity => ({
    ofTerm: (term) => known[term],
    ofMeaning: (line) => Math.max(...termsOfMeaning(line).map((term) => known[term] ?? 0)) || undefined,
    highest: 5,
  });

  it('weighs rare words more', () => {
    const { vector } = embedQuestion(termsOf('visitor zebra'), rarity({ visitor: 0.1, zebra: 4 }));
    expect(dot(vector, embed('zebra'))).toBeGreaterThan(dot(vector, embed('visitor')) + 0.5);
  });

  it('counts a word that no passage contains by its meaning', () => {
    const asked = embedQuestion(termsOf('puppy'), rarity({ dog: 3 }));
    expect(dot(asked.vector, embed('dog'))).toBeGreaterThan(0.5);
    expect(length(embedQuestion([], rarity({})).vector)).toBe(0);
  });

  it('comes with the cosine of a passage of usual length that contains the same words', () => {
    const filler = Array.from({ length: 40 }, (_, index) => (index * 7919 + 1e5).toString(36)).join(' ');
    const text = `dog lobby stripe ${filler}`;
    const asked = embedQuestion(termsOf('dog lobby stripe'), rarity({ dog: 3, lobbi: 3, strip: 3 }));
    const cosine = dot(asked.vector, embed(text));
    expect(cosine / asked.selfCosine).toBeGreaterThan(0.7);
    expect(cosine / asked.selfCosine).toBeLessThan(1.4);
  });
});

it('synonyms share their meaning in three languages', () => {
  const line = meaningsOf('dog').map((meaning) => meaning.line);
  expect(line).toHaveLength(1);
  for (const word of ['pet', '宠物', 'ペット'])
    for (const term of termsOf(word))
      expect(meaningsOf(term).map((meaning) => meaning.line)).toContain(line[0]);
  expect(meaningsOf('zebra')).toEqual([]);
});

/**
 * Makes Adaptive Cards from the elements that Microsoft's package `adaptivecards` registers, with the words that people
 * see in them. An element or a text property that this file does not know is an error, so that the next one that
 * Microsoft adds is noticed.
 */

import { createRequire } from 'node:module';
import fc from 'fast-check';

const { GlobalRegistry, StringProperty, Versions }: typeof import('adaptivecards') = createRequire(
  import.meta.url,
)('adaptivecards/dist/adaptivecards.js');

export interface Made {
  readonly json: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

/** Text properties of Microsoft's schema that people see, and those that they do not see. */
const SHOWN = new Set(['text', 'altText', 'label', 'placeholder', 'title', 'value']);
const HIDDEN = new Set(
  'type id lang url backgroundColor poster errorMessage regex min max valueOn valueOff iconUrl tooltip verb'.split(
    ' ',
  ),
);
/** Values of these inputs are no words: the id of a choice, and the state of a switch. */
const NO_VALUE = new Set(['Input.ChoiceSet', 'Input.Toggle']);

const unique = { count: 0 };
const words = fc.stringMatching(/^[a-zäöü]{1,9}(?: [A-Z0-9&<*|-]{1,6}){0,2}$/).map((said) => {
  unique.count += 1;
  return `${said} w${unique.count}`;
});
const one = words.map((said): Made => ({ json: { type: 'TextBlock', text: said }, words: [said] }));

/** Returns the names of the text properties in Microsoft's schema of a registered element or action. */
function textsOf(name: string, made: { getSchema(): unknown } | undefined): readonly string[] {
  const schema = made?.getSchema() as { getCount(): number; getItemAt(at: number): { name: string } };
  const properties = Array.from({ length: schema.getCount() }, (_, at) => schema.getItemAt(at));
  const texts = properties.filter((each) => each instanceof StringProperty).map((each) => each.name);
  const unknown = texts.filter((text) => !SHOWN.has(text) && !HIDDEN.has(text));
  if (unknown.length > 0) throw new Error(`Are these properties of ${name} visible? ${unknown.join(', ')}`);
  return texts.filter((text) => SHOWN.has(text) && !(text === 'value' && NO_VALUE.has(name)));
}

type Children = fc.Arbitrary<readonly Made[]>;
type Structure = (children: Children, actions: Children) => fc.Arbitrary<Made>;

const nothing: Structure = () => fc.constant({ json: {}, words: [] });
const wordsIn = (made: readonly Made[]): readonly string[] => made.flatMap((each) => each.words);
const jsonOf = (made: readonly Made[]) => made.map((each) => each.json);
const containing =
  (property: string): Structure =>
  (children) =>
    children.map((made) => ({ json: { [property]: jsonOf(made) }, words: wordsIn(made) }));
/** Properties of texts in a list, such as the facts of a set. */
const listing =
  (property: string, shown: readonly string[], hidden: object = {}): Structure =>
  () =>
    fc
      .array(fc.array(words, { minLength: shown.length, maxLength: shown.length }), { maxLength: 3 })
      .map((rows) => ({
        json: {
          [property]: rows.map((row) => ({
            ...hidden,
            ...Object.fromEntries(shown.map((name, at) => [name, row[at]])),
          })),
        },
        words: rows.flat(),
      }));
const grouped =
  (outer: string, type: string): Structure =>
  (children) =>
    fc.array(children, { maxLength: 3 }).map((groups) => ({
      json: { [outer]: groups.map((made) => ({ type, items: jsonOf(made) })) },
      words: groups.flatMap(wordsIn),
    }));

/** What the registered elements contain besides texts. */
const STRUCTURES: Readonly<Record<string, Structure>> = {
  Container: containing('items'),
  TextBlock: nothing,
  RichTextBlock: () =>
    fc.array(fc.tuple(fc.boolean(), words), { maxLength: 4 }).map((runs) => ({
      json: {
        inlines: runs.map(([isRun, text]) => (isRun ? { type: 'TextRun', text: `${text} ` } : `${text} `)),
      },
      words: runs.map(([, text]) => text),
    })),
  TextRun: nothing,
  Image: nothing,
  ImageSet: listing('images', ['altText'], { type: 'Image', url: 'https://example.org/1.png' }),
  Media: listing('captionSources', ['label'], { mimeType: 'vtt', url: 'https://example.org/1.vtt' }),
  FactSet: listing('facts', ['title', 'value']),
  ColumnSet: grouped('columns', 'Column'),
  ActionSet: (_, actions) => containing('actions')(actions, actions),
  'Input.Text': nothing,
  'Input.Date': nothing,
  'Input.Time': nothing,
  'Input.Number': nothing,
  'Input.ChoiceSet': listing('choices', ['title'], { value: 'hidden' }),
  'Input.Toggle': nothing,
  Carousel: grouped('pages', 'CarouselPage'),
  Table: (children) =>
    fc.array(fc.array(children, { maxLength: 3 }), { maxLength: 3 }).map((rows) => ({
      json: {
        rows: rows.map((cells) => ({
          type: 'TableRow',
          cells: cells.map((made) => ({ type: 'TableCell', items: jsonOf(made) })),
        })),
      },
      words: rows.flatMap((cells) => cells.flatMap(wordsIn)),
    })),
  'Action.OpenUrl': () => fc.constant({ json: { url: 'https://example.org/' }, words: [] }),
  'Action.Submit': () => fc.constant({ json: { data: { text: 'hidden' } }, words: [] }),
  'Action.ShowCard': (children) =>
    children.map((made) => ({
      json: { card: { type: 'AdaptiveCard', body: jsonOf(made) } },
      words: wordsIn(made),
    })),
  'Action.ToggleVisibility': nothing,
  'Action.Execute': () => fc.constant({ json: { verb: 'hidden', data: { title: 'hidden' } }, words: [] }),
};

type Registry = typeof GlobalRegistry.defaultElements | typeof GlobalRegistry.defaultActions;

/** Returns one kind of a registered element, with a text in each of its visible properties. */
function kindsIn(registry: Registry, children: Children, actions: Children): readonly fc.Arbitrary<Made>[] {
  return Array.from({ length: registry.getItemCount() }, (_, at) => {
    const type = registry.getItemAt(at).typeName;
    const structure = STRUCTURES[type];
    if (structure === undefined) throw new Error(`Microsoft added the element ${type}.`);
    const texts = textsOf(type, registry.createInstance(type, Versions.latest));
    const values = fc.tuple(...texts.map(() => words));
    return fc.tuple(structure(children, actions), values).map(([made, given]) => ({
      json: { type, ...Object.fromEntries(texts.map((name, nth) => [name, given[nth]])), ...made.json },
      words: [...given, ...made.words],
    }));
  });
}

const few = (kind: fc.Arbitrary<Made>): Children => fc.array(kind, { maxLength: 3 });

/** An element that no package knows yet, with the properties that elements usually have. */
const unknown = fc.record({ title: words, text: words, items: few(one) }).map(
  ({ title, text, items }): Made => ({
    json: { type: 'NextYear', title, text, items: jsonOf(items) },
    words: [title, text, ...wordsIn(items)],
  }),
);

export const cards: fc.Arbitrary<Made> = fc
  .letrec<{ element: Made; action: Made }>((tie) => ({
    element: fc.oneof(
      { maxDepth: 3 },
      one,
      unknown,
      ...kindsIn(GlobalRegistry.defaultElements, few(tie('element')), few(tie('action'))),
    ),
    action: fc.oneof({ maxDepth: 2 }, ...kindsIn(GlobalRegistry.defaultActions, few(one), few(one))),
  }))
  .element.chain((first) => few(one).map((rest) => [first, ...rest]))
  .map((made) => ({
    json: { type: 'AdaptiveCard', version: '1.5', body: jsonOf(made) },
    words: wordsIn(made),
  }));

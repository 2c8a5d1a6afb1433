/**
 * Elements and actions of Adaptive Cards 1.5 with their properties (https://adaptivecards.io/explorer), without those
 * that Teams does not show (media, and actions of other hosts).
 */

import {
  anything,
  blockHeight,
  type Check,
  columnWidth,
  data,
  flag,
  link,
  number,
  object,
  oneOf,
  picture,
  pixels,
  string,
  words,
} from './card-values.ts';

export interface Shape {
  readonly needs: readonly string[];
  readonly may: Readonly<Record<string, Check>>;
  /** The card properties that contain further elements or actions, with the kind of each. */
  readonly holds: Readonly<Record<string, Held>>;
}

/** Content of a property: a name with `one` is a single object, every other name is a list. */
export type Held =
  | 'elements'
  | 'actions'
  | 'columns'
  | 'rows'
  | 'cells'
  | 'images'
  | 'inlines'
  | 'one action'
  | 'card';

const spacing = oneOf('default', 'none', 'small', 'medium', 'large', 'extraLarge', 'padding');
const align = oneOf('left', 'center', 'right');
const vertical = oneOf('top', 'center', 'bottom');
const style = oneOf('default', 'emphasis', 'good', 'attention', 'warning', 'accent');
const color = oneOf('default', 'dark', 'light', 'accent', 'good', 'warning', 'attention');

const every = {
  id: string,
  isVisible: flag,
  requires: object,
  fallback: anything,
  msteams: object,
  targetWidth: string,
};
const block = { ...every, separator: flag, spacing, height: blockHeight, lang: string };
const lettering = {
  size: oneOf('default', 'small', 'medium', 'large', 'extraLarge'),
  weight: oneOf('default', 'lighter', 'bolder'),
  color,
  isSubtle: flag,
  fontType: oneOf('default', 'monospace'),
};
const boxed = {
  style,
  bleed: flag,
  minHeight: pixels,
  verticalContentAlignment: vertical,
  rtl: flag,
  backgroundImage: anything,
};
const cells = { horizontalCellContentAlignment: align, verticalCellContentAlignment: vertical };
const input = { ...block, label: string, isRequired: flag, errorMessage: string };

const shape = (
  needs: readonly string[],
  may: Readonly<Record<string, Check>>,
  holds: Readonly<Record<string, Held>> = {},
): Shape => ({ needs, may, holds });

export const elements: Readonly<Record<string, Shape>> = {
  TextBlock: shape(['text'], {
    ...block,
    ...lettering,
    text: string,
    wrap: flag,
    maxLines: number,
    horizontalAlignment: align,
    style: oneOf('default', 'heading', 'columnHeader'),
  }),
  RichTextBlock: shape(['inlines'], { ...block, horizontalAlignment: align }, { inlines: 'inlines' }),
  Image: shape(
    ['url'],
    {
      ...block,
      url: picture,
      altText: string,
      backgroundColor: string,
      height: blockHeight,
      width: pixels,
      horizontalAlignment: align,
      size: oneOf('auto', 'stretch', 'small', 'medium', 'large'),
      style: oneOf('default', 'person', 'roundedCorners'),
      // Teams' own property for enlarging an image: cards-format, "Stage view for images in Adaptive Cards".
      msTeams: object,
    },
    { selectAction: 'one action' },
  ),
  ImageSet: shape(
    ['images'],
    { ...block, imageSize: oneOf('auto', 'stretch', 'small', 'medium', 'large') },
    { images: 'images' },
  ),
  FactSet: shape(['facts'], { ...block, facts: anything }),
  Container: shape(['items'], { ...block, ...boxed }, { items: 'elements', selectAction: 'one action' }),
  ColumnSet: shape(
    [],
    { ...block, style, bleed: flag, minHeight: pixels, horizontalAlignment: align },
    { columns: 'columns', selectAction: 'one action' },
  ),
  ActionSet: shape(['actions'], { ...block, horizontalAlignment: align }, { actions: 'actions' }),
  Table: shape(
    ['columns', 'rows'],
    {
      ...block,
      ...cells,
      columns: anything,
      // Both names are for the same property: the schema says `firstRowAsHeader`, Microsoft's renderers say
      // `firstRowAsHeaders`.
      firstRowAsHeader: flag,
      firstRowAsHeaders: flag,
      showGridLines: flag,
      gridStyle: style,
    },
    { rows: 'rows' },
  ),
  'Input.Text': shape(
    ['id'],
    {
      ...input,
      value: string,
      placeholder: string,
      maxLength: number,
      isMultiline: flag,
      regex: string,
      style: oneOf('text', 'tel', 'url', 'email', 'password'),
    },
    { inlineAction: 'one action' },
  ),
  'Input.Number': shape(['id'], { ...input, value: number, placeholder: string, min: number, max: number }),
  'Input.Date': shape(['id'], { ...input, value: string, placeholder: string, min: string, max: string }),
  'Input.Time': shape(['id'], { ...input, value: string, placeholder: string, min: string, max: string }),
  'Input.Toggle': shape(['id', 'title'], {
    ...input,
    title: string,
    value: string,
    valueOn: string,
    valueOff: string,
    wrap: flag,
  }),
  'Input.ChoiceSet': shape(['id', 'choices'], {
    ...input,
    choices: anything,
    value: string,
    placeholder: string,
    isMultiSelect: flag,
    wrap: flag,
    style: oneOf('compact', 'expanded', 'filtered'),
  }),
};

export const parts: Readonly<Record<string, Shape>> = {
  Column: shape(
    [],
    { ...block, ...boxed, width: columnWidth },
    { items: 'elements', selectAction: 'one action' },
  ),
  TableRow: shape(['cells'], { ...every, ...cells, style }, { cells: 'cells' }),
  TableCell: shape(['items'], { ...every, ...boxed }, { items: 'elements', selectAction: 'one action' }),
  TextRun: shape(
    ['text'],
    { ...lettering, text: string, italic: flag, strikethrough: flag, highlight: flag, underline: flag },
    { selectAction: 'one action' },
  ),
};

const action = {
  id: string,
  title: string,
  iconUrl: picture,
  style: oneOf('default', 'positive', 'destructive'),
  mode: oneOf('primary', 'secondary'),
  tooltip: string,
  isEnabled: flag,
  requires: object,
  fallback: anything,
  msTeams: object,
};

export const actions: Readonly<Record<string, Shape>> = {
  'Action.Execute': shape([], {
    ...action,
    verb: words,
    data,
    associatedInputs: oneOf('auto', 'none'),
  }),
  'Action.Submit': shape([], { ...action, data, associatedInputs: oneOf('auto', 'none') }),
  'Action.OpenUrl': shape(['url'], { ...action, url: link }),
  'Action.ShowCard': shape([], action, { card: 'card' }),
  'Action.ToggleVisibility': shape(['targetElements'], { ...action, targetElements: anything }),
};

export const card: Shape = shape(
  ['version'],
  {
    ...boxed,
    $schema: string,
    version: words,
    fallbackText: string,
    speak: string,
    lang: string,
    refresh: object,
    metadata: object,
    msteams: object,
    authentication: object,
  },
  { body: 'elements', actions: 'actions', selectAction: 'one action' },
);

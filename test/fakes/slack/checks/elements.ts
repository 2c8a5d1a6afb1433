/**
 * Checks the elements of blocks. Limits: https://docs.slack.dev/reference/block-kit/block-elements, as documented for
 * each field in @slack/types 3.2 (block-kit/block-elements.d.ts, composition-objects.d.ts).
 */

import { isJson } from '../args.ts';
import type { Json } from '../shapes.ts';
import {
  each,
  type Faults,
  fault,
  items,
  length,
  missing,
  needed,
  oneOf,
  optionalText,
  textObject,
} from './faults.ts';

const ACTION_ID = 255;
const BUTTON_LABEL = 75;
const VALUE = 2_000;
const URL_CHARACTERS = 3_000;
const PLACEHOLDER = 150;
const OPTION_TEXT = 75;
const OPTIONS = 100;
const FEW_OPTIONS = 10;
const OVERFLOW_OPTIONS = 5;
const INPUT_CHARACTERS = 3_000;
/**
 * Maximum characters of each text in a confirmation dialog:
 * https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
 */
const CONFIRM = { title: 100, text: 300, button: 30 };

type ElementCheck = (element: Json, at: string) => Faults;

const SELECTS = ['static', 'external', 'users', 'conversations', 'channels'];

const button: ElementCheck = (element, at) => [
  ...textObject(element.text, `${at}/text`, { max: BUTTON_LABEL, plain: true }),
  ...length(element.value, `${at}/value`, { max: VALUE }),
  ...length(element.url, `${at}/url`, { min: 1, max: URL_CHARACTERS }),
  ...length(element.accessibility_label, `${at}/accessibility_label`, { max: BUTTON_LABEL }),
  ...oneOf(element.style, `${at}/style`, ['primary', 'danger']),
];

const feedbackSide = (side: unknown, at: string): Faults =>
  isJson(side)
    ? [
        ...textObject(side.text, `${at}/text`, { max: BUTTON_LABEL, plain: true }),
        ...needed(side, 'value', at, { max: VALUE }),
        ...length(side.accessibility_label, `${at}/accessibility_label`, { max: BUTTON_LABEL }),
      ]
    : fault(at, 'must be an object');

const feedback: ElementCheck = (element, at) => [
  ...feedbackSide(element.positive_button, `${at}/positive_button`),
  ...feedbackSide(element.negative_button, `${at}/negative_button`),
];

const iconButton: ElementCheck = (element, at) => [
  ...oneOf(element.icon ?? '', `${at}/icon`, ['trash']),
  ...textObject(element.text, `${at}/text`, { max: BUTTON_LABEL, plain: true }),
  ...length(element.value, `${at}/value`, { max: VALUE }),
];

const option: ElementCheck = (each, at) => [
  ...textObject(each.text, `${at}/text`, { max: OPTION_TEXT }),
  ...needed(each, 'value', at, { min: 1, max: OPTION_TEXT }),
  ...optionalText(each.description, `${at}/description`, { max: OPTION_TEXT }),
  ...length(each.url, `${at}/url`, { max: URL_CHARACTERS }),
];

const options =
  (most: number): ElementCheck =>
  (element, at) => [
    ...items(element.options, `${at}/options`, { max: most }),
    ...each(element.options, `${at}/options`, option),
  ];

const optionGroup: ElementCheck = (group, at) => [
  ...textObject(group.label, `${at}/label`, { max: OPTION_TEXT, plain: true }),
  ...options(OPTIONS)(group, at),
];

const staticSelect: ElementCheck = (element, at) =>
  element.option_groups === undefined
    ? [...options(OPTIONS)(element, at), ...initialAmong(element, at)]
    : [
        ...items(element.option_groups, `${at}/option_groups`, { max: OPTIONS }),
        ...each(element.option_groups, `${at}/option_groups`, optionGroup),
      ];

/**
 * Refuses an initial option that is not in the list, because it must be one that "exactly matches one or more of the
 * options".
 */
function initialAmong(element: Json, at: string): Faults {
  const { initial_option: initial, options: all } = element;
  if (!isJson(initial) || !Array.isArray(all)) return [];
  const known = all.some((each: unknown) => isJson(each) && each.value === initial.value);
  return known ? [] : fault(`${at}/initial_option`, 'must be one of the provided options');
}

const plainInput: ElementCheck = (element, at) => {
  const most = element.max_length;
  const tooMany = typeof most === 'number' && (most < 1 || most > INPUT_CHARACTERS);
  return [
    ...(tooMany ? fault(`${at}/max_length`, `must be less than ${INPUT_CHARACTERS + 1}`) : []),
    ...length(element.initial_value, `${at}/initial_value`, { max: INPUT_CHARACTERS }),
  ];
};

export const image: ElementCheck = (element, at) => [
  ...needed(element, 'alt_text', at, { min: 1, max: 2_000 }),
  ...(element.image_url === undefined && element.slack_file === undefined ? missing(at, 'image_url') : []),
  ...(element.image_url !== undefined && element.slack_file !== undefined
    ? fault(at, 'must provide either image_url or slack_file')
    : []),
  ...length(element.image_url, `${at}/image_url`, { min: 1, max: URL_CHARACTERS }),
];

const nothing: ElementCheck = () => [];

const checks: Readonly<Record<string, ElementCheck>> = {
  button,
  feedback_buttons: feedback,
  icon_button: iconButton,
  overflow: options(OVERFLOW_OPTIONS),
  checkboxes: options(FEW_OPTIONS),
  radio_buttons: options(FEW_OPTIONS),
  static_select: staticSelect,
  multi_static_select: staticSelect,
  plain_text_input: plainInput,
  datepicker: nothing,
  datetimepicker: nothing,
  timepicker: nothing,
  email_text_input: nothing,
  url_text_input: nothing,
  number_input: (element, at) =>
    typeof element.is_decimal_allowed === 'boolean' ? [] : missing(at, 'is_decimal_allowed'),
  rich_text_input: nothing,
  file_input: nothing,
  workflow_button: nothing,
  ...Object.fromEntries(
    SELECTS.filter((kind) => kind !== 'static').flatMap((kind) => [
      [`${kind}_select`, nothing],
      [`multi_${kind}_select`, nothing],
    ]),
  ),
};

/** Checks an interactive element: the fields that all types share, then those of its type. */
export function element(value: Json, at: string, allowed: readonly string[]): Faults {
  const type = String(value.type);
  const check = checks[type];
  if (check === undefined || !allowed.includes(type)) return fault(`${at}/type`, `unsupported type: ${type}`);
  return [
    ...length(value.action_id, `${at}/action_id`, { min: 1, max: ACTION_ID }),
    ...optionalText(value.placeholder, `${at}/placeholder`, { max: PLACEHOLDER, plain: true }),
    ...confirmation(value.confirm, `${at}/confirm`),
    ...check(value, at),
  ];
}

function confirmation(value: unknown, at: string): Faults {
  if (!isJson(value)) return [];
  return [
    ...optionalText(value.title, `${at}/title`, { max: CONFIRM.title, plain: true }),
    ...textObject(value.text, `${at}/text`, { max: CONFIRM.text }),
    ...optionalText(value.confirm, `${at}/confirm`, { max: CONFIRM.button, plain: true }),
    ...optionalText(value.deny, `${at}/deny`, { max: CONFIRM.button, plain: true }),
  ];
}

const menus = SELECTS.flatMap((kind) => [`${kind}_select`, `multi_${kind}_select`]);
const common = ['checkboxes', 'datepicker', 'radio_buttons', 'timepicker', ...menus];

/** The elements that each block accepts, from the unions in @slack/types, block-kit/blocks.d.ts. */
export const elementsOf = {
  actions: [...common, 'button', 'datetimepicker', 'overflow', 'workflow_button', 'rich_text_input'],
  section: [...common, 'button', 'overflow', 'workflow_button'],
  context_actions: ['feedback_buttons', 'icon_button'],
  input: [
    ...common,
    'datetimepicker',
    'email_text_input',
    'file_input',
    'number_input',
    'plain_text_input',
    'rich_text_input',
    'url_text_input',
  ],
};

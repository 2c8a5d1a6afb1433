/** Renders what the card under an answer shows: steps, images, files, notices and sources. */

import {
  imageWords,
  type Media,
  type Notice,
  type NumberedSource,
  noticeSign,
  type Plain,
  type Step,
  stepSigns,
} from '../../../src/kit/ladder.ts';
import { sourceTitle } from '../../../src/kit.ts';
import type { Place } from './render-context.ts';
import { httpsOnly, label, line, linkRuns, noGap, quiet, richText, run } from './runs.ts';
import { words } from './words.ts';

const MAX_IMAGES = 10;
const MAX_FILES = 10;
const MAX_STEPS = 20;
/**
 * Maximum sources that a message lists (the button "Sources" shows all of them), and maximum characters of a name and
 * of a step.
 */
const LISTED_SOURCES = 5;
const NAME_CHARS = 150;
const STEP_CHARS = 80;
const NOTICE_CHARS = 1_000;

/**
 * Shows the steps of a running answer: all finished steps together on one line, and each running step on a line of its
 * own.
 */
export function runningSteps(steps: readonly Step[]): readonly Plain[] {
  const running = steps.filter(({ state }) => state === 'running').slice(-MAX_STEPS);
  const ended = steps.filter(({ state }) => state !== 'running');
  const summaryLine = ended.length === 0 ? [] : [line(summary(ended), quiet)];
  return [...summaryLine, ...running.map((step) => line(stepWords(step), quiet, noGap))];
}

/** Id of the container that a press unfolds. Each card has only one such container. */
const STEPS = 'steps';

/** Shows the steps of a finished answer as one line. A press unfolds it. */
export function foldedSteps(steps: readonly Step[]): readonly Plain[] {
  if (steps.length === 0) return [];
  const unfold = { type: 'Action.ToggleVisibility', targetElements: [STEPS] };
  const lines = steps.slice(-MAX_STEPS).map((step) => line(stepWords(step), quiet, noGap));
  return [
    { type: 'Container', selectAction: unfold, items: [line(`${summary(steps)} ▾`, quiet)] },
    { type: 'Container', id: STEPS, isVisible: false, items: lines, spacing: 'None' },
  ];
}

function summary(steps: readonly Step[]): string {
  const failed = steps.filter(({ state }) => state === 'failed').length;
  const elapsed = steps.reduce((sum, { elapsedMs = 0 }) => sum + elapsedMs, 0);
  const parts = [words.stepsDone(steps.length), ...(failed > 0 ? [words.stepsFailed(failed)] : [])];
  return `${failed > 0 ? stepSigns.failed : stepSigns.done} ${parts.join(', ')}${seconds(elapsed)}`;
}

function stepWords({ state, name, elapsedMs = 0 }: Step): string {
  return `${stepSigns[state]} ${label(name, STEP_CHARS, '…')}${seconds(elapsedMs)}`;
}

const seconds = (ms: number): string => (ms < 100 ? '' : ` · ${(ms / 1_000).toFixed(1)} s`);

type Places = Readonly<Record<string, Place>>;

/** Returns an image's address that Teams' clients accept; undefined if there is none. */
function addressOf(place: Place | undefined, inline: boolean): string | undefined {
  const { data, link } = place ?? {};
  if (inline && data !== undefined && /^data:image\/(?:png|jpeg|gif);base64,/.test(data)) return data;
  return httpsOnly(link);
}

/**
 * Renders images in order. `fileElements` lists the images that no client can load.
 * @param units maximum UTF-16 units of images embedded in the card
 */
export function imageElements(media: readonly Media[], places: Places, units: number): readonly Plain[] {
  let left = units;
  const all = media.filter(({ kind }) => kind === 'image');
  const elements = all.flatMap((medium): readonly Plain[] => {
    const place = places[medium.id];
    const url = addressOf(place, (place?.data?.length ?? 0) <= left);
    if (url === undefined) return [];
    if (url.startsWith('data:')) left -= url.length;
    return [imageElement(url, label(nameOf(medium), NAME_CHARS, words.image), all.length)];
  });
  const more = elements.length - MAX_IMAGES;
  return [...elements.slice(0, MAX_IMAGES), ...(more > 0 ? [line(words.moreImages(more), quiet)] : [])];
}

/** Renders an image. If there are several, adds its name, because the text refers to it by name. */
function imageElement(url: string, name: string, count: number): Plain {
  const image = { type: 'Image', url, altText: name, msTeams: { allowExpand: true } };
  if (count === 1) return { ...image, spacing: 'Medium' };
  const items = [line(`${words.imageMark} ${name}`, quiet), { ...image, spacing: 'Small' }];
  return { type: 'Container', items, spacing: 'Medium' };
}

/**
 * Returns the lines that fit into `units`. A limit is needed, because addresses of files and sources may be of any
 * length.
 */
function fitting(lines: readonly Plain[], units: number): readonly Plain[] {
  let left = units;
  return lines.filter((each) => {
    left -= JSON.stringify(each).length;
    return left >= 0;
  });
}

/** Lists files, and the images that no client can load. Each is shown by its name, with a link if it has one. */
export function fileElements(media: readonly Media[], places: Places, units: number): readonly Plain[] {
  const named = media.filter(({ id, kind }) => kind === 'file' || addressOf(places[id], true) === undefined);
  const all = named.slice(0, MAX_FILES).map((medium) => {
    const { id, kind, link } = medium;
    const sign = kind === 'image' ? words.imageMark : words.fileMark;
    const name = label(nameOf(medium), NAME_CHARS, kind === 'image' ? words.image : words.file);
    return richText([run(`${sign} `), ...linkRuns(name, places[id]?.link ?? link)], { spacing: 'Small' });
  });
  const lines = fitting(all, units);
  const more = named.length - lines.length;
  return [...lines, ...(more > 0 ? [line(words.moreFiles(more), quiet)] : [])];
}

/** Returns the name of a file or image; a readable word if the name is only an id of the platform. */
function nameOf({ name, ref, kind }: Media): string {
  const id = ref.kind === 'file-id' ? ref.id : ref.url;
  return kind === 'image' || name.trim() === id ? imageWords(name, id) : name;
}

const tones = { info: {}, warning: { color: 'Warning' }, error: { color: 'Attention' } } as const;

/** Renders a notice of the bridge. */
export const noticeElement = (notice: Notice): Plain => line(noticeWords(notice), tones[notice.tone]);

export const noticeWords = (notice: Notice): string =>
  noticeSign(notice) + label(notice.text, NOTICE_CHARS, '…');

/** Lists the sources with the numbers by which the text refers to them. */
export function sourceElements(sources: readonly NumberedSource[], units: number): readonly Plain[] {
  const all = sources
    .slice(0, LISTED_SOURCES)
    .map(({ number, source }) =>
      richText(
        [
          run(`${number}. `, quiet),
          ...linkRuns(label(sourceTitle(source, number), NAME_CHARS, words.untitled), source.link, quiet),
        ],
        noGap,
      ),
    );
  const lines = fitting(all, units);
  return lines.length === 0 ? [] : [line(words.sources, { weight: 'Bolder', size: 'Small' }), ...lines];
}

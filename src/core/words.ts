/** Parley's own sentences: short, plain, kind; what happened, what stays, what to do next. */

import { catalogue } from '../errors.ts';
import type { TurnId } from './ids.ts';

/** How much of a turn's id a person is shown, enough to find it in the log. */
const REFERENCE_LENGTH = 8;

export const words = {
  stopped: 'Stopped. What had arrived stays.',
  stoppedBeforeText: 'Stopped before the agent had answered.',
  contextLost: 'The agent no longer knew the earlier conversation, so this answer starts afresh.',
  notRemembered: 'This conversation could not be remembered, so a follow-up question may start afresh.',
  answerCut: 'The answer was longer than can be shown here and was cut.',
  lookAtImage: 'Please look at the attached image and tell what it shows.',
  newConversation: (agent: string) => `A new conversation with **${agent}** begins here.`,
  nowAsking: (agent: string) => `From now on this thread asks **${agent}**.`,
  unknownAgent: (name: string, known: readonly string[]) =>
    `There is no agent called "${name}" here. You can ask: ${known.join(', ')}.`,
  notRepeatable: 'This answer cannot be repeated any more. Please ask the question again.',
  versionGone: 'That version is no longer kept: earlier versions of an answer stay for 24 hours.',
  versionBeingWritten: 'A new version is being written just now. Please look at the others when it is done.',
  nothingRuns: 'Nothing is running in this thread.',
  lastSources: (count: number) =>
    `The last answer in this thread drew on ${count} ${count === 1 ? 'source' : 'sources'}.`,
  noSources: 'The last answer in this thread came without sources.',
  seesNoImages: catalogue['agent-sees-no-images'].tellUser,
  fileNotPassed: (name: string) => `"${name}" was not passed on: only PNG, JPEG, GIF and WebP images can be.`,
  imageTooLarge: (name: string, mebibytes: number) =>
    `"${name}" was not passed on: images may have ${mebibytes} MiB at most.`,
  imageUnreadable: (name: string) => `"${name}" could not be opened and was not passed on.`,
  tooManyImages: (limit: number) => `Only the first ${limit} images were passed on.`,
  withReference: (sentence: string, turn: TurnId) =>
    `${sentence} (Reference ${turn.slice(0, REFERENCE_LENGTH)})`,
} as const;

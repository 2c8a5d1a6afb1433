/** Behaviour of an agent that was created through the API, as read from its record. */
export interface Conduct {
  /** Display name. */
  readonly title: string;
  /** Answer to a greeting. If the agent has neither documents nor a model, it begins every answer with this text. */
  readonly greetings: readonly Localized[];
  /** Instructions for a model. `prompt`, `temperature` and `topP` are used only if a model is configured. */
  readonly prompt: string;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  /** Ids of the knowledge workspaces from which the agent answers. An empty list means none; undefined means all. */
  readonly workspaces: readonly string[] | undefined;
  readonly suggests: boolean;
  /** Number of earlier turns that the agent sees; undefined for the usual number. */
  readonly turns: number | undefined;
  readonly published: boolean;
  /** Maximum fragments of an answer, and minimum score of a fragment (platform contract ADM-9: `knowledge_config`). */
  readonly fragments: number | undefined;
  readonly leastScore: number;
  readonly showsReferences: boolean;
  readonly filter: KeywordFilter | undefined;
}

/** A text in one language, such as `en-US` (platform contract BOT-3: names and welcomes in several languages). */
export interface Localized {
  readonly languageCode: string;
  readonly content: string;
}

/**
 * Key words, and what the agent says instead if a question or an answer contains one (platform contract ADM-12: preset
 * replies).
 */
export interface KeywordFilter {
  readonly words: readonly string[];
  /** Sent instead of an answer if the question contains a key word; undefined if questions are not checked. */
  readonly onQuestion: string | undefined;
  /** Sent instead of an answer that contains a key word; undefined if answers are not checked. */
  readonly onAnswer: string | undefined;
}

export const plainConduct: Omit<Conduct, 'title'> = {
  greetings: [],
  prompt: '',
  temperature: undefined,
  topP: undefined,
  workspaces: [],
  suggests: true,
  turns: undefined,
  published: true,
  fragments: undefined,
  leastScore: 0,
  showsReferences: true,
  filter: undefined,
};

/** True if a text contains a key word, in any letter case. */
export function holdsKeyword(text: string, { words }: KeywordFilter): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => word !== '' && lower.includes(word.toLowerCase()));
}

/**
 * Returns the text in the first wanted language that has a text. If no wanted language has one, returns the English
 * text; if that is missing too, the first text. Ignores blank texts; returns an empty text if all are blank.
 */
export function inLanguage(texts: readonly Localized[], wanted: readonly string[]): string {
  const usable = texts.filter(({ content }) => content.trim() !== '');
  const inOrder = [...wanted, 'en-US'].flatMap((language) => [
    ...usable.filter(({ languageCode }) => languageCode.toLowerCase() === language.toLowerCase()),
    ...usable.filter(({ languageCode }) => primary(languageCode) === primary(language)),
  ]);
  return (inOrder[0] ?? usable[0])?.content ?? '';
}

/** Returns the primary language of a tag: `zh` for `zh-CN`. */
const primary = (language: string): string => language.toLowerCase().split(/[-_]/)[0] ?? '';

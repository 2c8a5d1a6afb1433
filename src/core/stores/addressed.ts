/** Detects from the first words of a message that it is for a person whom it does not mention. */

/** Words with which questions often begin, before a comma or colon. No name is among them. */
const OPENERS = new Set(
  `ok okay yes no yeah yep nope thanks great good fine nice perfect cool super wow right well so and also but or then
  now sorry hi hello hey hm hmm ah aha oh actually however alright understood interesting wait please sure true indeed
  anyway again first finally next still maybe perhaps otherwise instead besides today tomorrow yesterday meanwhile
  question edit note ps update fyi example
  ja nein doch danke gut prima klar also und aber oder dann nun jetzt bitte hallo genau stimmt richtig verstehe
  verstanden entschuldigung moment achso ach schade frage beispiel nachtrag heute morgen gestern außerdem übrigens
  oui non merci bien bon parfait alors et mais ou donc désolé désolée bonjour salut exact aussi ensuite
  sí si gracias bueno vale perfecto entonces pero hola grazie bene allora ma ciao obrigado obrigada sim não olá
  nee bedankt dank goed maar dus hoi да нет спасибо хорошо понятно`.split(/\s+/),
);

/**
 * Matches a name at the start: `Ben, …`, `Ben: …`, `Hi Ben, …`, `Ben and Dan, …`, `Benさん、…`, `team, …`. Channels do not
 * tell all names of a conversation, so a capitalized word counts as one.
 */
const NAME =
  /^\s*(?:(?:[Hh](?:i|ey|ello|allo)|[Dd]ear|[Tt]hanks|[Dd]anke|[Mm]erci)\s+)?(?:(\p{Lu}[\p{L}'-]{1,30})(?:\s(?:and|und|et|y|e|&)\s\p{Lu}[\p{L}'-]{1,30})?[,，:]\s|[\p{L}\p{N}]{1,20}(?:さん|様|さま|くん|ちゃん|先生|先輩)[、，,]|(?:all|everyone|everybody|team|folks|guys|alle|leute)[,:]\s)/u;

/** Matches a mention that was typed as plain text. */
const TYPED = /^\s*@([\p{L}][\p{L}\p{N}_.-]{0,60})/u;

/**
 * Returns how the message begins: with a mention that was typed as text, or with a name.
 * @param own names of the bridge and its agents, in lower case
 */
export function addressedIn(text: string, own: readonly string[]): 'typed' | 'name' | undefined {
  const typed = TYPED.exec(text)?.[1]
    ?.toLowerCase()
    .replace(/[.-]+$/, '');
  if (typed !== undefined) return own.includes(typed) ? undefined : 'typed';
  const found = NAME.exec(text);
  const word = found?.[1]?.toLowerCase();
  if (found === null || (word !== undefined && (OPENERS.has(word) || own.includes(word)))) return undefined;
  return 'name';
}

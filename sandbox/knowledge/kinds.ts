/** What a question asks for, and how that looks in a sentence. */
interface Kind {
  readonly asked: RegExp;
  readonly given: RegExp;
}

const KINDS: readonly Kind[] = [
  {
    asked:
      /\bhow (long|soon|fast|quickly|often|old)\b|\bwhen\b|\bdeadline\b|多久|多长|何时|什么时候|期限|有效期|いつ|どのくらい|期間/i,
    given:
      /\d+[\s-]*(minute|hour|day|week|month|year|second)|\b\d{1,2}:\d{2}\b|\b(one|two|three|four|five|six|seven|ten|eleven|twelve) (working |calendar |business )?(minute|hour|day|week|month|year)|\d+\s*(分钟|小时|天|日|周|个?月|年|時間|分)|[一二三四五六七八九十]+个?(工作|小时|天|日|周|月|年)/i,
  },
  {
    asked: /\bhow (much|many)\b|\b(costs?|price|limit|maximum|rate)\b|多少|几|いくら/i,
    given: /\d|[一二三四五六七八九十百千]+(元|天|个)|\bnothing\b|\bfree\b/i,
  },
  {
    asked: /\bwhere\b|哪里|哪儿|どこ/i,
    given:
      /\b(next to|floor|wing|behind|beside|in front|side|lobby|building|reception|at the|in the)\b|[层楼]|階/i,
  },
];

/** Whether the question asks for a time, an amount or a place. */
export const asksForKind = (question: string): boolean => KINDS.some(({ asked }) => asked.test(question));

/** Whether the sentence gives what the question asks for. */
export const fitsKind = (question: string, sentence: string): boolean =>
  KINDS.some(({ asked, given }) => asked.test(question) && given.test(sentence));

/** Words by which an agent is told not to ask, or to go past what holds it back. */
const LIFTS =
  /\b(?:never|not|don't|no need to|without|stop)\s+(?:ever\s+)?(?:ask(?:ing)?|confirm(?:ing|ation)?|prompt(?:ing)?|question(?:s|ing)?|approval|permission)\b|\b(?:skip|bypass|ignore|disable|turn off)\s+(?:\w+\s+){0,2}(?:guard\w*|hooks?|safety|permissions?|confirmations?|approvals?|checks?|warnings?|restrictions?)\b|\b(?:approved?|allow(?:s|ed)?|permit(?:s|ted)?|authori[sz]ed?)\s+(?:all|any|every|everything|the use of)\b[^.\n]{0,40}\b(?:commands?|actions?|calls?|operations?|tools?|permanently|destructive|dangerous)\b/i;

/** What an agent reads in every later session says that nobody is to be asked. */
export function liftsQuestions(text: string): boolean {
  return LIFTS.test(text);
}

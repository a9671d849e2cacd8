/**
 * Whether the whole text fits a pattern with `*` (anything) and `?` (one character). Takes at most as many steps
 * as pattern times text, whatever they are.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const wanted = [...pattern];
  const given = [...text];
  let at = 0;
  let star = -1;
  let resumeAt = 0;
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === "*") {
      star = at++;
      resumeAt = index;
    } else if (at < wanted.length && (wanted[at] === "?" || wanted[at] === given[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resumeAt;
    } else return false;
  }
  while (wanted[at] === "*") at++;
  return at === wanted.length;
}

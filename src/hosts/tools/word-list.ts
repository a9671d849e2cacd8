/** A list of words is one text with blanks between them: nothing is built when the hook program starts. */
export function isOneOf(list: string, word: string): boolean {
  if (word === "") return false;
  for (let at = list.indexOf(word); at >= 0; at = list.indexOf(word, at + 1))
    if (isBlank(list, at - 1) && isBlank(list, at + word.length)) return true;
  return false;
}

function isBlank(list: string, at: number): boolean {
  return at < 0 || at >= list.length || list.charCodeAt(at) <= 32;
}

export function hasWord(words: readonly string[], wanted: string): boolean {
  return words.some(word => isOneOf(wanted, word));
}

/** Whether the whole text fits the glob, in which `*` stands for anything. Never slower than length × length. */
export function fitsGlob(glob: string, text: string): boolean {
  let at = 0;
  let position = 0;
  let lastStar = -1;
  let resumeAt = 0;
  while (at < text.length) {
    if (glob[position] === "*") {
      lastStar = position++;
      resumeAt = at;
    } else if (position < glob.length && glob[position] === text[at]) {
      position++;
      at++;
    } else if (lastStar >= 0) {
      position = lastStar + 1;
      at = ++resumeAt;
    } else {
      return false;
    }
  }
  while (glob[position] === "*") position++;
  return position === glob.length;
}

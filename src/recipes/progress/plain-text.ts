/** Text of others on our terminal: no control sequences, nothing that hides or reorders text, one line. */
export function plain(text: string): string {
  return text
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, "")
    .replace(/\t/g, " ")
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b\u200e\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g,
      "",
    );
}

/** The same for text of several lines. */
export function plainLines(text: string): readonly string[] {
  return text.split("\n").map(plain);
}

import { bash, result, type Said, use, write } from "../../recorded.ts";

export type Session = readonly (Said | readonly Said[])[];

export const read = (path: string): Said[] => [use("Read", { file_path: path }), result("text")];
export const grep = (pattern: string): Said[] => [use("Grep", { pattern }), result("src/a.py:1: text")];
export const code = (path = "src/parser.py") => write(path, "def parse(text):\n    return text.split()\n");
export const edit = (path: string, text: string) =>
  use("Edit", { file_path: path, old_string: "a", new_string: text });
export const looked = [...read("src/a.py"), ...grep("def "), ...read("src/b.py")];
export const green = bash("pytest -q", "12 passed in 0.4s");

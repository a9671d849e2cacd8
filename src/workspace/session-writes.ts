/** What this session wrote so far, as the history records it. Paths are absolute, links resolved. */
export interface SessionWrites {
  /** it made or changed the file */
  hasWritten(path: string): boolean;
  /** the files that it made or changed and that have this last name */
  named(name: string): readonly string[];
  /** the text of a file before the session changed it first; undefined when that is not kept */
  textBefore(path: string): string | undefined;
  /** where files were that the session moved below this directory */
  movedInto(directory: string): readonly string[];
}
